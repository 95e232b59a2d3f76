"""Audits a store by its chain and by replaying the journal (J2), and copies a journal to another store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import nullcontext

import msgspec

from foureyes.adapters.store.connection import Database, SqlValue, fold, plain, sql
from foureyes.adapters.store.journal import Row, breaks, journal_length, journal_rows
from foureyes.adapters.store.projections import apply
from foureyes.app.ports import CountProgress
from foureyes.app.results.journal import AuditReport, Discrepancy
from foureyes.errors import StoreProblem, VerificationFailed
from foureyes.steps import fe, prose

# ---- Audit (J2) ----

TABLES: dict[str, str] = {
    "project": "id",
    "sessions": "id",
    "evidence": "evidence",
    "tokens": "hash",
    "keys": "fingerprint",
    "signatures": "seq",
    "cleared": "task, session",
    "tasks": "n",
    "task_labels": "task, label",
    "labels_taken_off": "seq",
    "dependencies": "task, depends_on",
    "reservations": "task",
    "history": "task, seq, session, action",
    "attempts": "task, n",
    "authors": "task, attempt, session",
    "approvals": "seq",
    "feedback": "seq",
    "checks": "seq",
    "test_lists": "digest",
    "merges": "task",
    "templates": "name",
    "reviews": "seq",
    "review_returns": "seq",
    "findings": "root",
    "finding_ids": "id",
    "finding_moves": "root, seq",
    "pieces": "piece, task, attempt",
    "stacks": "task, lower",
    "escalations": "seq",
    "odd_ends": "seq",
    "early_reviews": "task, n",
    "cycles": "id",
    "cycle_targets": "cycle, task",
    "cycle_asked": "cycle, task, reviewer",
    "clarifications": "cycle, id",
    "logs": "seq",
    "handoffs": "seq",
    "runners": "session",
    "runs": "id",
    "check_leases": "task",
    "signals": "seq",
    "emitted": "seq",
    "pauses": "task, made_by, cycle",
    "stuck": "task",
    "cooldowns": "profile, host",
    "sprints": "id",
    "sprint_tasks": "sprint, task",
    "sprint_halts": "seq",
    "security": "seq",
    "settings": "name",
    "counters": "name",
}
"""Every projected table, with the columns that identify a row. `renewals` is not projected. (J4)"""

MOST_DISCREPANCIES = 20
FEW = 500
"""Number of rows below which a table is read in one query and not streamed, which saves round trips."""
STEP = 10_000
FirstRows = tuple[list[str], list[tuple[SqlValue, ...]]]
"""The columns of a table and its first rows."""


def audit(engine: Database, fresh: Database, progress: CountProgress | None) -> AuditReport:
    """Return every defect of a store. `fresh` is an empty store for the replay."""
    total = journal_length(engine)
    findings, last = check_chain(engine, total, progress)
    problem = _replay(engine, fresh, total, progress)
    findings += [problem] if problem else compare_tables(engine, fresh) + _check_search(engine)
    return AuditReport(total, last.hash if last else "", tuple(findings[: MOST_DISCREPANCIES * 5]))


def check_chain(engine: Database, total: int, progress: CountProgress | None) -> tuple[list[Discrepancy], Row | None]:
    """Return every position with missing, added or changed rows, and the last row. Reads only the journal. (J1)"""
    last: Row | None = None

    def rows() -> Iterator[Row]:
        nonlocal last
        for number, row in enumerate(journal_rows(engine), 1):
            last = row
            if progress is not None and number % STEP == 0:
                progress(number, total)
            yield row

    findings = [Discrepancy("integrity", broken.message, broken.seq) for broken in breaks(rows())]
    return findings + _check_head(engine, last), last


def _replay(engine: Database, fresh: Database, total: int, progress: CountProgress | None) -> Discrepancy | None:
    """Project every row into an empty store. Return the finding that stopped the replay, or None."""
    with fresh.transaction(write=True):
        for number, row in enumerate(journal_rows(engine), 1):
            try:
                apply(fresh, row, row.event())
            except StoreProblem:  # the disk, and no fault of the row
                raise
            except Exception as problem:  # whatever a forged row does to the tables, it is a finding (G1)
                return Discrepancy("integrity", f"row {row.seq} ({row.kind}) cannot be replayed: {problem}", row.seq)
            if progress is not None and number % STEP == 0:
                progress(number, total)
    return None


def _check_head(engine: Database, last: Row | None) -> list[Discrepancy]:
    """Return findings for rows cut off at the end. The chain alone would look complete, but the head records where it
    ends.
    """
    _, rows = engine.fetch(sql("journal.head"), {})
    if not rows:
        return [Discrepancy("integrity", "the end of the chain is not on record (table head is empty)")]
    seq, hash_ = rows[0]
    end = last.seq if last else 0
    if seq != end:
        gone = (
            f"rows {end + 1} to {seq} are missing at the end"
            if int(seq or 0) > end
            else f"rows after {seq} were added by another program"
        )
        return [Discrepancy("integrity", gone, end)]
    if last is not None and hash_ != last.hash:
        return [Discrepancy("integrity", f"row {seq} is not the row that was written last", last.seq)]
    return []


def _check_search(engine: Database) -> list[Discrepancy]:
    """Return findings for tasks whose search index differs, because search would hide them."""
    try:
        rows = engine.fetch(sql("task.misread_text"), {})[1]
    except UnicodeDecodeError:
        return []
    misread = {str(row[0]) for row in rows} | (set(_misfolded(engine)) if engine.name == "postgres" else set())
    return [
        Discrepancy("integrity", f"task_text: the search index of {task} does not match the task")
        for task in sorted(misread)[:MOST_DISCREPANCIES]
    ]


def _misfolded(engine: Database) -> Iterator[str]:
    """Yield the tasks whose folded text in PostgreSQL's index differs from the task."""
    statement = """
        SELECT t.id, t.title || ' ' || t.description || ' ' || t.acceptance, x.folded
        FROM tasks t JOIN task_text x ON x.rowid = t.n WHERE t.deleted = 0 ORDER BY t.n
    """
    for task, text, folded in engine.stream(statement):
        if fold(str(text)) != folded:
            yield str(task)


