"""Ports for agent programs, as protocols for the runner. `adapters/agents` implements them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import msgspec

from foureyes.core.nouns.run import Purpose, RunId, RunOutcome
from foureyes.core.nouns.session import Role
from foureyes.core.rules.policy import Profile
from foureyes.core.runner.signals import Spoken


class Availability(msgspec.Struct, frozen=True, kw_only=True):
    """The availability of a profile's program, as far as it shows without contacting its service."""

    profile: str
    program: str
    path: str = ""
    """Its path. Empty if it was not found."""
    version: str = ""
    login: str = ""
    """The login state in words. Empty if unknown."""
    problem: str = ""
    """The reason why it cannot be used. Empty if it can."""


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """All inputs for starting a program. The token goes into a file of the run's directory (0600), never into
    arguments. The prompt goes to standard input.
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
    """The conversation to continue. The prompt is then its next message."""
    schema: str = ""
    """The JSON Schema of the one document to answer with, for programs that support it. (V3)"""

    @property
    def writes(self) -> bool:
        """True if the program may change files. All others are started read-only."""
        return self.role == "implement" and self.purpose != "clarify"


class Checkout(msgspec.Struct, frozen=True):
    """Files for one reading run: their path, and a separate folder beside the tree's files."""

    path: str
    beside: str


class Attached(msgspec.Struct, frozen=True):
    """The command and environment with which a person continues a conversation at a terminal."""

    argv: tuple[str, ...]
    env: Mapping[str, str]


class LiveRun(Protocol):
    """A program below its reaper. It starts after `go`."""

    run: RunId
    process: str
    """The reaper's process evidence, in the form of `Outside.process`."""
    program: str
    digest: str

    def go(self) -> None:
        """Start the program. Call it after the binding is committed."""

    def fileno(self) -> int:
        """Return a file descriptor that becomes readable when `poll` may have news."""

    def poll(self) -> RunOutcome | None:
        """Read output and enforce the time limits. Return the outcome once every process below the reaper has ended."""

    def quiet_seconds(self) -> float:
        """Return the seconds since the program's last output."""

    def due_seconds(self) -> float:
        """Return the seconds until `poll` must be called again because of time limits."""

    def last_event(self) -> str:
        """Describe the latest event of the program's stream."""

    def heard(self) -> Sequence[Spoken]:
        """Return the messages since the last call. (S3)"""

    def stop(self, why: str) -> None:
        """End the program and everything it started. `poll` then returns the outcome."""


class LocalAgents(Protocol):
    """Agent programs on this machine."""

    def available(self, name: str, profile: Profile, *, ask: bool = False) -> Availability:
        """Return the availability of a program. `ask` starts it for its version, which is slow. Otherwise only files
        are checked.
        """

    def prepare(self, launch: Launch) -> LiveRun:
        """Create the run's directory and start the reaper. Raises `AgentMissing` if the program is not installed,
        `AgentUnavailable` if it cannot start for this run.
        """

    def attached(self, name: str, profile: Profile, *, task: str, conversation: str) -> Attached:
        """Return the command to continue a run's conversation. Raises `AgentUnavailable` with the reason if that is
        impossible.
        """

    def checkout(self, run: RunId, write: Callable[[str], Mapping[str, str]], files: Mapping[str, str]) -> Checkout:
        """Create a new directory with an unpredictable name for one reading run. `write` writes a tree's files and
        returns their modes and objects. `files` go into a folder beside them.
        """

    def altered(self, run: RunId) -> str:
        """Return the first path in the run's checkout that was changed. Empty if there is none."""

    def drop_checkout(self, run: RunId) -> None:
        """Remove the run's checkout, if it exists."""

    def end_left(self, processes: Sequence[str], runs: Sequence[RunId]) -> Sequence[RunId]:
        """End processes that an ended runner's runs left on this machine. Return the runs without any process left."""

    def kept(self) -> Sequence[str]:
        """Return the tasks with kept home directories."""

    def forget(self, task: str) -> None:
        """Remove the home directories kept for a task."""
