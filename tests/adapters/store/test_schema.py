"""The schema of a migrated store is the one in the snapshots, on both engines."""

from __future__ import annotations

import re

import pytest

from tests import engines
from tools.schema import FOLDER, main, snapshot


def test_a_migrated_store_has_the_schema_of_the_snapshot(on: str) -> None:
    path = FOLDER / f"{on}.sql"
    assert snapshot(engines.database(on)) == path.read_text(encoding="utf-8"), "stale: python -m tools.schema"


def test_a_changed_schema_is_seen(on: str, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = engines.database(on)
    before = snapshot(engine)
    for change in ("ALTER TABLE tasks ADD COLUMN extra INTEGER", "CREATE INDEX extra_index ON tasks (title)", "DROP INDEX tasks_ready"):
        engine.script([change])
        after = snapshot(engine)
        assert after != before, change
        before = after


def test_both_engines_have_the_same_tables_and_columns() -> None:
    def shape(on: str) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for block in snapshot(engines.database(on)).split("\n\n"):
            made = re.match(r"CREATE TABLE (?:IF NOT EXISTS )?(\w+) \(", block)
            if made and made[1] not in ("task_text", "migrations"):
                found[made[1]] = re.findall(r"^  ([a-z_]+) (?:INTEGER|TEXT|integer|text)\b", block, re.MULTILINE)
        return found

    assert shape("sqlite") == shape("postgres")
    assert len(shape("sqlite")) > 15


def test_the_tool_says_that_nothing_is_stale(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(engines, "end_of_run", lambda: None)
    assert main(["--check"]) == 0
    assert capsys.readouterr().out == ""
