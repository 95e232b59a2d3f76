"""A review cycle with all that is known about it, in a handful of reads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Protocol, TypeVar

import msgspec

from foureyes.app.ports import Tx
from foureyes.core.loop.review import Review
from foureyes.core.nouns.cycle import Asked, Clarification, Cycle, CycleId, TargetRow
from foureyes.core.words.ids import TaskId
from foureyes.errors import NotFound
from foureyes.steps import fe


class WholeCycle(msgspec.Struct, frozen=True, kw_only=True):
    """A cycle, its targets, who was asked, and what came of it."""

    cycle: Cycle
    targets: list[TargetRow]
    asked: list[Asked]
    reviews: list[Review]
    points: list[Clarification]

    @property
    def live(self) -> list[TargetRow]:
        """The targets that have not moved on."""
        return [target for target in self.targets if not target.over]

    @property
    def tasks(self) -> list[TaskId]:
        return [target.task for target in self.live]

    @property
    def unanswered(self) -> list[Clarification]:
        """R2: the points that wait for an answer; what is said about a target that moved on is nobody's question."""
        return [point for point in self.points if not point.answer and point.task in self.tasks]


class HeldTask(msgspec.Struct, frozen=True):
    """A task that a cycle is or was about, and whether it is held."""

    id: str
    status: str
    hold: str | None = None


def cycle_named(tx: Tx, name: str) -> Cycle:
    """The cycle that is meant: `c-3`, or its number alone."""
    wanted = name.strip().lower()
    row = tx.one("cycle.get", Cycle, cycle=f"c-{wanted}" if wanted.isdigit() else wanted)
    if row is None:
        raise NotFound(f"there is no review cycle {wanted[:20]}.", next_step=fe("review", "list"))
    return row


def is_cycle_name(name: str) -> bool:
    """Whether a name is meant for a cycle; no task is called like one, whatever the project's prefix."""
    return name.strip().lower().startswith("c-") and name.strip()[2:].isdigit()


def chain(tx: Tx, cycle: Cycle) -> Iterator[Cycle]:
    """R2: a cycle, and those that were clarified before it, the latest first."""
    seen: set[str] = set()
    link: Cycle | None = cycle
    while link is not None and link.id not in seen:
        yield link
        seen.add(link.id)
        link = tx.one("cycle.get", Cycle, cycle=link.follows) if link.follows else None


def wholes(tx: Tx, cycles: Sequence[Cycle]) -> list[WholeCycle]:
    """Several cycles, each with all of it."""
    ids = [cycle.id for cycle in cycles]
    if not ids:
        return []
    targets = _by_cycle(tx.all("cycle.targets", TargetRow, ids=ids))
    asked = _by_cycle(tx.all("cycle.asked", Asked, ids=ids))
    reviews = _by_cycle(tx.all("cycle.reviews", Review, ids=ids))
    points = _by_cycle(tx.all("cycle.points", Clarification, ids=ids))
    return [
        WholeCycle(
            cycle=cycle,
            targets=targets[cycle.id],
            asked=asked[cycle.id],
            reviews=reviews[cycle.id],
            points=points[cycle.id],
        )
        for cycle in cycles
    ]


class _InCycle(Protocol):
    @property
    def cycle(self) -> str: ...


R = TypeVar("R", bound=_InCycle)


def _by_cycle(rows: Sequence[R]) -> dict[str, list[R]]:
    by_cycle: dict[str, list[R]] = defaultdict(list)
    for row in rows:
        by_cycle[row.cycle].append(row)
    return by_cycle


def whole(tx: Tx, cycle: str) -> WholeCycle:
    """One cycle with all of it."""
    return wholes(tx, [cycle_named(tx, cycle)])[0]


def live_of(tx: Tx, task: str) -> list[Cycle]:
    """The cycles that a task is a target of and that are not over."""
    return tx.all("cycle.live_of", Cycle, task=task)


def next_id(tx: Tx) -> CycleId:
    """The number of the next cycle, in the transaction that opens it."""
    from foureyes.app.call.rows import Count
    from foureyes.core.nouns.cycle import cycle_number

    row = tx.one("cycle.next", Count)
    return cycle_number(row.n if row else 1)
