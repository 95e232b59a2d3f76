"""Results about sprints: plan, progress, report."""

from __future__ import annotations

import msgspec

from foureyes.core.nouns.sprint import SprintState, TargetKind
from foureyes.steps import NO_STEP, Steps

SPRINT_AGENTS = 3
"""Default number of agents for a sprint's runner."""


class SprintAsk(msgspec.Struct, frozen=True, kw_only=True):
    """A request for a sprint, as typed. (X1)

    It has the tasks, and at most one of `complete` (a number), `hours`, `until` (a local time of day) and `idle`.
    Defaults come from `[sprint]`.
    """

    tasks: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    """Labels or tasks to leave out."""
    priority: int | None = None
    """Lowest priority to include."""
    complete: int | None = None
    hours: float | None = None
    until: str = ""
    idle: bool = False
    pause_on_error: bool | None = None
    checkpoint: bool | None = None
    agents: int = SPRINT_AGENTS


class SprintTargetView(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A sprint's target. `at` is its end time, and `words` describes it for people. (X1)"""

    kind: TargetKind
    at: str = ""
    zone: str = ""
    tasks: int = 0
    minutes: int = 0
    words: str = ""


class PlannedTaskView(msgspec.Struct, frozen=True, kw_only=True):
    """A task that is or could be in a sprint.

    `estimate` is what `minutes` is based on. `default` means that nothing is known about such tasks. `person` is why it
    will need a person, "" if it may not.
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
    """A sprint plan. `id` is empty for a preview.

    `others` are tasks that could be added. `notes` are remarks about the request, and `warnings` about the state in
    which every task would start.
    """

    id: str = ""
    target: SprintTargetView
    tasks: tuple[PlannedTaskView, ...]
    others: tuple[PlannedTaskView, ...] = ()
    agents: int = 0
    minutes: int = 0
    """Minutes that the chosen tasks take with this many agents."""
    minutes_of_all: int = 0
    """Minutes that all possible tasks would take."""
    past: int = 0
    """Number of past tasks behind the estimates."""
    seconds_left: int | None = None
    need_person: int = 0
    pause_on_error: bool = False
    checkpoint: bool = True
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    next: Steps = NO_STEP


class SprintBegun(msgspec.Struct, frozen=True, kw_only=True):
    """The result of starting a sprint. `runner` describes the runner that takes its tasks."""

    id: str
    message: str
    runner: str = ""
    checkpoint: str = ""
    ends_at: str = ""
    changed: bool = True
    notes: tuple[str, ...] = ()
    next: Steps = NO_STEP


class SprintRow(msgspec.Struct, frozen=True, kw_only=True):
    """A task of a sprint with its state and reason."""

    task: str
    title: str
    state: str
    why: str = ""


class SprintView(msgspec.Struct, frozen=True, kw_only=True):
    """A sprint's progress. (X2, X5)

    `line`, `sentence` and `compact` are the same text in three lengths. `pace` is a forecast of its end. `incomplete`
    has every reason why it is not complete (X4).
    """

    id: str
    state: SprintState
    target: SprintTargetView
    done: int
    of: int
    failed: int
    seconds_left: int | None
    waiting: int
    """Number of its tasks in review."""
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
    """The message at its end, shown once."""
    clock: str = ""
    """Its start time in its own time zone."""
    failures: tuple[SprintRow, ...] = ()
    at_work: tuple[SprintRow, ...] = ()
    upcoming: tuple[str, ...] = ()
    incomplete: tuple[str, ...] = ()
    runners: int = 0
    """Number of live runners with agents."""
    checkpoint: str = ""
    next: Steps = NO_STEP


class SprintSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The running sprint, or the last one, for status lines. `state` is empty if there is none."""

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
    """Number of other running sprints."""


NO_SPRINT = SprintSummary()


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
    """A sprint's report: merged tasks, waiting ones by risk, failures with reasons, findings, cost and time."""

    id: str
    state: SprintState
    target: SprintTargetView
    sentence: str
    why: str
    started_at: str
    ended_at: str
    elapsed_seconds: int
    work_seconds: int
    """Total time of all agents' runs."""
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
    """The plan of `undo`: a revert task for each merged task."""

    id: str
    reverts: tuple[tuple[str, str], ...]
    already: tuple[tuple[str, str], ...] = ()
    message: str = ""
    next: Steps = NO_STEP
