"""Results about the project's status, its health, and items that need a person. (E6)"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from foureyes.steps import NO_STEP, Steps, fe, phrase

if TYPE_CHECKING:
    from foureyes.app.results.sprint import SprintSummary


# ---- The project at a glance, and its health ----


class OpenPoint(msgspec.Struct, frozen=True, kw_only=True):
    """A question of reviewers that the author has not answered. (R2)"""

    cycle: str
    id: str
    task: str
    text: str
    reviewer: str = ""

    @property
    def step(self) -> Steps:
        """The command that answers it."""
        return fe("review", "clarify", self.cycle, self.id, "-m", phrase("the answer"))


class StatusView(msgspec.Struct, frozen=True, kw_only=True):
    """The project's status.

    - lacking: the caller's step for the first task in review that needs something before they can approve it
    - barred: number of tasks in review that this person can never approve (P)
    - unchecked: number of tasks that wait for required checks (D5)
    - unaccepted: the note about an unaccepted configuration (P12)
    - stopped: the note about stopped merges (Q6)
    """

    project: str
    target: str
    policy: str
    policy_source: str
    counts: dict[str, int]
    reviewable: int
    reviewable_more: bool = False
    lacking: Steps = NO_STEP
    barred: int = 0
    unchecked: int = 0
    hold: str | None = None
    notes: tuple[Steps, ...] = ()
    unaccepted: Steps | None = None
    stopped: Steps | None = None
    sprint: SprintSummary | None = None
    """The running sprint, if any. (X2)"""
    next: Steps = NO_STEP


def named() -> dict[str, type]:
    """Return the field types for decoders. They are imported only here."""
    from foureyes.app.results.sprint import SprintSummary

    return {"SprintSummary": SprintSummary}


class Check(msgspec.Struct, frozen=True):
    """One line of `fe doctor`."""

    check: str
    result: str
    message: str
    next: Steps = NO_STEP


# ---- Attention (E6) ----

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
"""The label of each kind of item, for every interface."""
UNACCEPTED = "config unaccepted"
"""Id of the row about an unaccepted foureyes.toml on the target. (P12)"""


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """A choice for an item: a verb of the catalog with its arguments.

    `asks` names the argument that takes the person's text, "" if none does. `lists` names one that takes several texts.
    `step` is the equivalent command.
    """

    text: str
    noun: str
    verb: str
    values: dict[str, object] = {}
    asks: str = ""
    lists: str = ""
    step: Steps = NO_STEP


class AttentionRow(msgspec.Struct, frozen=True, kw_only=True):
    """An item that needs a person.

    - id: unique
    - task: empty for the whole project
    - since: empty if the start is unknown
    - choices: those that the caller may use
    - next: the next step, for anyone who may take it
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
    """Items that need a person, newest first. `more`: there are others."""

    rows: tuple[AttentionRow, ...] = ()
    more: bool = False
