"""Audit (J2): whatever a plain SQL client does to a table, the journal or its head is found and named."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from foureyes.adapters.store.journal import hash_of
from foureyes.adapters.store.replay import TABLES
from foureyes.adapters.store.store import create_in_memory
from foureyes.app.results.journal import Discrepancy
from foureyes.core.events import KINDS

from tests.adapters.store.shop import full_world
from tests.stage.night import steps
from tests.stage.world import DeskWorld

NOT_PROJECTED = {"renewals", "journal", "head", "migrations", "task_text"}
UNIQUE: dict[str, tuple[str, object]] = {
    "tasks": ("id", "forged"),
    "signatures": ("signature", "forged"),
    "findings": ("id", "forged"),
    "cycles": ("n", 999_999),
    "sprints": ("n", 999_999),
}
"""Columns beside the key that no two rows have alike."""


@pytest.fixture(scope="module")
def filled(_modules_engines_are_tidied: None) -> DeskWorld:
    return full_world("sqlite")


@pytest.fixture
def world(filled: DeskWorld) -> Iterator[DeskWorld]:
    """A store that is sound before and after."""
    assert filled.store.audit().findings == ()
    yield filled
    assert filled.store.audit().findings == (), "the test did not put back what it changed"


@pytest.fixture
def fresh(full: DeskWorld) -> DeskWorld:
    """A store of either engine that a test may ruin."""
    return full


@pytest.fixture
def loose() -> DeskWorld:
    """A store in which a column holds whatever is put into it, as only SQLite's do."""
    return full_world("sqlite")


def findings(world: DeskWorld) -> tuple[Discrepancy, ...]:
    return world.store.audit().findings


def columns_of(world: DeskWorld, table: str) -> list[str]:
    return [str(row[1]) for row in world.sql(f"PRAGMA table_info({table})")]


def another(value: object) -> object:
    if value is None:
        return "something"
    return value + 100_000 if isinstance(value, int) else f"{value}~"


def test_every_table_is_compared_and_has_rows_to_compare_J2(world: DeskWorld) -> None:
    rows = world.sql(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE "
        "'task_text_%'"
    )
    assert {str(row[0]) for row in rows} - NOT_PROJECTED == set(TABLES)
    for table in TABLES:
        assert world.sql(f"SELECT count(*) FROM {table}") != [(0,)], table


@pytest.mark.parametrize(
    "rows",
    [
        "sessions WHERE base IS NOT NULL", "sessions WHERE process <> ''",
        "sessions WHERE ended_seq > 0 AND ended_seq >= last_seq",
        "sessions WHERE ended_seq > 0 AND ended_seq < last_seq",
        "sessions WHERE trust = 'issued' AND parent IS NOT NULL", "tokens WHERE ended_seq > 0",
        "tokens WHERE ended_seq = 0", "tokens WHERE role = 'implement'", "tokens WHERE role = 'review'",
        "approvals WHERE recorded = 1 AND state = 'active'", "approvals WHERE recorded = 1 AND state = 'withdrawn'",
        "approvals WHERE recorded = 0", "keys WHERE retired_at IS NOT NULL", "security WHERE kind = 'token_elsewhere'",
        "security WHERE kind = 'attribution_cleared'", "security WHERE kind = 'waiver'", "findings WHERE id <> root",
        "findings WHERE state = 'open'", "findings WHERE state = 'resolved'", "findings WHERE state = 'waived'",
        "findings WHERE state = 'deferred' AND tracked <> ''", "findings WHERE state = 'skipped'",
        "findings WHERE state = 'obsolete'", "findings WHERE by_check <> ''", "findings WHERE must_fix = 1",
        "findings WHERE false_fixes > 0", "findings WHERE anchored = 0", "finding_moves WHERE undone = 1",
        "finding_moves WHERE kind = 'flagged'", "finding_moves WHERE kind = 'taken_back'",
        "finding_moves WHERE kind = 'cleared' AND word = 'check'",
        "finding_moves WHERE kind = 'cleared' AND word = 'left'", "finding_moves WHERE ground <> ''",
        "finding_moves WHERE debt <> ''", "reviews WHERE effective = 'approved'", "reviews WHERE blocking > 0",
        "review_returns WHERE why = 'quote'", "review_returns WHERE why = 'document'",
        "escalations WHERE waiting_for = 'lead'", "escalations WHERE lead_option = 'split'", "odd_ends WHERE had > 0",
    ],
)  # fmt: skip
def test_there_are_rows_of_every_sort_to_compare_J2(world: DeskWorld, rows: str) -> None:
    assert world.sql(f"SELECT count(*) FROM {rows}") != [(0,)]


