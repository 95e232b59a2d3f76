"""The store behind the application's port: typed reads, and writing transactions that go through the journal."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from foureyes.adapters.folders import why_not_written
from foureyes.adapters.store.connection import Database, SqlValue, plain, sql, structs
from foureyes.adapters.store.exceptions_file import EXCEPTION, Mirror, differences, expected_lines, lines_behind
from foureyes.adapters.store.feedback_files import DECIDING, STARTING, FeedbackFiles, expected_files
from foureyes.adapters.store.journal import Row, next_row
from foureyes.adapters.store.migrate import migrate
from foureyes.adapters.store.projections import apply
from foureyes.adapters.store.sqlite import TEMPORARY, SqliteEngine
from foureyes.adapters.store.write_lock import WriterLock
from foureyes.core.words.store_place import place_words
from foureyes.errors import Reason, Refused, StoreProblem, VerificationFailed
from foureyes.steps import blank, by, fe, in_turn, phrase

if TYPE_CHECKING:
    from foureyes.app.ports import Beacon, Changes, CountProgress, NamedQuery, Tx, WriteTx
    from foureyes.app.results.journal import AuditReport, Discrepancy
    from foureyes.app.results.settings import StoreRole
    from foureyes.app.results.task_list import ListQuery
    from foureyes.core.events import Event

T = TypeVar("T")
QueryAnswer = tuple[list[str], list[tuple[SqlValue, ...]]]
PlainQueries = dict[Hashable, tuple[str, dict[str, SqlValue]]]
SQLITE = "sqlite"
FEW_ROWS, FEW_ANSWERS = 50, 1_000
"""Limits of the answers kept during a transaction: rows of one, and number of answers."""


class Reading:
    """Typed reads of one consistent state. Small answers are cached."""

    def __init__(self, engine: Database) -> None:
        self._engine = engine
        self._kept: dict[Hashable, Any] = {}
        self._answers: dict[Hashable, QueryAnswer] = {}
        self._along: PlainQueries = {}

    def all(self, query: str, into: type[T], /, **params: object) -> list[T]:
        try:
            return structs(into, *self._answer(query, plain(params)))
        except VerificationFailed as problem:
            task = problem.task or str(params.get("task") or params.get("id") or "")
            raise VerificationFailed(
                f"{problem.message} ({query} {task})", next_step=fe("audit", "verify"), task=task
            ) from problem

    def _answer(self, query: str, params: dict[str, SqlValue]) -> QueryAnswer:
        asked = (query, frozenset(params.items()))
        answer = self._answers.get(asked)
        if answer is None and self._along:
            answer = self._together({asked: (query, params)})[asked]
        if answer is None:
            answer = self._engine.fetch(sql(query), params)
            if len(answer[1]) <= FEW_ROWS and len(self._answers) < FEW_ANSWERS:
                self._answers[asked] = answer
        return answer

    def ahead(self, *asked: NamedQuery) -> None:
        unknown = self._unknown(asked)
        if len(unknown) > 1 or (unknown and self._along):
            self._together(unknown)

    def along(self, *asked: NamedQuery) -> None:
        self._along |= self._unknown(asked)

    def _unknown(self, asked: Sequence[NamedQuery]) -> PlainQueries:
        """Return the queries that have no cached answer. For SQLite return none, because there batching saves
        nothing.
        """
        if self._engine.name == SQLITE:
            return {}
        questions = {(query, frozenset(params.items())): (query, params) for query, params in _plain(asked)}
        return {key: asked for key, asked in questions.items() if key not in self._answers}

    def _together(self, unknown: PlainQueries) -> dict[Hashable, QueryAnswer]:
        """Fetch these queries and the registered extra ones in one message."""
        unknown = unknown | {key: asked for key, asked in self._along.items() if key not in self._answers}
        self._along = {}
        answers = self._engine.fetch_all([(sql(query), params) for query, params in unknown.values()])
        self._answers.update(zip(unknown, answers, strict=True))
        return self._answers

    def one(self, query: str, into: type[T], /, **params: object) -> T | None:
        rows = self.all(query, into, **params)
        return rows[0] if rows else None

    def tasks(self, query: ListQuery, into: type[T], /) -> list[T]:
        from foureyes.adapters.store.task_lists import compose, parts

        page: list[T] = []
        for part in parts(query, self._engine.name):
            if len(page) < query.limit:
                statement, params = compose(query, part)
                params["limit"] = query.limit - len(page)
                page += structs(into, *self._engine.fetch(statement, plain(params)))
        return page

    def once(self, key: Hashable, make: Callable[[], T], /) -> T:
        if key not in self._kept:
            self._kept[key] = make()
        made: T = self._kept[key]
        return made


def _plain(asked: Sequence[NamedQuery]) -> list[tuple[str, dict[str, SqlValue]]]:
    return [(query, plain(dict(params))) for query, params in asked]


class Writing(Reading):
    """A writing transaction: events go to the journal and through the projections to the tables.

    `decided` and `started` are the tasks whose mirror files are written after the commit, and `notes` are messages for
    the user. `security` is the last recorded exception, if known.
    """

    def __init__(self, engine: Database, project: str, place: str = "") -> None:
        super().__init__(engine)
        self._project = project
        self._place = place
        self.notes: list[str] = []
        self.kinds: set[str] = set()
        self.decided: dict[str, None] = {}
        self.started: dict[str, None] = {}
        self.security: int | None = None

    def append(self, session: str, at: str, entries: Sequence[tuple[str, Event]]) -> list[int]:
        """Append events to the chain, project them, and return their row numbers."""
        seq, hash_ = self._end()
        self._forget()
        rows: list[Row] = []
        for task, event in entries:
            row = next_row(hash_, seq + 1, at, self._project, task, session, event)
            self._engine.run("journal.insert", msgspec.structs.asdict(row))
            apply(self._engine, row, event)
            self._note(row)
            seq, hash_ = row.seq, row.hash
            rows.append(row)
        self._engine.run("journal.move_head", {"seq": seq, "hash": hash_})
        return [row.seq for row in rows]

    def renew(self, leases: Sequence[tuple[str, int]], until: str) -> None:
        for lease, fence in leases:
            self._engine.run("run.renew", {"lease": lease, "fence": fence, "until": until})
        self._forget()

    def _forget(self) -> None:
        """Clear the caches after a write."""
        self._kept.clear()
        self._answers.clear()
        self._along.clear()

    def _end(self) -> tuple[int, str]:
        """Return the end of the chain. Raise an error if the head does not match or the store is a copy. The last
        recorded exception is read too.
        """
        seq, hash_, security, place, last, ended = self._answer("journal.end", {})[1][0]
        if (int(last or 0), ended or "") != (int(seq or 0), hash_ or ""):
            raise off_head(int(last or 0), int(seq or 0))
        if self._place and place and place != self._place:
            raise found_elsewhere(str(place), self._place)
        self.security = int(security or 0)
        return int(seq or 0), str(hash_ or "")

    def _note(self, row: Row) -> None:
        """Record the effects of this row after the commit: notifications and mirror files."""
        self.kinds.add(row.kind)
        if row.kind in DECIDING:
            self.decided[row.task] = None
        elif row.kind == STARTING:
            self.started[row.task] = None
        elif row.kind == EXCEPTION:
            self.security = row.seq


class Store:
    """One project's store. Keep one per process, because it holds one connection."""

    def __init__(
        self,
        engine: Database,
        project: str,
        *,
        lock_path: str = "",
        mirror: Mirror | None = None,
        feedback: FeedbackFiles | None = None,
        place: str = "",
    ) -> None:
        self.place = place
        self.engine = engine
        self.project = project
        self.feedback = feedback
        self._lock_path = lock_path
        self._mirror = mirror

    @contextmanager
    def read(self) -> Iterator[Tx]:
        with self.engine.transaction(write=False):
            yield Reading(self.engine)

    @contextmanager
    def write(self, *, anywhere: bool = False) -> Iterator[WriteTx]:
        """Start a writing transaction, one at a time. The mirror files are updated before the next one may start. (P8,
        F2)
        """
        with self._lock():
            self.engine.check_place()
            if self.feedback is not None:
                self.feedback.bring_owed(Reading(self.engine))
            tx = Writing(self.engine, self.project, "" if anywhere else self.place)
            with self.engine.transaction(write=True):
                yield tx
                self.engine.written = tx.kinds
                if self.feedback is not None:
                    self.feedback.owe(tx.decided)
            self._sync(tx)

    def _sync(self, tx: Writing) -> None:
        """Update the mirror files. A failure is ignored until the next write, because the commit is done."""
        if self._mirror is not None and tx.security != 0:
            with suppress(StoreProblem):
                self._mirror.sync(Reading(self.engine), tx.security)
                tx.notes += [self._mirror.note] if self._mirror.note else []
        if self.feedback is not None:
            with suppress(StoreProblem):
                tx.notes += self.feedback.follow(Reading(self.engine), tx.decided, tx.started)

    def _lock(self) -> AbstractContextManager[object]:
        return WriterLock(self._lock_path) if self._lock_path else nullcontext()

    def audit(self, progress: CountProgress | None = None) -> AuditReport:
        """Audit the chain, the tables and the mirror files. (J2)"""
        from foureyes.adapters.store.replay import audit

        with self.read() as tx:
            fresh = scratch()
            try:
                report = audit(self.engine, fresh, progress)
            finally:
                fresh.close()
            before, files = expected_lines(tx), self._expected_files(tx)
        report = self._check_mirror(report, before)
        return msgspec.structs.replace(report, findings=(*report.findings, *self._check_feedback(files)))

    def _expected_files(self, tx: Tx) -> dict[str, bytes] | None:
        """Return the expected feedback files, or None if rows are unreadable. The replay reports those."""
        try:
            return expected_files(tx) if self.feedback is not None else None
        except VerificationFailed:
            return None

    def _check_feedback(self, before: dict[str, bytes] | None) -> list[Discrepancy]:
        if self.feedback is None or before is None or not self.feedback.differences(before, before):
            return []
        with self.read() as tx:  # another process may have recorded a decision meanwhile
            after = self._expected_files(tx)
        return self.feedback.differences(before, after) if after is not None else []

    def _check_mirror(self, report: AuditReport, before: dict[int, bytes]) -> AuditReport:
        """Return the report with problems of the mirror file, and how far it is behind. (P8)"""
        if self._mirror is None:
            return report
        try:
            is_here = not before or os.path.lexists(self._mirror.path)
            lines = self._mirror.lines(sum(map(len, before.values())) + len(before))
        except OSError as problem:
            from foureyes.app.results.journal import Discrepancy

            unread = Discrepancy("completeness", f"security_events.jsonl cannot be read: {problem.strerror}")
            return msgspec.structs.replace(report, findings=(*report.findings, unread))
        with self.read() as tx:
            wrong = differences(lines, before, expected_lines(tx), shared=self._mirror.shared)
        return msgspec.structs.replace(
            report,
            findings=(*report.findings, *wrong),
            has_mirror=is_here,
            mirror_behind=lines_behind(lines, before),
        )

    def rewrite_mirror(self) -> list[str]:
        """Write all feedback files again, after a restore or a change of the store. Return notes for the user. (F2)"""
        if self.feedback is None:
            return []
        with self._lock(), self.read() as tx:
            return self.feedback.bring_all(tx)

    def health(self) -> list[str]:
        return self.engine.problems()

    def beacon(self, name: str) -> Beacon | None:
        from foureyes.adapters.store.liveness_lock import beacon_of

        return beacon_of(self.engine, name)

    def dark(self, names: Sequence[str]) -> frozenset[str]:
        from foureyes.adapters.store.liveness_lock import dark

        return dark(self.engine, names)

    def changes(self) -> Changes | None:
        """Return a watch for writes by other processes, or None."""
        from foureyes.adapters.store.change_watch import changes_of

        return changes_of(self.engine)

    def describe(self) -> str:
        return self.engine.describe()

    def role(self) -> StoreRole | None:
        return self.engine.role()

    def grants(self, writers: Sequence[str], readers: Sequence[str]) -> str:
        return self.engine.grants(writers, readers)

    def backup(self, path: str) -> None:
        self.engine.backup(path)

    def close(self) -> None:
        self.engine.close()


