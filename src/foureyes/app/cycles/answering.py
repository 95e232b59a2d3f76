"""A review is an answer in a cycle: the one that is open about the same attempt or look (V8)."""

from __future__ import annotations

from foureyes.app.call.facts import parties_of
from foureyes.app.call.parties import programs_of
from foureyes.app.cycles.reading import WholeCycle, live_of, wholes
from foureyes.app.ports import Tx
from foureyes.core.nouns.cycle import ANY_PERSON, Asked
from foureyes.core.nouns.session import Actor, Party, is_one_origin, is_tied
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.involvement import made_by
from foureyes.core.words.ids import SessionId


def answers(tx: Tx, facts: Facts, me: Party, actor: Actor, *, attempt: int = 0, look: int = 0) -> tuple[str, str]:
    """The cycle that a review of this is an answer in, and whom that had asked; the first that waits for the caller,
    else the first; empty where there is none. Who made the work is no reviewer of it; an agent that opened a cycle
    and was not asked is none in that cycle (V4).
    """
    if made_by(facts, me) is not None:
        return "", ""
    cycles: list[tuple[bool, str, str]] = []
    for known in wholes(tx, live_of(tx, facts.task.id)):
        about = [each for each in known.live if each.task == facts.task.id]
        if known.cycle.state == "open" and any((each.attempt, each.look) == (attempt, look) for each in about):
            row = asked_as(tx, known, facts, me, actor)
            if row is not None or not _opened_by(tx, known, me):
                awaited = row is not None and row.state == "asked"
                cycles.append((awaited, known.cycle.id, row.reviewer if row else ""))
    first = next((each for each in cycles if each[0]), cycles[0] if cycles else None)
    return (first[1], first[2]) if first else ("", "")


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
