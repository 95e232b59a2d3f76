"""The runner's snapshot of a project: everything that `plan` needs, as values."""

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
    """A run of a task that is over, since its last submission, or since a person last moved it. The oldest first."""

    profile: str
    ending: RunEnding
    purpose: Purpose = "implement"
    error: ErrorKind = "none"
    signal: str = ""
    conversation: str = ""
    resumed: bool = False
    """Whether it went on with a conversation."""
    elsewhere: bool = False
    """Whether it was on another host: its conversation is there."""
    text: str = ""
    """What was wrong with it, in words."""


class ReviewDue(msgspec.Struct, frozen=True, kw_only=True):
    """V4: somebody who was asked for a review of a task, or to clarify (`purpose`), and has not answered yet."""

    cycle: CycleId
    task: TaskId
    reviewer: str
    purpose: Purpose = "review"
    look: int = 0
    """V1: what is reviewed; 0: the attempt."""
    is_profile: bool = True
    """Whether a runner can start it; a person, or a session that is at work anyway, is only waited for."""
    late: bool = False
    stopped: str = ""
    """Why it does not begin now: a hold, a pause by a person."""
    resumes: str = ""
    """The conversation that the first run goes on with."""
    past: tuple[PastRun, ...] = ()


class Called(msgspec.Struct, frozen=True, kw_only=True):
    """V1: something that calls for a cycle: what an agent said in the middle of its work, or silence."""

    trigger: Trigger
    tasks: tuple[TaskId, ...]
    key: str = ""
    """What stays the same while it is the same call."""
    wide: bool = False
    why: str = ""


class TaskState(msgspec.Struct, frozen=True, kw_only=True):
    """A task that somebody has to move, as far as the runner may."""

    id: TaskId
    status: TaskStatus
    priority: int = 2
    n: int = 0
    """Age: the order in which tasks were made."""
    ready: bool = False
    """Whether a run may begin: T4 and nobody else about to start it, or it waits for a lead that is an agent."""
    stopped: str = ""
    """Why nothing may begin on it: a hold, a pause, stuck (in words); empty where it may."""
    profile: str = ""
    """E2, E4: whose turn it is; empty: a person's."""
    purpose: Purpose = "implement"
    has_feedback: bool = False
    """Findings, a redo or red checks wait for its author: it goes before new tasks."""
    left_claim: bool = False
    """In progress under a run that is over: nobody works on it, and nobody else may take it."""
    past: tuple[PastRun, ...] = ()
    cost_micros: int = 0
    """What its runs have cost since a person last let it go on."""
    sprint: str = ""
    """X2: the sprint that it is in, where one has begun and is not over."""

    @property
    def goes_on(self) -> bool:
        """Whether it was begun before: a fix, a decision of the lead, a run to be made good."""
        return self.has_feedback or self.purpose == "lead" or bool(self.past)


class Slot(msgspec.Struct, frozen=True, kw_only=True):
    """A profile on this host: how many runs it may have, and whether it is skipped for now."""

    profile: str
    slots: int = 2
    available: bool = True
    problem: str = ""
    """Why its program cannot be used, where it cannot."""
    cooled: bool = False
    gone: bool = False
    """Whether it is skipped because its program was not there at an earlier look."""
    crashed: tuple[TaskId, ...] = ()
    """X3: the tasks on which it failed, one after the other, since it last did not."""
    crash_text: str = ""
    """How it failed last, in its own words."""
    error: ErrorKind = "none"
    """What it cools down from; `error_text` is in its program's words."""
    error_text: str = ""
    elsewhere: bool = False
    """V4: whether another runner, on another host, may start it, for all that is known here."""


class Left(msgspec.Struct, frozen=True, kw_only=True):
    """What a run left behind, once all its processes are gone and what it did not commit was committed (S4)."""

    changed: bool = False
    """Whether there is something to submit that was not submitted before: commits, or answers to findings."""
    problem: str = ""
    """Why it cannot be submitted: HEAD is elsewhere, not from the base, a secret … (in words)."""


