"""Where a review belongs: the cycle about the same attempt or look that it is an answer in (V8)."""

from __future__ import annotations

import msgspec

from foureyes.app.call.context import Context
from foureyes.app.call.facts import parties_of
from foureyes.app.call.parties import programs_of
from foureyes.app.cycles.reading import WholeCycle, wholes
from foureyes.app.ports import Tx
from foureyes.core.nouns.cycle import ANY_PERSON, Asked, Cycle
from foureyes.core.nouns.session import Actor, Party, is_one_origin, is_tied
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.involvement import made_by
from foureyes.core.words.ids import SessionId


class Place(msgspec.Struct, frozen=True):
    """Where a review belongs: the cycle that it is an answer in, and whom that had asked. `alone`: no cycle is about
    the same work. `may_stop`: whether its blocker stops the task (R1).
    """

    cycle: str = ""
    reviewer: str = ""
    alone: bool = False
    may_stop: bool = False


def place_of(
    context: Context, tx: Tx, facts: Facts, me: Party, actor: Actor, *, attempt: int = 0, look: int = 0
) -> Place:
    """V8: the cycle about the same attempt or look: one that waits for the caller, else an open one, else the latest
    that still stands. The author of the work is no reviewer of it; an agent that opened a cycle and was not asked has
    no voice in that cycle (V4).
    """
    if made_by(facts, me) is not None:
        return Place()
    places: list[tuple[tuple[bool, bool, int], str, str]] = []
    was_asked = stands = False
    for n, known in enumerate(wholes(tx, tx.all("cycle.about", Cycle, task=facts.task.id, attempt=attempt, look=look))):
        row = asked_as(tx, known, facts, me, actor)
        was_asked = was_asked or row is not None
        if known.cycle.state == "ended" or facts.task.id not in known.tasks:
            continue
        stands = True
        if row is not None or not _opened_by(tx, known, me):
            awaited, is_open = row is not None and row.state == "asked", known.cycle.state == "open"
            order = (awaited, is_open, -n if awaited or is_open else n)
            places.append((order, known.cycle.id, row.reviewer if row else ""))
    cycle, reviewer = max(places)[1:] if places else ("", "")
    peers = context.gate_policy(tx).peers.reviewers
    programs = programs_of(tx, {me.session}).get(me.session) or frozenset({actor.agent})
    is_named = me.kind == "agent" and not actor.is_nested and programs <= set(peers)
    may_stop = me.kind == "human" or was_asked or not peers or is_named
    return Place(cycle, reviewer, alone=not stands, may_stop=may_stop)


def _opened_by(tx: Tx, known: WholeCycle, me: Party) -> bool:
    """Whether an agent, by origin, opened the cycle: nobody chose it."""
    opener = parties_of(tx, {known.cycle.session}).get(known.cycle.session)
    return me.kind == "agent" and opener is not None and opener.kind == "agent" and is_tied(me, opener)


def asked_as(tx: Tx, known: WholeCycle, facts: Facts, me: Party, actor: Actor) -> Asked | None:
    """How the caller was asked, the silent ones first. A seat that somebody answered from is theirs: another one of the
    same name comes by (V8).
    """
    programs = programs_of(tx, {me.session}).get(me.session) or frozenset({actor.agent})
    mine = [each for each in known.asked if each.task == facts.task.id and _is_asked(each, me, actor, programs)]
    sitting = parties_of(tx, {SessionId(each.session) for each in mine if each.state == "answered" and each.session})
    mine = [each for each in mine if each.state != "answered" or _is_of(sitting.get(SessionId(each.session)), me)]
    mine.sort(key=lambda each: each.state != "asked")
    return mine[0] if mine else None


def _is_of(seated: Party | None, me: Party) -> bool:
    return seated is not None and is_one_origin(me, seated)


def _is_asked(row: Asked, me: Party, actor: Actor, programs: frozenset[str]) -> bool:
    """V4: a profile's seat is for who is that program, and not below another one that calls it so."""
    if row.kind == "person":
        return me.kind == "human" and row.reviewer in (ANY_PERSON, me.person, me.name)
    if row.kind == "profile":
        return me.kind == "agent" and programs == {row.reviewer} and not actor.is_nested
    return row.reviewer == me.session