def found_elsewhere(recorded: str, actual: str) -> Refused:
    """Return the refusal for a store in another place than recorded. It may be a copy that lacks later decisions. (P12)"""
    message = (
        f"the journal says that the store is {place_words(recorded)}, but this one is {place_words(actual)}. "
        "If it was not moved, it is a copy and lacks later decisions"
    )
    adopt = fe("store", "adopt", "-m", phrase("why it is here"), after=", by a person, if it was moved on purpose")
    return Refused("nothing was changed.", reasons=(Reason("P12", message, adopt),), next_step=fe("doctor"))


def off_head(last: int, head: int) -> StoreProblem:
    """Return the error for a head that does not match the last row, because another program wrote to the database. (G4)

    Any further row would break the chain. `fe audit verify` shows the wrong row, and only the owner can fix it.
    """
    which = f"row {head}" if head != last else f"another row {head}"
    back = fe("store", "restore", blank("FILE"), after=", or fixes it by SQL (docs/howto/several-machines.md)")
    return StoreProblem(
        f"the journal ends at row {last}, but its head is {which}, so another program wrote to the database. Nothing can be recorded until its owner fixes that. Nothing was changed.",
        next_step=in_turn(
            fe("audit", "verify", before="to see which row: "),
            by("other", back, "the owner of the store restores a backup: "),
        ),
    )


def scratch() -> SqliteEngine:
    """Return an empty store for a replay. A large one uses a temporary file, or memory if none can be created."""
    shut = why_not_written(os.environ.get("TMPDIR") or "/tmp")  # noqa: S108 (looked at, not used)
    engine = SqliteEngine(":memory:" if shut else TEMPORARY, create=True)
    with engine.connection.backup("main", _blank().connection, "main") as copying:
        copying.step()
    return engine


@cache
def _blank() -> SqliteEngine:
    """Return an empty store with the newest schema, to be copied."""
    engine = SqliteEngine(":memory:", create=True)
    migrate(engine, "1970-01-01T00:00:00.000Z", None)
    return engine


def create_in_memory(project: str) -> Store:
    """Return a store in memory, for tests."""
    engine = SqliteEngine(":memory:", create=True)
    migrate(engine, "1970-01-01T00:00:00.000Z", None)
    return Store(engine, project)
