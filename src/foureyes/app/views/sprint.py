"""Sprints: a plan before it is stored, how far one is, its report."""

from __future__ import annotations

import msgspec

from foureyes.core.nouns.sprint import SprintState, TargetKind
from foureyes.steps import NO_STEP, Steps

SPRINT_AGENTS = 3
"""How many agents the runner of a sprint has, where nobody says otherwise."""


class SprintAsk(msgspec.Struct, frozen=True, kw_only=True):
    """X1: what is asked for, as somebody typed or ticked it: which tasks, and at most one of `complete` (so many),
    `hours`, `until` (a time of the day where they are) and `idle`. Nothing said: as `[sprint]` has it.
    """

    tasks: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    """Labels or tasks to leave out."""
    priority: int | None = None
    """This one, and what is more important."""
    complete: int | None = None
    hours: float | None = None
    until: str = ""
    idle: bool = False
    pause_on_error: bool | None = None
    checkpoint: bool | None = None
    agents: int = SPRINT_AGENTS


class SprintTargetView(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """X1: what a sprint runs for; `at` is the instant of its end, `words` all of it for people."""

    kind: TargetKind
    at: str = ""
    zone: str = ""
    tasks: int = 0
    minutes: int = 0
    words: str = ""


class PlannedTaskView(msgspec.Struct, frozen=True, kw_only=True):
    """A task that is or could be in a sprint. `estimate` says where `minutes` come from; `person` why it will need one,
    empty where it may not; `default`: nothing is known about how long such tasks take.
    """

    task: str
    title: str
    priority: int
    labels: tuple[str, ...] = ()
    mode: str = ""
    minutes: int = 0
    estimate: str = ""
    default: bool = False
    person: str = ""
    waits_for: tuple[str, ...] = ()


class SprintPlanView(msgspec.Struct, frozen=True, kw_only=True):
    """A plan. `id` is empty as long as it is only shown. `others` are tasks that could be chosen and are not; `notes`
    what there is to say about what was asked for, `warnings` about what every task will begin with.
    """

    id: str = ""
    target: SprintTargetView
    tasks: tuple[PlannedTaskView, ...]
    others: tuple[PlannedTaskView, ...] = ()
    agents: int = 0
    minutes: int = 0
    """How long the chosen take with so many agents."""
    minutes_of_all: int = 0
    """How long everything takes that could be chosen."""
    past: int = 0
    """How many tasks the estimates rest on."""
    seconds_left: int | None = None
    need_person: int = 0
    pause_on_error: bool = False
    checkpoint: bool = True
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    next: Steps = NO_STEP


class SprintBegun(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a start: `runner` says who takes its tasks."""

    id: str
    message: str
    runner: str = ""
    checkpoint: str = ""
    ends_at: str = ""
    changed: bool = True
    notes: tuple[str, ...] = ()
    next: Steps = NO_STEP


class SprintRow(msgspec.Struct, frozen=True, kw_only=True):
    """A task of a sprint, in a line: where it stands and why."""

    task: str
    title: str
    standing: str
    why: str = ""


class SprintView(msgspec.Struct, frozen=True, kw_only=True):
    """How far a sprint is (X2, X5). `line`, `sentence` and `compact` are the same in the forms that faces show; `pace`
    is where it will be at its end; `incomplete` every reason why it is not complete (X4).
    """

    id: str
    state: SprintState
    target: SprintTargetView
    done: int
    of: int
    failed: int
    seconds_left: int | None
    waiting: int
    """How many of its tasks wait in review."""
    blocking: tuple[str, ...] = ()
    merged: int = 0
    merging: int = 0
    by_rule: int = 0
    running: int = 0
    begun: int = 0
    todo: int = 0
    out: int = 0
    started_at: str = ""
    ended_at: str = ""
    why: str = ""
    pace: str = ""
    line: str = ""
    sentence: str = ""
    compact: str = ""
    ended: str = ""
    """What is said once when it is over."""
    clock: str = ""
    """When it began, as clocks of its zone show it."""
    failures: tuple[SprintRow, ...] = ()
    at_work: tuple[SprintRow, ...] = ()
    upcoming: tuple[str, ...] = ()
    incomplete: tuple[str, ...] = ()
    runners: int = 0
    """How many runners with agents are at work."""
    checkpoint: str = ""
    next: Steps = NO_STEP


class SprintGlance(msgspec.Struct, frozen=True, kw_only=True):
    """The sprint that runs, or ended last, in a line for status lines; empty `state` where there is none."""

    id: str = ""
    state: str = ""
    done: int = 0
    of: int = 0
    failed: int = 0
    line: str = ""
    sentence: str = ""
    compact: str = ""
    why: str = ""
    ended: str = ""
    more: int = 0
    """How many others run, too."""


NO_SPRINT = SprintGlance()


class ReportedTask(msgspec.Struct, frozen=True, kw_only=True):
    """A task in a sprint's report."""

    task: str
    title: str
    why: str = ""
    risk: str = ""
    sha: str = ""
    by: str = ""
    next: Steps = NO_STEP


class SprintReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a person reads in the morning: merged, waiting by risk, failed and why, findings, cost, time."""

    id: str
    state: SprintState
    target: SprintTargetView
    sentence: str
    why: str
    started_at: str
    ended_at: str
    elapsed_seconds: int
    work_seconds: int
    """How long agents were at work, together."""
    runs: int
    cost_micros: int
    input_tokens: int
    output_tokens: int
    merged: tuple[ReportedTask, ...] = ()
    approved: tuple[ReportedTask, ...] = ()
    waiting: tuple[ReportedTask, ...] = ()
    failed: tuple[ReportedTask, ...] = ()
    unfinished: tuple[ReportedTask, ...] = ()
    untouched: tuple[ReportedTask, ...] = ()
    out: tuple[ReportedTask, ...] = ()
    findings: dict[str, int] = {}
    open_findings: tuple[str, ...] = ()
    halts: tuple[str, ...] = ()
    incomplete: tuple[str, ...] = ()
    checkpoint: str = ""
    next: Steps = NO_STEP


class SprintUndo(msgspec.Struct, frozen=True, kw_only=True):
    """What `undo` planned: for each merged task one that takes its work back."""

    id: str
    reverts: tuple[tuple[str, str], ...]
    already: tuple[tuple[str, str], ...] = ()
    message: str = ""
    next: Steps = NO_STEP
