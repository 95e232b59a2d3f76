"""Migrations: numbered, forward only, checksummed, after a backup; and constraints that really reject."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import apsw
import psycopg
import pytest

from foureyes.adapters.store import migrate as module
from foureyes.adapters.store.connection import Database, SqlValue
from foureyes.adapters.store.migrate import FOLDER, LATEST, Migration, migrate, migrations
from foureyes.adapters.store.sqlite import SqliteEngine
from foureyes.adapters.store.store import Store
from foureyes.adapters.store.store_files import create_store, open_store, restore_store
from foureyes.core.events.project import ProjectCreated
from foureyes.errors import StoreProblem
from foureyes.ui.steps import steps_text

from tests import engines
from tests.adapters.store.old import OLD, old_at, old_database, old_file
from tests.adapters.store.shop import append, full_world, security
from tests.engines import NOW
from tests.stage.checkout import PROJECT
from tests.stage.world import DeskWorld


def test_statements_are_split_at_the_ends_of_lines_and_comments_are_dropped() -> None:
    text = (
        "-- a comment; with one\nCREATE TABLE a (\n  -- inside\n  x TEXT DEFAULT ';' -- no\n);\n\nINSERT INTO a "
        "VALUES ('b;c');\n\n"
    )
    assert Migration(1, "x", text).statements == [
        "CREATE TABLE a (\n  x TEXT DEFAULT ';' -- no\n)",
        "INSERT INTO a VALUES ('b;c')",
    ]
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


def test_a_new_store_has_the_newest_schema_and_its_record(on: str) -> None:
    engine = engines.empty(on)
    assert engine.schema_version() == 0
    assert migrate(engine, NOW, None) == LATEST
    assert engine.schema_version() == LATEST
    recorded = engine.fetch("SELECT n, name, checksum, applied_at FROM migrations ORDER BY n", {})[1]
    assert recorded == [(step.n, step.name, step.checksum, NOW) for step in migrations(on)]
    assert migrate(engine, NOW, None) == 0


def test_a_newer_store_is_refused_and_not_touched(tmp_path: Path) -> None:
    store = create_store(str(tmp_path), PROJECT, NOW)
    store.engine.set_schema_version(LATEST + 1)
    store.close()
    before = (tmp_path / "store.db").read_bytes()
    with pytest.raises(StoreProblem, match="newer") as caught:
        open_store(str(tmp_path), NOW)
    assert "upgrade" in steps_text(caught.value.next_step)
    assert (tmp_path / "store.db").read_bytes() == before
    assert not list(tmp_path.glob("*.before-schema-*"))


def test_a_schema_change_makes_a_backup_first(tmp_path: Path) -> None:
    old_file(tmp_path).close()
    store = open_store(str(tmp_path), NOW)
    assert store.engine.schema_version() == LATEST
    backup = SqliteEngine(str(tmp_path / f"store.db.before-schema-{OLD}"))
    assert backup.schema_version() == OLD
    assert backup.fetch("SELECT count(*) FROM journal", {}) == store.engine.fetch("SELECT count(*) FROM journal", {})
    backup.close()
    store.close()


def test_an_up_to_date_store_makes_no_backup(tmp_path: Path) -> None:
    create_store(str(tmp_path), PROJECT, NOW).close()
    open_store(str(tmp_path), NOW).close()
    assert not list(tmp_path.glob("*.before-schema-*"))


@pytest.mark.parametrize(
    "edit", ["UPDATE migrations SET checksum = 'x' WHERE n = 1", "UPDATE migrations SET n = 77 WHERE n = 1"]
)
def test_an_edited_history_is_refused_before_anything_changes(tmp_path: Path, edit: str) -> None:
    engine = old_file(tmp_path)
    engine.script([edit])
    before = engine.fetch("SELECT * FROM migrations", {})
    with pytest.raises(StoreProblem, match="not the one this version knows"):
        migrate(engine, NOW, None)
    assert (engine.schema_version(), engine.fetch("SELECT * FROM migrations", {})) == (OLD, before)
    assert "task_text" not in engine.tables()


# Constraints

TASK = "UPDATE tasks SET {} WHERE n = 1"
NEW_CHECKS = [
    ("sessions", "ended_seq", "NULL"), ("approvals", "recorded", "2"), ("approvals", "recorded", "NULL"),
    ("approvals", "batch", "NULL"), ("attempts", "signal", "'FAILED'"), ("attempts", "signal", "NULL"),
    ("attempts", "base_tree", "NULL"), ("attempts", "marks", "NULL"), ("tasks", "planned", "'auto'"),
    ("tasks", "planned", "NULL"), ("tasks", "merge_failures", "NULL"), ("feedback", "redo_option", "'new'"),
    ("feedback", "redo_option", "NULL"), ("feedback", "quick_issues", "NULL"), ("feedback", "priority_change", "'up'"),
    ("feedback", "priority_change", "NULL"), ("feedback", "source", "NULL"), ("tasks", "waiting_for", "'boss'"),
    ("tasks", "waiting_for", "NULL"), ("checks", "tool_findings", "NULL"), ("approvals", "viewed", "NULL"),
    ("feedback", "viewed", "NULL"),
]  # fmt: skip
"""What later migrations say about columns of older tables."""
KEYED = ["project", "sessions", "evidence", "settings", "counters", "tokens", "keys", "cleared", "test_lists", "merges"]
BAD = [
    TASK.format("status = 'done'"), TASK.format("status = NULL"), TASK.format("status = ''"),
    TASK.format("type = 'story'"), TASK.format("type = NULL"), TASK.format("priority = 5"),
    TASK.format("priority = -1"), TASK.format("priority = NULL"), TASK.format("minor = 2"), TASK.format("minor = NULL"),
    TASK.format("minor_late = 2"), TASK.format("landed = 2"), TASK.format("unmerged = NULL"),
    TASK.format("open_deps = -1"), TASK.format("open_deps = NULL"), TASK.format("ready = 2"),
    TASK.format("ready = NULL"), TASK.format("deleted = 7"), TASK.format("title = NULL"), TASK.format("creator = NULL"),
    TASK.format("version = NULL"), TASK.format("id = NULL"),
    "UPDATE tasks SET id = (SELECT id FROM tasks WHERE n = 2) WHERE n = 1", "UPDATE sessions SET kind = 'robot'",
    "UPDATE sessions SET kind = NULL", "UPDATE sessions SET trust = 'full'", "UPDATE sessions SET trust = NULL",
    "UPDATE sessions SET proven = 2", "UPDATE sessions SET proven = NULL", "UPDATE history SET action = 'merged'",
    "UPDATE history SET action = NULL", "UPDATE attempts SET landed = 2", "UPDATE attempts SET no_code = NULL",
    "UPDATE attempts SET diff_id = NULL", "UPDATE approvals SET state = 'valid'", "UPDATE approvals SET state = NULL",
    "UPDATE feedback SET decision = 'approved'", "UPDATE feedback SET decision = NULL",
    "UPDATE journal SET hash = NULL WHERE seq = 1", "UPDATE journal SET payload = NULL WHERE seq = 1",
    "UPDATE journal SET seq = 2 WHERE seq = 1", "INSERT INTO head (one, seq, hash) VALUES (2, 0, '')",
    "INSERT INTO head (one, seq, hash) VALUES (1, 0, '')", "UPDATE head SET seq = NULL",
    "INSERT INTO counters (name, n) VALUES ('x', NULL)",
    "INSERT INTO settings (name, value, session, at) VALUES ('x', NULL, 's', 't')",
    "INSERT INTO authors SELECT * FROM authors", "INSERT INTO dependencies SELECT * FROM dependencies",
    "INSERT INTO task_labels SELECT * FROM task_labels", "INSERT INTO attempts SELECT * FROM attempts",
    "UPDATE tokens SET role = 'admin'", "UPDATE tokens SET role = NULL", "UPDATE tokens SET bound = NULL",
    "UPDATE tokens SET task = NULL", "UPDATE tokens SET ended_seq = NULL", "INSERT INTO tokens SELECT * FROM tokens",
    "UPDATE keys SET public = NULL", "UPDATE keys SET retired_why = NULL", "INSERT INTO keys SELECT * FROM keys",
    "INSERT INTO cleared SELECT * FROM cleared", "UPDATE checks SET outcome = 'ok'", "UPDATE checks SET outcome = NULL",
    "UPDATE checks SET tree = NULL", "UPDATE checks SET failing = NULL", "UPDATE checks SET session = NULL",
    "INSERT INTO checks SELECT * FROM checks", "INSERT INTO test_lists SELECT * FROM test_lists",
    "UPDATE test_lists SET packed = NULL", "UPDATE merges SET state = 'merged'", "UPDATE merges SET state = NULL",
    "UPDATE merges SET approval = NULL", "UPDATE merges SET tries = NULL", "INSERT INTO merges SELECT * FROM merges",
    "UPDATE cleared SET attempt = NULL", "UPDATE signatures SET signature = 'the same'",
    "UPDATE signatures SET statement = NULL",
    *[f"UPDATE {table} SET {column} = {value}" for table, column, value in NEW_CHECKS],
]  # fmt: skip


@pytest.fixture(scope="module", params=engines.NAMES)
def filled(request: pytest.FixtureRequest, _modules_engines_are_tidied: None) -> DeskWorld:
    return full_world(request.param)


def taken(run: Callable[[str], object], statements: list[str]) -> list[str]:
    """Those that no constraint rejects. One after the other: what is rejected changes nothing."""
    return [statement for statement in statements if not is_rejected(run, statement)]


def is_rejected(run: Callable[[str], object], statement: str) -> bool:
    try:
        run(statement)
    except engines.INTEGRITY:
        return True
    return False


def test_a_constraint_really_rejects(filled: DeskWorld) -> None:
    before = filled.sql("SELECT count(*) FROM journal")
    assert taken(filled.sql, BAD) == []
    assert filled.sql("SELECT count(*) FROM journal") == before


def test_a_key_is_never_null(filled: DeskWorld) -> None:
    """SQLite lets NULL into a TEXT primary key unless it is told not to."""
    statements = []
    for table in KEYED:
        (key, *others), _ = filled.store.engine.fetch(f"SELECT * FROM {table} LIMIT 1", {})
        row = f"SELECT NULL, {', '.join(others)} FROM {table} WHERE {key} IS NOT NULL LIMIT 1"
        statements.append(f"INSERT INTO {table} {row}")
    assert taken(filled.sql, statements) == []


def test_foreign_backup_functions_are_called_with_the_old_number(tmp_path: Path) -> None:
    called: list[int] = []
    keep: Callable[[int], None] = called.append
    migrate(old_file(tmp_path), NOW, keep)
    assert called == [OLD]


# On both engines


def future(engine: Database) -> Database:
    """A store as a later version leaves it."""
    engine.script(
        [f"INSERT INTO migrations (n, name, checksum, applied_at) VALUES ({LATEST + 1}, '9999_later', 'x', 't')"]
    )
    engine.set_schema_version(LATEST + 1)
    return engine


def state(engine: Database) -> object:
    return engine.schema_version(), engine.tables(), engine.fetch("SELECT * FROM migrations ORDER BY n", {})


def test_a_newer_store_is_refused_and_not_touched_on_both_engines(place: engines.Place) -> None:
    engine = future(place.create().engine)
    before = state(engine)
    with pytest.raises(StoreProblem, match="newer") as caught:
        place.open()
    assert (caught.value.exit_code, "upgrade" in steps_text(caught.value.next_step)) == (5, True)
    assert state(engine) == before


def journal_of(engine: Database) -> list[tuple[SqlValue, ...]]:
    return engine.fetch("SELECT * FROM journal ORDER BY seq", {})[1]


def test_an_old_store_goes_forward_and_its_tables_are_what_a_replay_says_J2(on: str) -> None:
    engine = old_database(on)
    rows = journal_of(engine)
    assert migrate(engine, NOW, None) == LATEST - OLD
    assert Store(engine, PROJECT).audit().findings == ()
    assert journal_of(engine) == rows


def test_a_backup_of_an_old_schema_can_be_restored(tmp_path: Path) -> None:
    place = engines.Place("sqlite", tmp_path / "new", PROJECT)
    append(place.create(), ProjectCreated(name="p", prefix="fe", target="main"))
    (tmp_path / "old").mkdir()
    old_file(tmp_path / "old").close()
    restore_store(str(place.folder), str(tmp_path / "old" / "store.db"), NOW)
    store = place.open()
    append(store, security())
    assert (store.engine.schema_version(), store.audit().findings) == (LATEST, ())


def test_an_edited_history_is_refused_before_anything_changes_on_both_engines(place: engines.Place) -> None:
    engine = old_at(place)
    engine.script(["UPDATE migrations SET checksum = 'x' WHERE n = 1"])
    before = state(engine)
    with pytest.raises(StoreProblem, match="not the one this version knows"):
        migrate(engine, NOW, None)
    assert state(engine) == before


BROKEN = {
    "at its last statement": "CREATE TABLE half (x INTEGER);\nINSERT INTO half (x) VALUES (1);\nINSERT INTO nowhere "
    "(x) VALUES (1);\n",
    "at its first statement": "INSERT INTO nowhere (x) VALUES (1);\n",
    "at its own table": "CREATE TABLE half (x INTEGER);\nCREATE TABLE half (x INTEGER);\n",
}


@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.parametrize("fresh", [True, False], ids=["new store", "old store"])
def test_a_failing_migration_leaves_neither_change_nor_record_G4(
    on: str, monkeypatch: pytest.MonkeyPatch, how: str, fresh: bool
) -> None:
    engine = engines.empty(on) if fresh else old_database(on)
    before = (engine.schema_version(), engine.tables())
    known = migrations(on)
    with monkeypatch.context() as patched:
        patched.setattr(module, "migrations", lambda _: (*known[:-1], Migration(LATEST, "0009_broken", BROKEN[how])))
        with pytest.raises((apsw.SQLError, psycopg.ProgrammingError, StoreProblem)):
            migrate(engine, NOW, None)
    assert (engine.schema_version(), engine.tables()) == before
    assert migrate(engine, NOW, None) == LATEST - before[0]


def test_a_checksum_is_of_the_whole_text_and_the_record_has_it(on: str) -> None:
    engine = engines.database(on)
    for n, checksum in engine.fetch("SELECT n, checksum FROM migrations ORDER BY n", {})[1]:
        assert isinstance(n, int)
        (path,) = [
            path for path in Path(FOLDER).glob(f"{n:04}_*.sql") if path.suffixes in ([".sql"], [f".{on}", ".sql"])
        ]
        text = path.read_text()
        assert hashlib.sha256((text + "\n").encode()).hexdigest() == checksum


MIGRATOR = """
import sys
from foureyes.adapters.store.store_files import open_store
from foureyes.adapters.store.shared_store import open_shared
from foureyes.core.events.project import SecurityRecorded

