"""Migrations: numbered, forward only, checksummed, after a backup; and constraints that really reject (lesson 26)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from foureyes.adapters.store import migrate as module
from foureyes.adapters.store.migrate import FOLDER, LATEST, Migration, migrate, migrations
from foureyes.adapters.store.opening import create_store, open_store
from foureyes.adapters.store.sqlite import SqliteEngine
from foureyes.errors import StoreProblem

from tests.adapters.store.shop import NOW, fill, on_disk
from tests.app.world import PROJECT, DeskWorld


def test_statements_are_split_at_the_ends_of_lines_and_comments_are_dropped() -> None:
    text = "-- a comment; with one\nCREATE TABLE a (\n  -- inside\n  x TEXT DEFAULT ';' -- no\n);\n\nINSERT INTO a VALUES ('b;c');\n\n"
    assert Migration(1, "x", text).statements == ["CREATE TABLE a (\n  x TEXT DEFAULT ';' -- no\n)", "INSERT INTO a VALUES ('b;c')"]
    assert Migration(1, "x", "\n-- nothing\n;\n").statements == []


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_latest_is_the_number_of_the_last_file_and_none_is_missing(engine: str) -> None:
    assert [step.n for step in migrations(engine)] == list(range(1, LATEST + 1))


def test_every_statement_of_every_file_is_executed_alone() -> None:
    for step in migrations("sqlite"):
        assert step.statements
        for statement in step.statements:
            assert statement.split()[0] in ("CREATE", "INSERT", "ALTER", "UPDATE", "DROP"), statement


def test_every_file_of_the_folder_belongs_to_an_engine() -> None:
    names = {path.name.partition(".")[0] for path in Path(FOLDER).glob("*.sql")}
    assert names == {step.name for engine in ("sqlite", "postgres") for step in migrations(engine)}


def test_a_new_store_has_the_newest_schema_and_its_record() -> None:
    engine = SqliteEngine(":memory:", create=True)
    assert migrate(engine, NOW, None) == LATEST
    assert engine.schema_version() == LATEST
    recorded = engine.fetch("SELECT n, name, checksum, applied_at FROM migrations ORDER BY n", {})[1]
    assert recorded == [(step.n, step.name, step.checksum, NOW) for step in migrations("sqlite")]
    assert migrate(engine, NOW, None) == 0


def test_a_newer_store_is_refused_and_not_touched(tmp_path: Path) -> None:
    store = create_store(str(tmp_path), PROJECT, NOW)
    store.engine.set_schema_version(LATEST + 1)
    store.close()
    before = (tmp_path / "store.db").read_bytes()
    with pytest.raises(StoreProblem, match="newer") as caught:
        open_store(str(tmp_path), NOW)
    assert "upgrade" in caught.value.next_step
    assert (tmp_path / "store.db").read_bytes() == before
    assert not list(tmp_path.glob("*.before-schema-*"))


def older(folder: Path) -> SqliteEngine:
    """A store as the version before the last migration left it."""
    world = fill(on_disk(folder))
    engine = world.store.engine
    assert isinstance(engine, SqliteEngine)
    engine.script(["DROP TABLE task_text", f"DELETE FROM migrations WHERE n = {LATEST}"])
    engine.set_schema_version(LATEST - 1)
    return engine


def test_a_schema_change_makes_a_backup_first(tmp_path: Path) -> None:
    older(tmp_path).close()
    store = open_store(str(tmp_path), NOW)
    assert store.engine.schema_version() == LATEST
    backup = SqliteEngine(str(tmp_path / f"store.db.before-schema-{LATEST - 1}"))
    assert backup.schema_version() == LATEST - 1
    assert backup.fetch("SELECT count(*) FROM journal", {}) == store.engine.fetch("SELECT count(*) FROM journal", {})
    backup.close()
    store.close()


def test_an_up_to_date_store_makes_no_backup(tmp_path: Path) -> None:
    create_store(str(tmp_path), PROJECT, NOW).close()
    open_store(str(tmp_path), NOW).close()
    assert not list(tmp_path.glob("*.before-schema-*"))


@pytest.mark.parametrize("edit", ["UPDATE migrations SET checksum = 'x' WHERE n = 1", "UPDATE migrations SET n = 77 WHERE n = 1"])
def test_an_edited_history_is_refused_before_anything_changes(tmp_path: Path, edit: str) -> None:
    engine = older(tmp_path)
    engine.script([edit])
    before = engine.fetch("SELECT * FROM migrations", {})
    with pytest.raises(StoreProblem, match="not the one this version knows"):
        migrate(engine, NOW, None)
    assert (engine.schema_version(), engine.fetch("SELECT * FROM migrations", {})) == (LATEST - 1, before)
    assert "task_text" not in engine.tables()


def test_a_step_that_fails_leaves_the_old_schema_G4(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = older(tmp_path)
    good = migrations("sqlite")
    broken = Migration(LATEST, "0002_broken", "CREATE TABLE half (x);\nCREATE TABLE half (x);\n")
    monkeypatch.setattr(module, "migrations", lambda _: (*good[:-1], broken))
    with pytest.raises(apsw.SQLError):
        migrate(engine, NOW, None)
    assert engine.schema_version() == LATEST - 1
    assert "half" not in engine.tables()


# Constraints

TASK = "UPDATE tasks SET {} WHERE n = 1"
BAD = [
    TASK.format("status = 'done'"), TASK.format("status = NULL"), TASK.format("status = ''"), TASK.format("type = 'story'"),
    TASK.format("type = NULL"), TASK.format("priority = 5"), TASK.format("priority = -1"), TASK.format("priority = NULL"),
    TASK.format("minor = 2"), TASK.format("minor = NULL"), TASK.format("minor_late = 2"), TASK.format("landed = 2"),
    TASK.format("unmerged = NULL"), TASK.format("open_deps = -1"), TASK.format("open_deps = NULL"), TASK.format("ready = 2"),
    TASK.format("ready = NULL"), TASK.format("deleted = 7"), TASK.format("title = NULL"), TASK.format("creator = NULL"),
    TASK.format("version = NULL"), TASK.format("id = NULL"), "UPDATE tasks SET id = (SELECT id FROM tasks WHERE n = 2) WHERE n = 1",
    "UPDATE sessions SET kind = 'robot'", "UPDATE sessions SET kind = NULL", "UPDATE sessions SET trust = 'full'",
    "UPDATE sessions SET trust = NULL", "UPDATE sessions SET proven = 2", "UPDATE sessions SET proven = NULL",
    "UPDATE history SET action = 'merged'", "UPDATE history SET action = NULL", "UPDATE attempts SET landed = 2",
    "UPDATE attempts SET no_code = NULL", "UPDATE attempts SET diff_id = NULL", "UPDATE approvals SET state = 'valid'",
    "UPDATE approvals SET state = NULL", "UPDATE feedback SET decision = 'approved'", "UPDATE feedback SET decision = NULL",
    "UPDATE journal SET hash = NULL WHERE seq = 1", "UPDATE journal SET payload = NULL WHERE seq = 1",
    "UPDATE journal SET seq = 2 WHERE seq = 1", "INSERT INTO head (one, seq, hash) VALUES (2, 0, '')",
    "INSERT INTO head (one, seq, hash) VALUES (1, 0, '')", "UPDATE head SET seq = NULL",
    "INSERT INTO counters (name, n) VALUES ('x', NULL)",
    "INSERT INTO settings (name, value, session, at) VALUES ('x', NULL, 's', 't')",
    "INSERT INTO authors SELECT * FROM authors", "INSERT INTO dependencies SELECT * FROM dependencies",
    "INSERT INTO task_labels SELECT * FROM task_labels", "INSERT INTO attempts SELECT * FROM attempts",
]  # fmt: skip


@pytest.fixture(scope="module")
def filled() -> DeskWorld:
    return fill(DeskWorld())


@pytest.mark.parametrize("statement", BAD)
def test_a_constraint_really_rejects_lesson_26(filled: DeskWorld, statement: str) -> None:
    with pytest.raises(apsw.ConstraintError):
        filled.sql(statement)


@pytest.mark.parametrize("table", ["project", "sessions", "evidence", "settings", "counters"])
def test_a_key_is_never_null_lesson_26(filled: DeskWorld, table: str) -> None:
    """SQLite lets NULL into a TEXT primary key unless it is told not to."""
    columns = [str(row[1]) for row in filled.sql(f"PRAGMA table_info({table})")]
    with pytest.raises(apsw.ConstraintError):
        filled.sql(f"INSERT INTO {table} SELECT NULL, {', '.join(columns[1:])} FROM {table} WHERE {columns[0]} IS NOT NULL LIMIT 1")


def test_foreign_backup_functions_are_called_with_the_old_number(tmp_path: Path) -> None:
    called: list[int] = []
    keep: Callable[[int], None] = called.append
    migrate(older(tmp_path), NOW, keep)
    assert called == [LATEST - 1]
