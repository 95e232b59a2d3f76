"""Agents at work: runners, their runs, what stands still and why, and what agents said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from foureyes.core.nouns.run import ErrorKind, Run
from foureyes.core.nouns.session import Actor

RunnerState = Literal["live", "gone", "silent", "ended"]
"""At work; its process is shown to have ended; its lease is over and nothing was heard of it; it ended by itself."""


class Begun(msgspec.Struct, frozen=True, kw_only=True):
    """A runner that began. `actor` is who it is from here on; `lost` are runners that were found dead."""

    actor: Actor
    until: str
    lost: list[str] = []


class RunnerView(msgspec.Struct, frozen=True, kw_only=True):
    """A runner, with the runs that it has, or that it left."""

    session: str
    starter: str
    """Who started it, by name."""
    process: str
    host: str
    agents: int
    """How many runs at once; 0: it only checks and merges."""
    state: RunnerState
    started_at: str
    until: str
    runs: list[Run] = []


class LogLine(msgspec.Struct, frozen=True):
    """A line of a run's log as people read it: that a run began or ended, what an agent said, did and got, that it
    waited, failed or came to its end; or what is none of these.
    """

    kind: Literal["run", "says", "does", "gets", "waits", "failed", "ends", "text"]
    text: str


class Conversation(msgspec.Struct, frozen=True, kw_only=True):
    """The latest conversation about a task: whose it is, whether its run is still at work, and how a person goes on
    with it, or why not.
    """

    task: str
    run: str
    profile: str
    live: bool = False
    argv: tuple[str, ...] = ()
    env: Mapping[str, str] = {}
    problem: str = ""


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """S1, S3: what an agent said, a signal or an event. Each reader keeps the number of the last one it has read."""

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
    """A live run, as its runner sees it now: what its program told last, and how long nothing was heard of it."""

    run: str
    task: str
    profile: str
    last: str = ""
    quiet_seconds: int = 0


class RunnerGlance(msgspec.Struct, frozen=True, kw_only=True):
    """What a runner is doing right now. `waits` is why nothing new begins, empty where it may; `stopping` how it is to
    end.
    """

    runs: tuple[RunLine, ...] = ()
    agents: int = 0
    checking: int = 0
    merging: bool = False
    waits: str = ""
    stopping: str = ""
    sprint: str = ""
    """X2: how far the sprint is that runs, in short."""


class AgentView(msgspec.Struct, frozen=True, kw_only=True):
    """A profile, and whether its program can be used on this machine. `error_text` is in the program's own words."""

    profile: str
    program: str
    model: str = ""
    path: str = ""
    version: str = ""
    login: str = ""
    problem: str = ""
    """Why it cannot be used; empty where it can."""
    tiers: list[str] = []
    slots: int = 0
    running: int = 0
    left: int = 0
    """Runs whose runner is gone: nobody is at work on them, and the next runner takes them over (J4)."""
    cooled: bool = False
    until: str = ""
    """When it is used again, where it is skipped; empty: when a person says so, or it works."""
    error: ErrorKind = "none"
    """The last that went wrong with it here."""
    error_text: str = ""
    error_at: str = ""
