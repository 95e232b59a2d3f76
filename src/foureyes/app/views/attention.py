"""What only a person can move (E6): holds, pauses, loops that wait, stuck merges, a red target, silent claims, runs
that got nowhere, a configuration that nobody accepted, waivers that ran out, rejected work, work that nobody reviewed,
checks that broke.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from foureyes.steps import NO_STEP, Steps

AttentionKind = Literal[
    "hold", "pause", "loop", "merge", "target", "claim", "run", "runner", "config", "waiver", "rejected", "blocked",
    "review", "check",
]  # fmt: skip
WORDS: dict[AttentionKind, str] = {
    "hold": "HELD",
    "pause": "PAUSED",
    "loop": "ESCALATED",
    "merge": "STUCK",
    "target": "RED",
    "claim": "SILENT",
    "run": "ERROR",
    "runner": "RUNNER",
    "config": "CONFIG",
    "waiver": "RAN OUT",
    "rejected": "REJECTED",
    "blocked": "BLOCKED",
    "review": "NO REVIEW",
    "check": "BROKEN",
}
"""What every face calls a kind."""
UNACCEPTED = "config unaccepted"
"""The id of the row about the foureyes.toml on the target that is not in force (P12)."""


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """A way to move something: a verb of the catalogue with its arguments. `asks` is the name of the argument that a
    person's words go into, empty where nothing is asked; `lists` the name of one that takes several texts. `step` types
    the same.
    """

    text: str
    noun: str
    verb: str
    values: dict[str, object] = {}
    asks: str = ""
    lists: str = ""
    step: Steps = NO_STEP


class AttentionRow(msgspec.Struct, frozen=True, kw_only=True):
    """Something that waits for a person. `id` is its own among all rows; `task` is empty where it is about the whole
    project. `since` is when it began, empty where nobody can say. `choices` are those that would not be refused for the
    caller; `next` is what moves it, whoever may do that.
    """

    id: str
    kind: AttentionKind
    task: str = ""
    text: str
    since: str = ""
    age_seconds: int = 0
    details: tuple[str, ...] = ()
    choices: tuple[Choice, ...] = ()
    next: Steps = NO_STEP


class AttentionView(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that waits for a person, the newest first. `more`: there are others than these."""

    rows: tuple[AttentionRow, ...] = ()
    more: bool = False