def compare_tables(engine: Database, fresh: Database) -> list[Discrepancy]:
    """Return the differences between the tables of two stores."""
    try:
        stored, replayed = _first_rows(engine, TABLES), _first_rows(fresh, TABLES)
        differing = [table for table in TABLES if not _are_all_the_same(stored[table], replayed[table])]
    except UnicodeDecodeError:
        differing = list(TABLES)
    discrepancies = []
    for table in differing:
        try:
            discrepancies += _compare(engine, fresh, table, TABLES[table])
        except UnicodeDecodeError:
            discrepancies.append(Discrepancy("integrity", f"{table} contains invalid text"))
    return discrepancies


def _are_all_the_same(stored: FirstRows, replayed: FirstRows) -> bool:
    """Return True if these are all rows and equal. SQLite reports no columns for an empty table."""
    if len(stored[1]) == FEW or stored[1] != replayed[1]:
        return False
    return not stored[0] or not replayed[0] or stored[0] == replayed[0]


def _first_rows(engine: Database, tables: Iterable[str]) -> dict[str, FirstRows]:
    """Return the columns and first rows of tables in one round trip. Most tables of most stores are small."""
    asked: list[tuple[str, dict[str, SqlValue]]] = [(f"{_in_order(table)} LIMIT {FEW}", {}) for table in tables]
    return dict(zip(tables, engine.fetch_all(asked), strict=True))


def _in_order(table: str) -> str:
    return f"SELECT * FROM {table} ORDER BY {TABLES[table]}"  # noqa: S608 - both names come from TABLES above


def _compare(engine: Database, fresh: Database, table: str, key: str) -> list[Discrepancy]:
    """Return the rows of a table that differ from the replay, each by key and column."""
    columns, replayed = _rows(fresh, table)
    stored_columns, stored = _rows(engine, table)
    if columns and stored_columns and columns != stored_columns:
        return [Discrepancy("integrity", f"{table} has other columns than this version creates")]
    columns = columns or stored_columns
    if not columns:
        return []
    keys = [columns.index(part.strip()) for part in key.split(",")]
    discrepancies: list[Discrepancy] = []

    def identity(row: tuple[SqlValue, ...]) -> tuple[tuple[bool, SqlValue], ...]:
        return tuple((row[k] is not None, row[k]) for k in keys)

    have, want = next(stored, None), next(replayed, None)
    while (have is not None or want is not None) and len(discrepancies) < MOST_DISCREPANCIES:
        if have is not None and (want is None or identity(have) < identity(want)):
            discrepancies.append(Discrepancy("integrity", f"{table}: row {_name(have, keys)} is not in the journal"))
            have = next(stored, None)
        elif want is not None and (have is None or identity(want) < identity(have)):
            discrepancies.append(Discrepancy("completeness", f"{table}: row {_name(want, keys)} is missing"))
            want = next(replayed, None)
        else:
            discrepancies += _differing(table, columns, keys, have, want)
            have, want = next(stored, None), next(replayed, None)
    return discrepancies


def _rows(engine: Database, table: str) -> tuple[list[str], Iterator[tuple[SqlValue, ...]]]:
    """Return the columns and ordered rows of a table, streamed if there are many."""
    columns, first = _first_rows(engine, [table])[table]
    return columns, iter(first) if len(first) < FEW else engine.stream(_in_order(table))


def _differing(
    table: str,
    columns: list[str],
    keys: list[int],
    have: tuple[SqlValue, ...] | None,
    want: tuple[SqlValue, ...] | None,
) -> list[Discrepancy]:
    if have == want or have is None or want is None:
        return []
    return [
        Discrepancy(
            "integrity",
            f"{table}: row {_name(have, keys)}: {column} is {_short(got)}, the journal says {_short(should)}",
        )
        for column, got, should in zip(columns, have, want, strict=True)
        if got != should
    ]


def _name(row: tuple[SqlValue, ...], keys: list[int]) -> str:
    return " ".join(str(row[k]) for k in keys)


def _short(value: SqlValue) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


# ---- Copying a journal to another store ----


def copy_journal(
    source: Database, target: Database, total: int, progress: CountProgress | None = None, *, inside: bool = False
) -> int:
    """Fill an empty store from another one in one verified transaction. Return the number of rows.

    `inside`: the caller already has a transaction on the source, so that no other process can write to it.
    """
    with nullcontext() if inside else source.transaction(write=False), target.transaction(write=True):
        if next(journal_rows(target), None) is not None:
            raise StoreProblem(
                "there is a journal in that store already. Nothing was changed.", next_step=prose("name an empty one")
            )
        broken, _ = check_chain(source, total, None)
        if broken:
            raise VerificationFailed(
                f"the journal is not whole: {broken[0].message}. Nothing was changed.", next_step=fe("audit", "verify")
            )
        count, last = 0, ""
        for row in journal_rows(source):
            target.run("journal.insert", plain(msgspec.structs.asdict(row)))
            apply(target, row, row.event())
            count, last = row.seq, row.hash
            if progress is not None and count % 10_000 == 0:
                progress(count, total)
        target.run("journal.move_head", {"seq": count, "hash": last})
        differences = compare_tables(source, target)
        if differences:
            raise VerificationFailed(
                f"the copy is not equal: {differences[0].message}. Nothing was changed.",
                next_step=fe("audit", "verify"),
            )
    return count
