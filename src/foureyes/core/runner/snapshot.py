"""The runner's snapshot of a project: all input of `plan`, as values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from foureyes.core.nouns.cycle import CycleId, Trigger
from foureyes.core.nouns.run import ErrorKind, Purpose, Run, RunEnding, RunOutcome
from foureyes.core.sprint.progress import SprintNow
from foureyes.core.words.ids import TaskId
from foureyes.core.words.lifecycle import TaskStatus


class PastRun(msgspec.Struct, frozen=True, kw_only=True):
    """An ended run of a task, since its last submission or since a person last moved the task. Lists have the oldest
    first.
    """

    profile: str
    ending: RunEnding
    purpose: Purpose = "implement"
    error: ErrorKind = "none"
    signal: str = ""
    conversation: str = ""
    resumed: bool = False
    """True if it continued a conversation."""
    elsewhere: bool = False
    """True if it ran on another host, where its conversation is too."""
    text: str = ""
    """The run's problem in words."""


class ReviewDue(msgspec.Struct, frozen=True, kw_only=True):
    """An open request for a review, or for a clarification (`purpose`). (V4)"""

    cycle: CycleId
    task: TaskId
    reviewer: str
    purpose: Purpose = "review"
    early_review: int = 0
    """Number of the early review, 0 for the attempt itself. (V1)"""
    is_profile: bool = True
    """True if a runner can start it. If not, it is for a person or a session already at work, and the runner only
    waits.
    """
    late: bool = False
    stopped: str = ""
    """Why it does not start now (a hold, a person's pause), or ""."""
    resumes: str = ""
    """The conversation that the first run continues."""
    past: tuple[PastRun, ...] = ()


class Called(msgspec.Struct, frozen=True, kw_only=True):
    """Something that opens a cycle: an agent's event during its work, or silence. (V1)"""

    trigger: Trigger
    tasks: tuple[TaskId, ...]
    key: str = ""
    """The key of the event. The same event always has the same key."""
    wide: bool = False
    why: str = ""


class TaskState(msgspec.Struct, frozen=True, kw_only=True):
    """A task that may need a step of the runner."""

    id: TaskId
    status: TaskStatus
    priority: int = 2
    n: int = 0
    """The order of creation, as the task's age."""
    ready: bool = False
    """True if a run may begin: the task is free (T4), or waits for a lead that is an agent."""
    stopped: str = ""
    """Why no run may begin (a hold, a pause, the runner gave up), or ""."""
    profile: str = ""
    """The profile whose turn it is, "" for a person. (E2, E4)"""
    purpose: Purpose = "implement"
    has_feedback: bool = False
    """True if findings, a redo or red checks wait for its author. Such a task goes before new ones."""
    left_claim: bool = False
    """True if the task is in progress under an ended run, so that nobody works on it and nobody else may take it."""
    past: tuple[PastRun, ...] = ()
    cost_micros: int = 0
    """Cost of its runs since a person last released it."""
    sprint: str = ""
    """The active sprint it belongs to. (X2)"""

    @property
    def goes_on(self) -> bool:
        """True if it has begun: a fix, a lead's decision, or a run to repeat."""
        return self.has_feedback or self.purpose == "lead" or bool(self.past)


class Slot(msgspec.Struct, frozen=True, kw_only=True):
    """A profile on this host: how many parallel runs it may have, and whether it is skipped for now."""

    profile: str
    slots: int = 2
    available: bool = True
    problem: str = ""
    """Why its program cannot be used."""
    cooled: bool = False
    gone: bool = False
    """True if it is skipped because its program was missing in an earlier poll."""
    crashed: tuple[TaskId, ...] = ()
    """Tasks that it failed on in a row since its last success. (X3)"""
    crash_text: str = ""
    """Its last failure in its own words."""
    error: ErrorKind = "none"
    """The error for which it is skipped. `error_text` is the program's own text."""
    error_text: str = ""
    elsewhere: bool = False
    """True if the runner of another host may start it, as far as known here. (V4)"""


class Left(msgspec.Struct, frozen=True, kw_only=True):
    """The work that a run left, after its processes are gone and its leftovers are committed. (S4)"""

    changed: bool = False
    """True if there is something new to submit: commits, or answers to findings."""
    problem: str = ""
    """Why it cannot be submitted: HEAD is elsewhere, it does not start from the base, it has a secret …"""


