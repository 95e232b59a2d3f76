"""What the runner needs of agent programs, as protocols. `adapters/agents` implements them; tests may too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import msgspec

from foureyes.core.nouns.run import Purpose, RunId, RunOutcome
from foureyes.core.nouns.session import Role
from foureyes.core.rules.policy import Profile
from foureyes.core.runner.signals import Spoken


class Availability(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a profile's program can be used here, as far as can be told without asking its service."""

    profile: str
    program: str
    path: str = ""
    """Where it lies; empty where it was not found."""
    version: str = ""
    login: str = ""
    """Whether somebody is logged in, in words; empty where that cannot be told."""
    problem: str = ""
    """Why it cannot be used; empty where it can."""


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a program is started with. The token goes into a file of the run's directory (0600), never into
    arguments; the prompt goes to its standard input.
    """

    run: RunId
    profile_name: str
    profile: Profile
    role: Role
    purpose: Purpose
    worktree: str
    prompt: str
    token: str
    task: str = ""
    iteration: int = 0
    resumes: str = ""
    """The conversation to go on with; the program then gets the prompt as the next message."""
    schema: str = ""
    """The JSON Schema of the one document that it answers with, for programs that can be held to one (V3)."""

    @property
    def writes(self) -> bool:
        """Whether it changes files; everybody else is started so that it can only read."""
        return self.role == "implement" and self.purpose != "clarify"


class Checkout(msgspec.Struct, frozen=True):
    """Files that only one run reads: where they are, and the name of the folder there that the tree does not have."""

    path: str
    beside: str


class Attached(msgspec.Struct, frozen=True):
    """How a person goes on with a conversation at a terminal: what to start, and with which environment."""

    argv: tuple[str, ...]
    env: Mapping[str, str]


class LiveRun(Protocol):
    """A program below its reaper, which waits for `go` before it starts anything."""

    run: RunId
    process: str
    """Process evidence of the reaper, as `Outside.process` writes it."""
    program: str
    digest: str

    def go(self) -> None:
        """The binding is committed: start the program now."""

    def fileno(self) -> int:
        """Becomes readable whenever `poll` may have something new to say."""

    def poll(self) -> RunOutcome | None:
        """Read what is there, mind deadline and idle time; the outcome, once every process below the reaper is gone."""

    def quiet_seconds(self) -> float:
        """How long nothing was heard of the program."""

    def due_seconds(self) -> float:
        """When `poll` has to be asked at the latest, whether or not anything became readable: for its time limits."""

    def last_event(self) -> str:
        """The latest thing that its stream told, in a few words."""

    def heard(self) -> Sequence[Spoken]:
        """S3: what its own messages said that happened, since this was asked last."""

    def stop(self, why: str) -> None:
        """End the program and everything it started; `poll` then tells the outcome."""


class LocalAgents(Protocol):
    """Agent programs on this machine."""

    def available(self, name: str, profile: Profile, *, ask: bool = False) -> Availability:
        """`ask`: start the program for its version; it takes its time. Else only files are looked at."""

    def prepare(self, launch: Launch) -> LiveRun:
        """Make the run's directory and start the reaper. Raises `AgentMissing` where the program is not there,
        `AgentUnavailable` where it cannot be started for this run.
        """

    def attached(self, name: str, profile: Profile, *, task: str, conversation: str) -> Attached:
        """How a person goes on with a conversation of a run. `AgentUnavailable` where that cannot be, with why."""

    def checkout(self, run: RunId, write: Callable[[str], Mapping[str, str]], files: Mapping[str, str]) -> Checkout:
        """A new directory for one run that reads, under a name that nobody knew: `write` puts the files of a tree into
        it and returns their modes and objects, `files` come into a folder beside them.
        """

    def altered(self, run: RunId) -> str:
        """The first path in the checkout of a run that is not as it was written; empty where all is."""

    def drop_checkout(self, run: RunId) -> None:
        """Remove such a directory, if it is there."""

    def end_left(self, processes: Sequence[str], runs: Sequence[RunId]) -> Sequence[RunId]:
        """End what runs of a dead runner have left on this machine (run mark, reaper); those of which nothing runs any
        more, proven.
        """

    def kept(self) -> Sequence[str]:
        """The tasks for which something is kept."""

    def forget(self, task: str) -> None:
        """Remove what was kept for a task to go on with (home directories of its runs)."""
