"""Results about runners and runs: their state, and messages from agents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec

from foureyes.core.nouns.run import ErrorKind, Run, StuckKind
from foureyes.core.nouns.session import Actor

RunnerState = Literal["live", "gone", "silent", "ended"]
"""`live`: working. `gone`: its process has ended. `silent`: its lease expired without a sign of life. `ended`: it ended
normally.
"""


class Begun(msgspec.Struct, frozen=True, kw_only=True):
    """A runner that has started. `actor` is its identity from now on. `lost` are runners that turned out to have
    ended.
    """

    actor: Actor
    until: str
    lost: list[str] = []


class RunnerView(msgspec.Struct, frozen=True, kw_only=True):
    """A runner with its current runs, or those it left."""

    session: str
    starter: str
    """The name of the session that started it."""
    process: str
    host: str
    agents: int
    """Number of parallel runs, 0 if it only checks and merges."""
    state: RunnerState
    started_at: str
    until: str
    runs: list[Run] = []


class LogLine(msgspec.Struct, frozen=True):
    """A line of a run's log for people: its start or end, an agent's message, action or result, a wait, a failure, or
    other text.
    """

    kind: Literal["run", "says", "does", "gets", "waits", "failed", "ends", "text"]
    text: str


class Conversation(msgspec.Struct, frozen=True, kw_only=True):
    """The latest conversation about a task, and the command to continue it, or why that is impossible. `live`: its run
    is still working.
    """

    task: str
    run: str
    profile: str
    live: bool = False
    argv: tuple[str, ...] = ()
    env: Mapping[str, str] = {}
    problem: str = ""


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """A signal or event of an agent. Each reader remembers the number of the last one it read. (S1, S3)"""

    seq: int
    task: str
    session: str
    run: str | None
    what: Literal["signal", "event"]
    word: str
    text: str
    payload: str
    at: str


class RunLine(msgspec.Struct, frozen=True, kw_only=True):
    """A live run as its runner sees it: the latest message and the time since then."""

    run: str
    task: str
    profile: str
    last: str = ""
    quiet_seconds: int = 0


class RunnerSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A runner's current activity. `waits` is why nothing new starts, "" if it may. `stopping` is how it will end."""

    runs: tuple[RunLine, ...] = ()
    agents: int = 0
    checking: int = 0
    merging: bool = False
    waits: str = ""
    stopping: str = ""
    sprint: str = ""
    """The running sprint's progress in short. (X2)"""


class AgentView(msgspec.Struct, frozen=True, kw_only=True):
    """A profile, and whether its program can be used on this machine. `error_text` is the program's own message."""

    profile: str
    program: str
    model: str = ""
    path: str = ""
    version: str = ""
    login: str = ""
    problem: str = ""
    """Why it cannot be used, "" if it can."""
    tiers: list[str] = []
    slots: int = 0
    running: int = 0
    left: int = 0
    """Number of runs of an ended runner. The next runner takes them over. (J4)"""
    cooled: bool = False
    until: str = ""
    """When the cooldown ends. "" if it ends only when a person says so or the program works."""
    error: ErrorKind = "none"
    """Its last error here."""
    error_text: str = ""
    error_at: str = ""


# ---- Pauses ----


class PauseView(msgspec.Struct, frozen=True, kw_only=True):
    """A pause. It covers everything if it has no task. (V9)"""

    task: str
    reason: str
    made_by: Literal["person", "rule"]
    session: str
    at: str
    rule: str = ""
    cycle: str = ""


def once(pauses: Iterable[PauseView]) -> list[PauseView]:
    """Return all pauses by people, and the last one by a rule for each task. Repeated rounds of one dispute pause a
    task once. (V9)
    """
    return list({(row.task, row.made_by, "" if row.made_by == "rule" else row.at): row for row in pauses}.values())


# ---- Stopped ----


class StuckView(msgspec.Struct, frozen=True, kw_only=True):
    """A task that the runner gave up on. A person has to look at it."""

    task: str
    kind: StuckKind
    why: str
    at: str


class BlockedWork(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that keeps runs from starting: pauses, and tasks the runner gave up on."""

    pauses: list[PauseView] = []
    stuck: list[StuckView] = []


class Cooldown(msgspec.Struct, frozen=True, kw_only=True):
    """A profile in cooldown on a host. Without `until`, it ends when a person says so or the program works."""

    profile: str
    host: str
    until: str
    error: ErrorKind
    error_text: str
    at: str

    def holds(self, now: str) -> bool:
        """Return True if it is still in force."""
        return not self.until or self.until > now


# ---- Active ----


class AgentRow(msgspec.Struct, frozen=True, kw_only=True):
    """A live claim or run.

    - since, age_seconds: when it started
    - quiet_seconds: time since its last sign of life
    - silent: quiet for too long, or its session has ended. Anyone may release it (T1).
    - run, profile: its run, "" without a runner
    - stopping: why the run is to end
    - reviews: it reads another's work
    - left: a message that its runner is gone, so that nobody works on it (J4)
    """

    session: str
    name: str
    kind: str
    task: str
    title: str
    iteration: int
    tier: str
    since: str
    age_seconds: int
    quiet_seconds: int
    silent: bool
    line: str = ""
    line_at: str = ""
    run: str = ""
    profile: str = ""
    stopping: str = ""
    reviews: bool = False
    left: str = ""

    @property
    def row(self) -> str:
        """A unique key. Several may work on one task."""
        return self.run or self.task


class Resting(msgspec.Struct, frozen=True, kw_only=True):
    """A profile in cooldown, with the program's own message. Without `until`, it ends when the program works."""

    profile: str
    until: str
    error: str
    text: str
