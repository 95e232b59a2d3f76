"""Views of runners and runs: their state, and messages from agents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from foureyes.core.nouns.run import ErrorKind, Run
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


class RunnerGlance(msgspec.Struct, frozen=True, kw_only=True):
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
