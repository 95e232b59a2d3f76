"""Pairs of eyes in a cycle (I4): sessions of one origin are one, and of one the last word counts (V8)."""

from __future__ import annotations

from foureyes.app.call.facts import parties_of
from foureyes.app.cycles.reading import WholeCycle
from foureyes.app.ports import Tx
from foureyes.core.loop.review import Review
from foureyes.core.nouns.session import Party, is_one_origin
from foureyes.core.words.ids import SessionId


def eyes(tx: Tx, known: WholeCycle) -> dict[str, str]:
    """What each session that reviewed is called; sessions of one origin are one reviewer (I4)."""
    sessions = {SessionId(review.session) for review in known.reviews}
    parties = parties_of(tx, sessions)
    asked = {row.session: row.reviewer for row in known.asked if row.session}
    names: dict[str, str] = {}
    pairs: list[tuple[Party, str]] = []
    for session in sorted(sessions, key=lambda each: str(each)):
        party = parties.get(session) or Party(session=session, kind="agent", name=session)
        same = next((name for other, name in pairs if is_one_origin(party, other)), "")
        name = same or asked.get(session) or party.name or session
        if not same and name in names.values():
            name = f"{name} ({session})"
        names[session] = name
        pairs.append((party, name))
    return names


def last_words(known: WholeCycle, names: dict[str, str]) -> list[Review]:
    """What each reviewer said last about each target that has not moved on, the oldest first."""
    live = set(known.tasks)
    latest = {(names[review.session], review.task): review for review in known.reviews if review.task in live}
    return sorted(latest.values(), key=lambda review: review.seq)
