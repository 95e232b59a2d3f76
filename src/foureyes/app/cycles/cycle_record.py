"""One review cycle: everything recorded about it, and the cycle that a review belongs to. (V)"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

import msgspec

from foureyes.app.context import Context
from foureyes.app.facts import parties_of, programs_of
from foureyes.app.ports import Tx
from foureyes.core.loop.reviews import Review
from foureyes.core.nouns.cycle import ANY_PERSON, Asked, Clarification, Cycle, CycleId, TargetRow
from foureyes.core.nouns.session import Actor, Party, is_oneself, is_tied
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.involvement import is_shown_maker
from foureyes.core.words.ids import SessionId, TaskId
from foureyes.errors import NotFound
from foureyes.steps import fe

# ---- A review cycle with all that is known about it, in a handful of reads ----


class WholeCycle(msgspec.Struct, frozen=True, kw_only=True):
    """A cycle with its targets, requests, reviews and clarifications."""

    cycle: Cycle
    targets: list[TargetRow]
    requested: list[Asked]
    reviews: list[Review]
    points: list[Clarification]

    @property
    def live(self) -> list[TargetRow]:
        """Targets that have not moved on."""
        return [target for target in self.targets if not target.over]

    @property
    def tasks(self) -> list[TaskId]:
        return [target.task for target in self.live]

    @property
    def unanswered(self) -> list[Clarification]:
        """Points that still need an answer. Points about a target that moved on do not. (R2)"""
        return [point for point in self.points if not point.answer and point.task in self.tasks]


class HeldTask(msgspec.Struct, frozen=True):
    """A task that is or was the target of a cycle, and whether it is held."""

    id: str
    status: str
    hold: str | None = None


def cycle_named(tx: Tx, name: str) -> Cycle:
    """Return the cycle with this name: `c-3`, or only its number."""
    wanted = name.strip().lower()
    row = tx.one("cycle.get", Cycle, cycle=f"c-{wanted}" if wanted.isdigit() else wanted)
    if row is None:
        raise NotFound(f"there is no review cycle {wanted[:20]}.", next_step=fe("review", "show"))
    return row


def is_cycle_name(name: str) -> bool:
    """Return True if the name is that of a review cycle. No task has such a name, whatever the project's prefix."""
    return name.strip().lower().startswith("c-") and name.strip()[2:].isdigit()


def chain(tx: Tx, cycle: Cycle) -> Iterator[Cycle]:
    """Yield a cycle and the cycles whose clarification led to it, latest first. (R2)"""
    seen: set[str] = set()
    link: Cycle | None = cycle
    while link is not None and link.id not in seen:
        yield link
        seen.add(link.id)
        link = tx.one("cycle.get", Cycle, cycle=link.follows) if link.follows else None


def wholes(tx: Tx, cycles: Sequence[Cycle]) -> list[WholeCycle]:
    """Return several cycles with everything recorded about them."""
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
            requested=asked[cycle.id],
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
    """Return a cycle with everything recorded about it."""
    return wholes(tx, [cycle_named(tx, cycle)])[0]


def live_of(tx: Tx, task: str) -> list[Cycle]:
    """Return the cycles that are not over and have this task as a target."""
    return tx.all("cycle.live_of", Cycle, task=task)


def next_id(tx: Tx) -> CycleId:
    """Return the id of the next cycle. Call it in the transaction that opens the cycle."""
    from foureyes.app.context import Count
    from foureyes.core.nouns.cycle import cycle_number

    row = tx.one("cycle.next", Count)
    return cycle_number(row.n if row else 1)


# ---- The reviewers of a cycle ----


def reviewer_names(tx: Tx, known: WholeCycle, is_one: Callable[[Party, Party], bool] = is_oneself) -> dict[str, str]:
    """Return a name for each session that reviewed. Sessions of one reviewer get the same name. (I3, I4)

    By default only the reviewer itself counts as the same, because sharing a conversation's name is not enough to take
    a verdict back. To count seats, pass `is_one_origin`: an origin has one seat.
    """
    sessions = {SessionId(review.session) for review in known.reviews}
    parties = parties_of(tx, sessions)
    asked = {row.session: row.reviewer for row in known.requested if row.session}
    names: dict[str, str] = {}
    pairs: list[tuple[Party, str]] = []
    for session in sorted(sessions, key=lambda each: str(each)):
        party = parties.get(session) or Party(session=session, kind="agent", name=session)
        same = next((name for other, name in pairs if is_one(party, other)), "")
        name = same or asked.get(session) or party.name or session
        if not same and name in names.values():
            name = f"{name} ({session})"
        names[session] = name
        pairs.append((party, name))
    return names


