"""The project at a glance, its health, and what only a person can move (E6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from foureyes.steps import NO_STEP, Steps, fe, phrase

if TYPE_CHECKING:
    from foureyes.app.views.sprint import SprintGlance


# ---- The project at a glance, and its health ----


class OpenPoint(msgspec.Struct, frozen=True, kw_only=True):
    """R2: something that reviewers ask who made the work, and that is not answered."""

    cycle: str
    id: str
    task: str
    text: str
    reviewer: str = ""

    @property
    def step(self) -> Steps:
        """What answers it."""
        return fe("review", "clarify", self.cycle, self.id, "-m", phrase("the answer"))


class StatusView(msgspec.Struct, frozen=True, kw_only=True):
    """The project at a glance. `lacking`: what the caller can do for the first task in review that they could approve,
    were nothing missing. `barred`: how many in review a person cannot approve, whatever comes (P); `unchecked`: how many wait for
    required checks (D5). `unaccepted` is the
    one of the notes that says so of the configuration (P12), `stopped` the one that says that nothing is merged (Q6).
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
    sprint: SprintGlance | None = None
    """X2: the sprint that goes on, if any."""
    next: Steps = NO_STEP


def named() -> dict[str, type]:
    """What the fields are made of, for who decodes these values: where no sprint goes on, nothing of it is loaded."""
    from foureyes.app.views.sprint import SprintGlance

    return {"SprintGlance": SprintGlance}


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
