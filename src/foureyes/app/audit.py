"""Audit: read the journal, check it, take it along."""

from __future__ import annotations

from collections.abc import Iterator

from foureyes.app.context import Context
from foureyes.app.ports import AuditReport, JournalRow, Progress

BATCH = 1_000
END = 2**62


class Audit:
    """The journal, for people who check."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def log(self, *, task: str | None = None, limit: int = 50) -> list[JournalRow]:
        """The latest journal rows, oldest of them first."""
        with self._context.store.read() as tx:
            if task is None:
                return list(reversed(tx.all("journal.latest", JournalRow, before=END, limit=limit)))
            found = self._context.find_id(tx, task)
            return list(reversed(tx.all("journal.of_task", JournalRow, task=found, before=END, limit=limit)))

    def export(self) -> Iterator[JournalRow]:
        """Every row from the first on, in bounded memory."""
        after = 0
        with self._context.store.read() as tx:
            while rows := tx.all("journal.page", JournalRow, after=after, limit=BATCH):
                yield from rows
                after = rows[-1].seq

    def verify(self, progress: Progress | None = None) -> AuditReport:
        """J2: chain, replay and mirrors."""
        return self._context.store.audit(progress)
