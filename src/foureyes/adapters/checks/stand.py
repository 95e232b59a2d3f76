"""A stand: the place of one check, as we see it and as the check sees it, and how a command is run there (D5)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from foureyes.adapters.checks.variables import SHELL
from foureyes.adapters.process import ProgramEnd, supervise

if TYPE_CHECKING:
    from foureyes.adapters.checks.rooms import Room

StopAsked = Callable[[], bool]


class Unprepared(Exception):
    """A check cannot stand anywhere; the sentence says why."""


class OwnParts(Exception):
    """A tree has something of its own where its environment is; the sentence says what, and what to do about it."""


class Stopped(Exception):
    """Whoever waits is not needed any more."""

    def __init__(self) -> None:
        super().__init__("it was stopped")


class Stand(msgspec.Struct, frozen=True):
    """A place, in a room or not. `first`: what goes before the PATH, as the check sees it. `disturbed`: why its files
    are not those that were laid there, if somebody else wrote to them. `environment`: the key of the one that is there.
    `changed`: the files of the tree that are others now, with what is there. `beside`: the tree of the target for which
    alone a run there says something.
    """

    place: str
    seen: str
    room: Room | None = None
    first: tuple[str, ...] = ()
    disturbed: Callable[[], str] = str
    environment: str = ""
    changed: Callable[[], Mapping[str, str]] = dict
    beside: str = ""

    @property
    def work(self) -> str:
        """The tree, as the check sees it."""
        return os.path.join(self.seen, "work")

    def readable(self, path: str) -> str:
        """Where we can read what the check sees there."""
        return self.room.inside(path) if self.room is not None else path

    def run(
        self, command: str, env: Mapping[str, str], timeout: float, hear: Callable[[bytes], None],
        stop: Callable[[int], bool],
    ) -> ProgramEnd:  # fmt: skip
        """A command of the project, in its tree."""
        return run_in(self.room, [SHELL, "-c", command], self.work, env, timeout, hear, stop)


def run_in(
    room: Room | None, argv: Sequence[str], cwd: str, env: Mapping[str, str], timeout: float,
    hear: Callable[[bytes], None], stop: Callable[[int], bool] | None = None,
) -> ProgramEnd:  # fmt: skip
    """Run a program in a room, or where there is none; nothing that it started is left."""
    if room is None:
        return supervise(argv, cwd=cwd, env=env, timeout=timeout, hear=hear, stop=stop)
    return supervise(room.entering(cwd, argv), env=env, timeout=timeout, hear=hear, stop=stop)


def why_ended(ended: ProgramEnd, minutes: int) -> str:
    """How a command ended that had to end well; empty where it did."""
    if ended.timed_out:
        return f"was still running after {minutes} minutes"
    if ended.rc is None:
        return f"did not end: {ended.problem}"
    return f"ended with exit code {ended.rc}" if ended.rc else ""
