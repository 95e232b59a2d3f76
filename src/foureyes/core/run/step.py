"""The steps that the runner may take: what `plan` answers with, performed through ports by `app/run`."""

from __future__ import annotations

from typing import Literal

import msgspec

from foureyes.core.nouns.run import Purpose, RunId
from foureyes.core.nouns.session import Role
from foureyes.core.words.ids import TaskId


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """Something to do now. `why` is for people."""

    why: str = ""


class StartRun(Step, frozen=True, kw_only=True, tag="start"):
    """Reserve, make the worktree, bind the token, start the program. `resumes`: the conversation to go on with."""

    task: TaskId
    profile: str
    role: Role = "implement"
    purpose: Purpose = "implement"
    resumes: str = ""


class StopRun(Step, frozen=True, kw_only=True, tag="stop"):
    """End a live run's program; its work stays."""

    run: RunId
    task: TaskId


class TakeOver(Step, frozen=True, kw_only=True, tag="take_over"):
    """J4: a run that lost its runner becomes ours: end what it left, then it ends as `lost`."""

    run: RunId
    task: TaskId


class SettleRun(Step, frozen=True, kw_only=True, tag="settle"):
    """A program has ended and all its processes are gone: commit what it left, and then, by signal and change (S4)."""

    run: RunId
    task: TaskId
    then: Literal["hand_in", "ask_signal", "needs_review", "retry", "give_up", "blocked", "stopped", "cool"]


class RunChecks(Step, frozen=True, kw_only=True, tag="check"):
    """Run the checks of an attempt, as a service (D5)."""

    task: TaskId


class Merge(Step, frozen=True, kw_only=True, tag="merge"):
    """Work the merge queue off (Q1)."""


class Stick(Step, frozen=True, kw_only=True, tag="stick"):
    """The runner can do no more for a task: a person looks."""

    task: TaskId
    kind: Literal["retries", "spend", "no_change", "refused"]


class Notify(Step, frozen=True, kw_only=True, tag="notify"):
    """Tell a person; once for each key."""

    key: str
    text: str


class Wait(Step, frozen=True, kw_only=True, tag="wait"):
    """Nothing to do before something happens, or this time comes. `idle`: nothing runs and nothing is due."""

    until: str = ""
    idle: bool = False


class Finish(Step, frozen=True, kw_only=True, tag="finish"):
    """The runner ends: nothing runs, and it was asked to, or there is nothing left to do."""