class LiveState(msgspec.Struct, frozen=True, kw_only=True):
    """A run that is not over: one of this runner, of another, or one that has lost its runner."""

    run: Run
    mine: bool = True
    lost: bool = False
    """Its runner is dead, or its lease is over (J4)."""
    outcome: RunOutcome | None = None
    """How the program ended; the run itself ends with what becomes of the work."""
    left: Left | None = None
    """What it left, where that was looked at."""
    stop: str = ""
    """Why it should end: somebody asked, a hold, the task was taken away; empty where not."""
    asked: bool = False
    """Whether its program was asked to end already; it takes its time."""
    done: bool = False
    """What it was started for is on record already: it submitted itself, or the lead decided."""


class PutOff(msgspec.Struct, frozen=True, kw_only=True):
    """When a step that failed is tried again, and how long a pause that is: it doubles with each failure in a row."""

    until: str
    pause: int
    task: TaskId | None = None
    state: str = ""
    """How its work is left meanwhile, in words (`approved and not merged`); empty where that is nobody's concern."""
    why: str = ""


class AttentionItem(msgspec.Struct, frozen=True, kw_only=True):
    """Something that only a person can move. `key` stays the same while it is the same thing."""

    key: str
    text: str


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """One look at everything. Lists are bounded: what does not fit is seen by a later look."""

    agents: int = 0
    """How many runs at once, at most; 0: none (`fe watch`)."""
    host: str = ""
    stopping: Literal["", "finish", "now"] = ""
    """Whether the runner is to end: after what runs, or at once."""
    starting: bool = True
    """Whether runs may begin at all: not after the first tick of `--once`."""
    until_idle: bool = False
    """Whether the runner ends when there is nothing left to do."""
    paused: str = ""
    """Why nothing new begins anywhere; empty where it may."""
    full: str = ""
    """`review_limit` is reached: why no new task begins (work that was sent back still does)."""
    no_room: str = ""
    """X3: a disk is full: why nothing begins, is checked or merged before there is room again; empty where there is."""
    sprints: tuple[SprintNow, ...] = ()
    """X2: sprints that have begun and are not over: while there are any, new tasks begin only out of those that run."""
    sprint_over: str = ""
    """X2: the sprint that ran while this runner was at work, and is over: no new task begins; empty where none is."""
    only_sprints: bool = False
    """X2: the runner is there for sprints, and ends with them."""
    at: str = ""
    """When it was looked."""
    held: str = ""
    """Why the whole project is held; empty where it is not."""
    aside: tuple[str, ...] = ()
    """What else keeps work back that this look does not show: a configuration nobody accepted, tasks that are held …"""
    tasks: tuple[TaskState, ...] = ()
    runs: tuple[LiveState, ...] = ()
    slots: tuple[Slot, ...] = ()
    order: tuple[str, ...] = ()
    """Profiles in the order in which one stands in for another."""
    assigned: tuple[tuple[str, str], ...] = ()
    """`--assign TASK=PROFILE`."""
    halted: str = ""
    """Why not even a review begins: a person paused everything, or the project is held."""
    reviews: tuple[ReviewDue, ...] = ()
    called: tuple[Called, ...] = ()
    to_decide: tuple[CycleId, ...] = ()
    """V8: cycles that wait for nobody any more."""
    checks_due: tuple[TaskId, ...] = ()
    checks_running: int = 0
    checks_at_once: int = 1
    fetching: bool = False
    """Q6: whether what another machine submitted is on its way: what waits for it begins then."""
    merges_due: tuple[TaskId, ...] = ()
    """What the merge queue can take now, in its order."""
    merging: bool = False
    unsent: bool = False
    """Q6: whether the remote may lack something of what was submitted here."""
    sending: bool = False
    put_off: Mapping[str, PutOff] = {}
    """Steps that failed a moment ago, by their name. They are seen as ever, and performed once their time has come."""
    more: bool = False
    """Whether the look was cut short: there may be more to do than it shows."""
    wake_at: str = ""
    """When something becomes due by the clock alone: a settling approval, a cooled profile, the end of a sprint."""
    worth_waiting: bool = False
    """Whether what comes then is reason enough for `until_idle` not to end."""
    max_runs_per_task: int = 4
    """Retry cap: runs of one task without a submission."""
    spend_micros: int = 0
    """Spend cap per task; 0: none."""
    spend_sprint_micros: int = 0
    """Spend cap per sprint; 0: none."""
    attention: tuple[AttentionItem, ...] = ()
    kept: tuple[TaskId, ...] = ()
    """Closed tasks for whose runs something is still kept on this machine."""
    told: frozenset[str] = frozenset()
    """The keys of what a person was told already."""
