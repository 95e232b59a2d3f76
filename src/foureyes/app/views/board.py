"""The board: four columns of cards, who is at work, and what the status line says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from foureyes.app.views.run_state import AgentRow, Resting
from foureyes.app.views.sprint import NO_SPRINT, SprintGlance

if TYPE_CHECKING:
    from foureyes.app.views.review import QueueRow


ColumnName = Literal["open", "in_progress", "reviewing", "done"]
COLUMNS: tuple[ColumnName, ...] = ("open", "in_progress", "reviewing", "done")
CardState = Literal[
    "ready", "waiting", "rejected", "blocked", "deferred", "held", "in_progress", "reviewing", "merging", "stuck",
    "approved", "merged", "closed",
]  # fmt: skip
"""Where a card stands within its column. `approved`: waits to be merged; `closed`: ended without a merge."""


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """A task on the board.

    `note` is why it stands where it does: the reason of a hold, a rejection or a block, what it waits for. `waits_for`
    are the tasks that it waits for. `who` works on it, made it or, once it is done, approved it, since when. `place` is
    its place in the merge queue. `by_rule`: nobody looked (M4). `review` is its row of the review queue.
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
    who: str = ""
    since: str = ""
    age_seconds: int = 0
    waits_for: tuple[str, ...] = ()
    note: str = ""
    place: int = 0
    by_rule: bool = False
    resolution: str = ""
    review: QueueRow | None = None


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """A column: how many cards it has, and a window of them that begins after the first `after`."""

    name: ColumnName
    count: int
    cards: tuple[Card, ...]
    after: int = 0


class BoardView(msgspec.Struct, frozen=True, kw_only=True):
    """The board at one moment: `head` is the last journal row that it knows of.

    `waiting` is how many of the cards in review that were judged the caller may approve; `waiting_more` that there are
    others, which were not. `resting` are the profiles that are skipped, `runners` how many runners are at work.
    `problem` is why nothing in review could be judged. `demo`: a project to try things in.
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
    sprint: SprintGlance = NO_SPRINT
    """The sprint that goes on, or ended last (X2)."""
    demo: bool = False
    problem: str = ""


def named() -> dict[str, type]:
    """What the fields are made of, for who decodes these values: whoever makes them has it, and others do without."""
    from foureyes.app.views.review import QueueRow

    return {kind.__name__: kind for kind in (QueueRow,)}