LOOP = (
    "ReviewSubmitted", "ReviewReturned", "FindingsRaised", "FindingsAnswered", "FindingRuled", "RulingTakenBack",
    "FindingsCleared", "FindingWaived", "FindingsPlaced", "FindingTracked", "TaskEscalated", "LeadDecided",
    "FindingWithdrawn",
)  # fmt: skip


def test_a_journal_with_every_event_of_the_loop_replays_to_equal_tables_J2(fresh: DeskWorld) -> None:
    """On both engines."""
    kinds = {str(row[0]) for row in fresh.sql("SELECT DISTINCT kind FROM journal")}
    assert set(LOOP) - kinds == set()
    assert fresh.sound().rows == fresh.rows()


@pytest.mark.parametrize("table", TABLES)
def test_an_updated_cell_of_any_column_is_found_and_named_J2(world: DeskWorld, table: str) -> None:
    world.sql("PRAGMA ignore_check_constraints = ON")
    ((rowid,),) = world.sql(f"SELECT rowid FROM {table} ORDER BY rowid LIMIT 1")
    keys = [part.strip() for part in TABLES[table].split(",")]
    for column in columns_of(world, table):
        ((old,),) = world.sql(f"SELECT {column} FROM {table} WHERE rowid = ?", rowid)
        world.sql(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", another(old), rowid)
        found = findings(world)
        world.sql(
            f"UPDATE {table} SET {column} = ? WHERE {column} = ? AND rowid IN (?, ?)",
            old,
            another(old),
            rowid,
            another(rowid),
        )
        assert any(finding.message.startswith(f"{table}: row ") for finding in found), (table, column, found)
        if column not in keys:
            assert any(f": {column} is " in finding.message for finding in found), (table, column, found)
    world.sql("PRAGMA ignore_check_constraints = OFF")


@pytest.mark.parametrize("table", TABLES)
def test_a_deleted_row_is_found_and_named_J2(world: DeskWorld, table: str) -> None:
    row = world.sql(f"SELECT rowid, * FROM {table} ORDER BY rowid LIMIT 1")[0]
    world.sql(f"DELETE FROM {table} WHERE rowid = ?", row[0])
    found = findings(world)
    names = columns_of(world, table)
    world.sql(f"INSERT INTO {table} (rowid, {', '.join(names)}) VALUES ({', '.join('?' * len(row))})", *row)
    key = " ".join(str(row[1 + names.index(part.strip())]) for part in TABLES[table].split(","))
    assert [(f.area, f.message) for f in found] == [("completeness", f"{table}: row {key} is missing")]


@pytest.mark.parametrize("table", TABLES)
def test_an_inserted_row_is_found_and_named_J2(world: DeskWorld, table: str) -> None:
    names = columns_of(world, table)
    row = list(world.sql(f"SELECT * FROM {table} ORDER BY rowid LIMIT 1")[0])
    keys = [names.index(part.strip()) for part in TABLES[table].split(",")]
    last = keys[-1] if table != "history" else keys[0]
    value = row[last]
    row[last] = value + 100_000 if isinstance(value, int) else f"{value}~"
    if table in UNIQUE:
        column, value = UNIQUE[table]
        row[names.index(column)] = value
    world.sql(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", *row)
    found = findings(world)
    world.sql(f"DELETE FROM {table} WHERE rowid = (SELECT max(rowid) FROM {table})")
    key = " ".join(str(row[k]) for k in keys)
    named = [(f.area, f.message) for f in found if not f.message.startswith("task_text")]
    assert named == [("integrity", f"{table}: row {key} is not in the journal")]


@pytest.mark.parametrize("column", ["title", "description", "acceptance"])
def test_an_edited_search_index_is_found_J2(loose: DeskWorld, column: str) -> None:
    """What is hidden from a search is hidden from whoever searches."""
    loose.sql(f"UPDATE task_text SET {column} = 'hidden' WHERE rowid = 1")
    assert findings(loose) != ()


def test_a_row_with_a_key_of_another_type_is_named_and_no_crash_J2_G1(loose: DeskWorld) -> None:
    loose.sql("INSERT INTO counters (name, n) VALUES (X'00FF', 1)")
    assert any(finding.message.startswith("counters: row") for finding in findings(loose))


def test_a_text_that_is_no_text_is_named_and_no_crash_J2_G1(fresh: DeskWorld) -> None:
    fresh.sql("UPDATE tasks SET title = CAST(X'FF' AS TEXT) WHERE n = 1")
    assert any("tasks" in finding.message for finding in findings(fresh))


# The journal


@pytest.mark.parametrize("column", ["at", "project", "task", "session", "kind", "payload", "prev", "hash"])
def test_an_edited_journal_cell_is_found_and_named_J2(world: DeskWorld, column: str) -> None:
    for seq in (1, 5, world.rows()):
        ((old,),) = world.sql(f"SELECT {column} FROM journal WHERE seq = ?", seq)
        world.sql(f"UPDATE journal SET {column} = ? WHERE seq = ?", f"{old}x", seq)
        found = findings(world)
        world.sql(f"UPDATE journal SET {column} = ? WHERE seq = ?", old, seq)
        assert any(finding.seq == seq and f"row {seq}" in finding.message for finding in found), (column, seq, found)
        assert all(finding.area == "integrity" for finding in found if finding.seq is not None)


@pytest.mark.parametrize("value", ["X'00FF'", "CAST(X'FF' AS TEXT)", "7"])
@pytest.mark.parametrize("column", ["payload", "prev", "hash", "session"])
def test_a_journal_cell_of_another_type_is_named_and_no_crash_J2_G1(loose: DeskWorld, column: str, value: str) -> None:
    loose.sql(f"UPDATE journal SET {column} = {value} WHERE seq = 5")
    assert any("row 5" in finding.message for finding in findings(loose))


def test_rows_removed_from_the_middle_are_named_J2(fresh: DeskWorld) -> None:
    fresh.sql("DELETE FROM journal WHERE seq IN (4, 5)")
    assert findings(fresh)[0] == Discrepancy("integrity", "rows 4 to 5 are missing before row 6", 4)


def test_a_session_row_removed_from_the_journal_is_named_J2(fresh: DeskWorld) -> None:
    ((seq,),) = fresh.sql("SELECT min(seq) FROM journal WHERE kind = 'SessionStarted' AND session = 'ses-claude1'")
    fresh.sql("DELETE FROM journal WHERE seq = ?", seq)
    assert any(finding.seq == seq for finding in findings(fresh))


def test_every_single_row_can_be_removed_and_is_missed_J2(fresh: DeskWorld) -> None:
    """Also where the rest cannot be replayed any more."""
    for seq in steps("rows of a journal that are removed", range(1, fresh.rows() + 1)):
        row = fresh.sql("SELECT * FROM journal WHERE seq = ?", seq)[0]
        fresh.sql("DELETE FROM journal WHERE seq = ?", seq)
        found = findings(fresh)
        fresh.sql(f"INSERT INTO journal VALUES ({', '.join('?' * len(row))})", *row)
        assert found, seq
        assert any(f"row {seq}" in finding.message or f"rows {seq}" in finding.message for finding in found), (
            seq,
            found,
        )


def test_rows_cut_off_the_end_are_missed_by_the_head_J2(fresh: DeskWorld) -> None:
    last = fresh.rows()
    fresh.sql("DELETE FROM journal WHERE seq > ?", last - 2)
    assert Discrepancy("integrity", f"rows {last - 1} to {last} are missing at the end", last - 2) in findings(fresh)


def test_all_rows_cut_off_are_missed_J2(fresh: DeskWorld) -> None:
    fresh.sql("DELETE FROM journal")
    assert any("missing at the end" in finding.message for finding in findings(fresh))


def forge(world: DeskWorld, kind: str, payload: str, *, task: str = "", move_head: bool = False) -> int:
    """A row that continues the chain rightly, written by somebody else."""
    seq, prev = world.sql("SELECT seq, hash FROM journal ORDER BY seq DESC LIMIT 1")[0]
    row = (seq + 1, "2026-03-01T13:00:00.000Z", world.store.project, task, "ses-forger", kind, payload)
    digest = hash_of(prev, *row)
    world.sql("INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", *row, prev, digest)
    if move_head:
        world.sql("UPDATE head SET seq = ?, hash = ?", seq + 1, digest)
    return int(seq) + 1


def test_a_row_appended_by_somebody_else_is_found_by_the_head_J2(fresh: DeskWorld) -> None:
    seq = forge(fresh, "Logged", '{"text":"forged"}', task="fe-x")
    assert any(f"rows after {seq - 1} were added" in finding.message for finding in findings(fresh))


def test_a_row_appended_with_the_head_moved_is_found_by_the_tables_J2(fresh: DeskWorld) -> None:
    seq = forge(fresh, "Logged", '{"text":"forged"}', task="fe-x", move_head=True)
    assert any(f"logs: row {seq} is missing" in finding.message for finding in findings(fresh))


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_forged_row_of_any_kind_is_named_and_no_crash_J2_G1(fresh: DeskWorld, kind: str) -> None:
    """Copies of real payloads on the same task: what they do a second time may be impossible."""
    rows = fresh.sql("SELECT payload, task FROM journal WHERE kind = ? LIMIT 1", kind)
    payload, task = rows[0] if rows else ("{}", "fe-x")
    seq = forge(fresh, kind, payload, task=task, move_head=True)
    found = findings(fresh)
    assert found or not rows
    words = (f"row {seq}", "is missing", "journal says", "is not in the journal")
    assert not found or any(word in finding.message for finding in found for word in words)


@pytest.mark.parametrize("payload", ["", "{", "[]", "null", '{"text": 1}', '{"unknown": 1}'])
def test_an_unreadable_payload_is_named_and_no_crash_J2_G1(fresh: DeskWorld, payload: str) -> None:
    seq = forge(fresh, "Logged", payload, move_head=True)
    assert any(finding.seq == seq and "cannot be re" in finding.message for finding in findings(fresh))


def test_an_unknown_kind_is_named_J2_G1(fresh: DeskWorld) -> None:
    seq = forge(fresh, "Invented", "{}", move_head=True)
    assert any(finding.seq == seq and "unknown kind" in finding.message for finding in findings(fresh))


# The head


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        ("UPDATE head SET hash = 'x'", "not the row that was written last"),
        ("UPDATE head SET seq = seq - 1", "were added by another program"),
        ("UPDATE head SET seq = seq + 1", "missing at the end"),
        ("DELETE FROM head", "table head is empty"),
    ],
)
def test_an_edited_head_is_found_and_named_J2(fresh: DeskWorld, edit: str, words: str) -> None:
    fresh.sql(edit)
    assert any(words in finding.message for finding in findings(fresh))


def test_many_findings_are_cut_but_never_to_none_J2(fresh: DeskWorld) -> None:
    for table in TABLES:
        fresh.sql(f"DELETE FROM {table}")
    assert 16 <= len(findings(fresh)) <= 100


def test_progress_is_told_of_long_journals() -> None:
    store = create_in_memory("p")
    said: list[tuple[int, int]] = []
    store.audit(lambda done, total: said.append((done, total)))
    assert said == []