def last_words(known: WholeCycle, names: dict[str, str]) -> list[Review]:
    """Return each reviewer's last review of each target that has not moved on, oldest first."""
    live = set(known.tasks)
    latest = {(names[review.session], review.task): review for review in known.reviews if review.task in live}
    return sorted(latest.values(), key=lambda review: review.seq)


# ---- Answering (V8) ----


class Place(msgspec.Struct, frozen=True):
    """The cycle that a review answers, and the name under which the reviewer was asked.

    `alone`: no cycle is about the same work. `may_stop`: its blocker stops the task (R1).
    """

    cycle: str = ""
    reviewer: str = ""
    alone: bool = False
    may_stop: bool = False


def place_of(
    context: Context, tx: Tx, facts: Facts, me: Party, actor: Actor, *, attempt: int = 0, early_review: int = 0
) -> Place:
    """Return the cycle that the caller's review of this attempt or early review answers. (V8)

    A cycle that waits for the caller comes first, then an open one, then the latest that is still valid. An author of
    the work reviews in none. An agent that opened a cycle and was not asked has no voice in it (V4).
    """
    if is_shown_maker(facts, me):
        return Place()
    places: list[tuple[tuple[bool, bool, int], str, str]] = []
    was_asked = has_current = False
    for n, known in enumerate(
        wholes(tx, tx.all("cycle.about", Cycle, task=facts.task.id, attempt=attempt, early_review=early_review))
    ):
        row = asked_as(tx, known, facts, me, actor)
        was_asked = was_asked or row is not None
        if known.cycle.state == "ended" or facts.task.id not in known.tasks:
            continue
        has_current = True
        if row is not None or not _opened_by(tx, known, me):
            awaited, is_open = row is not None and row.state == "asked", known.cycle.state == "open"
            order = (awaited, is_open, -n if awaited or is_open else n)
            places.append((order, known.cycle.id, row.reviewer if row else ""))
    cycle, reviewer = max(places)[1:] if places else ("", "")
    peers = context.gate_policy(tx).peers.reviewers
    programs = programs_of(tx, {me.session}).get(me.session) or frozenset({actor.agent})
    is_named = me.kind == "agent" and not actor.is_nested and programs <= set(peers)
    may_stop = me.kind == "human" or was_asked or not peers or is_named
    return Place(cycle, reviewer, alone=not has_current, may_stop=may_stop)


def _opened_by(tx: Tx, known: WholeCycle, me: Party) -> bool:
    """Return True if this agent, or one of the same origin, opened the cycle. Then nobody chose it as a reviewer."""
    opener = parties_of(tx, {known.cycle.session}).get(known.cycle.session)
    return me.kind == "agent" and opener is not None and opener.kind == "agent" and is_tied(me, opener)


def asked_as(tx: Tx, known: WholeCycle, facts: Facts, me: Party, actor: Actor) -> Asked | None:
    """Return the caller's request in the cycle, unanswered ones first. (V8)

    A seat belongs to the session that answered from it. Another one of the same name reviews unasked.
    """
    programs = programs_of(tx, {me.session}).get(me.session) or frozenset({actor.agent})
    mine = [each for each in known.requested if each.task == facts.task.id and _is_asked(each, me, actor, programs)]
    sitting = parties_of(tx, {SessionId(each.session) for each in mine if each.state == "answered" and each.session})
    mine = [each for each in mine if each.state != "answered" or _is_of(sitting.get(SessionId(each.session)), me)]
    mine.sort(key=lambda each: each.state != "asked")
    return mine[0] if mine else None


def _is_of(seated: Party | None, me: Party) -> bool:
    return seated is not None and is_oneself(me, seated)


def _is_asked(row: Asked, me: Party, actor: Actor, programs: frozenset[str]) -> bool:
    """Return True if the request is for the caller. A profile's request is for that program, and not for one that runs
    below another agent. (V4)
    """
    if row.kind == "person":
        return me.kind == "human" and row.reviewer in (ANY_PERSON, me.person, me.name)
    if row.kind == "profile":
        return me.kind == "agent" and programs == {row.reviewer} and not actor.is_nested
    return row.reviewer == me.session
