"""The author sets of tasks, as the store has them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from foureyes.core.nouns.attempt import AUTHOR_SOURCES, Author
from foureyes.core.words.ids import SessionId

if TYPE_CHECKING:
    from foureyes.app.ports import Tx
    from foureyes.core.nouns.attempt import Change
    from foureyes.core.rules.facts import Facts


class AuthorRow(Author, frozen=True, kw_only=True):
    """An author with its task."""

    task: str


def authors_of(tx: Tx, ids: Sequence[str]) -> list[AuthorRow]:
    """Each author of each task, once."""
    return surest(tx.all("attempt.authors", AuthorRow, ids=list(ids)))


def surest(rows: Iterable[AuthorRow]) -> list[AuthorRow]:
    """Authors once, by what makes them one most surely in any attempt, with the last attempt that has them."""
    authors: dict[tuple[str, str], AuthorRow] = {}
    for row in rows:
        known = authors.get((row.task, row.session), row)
        best = min(known, row, key=lambda author: AUTHOR_SOURCES.index(author.source))
        authors[row.task, row.session] = msgspec.structs.replace(best, attempt=max(known.attempt, row.attempt))
    return list(authors.values())


def authors_of_change(facts: Facts, change: Change, tokens: Sequence[SessionId]) -> tuple[Author, ...]:
    """A1: the sessions that held the claim or a token to implement, and those that the commits' trailers name."""
    authors: dict[SessionId, Author] = {}
    started = [entry.session for entry in facts.history or () if entry.action == "started"]
    for session in [*started, facts.task.implementer]:
        if session is not None:
            authors.setdefault(session, Author.by("claim", session))
    for session in tokens:
        authors.setdefault(session, Author.by("token", session))
    for commit in change.commits:
        for name in commit.sessions:
            if name and len(name) <= 80:
                session = SessionId(name)
                authors.setdefault(session, Author.by("trailer", session, commit.sha[:7]))
    return tuple(authors.values())
