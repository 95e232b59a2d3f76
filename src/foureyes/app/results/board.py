"""Results about the board: four columns of cards, active agents, and the status line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from foureyes.app.results.run import AgentRow, Resting
from foureyes.app.results.sprint import NO_SPRINT, SprintSummary

if TYPE_CHECKING:
    from foureyes.app.results.review import QueueRow


ColumnName = Literal["open", "in_progress", "reviewing", "done"]
COLUMNS: tuple[ColumnName, ...] = ("open", "in_progress", "reviewing", "done")
CardState = Literal[
    "ready", "waiting", "rejected", "blocked", "deferred", "held", "in_progress", "reviewing", "merging", "stuck",
    "approved", "merged", "closed",
]  # fmt: skip
"""A card's state within its column. `approved`: waits to be merged. `closed`: ended without a merge."""


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """A task on the board.

    - note: the reason for its state
    - waits_for: tasks it depends on
    - who, since: who works on it, submitted it or approved it, and since when
    - place: its place in the merge queue
    - by_rule: approved without a reviewer (M4)
    - review: its row of the review queue
    """

    task: str
    title: str
    state: CardState
    status: str
    priority: int
    type: str = "task"
    labels: tuple[str, ...] = ()
    iteration: int = 0
    version: int = 0
    tier: str = "developer"
    held: bool = False
    owner: str = ""
    since: str = ""
    age_seconds: int = 0
    waits_for: tuple[str, ...] = ()
    note: str = ""
    place: int = 0
    by_rule: bool = False
    resolution: str = ""
    review: QueueRow | None = None


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """A column: its number of cards, and some of them, from number `after` on."""

    name: ColumnName
    count: int
    cards: tuple[Card, ...]
    after: int = 0


class BoardView(msgspec.Struct, frozen=True, kw_only=True):
    """The board at one moment.

    - head: the last journal row that it includes
    - waiting: number of cards in review that the caller may approve, of those that were judged
    - waiting_more: some cards were not judged
    - resting: profiles in cooldown
    - runners: number of live runners
    - problem: why nothing in review could be judged
    - demo: the project is only for trying things out
    """

    head: int
    at: str
    project: str
    target: str
    policy: str
    hold: str | None
    waiting: int
    waiting_more: bool
    auto_approved_today: int
    checks: tuple[str, ...]
    open: Column
    in_progress: Column
    reviewing: Column
    done: Column
    agents: tuple[AgentRow, ...]
    resting: tuple[Resting, ...] = ()
    runners: int = 0
    sprint: SprintSummary = NO_SPRINT
    """The running sprint, or the last one. (X2)"""
    demo: bool = False
    problem: str = ""


def named() -> dict[str, type]:
    """Return the types of the fields, for decoders. They are imported only here."""
    from foureyes.app.results.review import QueueRow

    return {kind.__name__: kind for kind in (QueueRow,)}