class LiveState(msgspec.Struct, frozen=True, kw_only=True):
    """A live run: of this runner, of another, or without a runner."""

    run: Run
    mine: bool = True
    lost: bool = False
    """True if its runner is dead or its lease expired. (J4)"""
    outcome: RunOutcome | None = None
    """The program's outcome, None while it runs. The run ends only after its work is handled."""
    left: Left | None = None
    """The work it left, None until that was inspected."""
    stop: str = ""
    """Why it should end (a request, a hold, the task was taken away), or ""."""
    asked: bool = False
    """True if its program was already told to end."""
    done: bool = False
    """True if its purpose is fulfilled and recorded: it submitted, or the lead decided."""


class PutOff(msgspec.Struct, frozen=True, kw_only=True):
    """The next try of a failed step, and the delay before it, which doubles with each failure in a row."""

    until: str
    pause: int
    task: TaskId | None = None
    state: str = ""
    """The state of the work until then, such as `approved and not merged`. "" if nobody needs to know."""
    why: str = ""
    person: bool = False
    """True if only a person can remove the reason, so that waiting does not help. (Q3)"""


class AttentionItem(msgspec.Struct, frozen=True, kw_only=True):
    """A task for a person. The same problem always has the same `key`."""

    key: str
    text: str


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """The state of the project at one poll. Lists have a limit, and a later poll sees the rest."""

    agents: int = 0
    """Largest number of parallel runs, 0 for none (`fe watch`)."""
    host: str = ""
    stopping: Literal["", "finish", "now"] = ""
    """When the runner should end: after its live runs, or at once. "" if it goes on."""
    starting: bool = True
    """True if runs may begin. False after the first poll of `--once`."""
    until_idle: bool = False
    """True if the runner ends when nothing is left to do."""
    paused: str = ""
    """Why no new work begins anywhere, or ""."""
    full: str = ""
    """Why no new task begins after `review_limit` is reached, or "". Work that was sent back still does."""
    no_room: str = ""
    """Why nothing begins, is checked or merged while a disk is full, or "". (X3)"""
    sprints: tuple[SprintNow, ...] = ()
    """Active sprints. While there are any, new tasks begin only from running ones. (X2)"""
    sprint_over: str = ""
    """The sprint that ended while this runner worked, "" if none did. No new task begins then. (X2)"""
    only_sprints: bool = False
    """True if the runner works only for sprints and ends with them. (X2)"""
    at: str = ""
    """Time of the poll."""
    held: str = ""
    """Why the whole project is held, or ""."""
    waiting_lines: tuple[str, ...] = ()
    """Other reasons why work waits that the snapshot does not show: an unaccepted configuration, held tasks …"""
    tasks: tuple[TaskState, ...] = ()
    runs: tuple[LiveState, ...] = ()
    slots: tuple[Slot, ...] = ()
    order: tuple[str, ...] = ()
    """Profiles, in the order in which they replace each other."""
    assigned: tuple[tuple[str, str], ...] = ()
    """Tasks with the profile assigned by `--assign TASK=PROFILE`."""
    halted: str = ""
    """Why reviews do not start either (a person paused everything, the project is held), or ""."""
    reviews: tuple[ReviewDue, ...] = ()
    called: tuple[Called, ...] = ()
    to_decide: tuple[CycleId, ...] = ()
    """Cycles that are ready for a decision. (V8)"""
    checks_due: tuple[TaskId, ...] = ()
    checks_running: int = 0
    checks_at_once: int = 1
    fetching: bool = False
    """True while submissions from another machine are being fetched. Work on them begins afterwards. (Q6)"""
    merges_due: tuple[TaskId, ...] = ()
    """Tasks that the merge queue can process now, in its order."""
    merging: bool = False
    unsent: bool = False
    """True if the remote may lack something submitted here. (Q6)"""
    sending: bool = False
    put_off: Mapping[str, PutOff] = {}
    """Steps that failed recently, by name. The plan lists them, but they are taken only after their delay."""
    more: bool = False
    """True if the poll was cut short and there may be more to do."""
    wake_at: str = ""
    """The next time that something becomes due: a settling approval, a cooled profile, the end of a sprint."""
    worth_waiting: bool = False
    """True if a runner with `until_idle` should wait for that."""
    max_runs_per_task: int = 4
    """Retry cap: runs of one task without a submission."""
    spend_micros: int = 0
    """Spend cap per task, 0 for none."""
    spend_sprint_micros: int = 0
    """Spend cap per sprint, 0 for none."""
    attention: tuple[AttentionItem, ...] = ()
    kept: tuple[TaskId, ...] = ()
    """Closed tasks whose runs left data on this machine."""
    shown: frozenset[str] = frozenset()
    """Keys of the notifications that a person has already received."""
