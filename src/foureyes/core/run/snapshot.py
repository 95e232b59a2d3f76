"""What the runner sees of a project at one moment: all that `plan` asks about, as values (level-triggered)."""

from __future__ import annotations

from typing import Literal

import msgspec

from foureyes.core.nouns.run import ErrorKind, Purpose, Run, RunEnding, RunOutcome
from foureyes.core.words.ids import TaskId
from foureyes.core.words.lifecycle import Status


class PastRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run of a task since its last hand-in, or since a person last moved it."""

    profile: str
    ending: RunEnding
    error: ErrorKind = "none"
    signal: str = ""
    conversation: str = ""
    changed: bool = False
    """Whether its branch moved, or files were left."""
    resumed: bool = False


class TaskState(msgspec.Struct, frozen=True, kw_only=True):
    """A task that somebody has to move, as far as the runner may."""

    id: TaskId
    status: Status
    priority: int = 2
    n: int = 0
    """Age: the order in which tasks were made."""
    ready: bool = False
    """T4, and no reservation of anybody else's."""
    stopped: str = ""
    """Why nothing may begin on it: a hold, a pause, stuck (in words); empty where it may."""
    profile: str = ""
    """E2, E4: whose turn it is; empty: a person's."""
    purpose: Purpose = "implement"
    has_feedback: bool = False
    """Findings, a redo or red checks wait for its author: it goes before new tasks."""
    runner_claims: bool = False
    """In progress under a run of a runner, live or lost; a claim of anybody else is not ours to touch."""
    past: tuple[PastRun, ...] = ()
    cost_micros: int = 0
    iteration: int = 0


class Slot(msgspec.Struct, frozen=True, kw_only=True):
    """A profile on this host: how many runs it may have, and until when it is left alone."""

    profile: str
    slots: int = 2
    available: bool = True
    cooled: bool = False


class LiveState(msgspec.Struct, frozen=True, kw_only=True):
    """A run that this runner has, or one on record that has lost its runner."""

    run: Run
    mine: bool = True
    lost: bool = False
    """Its runner is dead, or its lease is over (J4)."""
    outcome: RunOutcome | None = None
    """How the program ended; the run itself ends with what becomes of the work."""
    stop: str = ""
    """Why it should end: somebody asked, a hold, a pause that ends it, the task was taken away; empty where not."""


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """One look at everything."""

    agents: int = 0
    """How many runs at once, at most; 0: none (`fe watch`)."""
    stopping: Literal["", "finish", "now"] = ""
    """Whether the runner is to end: after what runs, or at once."""
    paused: str = ""
    """Why nothing new begins anywhere; empty where it may."""
    full: str = ""
    """`review_limit` is reached, a disk is full …: why no new task begins (work that was sent back still does)."""
    tasks: tuple[TaskState, ...] = ()
    runs: tuple[LiveState, ...] = ()
    slots: tuple[Slot, ...] = ()
    order: tuple[str, ...] = ()
    """Profiles in the order in which one stands in for another."""
    assigned: tuple[tuple[str, str], ...] = ()
    """`--assign TASK=PROFILE`."""
    checks_due: tuple[TaskId, ...] = ()
    checks_running: int = 0
    checks_at_once: int = 1
    merge_due: bool = False
    merging: bool = False
    wake_at: str = ""
    """When something becomes due by the clock alone: a settling approval, a check to try again, a cooled profile."""
    max_runs_per_task: int = 4
    """Retry cap: runs of one task without a hand-in."""
    spend_micros: int = 0
    """Spend cap per task; 0: none."""
    resume_once: bool = True
