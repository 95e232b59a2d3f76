"""Views of runners and runs: their state, and messages of agents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from foureyes.core.nouns.run import ErrorKind, Run
from foureyes.core.nouns.session import Actor

RunnerState = Literal["live", "gone", "silent", "ended"]
"""`live`: working. `gone`: its process has ended. `silent`: its lease expired without a sign of life. `ended`: it ended
properly.
"""


class Begun(msgspec.Struct, frozen=True, kw_only=True):
    """A started runner. `actor` is its identity from now on. `lost` are ended runners found on the way."""

    actor: Actor
    until: str
    lost: list[str] = []


class RunnerView(msgspec.Struct, frozen=True, kw_only=True):
    """A runner with its current or left runs."""

    session: str
    starter: str
    """The name of the session that started it."""
    process: str
    host: str
    agents: int
    """The number of parallel runs. 0: it only checks and merges."""
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
    """A signal or event of an agent. Each reader keeps the number of the last one it has read. (S1, S3)"""

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


class RunnerGlance(msgspec.Struct, frozen=True, kw_only=True):
    """A runner's current activity. `waits` is the reason why nothing new starts, empty if it may. `stopping` is how it
    will end.
    """

    runs: tuple[RunLine, ...] = ()
    agents: int = 0
    checking: int = 0
    merging: bool = False
    waits: str = ""
    stopping: str = ""
    sprint: str = ""
    """The running sprint's progress in short. (X2)"""


class AgentView(msgspec.Struct, frozen=True, kw_only=True):
    """A profile and the availability of its program on this machine. `error_text` is the program's own message."""

    profile: str
    program: str
    model: str = ""
    path: str = ""
    version: str = ""
    login: str = ""
    problem: str = ""
    """The reason why it cannot be used. Empty if it can."""
    tiers: list[str] = []
    slots: int = 0
    running: int = 0
    left: int = 0
    """Runs of an ended runner. The next runner takes them over. (J4)"""
    cooled: bool = False
    until: str = ""
    """The end of the cooldown. Empty: until a person ends it or the program works."""
    error: ErrorKind = "none"
    """Its last error here."""
    error_text: str = ""
    error_at: str = ""
