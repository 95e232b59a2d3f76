"""Who is at work, and which profiles rest."""

from __future__ import annotations

import msgspec


class AgentRow(msgspec.Struct, frozen=True, kw_only=True):
    """A live claim or run: who works on what, since when, and what was last heard. `silent`: longer than a claim may be
    silent, or its session has ended; anybody may release it (T1). `run` is the run that it is of, with its `profile`;
    `stopping` why it is to end; empty for who was not started by a runner. `reviews`: it reads the work of another.
    `left`: that its runner is gone, in words; then nobody is at work (J4).
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
        """Its own among all rows: several may be at work on one task."""
        return self.run or self.task


class Resting(msgspec.Struct, frozen=True, kw_only=True):
    """A profile that is skipped for a while, and why, in the program's own words; `until` empty: until it works."""

    profile: str
    until: str
    error: str
    text: str
