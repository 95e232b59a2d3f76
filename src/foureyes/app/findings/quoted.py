"""Laundering by quote (A6): a blocking finding of another task, open or settled by taking its code out, comes along
where its quote is in a changed file of the same authors or of the same path, however little else the change has in
common with the one that it was found in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from foureyes.core.events.loop import Placed
from foureyes.core.loop.fingerprint import find_quote
from foureyes.core.loop.laundering import Haystack, is_telling
from foureyes.core.words.ids import Sha

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx
    from foureyes.core.events.decision import AttemptSubmitted
    from foureyes.core.words.ids import SessionId, TaskId


class Quoted(msgspec.Struct, frozen=True):
    """A blocking finding of another task, open or settled by taking its code out, as far as it is looked for. `head` is
    where that task's work ended, `same_author` that this attempt has an author of it.
    """

    root: str
    task: str
    path: str
    line: int
    quote: str
    head: str
    same_author: bool


class OfOrigin(msgspec.Struct, frozen=True):
    """The origin of a session."""

    origin: str


def candidates(tx: Tx, event: AttemptSubmitted, task: TaskId, paths: Sequence[str]) -> list[Quoted]:
    """What could come along: of an author of this attempt, by origin, or about a path that it changes."""
    sessions: list[SessionId] = [author.session for author in event.authors]
    origins = sorted({row.origin for row in tx.all("session.origins_of", OfOrigin, ids=sessions)})
    return tx.all("finding.quoted_elsewhere", Quoted, task=task, paths=list(paths), origins=origins)


def places_by_quote(context: Context, event: AttemptSubmitted, rows: Sequence[Quoted]) -> dict[str, Placed]:
    """Where each of them is in the attempt, by root."""
    if not rows:
        return {}
    now_called = {file.old_path: file.path for file in event.files if file.old_path}
    changed = {file.path for file in event.files} | set(now_called)
    wide = any(row.same_author for row in rows)
    wanted = changed if wide else {row.path for row in rows} | {now_called.get(row.path, "") for row in rows}
    paths = sorted(wanted & changed)
    texts = context.repo.texts(event.head, paths)
    look = _Look(context, event, Haystack(texts), now_called, changed)
    places = ((row, look.path_of(row)) for row in rows)
    return {
        row.root: Placed(row.root, path, (find_quote(row.quote, texts.get(path, ""), row.line) or row.line))
        for row, path in places
        if path
    }


class _Look(msgspec.Struct, frozen=True):
    """One look through the files of an attempt."""

    context: Context
    event: AttemptSubmitted
    hay: Haystack
    now_called: dict[str, str]
    changed: set[str]

    def path_of(self, row: Quoted) -> str:
        """The file that has it; empty where none has."""
        path = self.now_called.get(row.path, row.path)
        if row.path in self.changed and self._is_there(row, path):
            return path
        if row.same_author and row.quote and is_telling(row.quote, same_path=False):
            return self.hay.with_quote(row.quote)
        return ""

    def _is_there(self, row: Quoted, path: str) -> bool:
        """In the file that it was about. Without a quote its file will do, if the author is the same; a file that
        cannot be read as text may have it (G1).
        """
        if not row.quote:
            return row.same_author
        if not is_telling(row.quote, same_path=True):
            return False
        if path in self.hay:
            return self.hay.has(row.quote, path) or self._took_it_away(row, path)
        return self._took_it_away(row, path) if path in self._gone() else True

    def _gone(self) -> set[str]:
        return {mark.path for mark in self.event.marks if mark.kind == "deleted"}

    def _took_it_away(self, row: Quoted, path: str) -> bool:
        """What was found may be that something went: then it went there, and goes here, too."""
        before = Haystack(self.context.repo.texts(self.event.base, [row.path]))
        if not before.has(row.quote, row.path):
            return False
        haystack = Haystack(self.context.repo.texts(Sha(row.head), [row.path])) if row.head else Haystack({})
        return not haystack.has(row.quote, row.path)


def taken_out(tx: Tx, task: TaskId, paths: Sequence[str], shared: Sequence[str]) -> list[Quoted]:
    """Blocking findings of other tasks that were settled there: about a path of this attempt, or of work that it has a
    piece of.
    """
    return tx.all("finding.settled_elsewhere", Quoted, task=task, paths=list(paths), tasks=list(shared))


def places_back(
    context: Context, event: AttemptSubmitted, rows: Sequence[Quoted], shared: Sequence[str]
) -> dict[str, Placed]:
    """A6: which of these were settled by taking the quoted code out, and where this attempt brings it back: it is in
    neither what that task ended with nor what this one began from. By root.
    """
    rows = [row for row in rows if row.head and (row.task in shared or is_telling(row.quote, same_path=False))]
    if not rows:
        return {}
    now_called = {file.old_path: file.path for file in event.files if file.old_path}
    paths = sorted({file.path for file in event.files})
    texts = context.repo.texts(event.head, paths)
    hay = Haystack(texts)
    back: dict[str, Placed] = {}
    for row in rows:
        path = now_called.get(row.path, row.path)
        if not hay.has(row.quote, path):
            path = hay.with_quote(row.quote) if row.task in shared and is_telling(row.quote, same_path=False) else ""
        if path and not _has(context, event.base, row, path) and not _has(context, Sha(row.head), row, path):
            back[row.root] = Placed(row.root, path, find_quote(row.quote, texts[path], row.line) or row.line)
    return back


def _has(context: Context, commit: Sha, row: Quoted, path: str) -> bool:
    """Whether a commit has the quote, under the path that it was about or the one where it is now."""
    hay = Haystack(context.repo.texts(commit, sorted({row.path, path})))
    return hay.has(row.quote, row.path) or hay.has(row.quote, path)
