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
    """The state of a profile's program: found, logged in, usable. Its service is not contacted."""

    profile: str
    program: str
    path: str = ""
    """Path of the program, "" if it was not found."""
    version: str = ""
    login: str = ""
    """Login state in words, "" if unknown."""
    problem: str = ""
    """Why the program cannot be used, "" if it can."""


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """Everything needed to start a program.

    The token goes into a file in the run's directory (0600), never into arguments. The prompt goes to standard input.
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
    """Conversation to continue. The prompt is then its next message."""
    schema: str = ""
    """JSON Schema of the document to answer with, for programs that support one. (V3)"""

    @property
    def writes(self) -> bool:
        """True if the program may change files. Otherwise it is started read-only."""
        return self.role == "implement" and self.purpose != "clarify"


class Checkout(msgspec.Struct, frozen=True):
    """Files for a run that only reads: the path of the tree, and the folder with extra files."""

    path: str
    review_folder: str


class Attached(msgspec.Struct, frozen=True):
    """Command and environment with which a person continues a conversation in a terminal."""

    argv: tuple[str, ...]
    env: Mapping[str, str]


class LiveRun(Protocol):
    """A program that waits or runs below its reaper. It starts with `go`."""

    run: RunId
    process: str
    """Process evidence of the reaper, in the form of `Outside.process`."""
    program: str
    digest: str

    def go(self) -> None:
        """Start the program. Call this only after its token was bound and committed."""

    def fileno(self) -> int:
        """Return a file descriptor that becomes readable when `poll` may have news."""

    def poll(self) -> RunOutcome | None:
        """Read output and enforce the time limits. Return the outcome once every process below the reaper has ended,
        else None.
        """

    def quiet_seconds(self) -> float:
        """Return the seconds since the program's last output."""

    def due_seconds(self) -> float:
        """Return in how many seconds `poll` must be called again because of time limits."""

    def last_event(self) -> str:
        """Describe the latest event of the program's stream."""

    def heard(self) -> Sequence[Spoken]:
        """Return the events that the agent reported since the last call. (S3)"""

    def stop(self, why: str) -> None:
        """End the program and everything it started. `poll` then returns the outcome."""


class LocalAgents(Protocol):
    """Agent programs on this machine."""

    def available(self, name: str, profile: Profile, *, ask: bool = False) -> Availability:
        """Return whether a program can be used. Only files are checked, unless `ask`, which starts it to ask for its
        version and is slow.
        """

    def prepare(self, launch: Launch) -> LiveRun:
        """Create the run's directory and start the reaper.

        Raise `AgentMissing` if the program is not installed, and `AgentUnavailable` if it cannot start for this run.
        """

    def attached(self, name: str, profile: Profile, *, task: str, conversation: str) -> Attached:
        """Return the command to continue a run's conversation. Raise `AgentUnavailable` with the reason if that is
        impossible.
        """

    def checkout(self, run: RunId, write: Callable[[str], Mapping[str, str]], files: Mapping[str, str]) -> Checkout:
        """Create a directory with an unpredictable name for one run that only reads.

        `write` writes a tree's files and returns their modes and objects. `files` go into a separate folder in it.
        """

    def altered(self, run: RunId) -> str:
        """Return the first path that was changed in the run's checkout, or ""."""

    def drop_checkout(self, run: RunId) -> None:
        """Remove the run's checkout, if it exists."""

    def end_left(self, processes: Sequence[str], runs: Sequence[RunId]) -> Sequence[RunId]:
        """End processes that the runs of an ended runner left on this machine. Return the runs that have none left."""

    def kept(self) -> Sequence[str]:
        """Return the tasks whose home directories are kept."""

    def forget(self, task: str) -> None:
        """Remove the home directories kept for a task."""
