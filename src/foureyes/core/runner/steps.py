"""The steps that the runner may take: what `plan` answers with, performed through ports by `app/runner`."""

from __future__ import annotations

from typing import Literal

import msgspec

from foureyes.core.nouns.cycle import CycleId, NotGivenWhy, Trigger
from foureyes.core.nouns.run import ErrorKind, Purpose, RunId, StuckKind
from foureyes.core.nouns.sprint import EndKind, PauseKind, SprintId
from foureyes.core.words.ids import TaskId

Asks = Literal["", "signal", "failure", "answer"]
"""What a run is told about the one before: that it said nothing at its end, that it failed, and how, or that its answer
was no valid document (V3).
"""

AfterRun = Literal[
    "hand_in",
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
"""What becomes of the work of a run that is over (S1, S2, S4)."""


class RunStep(msgspec.Struct, frozen=True, kw_only=True):
    """Something to do now. `why` is for people."""

    why: str = ""

    @property
    def name(self) -> str:
        """What it is about: a step that failed is put off under this name."""
        names = ("run", "task", "sprint", "key", "profile")
        if getattr(self, "cycle", ""):
            names = ("cycle", "task", "reviewer", "profile", "purpose")
            return ":".join([type(self).__name__, *filter(None, (str(getattr(self, name, "")) for name in names))])
        return f"{type(self).__name__}:{next((named for name in names if (named := getattr(self, name, ''))), '')}"


class StartRun(RunStep, frozen=True, kw_only=True, tag="start"):
    """Reserve, make the worktree, bind the token, start the program. `resumes`: the conversation to go on with."""

    task: TaskId
    profile: str
    purpose: Purpose = "implement"
    resumes: str = ""
    asks: Asks = ""
    cycle: str = ""
    """The review cycle that it works for; `look` is what it reviews there, 0: the attempt."""
    look: int = 0


class StopRun(RunStep, frozen=True, kw_only=True, tag="stop"):
    """End a live run's program; its work stays."""

    run: RunId
    task: TaskId


class TakeOver(RunStep, frozen=True, kw_only=True, tag="take_over"):
    """J4: a run that lost its runner becomes ours: end what it left running, keep its work, and it ends as `lost`."""

    run: RunId
    task: TaskId


class TidyRun(RunStep, frozen=True, kw_only=True, tag="tidy"):
    """A program has ended: prove that all its processes are gone, commit what it left, and look at what there is."""

    run: RunId
    task: TaskId


class FinishRun(RunStep, frozen=True, kw_only=True, tag="settle"):
    """A run is over and was tidied up: what becomes of its work, and then it ends."""

    run: RunId
    task: TaskId
    then: AfterRun


class FreeClaim(RunStep, frozen=True, kw_only=True, tag="free"):
    """A task is in progress under a run that is over: it is released."""

    task: TaskId


class RunChecks(RunStep, frozen=True, kw_only=True, tag="check"):
    """Run the checks of an attempt, as a service (D5)."""

    task: TaskId


class Merge(RunStep, frozen=True, kw_only=True, tag="merge"):
    """Merge these approved tasks, in the order of the queue (Q1)."""

    tasks: tuple[TaskId, ...]

    @property
    def name(self) -> str:
        return f"Merge:{','.join(self.tasks)}"


class Send(RunStep, frozen=True, kw_only=True, tag="send"):
    """Q6: push what the remote lacks."""


class Stick(RunStep, frozen=True, kw_only=True, tag="stick"):
    """The runner can do no more for a task: a person looks."""

    task: TaskId
    kind: StuckKind


class Forget(RunStep, frozen=True, kw_only=True, tag="forget"):
    """A task is closed: what was kept for its runs to go on with goes."""

    task: TaskId


class CoolProfile(RunStep, frozen=True, kw_only=True, tag="cool"):
    """A profile is skipped for what it does on every task; the next in order takes over."""

    profile: str
    error: ErrorKind


class WarmProfile(RunStep, frozen=True, kw_only=True, tag="warm"):
    """A profile whose program was not there may be used again."""

    profile: str


class NotGiven(RunStep, frozen=True, kw_only=True, tag="not_given"):
    """V3, V4: somebody who was asked for a review gives none: the next one is asked, or a person."""

    cycle: CycleId
    task: TaskId
    reviewer: str
    kind: NotGivenWhy


class DecideCycle(RunStep, frozen=True, kw_only=True, tag="decide"):
    """V8: everybody who was asked has answered or will not."""

    cycle: CycleId


class OpenCycle(RunStep, frozen=True, kw_only=True, tag="open"):
    """V1: something calls for a review of these tasks. `wide`: it is about everything that runs."""

    trigger: Trigger
    tasks: tuple[TaskId, ...]
    key: str = ""
    wide: bool = False


class PauseSprint(RunStep, frozen=True, kw_only=True, tag="pause_sprint"):
    """X3: none of a sprint's tasks begins until something changes."""

    sprint: SprintId
    kind: PauseKind


class ResumeSprint(RunStep, frozen=True, kw_only=True, tag="resume_sprint"):
    """X3: what paused a sprint is gone."""

    sprint: SprintId


class EndSprint(RunStep, frozen=True, kw_only=True, tag="end_sprint"):
    """X2: a sprint is over; what runs finishes."""

    sprint: SprintId
    kind: EndKind


class Notify(RunStep, frozen=True, kw_only=True, tag="notify"):
    """Tell a person; once for each key."""

    key: str
    text: str


class Wait(RunStep, frozen=True, kw_only=True, tag="wait"):
    """Nothing to do before something happens, or this time comes. `idle`: nothing runs and nothing is due."""

    until: str = ""
    idle: bool = False


class Finish(RunStep, frozen=True, kw_only=True, tag="finish"):
    """The runner ends: nothing runs, and it was asked to, or there is nothing left to do. `left` is why work that is
    ready does not begin, or was put off; `is_unfinished`: some of it is no person's turn, and a later runner can do it.
    """

    left: tuple[str, ...] = ()
    is_unfinished: bool = False
