"""Parties: sessions as the policy sees them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.caller import spawners
from foureyes.app.views.session import SessionView
from foureyes.core.nouns.session import Party, SessionKind, Trust
from foureyes.core.words.ids import OriginId, SessionId

if TYPE_CHECKING:
    from foureyes.app.ports import Tx


def parties_of(tx: Tx, sessions: Iterable[SessionId]) -> dict[SessionId, Party]:
    """Sessions as the policy sees them, with everyone above them."""
    parties: dict[SessionId, Party] = {}
    wanted = set(sessions)
    while wanted:
        rows = tx.all("session.some", SessionView, ids=sorted(wanted))
        for row in rows:
            parties[SessionId(row.id)] = _party(tx, row)
        wanted = {above for row in rows for above in parties[SessionId(row.id)].above} - set(parties)
    return parties


def _party(tx: Tx, row: SessionView) -> Party:
    return Party(
        session=SessionId(row.id),
        kind=msgspec.convert(row.kind, SessionKind),
        trust=msgspec.convert(row.trust, Trust),
        name=row.name,
        agent=row.agent,
        person=row.person,
        origins=frozenset({OriginId(row.origin)}),
        proven=row.proven,
        above=spawners(tx, SessionId(row.parent)) if row.parent else (),
        process=row.process,
        model=row.model,
        vendor=row.vendor,
    )


def programs_of(tx: Tx, sessions: Iterable[SessionId]) -> dict[SessionId, frozenset[str]]:
    """What the agent programs of sessions are called, each with those of every agent above it (I4): what an agent calls
    the child that it made a session for is only its word.
    """
    parties = parties_of(tx, sessions)
    rows = tx.all("session.some", SessionView, ids=sorted(parties)) if parties else []
    called = {SessionId(row.id): row.agent for row in rows if row.kind == "agent"}
    return {
        session: frozenset(called[each] for each in (session, *party.above) if each in called)
        for session, party in parties.items()
        if session in called
    }