on, folder, url, project, now = sys.argv[1:]
print("ready", flush=True)
sys.stdin.readline()
store = open_store(folder, now) if on == "sqlite" else open_shared(folder, url, project, now)
with store.write() as tx:
    tx.append("ses-x", now, [("", SecurityRecorded(kind="minor", rule="P1", reason="because"))])
print(store.engine.schema_version(), flush=True)
store.close()
"""
"""A process that opens a store when it is told to. It reads no test: that took most of its time."""


@pytest.mark.parametrize("run", range(2))
def test_several_processes_that_migrate_at_once_do_it_once(place: engines.Place, run: int) -> None:
    rows = len(journal_of(old_at(place)))
    url = engines.server().url if place.on == "postgres" else ""
    command = [sys.executable, "-c", MIGRATOR, place.on, str(place.folder), url, place.project, NOW]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    processes = [
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        )
        for _ in range(4)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n", process.communicate()
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    said = [process.communicate() for process in processes]
    assert [out for out, _ in said] == [f"{LATEST}\n"] * 4, said
    again = place.open()
    assert again.engine.fetch("SELECT n FROM migrations ORDER BY n", {})[1] == [(n,) for n in range(1, LATEST + 1)]
    assert len(journal_of(again.engine)) == rows + 4


def test_there_is_one_backup_of_several_that_migrate_and_it_is_of_the_old_schema(tmp_path: Path) -> None:
    old_file(tmp_path).close()
    for _ in range(2):
        open_store(str(tmp_path), NOW).close()
    (backup,) = tmp_path.glob("store.db.before-schema-*")
    engine = engines.kept(SqliteEngine(str(backup)))
    assert engine.schema_version() == OLD
