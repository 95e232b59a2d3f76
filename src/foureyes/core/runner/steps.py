"""The steps that a runner may take: `plan` returns them, `app/runner` performs them."""

from __future__ import annotations

from typing import Literal

import msgspec

from foureyes.core.nouns.cycle import CycleId, NotGivenWhy, Trigger
from foureyes.core.nouns.run import ErrorKind, Purpose, RunId, StuckKind
from foureyes.core.nouns.sprint import EndKind, PauseKind, SprintId
from foureyes.core.words.ids import TaskId

Asks = Literal["", "signal", "failure", "answer"]
"""What the run is told about the previous one: it ended without a signal, it failed, or its answer was not a valid
document. (V3)
"""

AfterRun = Literal[
    "submit_work",
    "needs_review",
    "ask_signal",
    "no_change",
    "retry",
    "send_back",
    "blocked",
    "stopped",
    "cool",
    "answer",
    "finished",
]
"""What to do after an ended run. (S1, S2, S4)"""


class RunStep(msgspec.Struct, frozen=True, kw_only=True):
    """A step to take now. `why` is shown to people."""

    why: str = ""

    @property
    def name(self) -> str:
        """Name of the step by its subject. A failed step is postponed under it."""
        names = ("run", "task", "sprint", "key", "profile")
        if getattr(self, "cycle", ""):
            names = ("cycle", "task", "reviewer", "profile", "purpose")
            return ":".join([type(self).__name__, *filter(None, (str(getattr(self, name, "")) for name in names))])
        return f"{type(self).__name__}:{next((named for name in names if (named := getattr(self, name, ''))), '')}"


class StartRun(RunStep, frozen=True, kw_only=True, tag="start"):
    """Start a run: reserve it, create its worktree, bind its token, start its program. `resumes` is the conversation to
    continue.
    """

    task: TaskId
    profile: str
    purpose: Purpose = "implement"
    resumes: str = ""
    asks: Asks = ""
    cycle: str = ""
    """The review cycle of the run. `early_review` is the early review to do, 0 for the attempt."""
    early_review: int = 0


class StopRun(RunStep, frozen=True, kw_only=True, tag="stop"):
    """End a live run's program. Its work stays."""

    run: RunId
    task: TaskId


class TakeOver(RunStep, frozen=True, kw_only=True, tag="take_over"):
    """Take over a run whose runner is lost: stop its processes, keep its work, and end it as `lost`. (J4)"""

    run: RunId
    task: TaskId


class TidyRun(RunStep, frozen=True, kw_only=True, tag="tidy"):
    """Tidy up after an ended program: make sure its processes are gone, commit its leftovers, and inspect its work."""

    run: RunId
    task: TaskId


class FinishRun(RunStep, frozen=True, kw_only=True, tag="settle"):
    """End a tidied run, after its work was handled."""

    run: RunId
    task: TaskId
    then: AfterRun


class FreeClaim(RunStep, frozen=True, kw_only=True, tag="free"):
    """Release a task that is in progress under an ended run."""

    task: TaskId


class RunChecks(RunStep, frozen=True, kw_only=True, tag="check"):
    """Run the checks of an attempt, as a service. (D5)"""

    task: TaskId


class Merge(RunStep, frozen=True, kw_only=True, tag="merge"):
    """Merge these approved tasks in queue order. (Q1)"""

    tasks: tuple[TaskId, ...]

    @property
    def name(self) -> str:
        return f"Merge:{','.join(self.tasks)}"


class Send(RunStep, frozen=True, kw_only=True, tag="send"):
    """Push everything that the remote lacks. (Q6)"""


class Stick(RunStep, frozen=True, kw_only=True, tag="stick"):
    """Give up on a task and leave it to a person."""

    task: TaskId
    kind: StuckKind


class Forget(RunStep, frozen=True, kw_only=True, tag="forget"):
    """Delete the data kept for the runs of a closed task."""

    task: TaskId


class CoolProfile(RunStep, frozen=True, kw_only=True, tag="cool"):
    """Skip a profile that fails on every task. The next profile in order takes over."""

    profile: str
    error: ErrorKind


class WarmProfile(RunStep, frozen=True, kw_only=True, tag="warm"):
    """Use a profile again whose program was missing."""

    profile: str


class NotGiven(RunStep, frozen=True, kw_only=True, tag="not_given"):
    """Record that a reviewer gives no review. The next reviewer, or a person, is asked. (V3, V4)"""

    cycle: CycleId
    task: TaskId
    reviewer: str
    kind: NotGivenWhy


class DecideCycle(RunStep, frozen=True, kw_only=True, tag="decide"):
    """Decide a cycle after every reviewer answered or dropped out. (V8)"""

    cycle: CycleId


class OpenCycle(RunStep, frozen=True, kw_only=True, tag="open"):
    """Open a review cycle for these tasks. `wide`: it covers everything that is running. (V1)"""

    trigger: Trigger
    tasks: tuple[TaskId, ...]
    key: str = ""
    wide: bool = False


class PauseSprint(RunStep, frozen=True, kw_only=True, tag="pause_sprint"):
    """Pause a sprint: none of its tasks start. (X3)"""

    sprint: SprintId
    kind: PauseKind


class ResumeSprint(RunStep, frozen=True, kw_only=True, tag="resume_sprint"):
    """Resume a sprint whose reason to pause is gone. (X3)"""

    sprint: SprintId


class EndSprint(RunStep, frozen=True, kw_only=True, tag="end_sprint"):
    """End a sprint. Its live runs finish. (X2)"""

    sprint: SprintId
    kind: EndKind


class Notify(RunStep, frozen=True, kw_only=True, tag="notify"):
    """Notify a person, once per key."""

    key: str
    text: str


class Wait(RunStep, frozen=True, kw_only=True, tag="wait"):
    """Wait for an event or until this time. `idle`: nothing is running and nothing is due."""

    until: str = ""
    idle: bool = False


class Finish(RunStep, frozen=True, kw_only=True, tag="finish"):
    """End the runner, because nothing is running and it was told to end or has nothing left to do.

    `left` says why ready work does not start or is postponed. `is_unfinished`: a later runner can do some of it without
    a person.
    """

    left: tuple[str, ...] = ()
    is_unfinished: bool = False
