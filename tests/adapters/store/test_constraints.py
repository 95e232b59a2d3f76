"""Constraints of the findings loop really reject: every CHECK of their tables, and NULL wherever it has no
place.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from foureyes.adapters.store.migrate import FOLDER

from tests import engines
from tests.adapters.store.shop import full_world
from tests.stage.world import DeskWorld

SCHEMA = (Path(FOLDER) / "0001_schema.sql").read_text(encoding="utf-8")
TABLES = (
    "escalations", "finding_ids", "finding_moves", "findings", "odd_ends", "pieces", "review_returns", "reviews",
    "templates",
)  # fmt: skip
COLUMNS = {
    (table, line.split()[0]): line
    for table, body in re.findall(r"^CREATE TABLE (\w+) \(\n(.*?)^\);", SCHEMA, re.MULTILINE | re.DOTALL)
    if table in TABLES
    for line in body.splitlines()
    if re.match(r"  [a-z]", line)
}
"""Every column of these tables, with the line that makes it."""
REQUIRED = [column for column, line in COLUMNS.items() if "NOT NULL" in line]
MAY_BE_NULL = {("findings", "answered_by"), ("findings", "ruled_by")}
WRONG = {
    ("reviews", "verdict"): ["'fine'", "''", "'APPROVED'"], ("reviews", "effective"): ["'fine'", "''"],
    ("reviews", "status"): ["'approved'", "'CHANGES_REQUIRED'", "''"], ("reviews", "actionable"): ["2", "-1"],
    ("review_returns", "why"): ["'prose'", "''"], ("findings", "kind"): ["'XX'", "'tl'", "''"],
    ("findings", "severity"): ["'FYI'", "'high'", "''"], ("findings", "blocking"): ["1 - blocking", "2"],
    ("findings", "title"): ["''"], ("findings", "line"): ["-1"], ("findings", "flagged"): ["raised - 1"],
    ("findings", "state"): ["'fixed'", "'OPEN'", "''"], ("findings", "note"): ["2"], ("findings", "anchored"): ["2"],
    ("findings", "waiting"): ["2"], ("findings", "must_fix"): ["2"], ("findings", "left_diff"): ["2"],
    ("findings", "answer"): ["'DONE'", "'fixed'"], ("findings", "ruling"): ["'FINE'", "'verified'"],
    ("finding_moves", "was"): ["'gone'"], ("finding_moves", "now"): ["'gone'", "''"],
    ("finding_moves", "blocking"): ["2"], ("finding_moves", "undone"): ["2"],
    ("finding_moves", "kind"): ["'moved'", "''"], ("escalations", "tier"): ["'boss'", "''"],
    ("escalations", "lead_option"): ["'approve'"], ("escalations", "waiting_for"): ["'boss'"],
    ("odd_ends", "how"): ["'done'", "''"],
}  # fmt: skip
"""What each CHECK of a column must not let in, beside NULL."""
WHOLE_ROWS = [
    "UPDATE findings SET state = 'deferred' WHERE blocking = 1",
    "UPDATE findings SET state = 'skipped' WHERE blocking = 1",
    "UPDATE findings SET severity = 'LOW' WHERE blocking = 1",
    "UPDATE findings SET severity = 'HIGH' WHERE blocking = 0", "UPDATE findings SET id = 'the same'",
]  # fmt: skip
"""L1, L4: what several columns say together; and two findings of one id (L2)."""


@pytest.fixture(scope="module", params=engines.NAMES)
def filled(request: pytest.FixtureRequest, _modules_engines_are_tidied: None) -> DeskWorld:
    return full_world(request.param)


def rejected(world: DeskWorld, statement: str) -> None:
    before = {table: world.sql(f"SELECT count(*) FROM {table}") for table in TABLES}
    with pytest.raises(engines.INTEGRITY):
        world.sql(statement)
    assert {table: world.sql(f"SELECT count(*) FROM {table}") for table in TABLES} == before


def test_every_check_of_a_column_is_tried() -> None:
    assert {column for column, line in COLUMNS.items() if "CHECK" in line} == set(WRONG)
    assert {
        column for column, line in COLUMNS.items() if "NOT NULL" not in line and "PRIMARY KEY" not in line
    } == MAY_BE_NULL


@pytest.mark.parametrize("table", TABLES)
def test_there_is_something_to_reject(filled: DeskWorld, table: str) -> None:
    assert filled.sql(f"SELECT count(*) FROM {table}") != [(0,)]


@pytest.mark.parametrize(
    ("table", "column", "value"), [(*where, value) for where, values in WRONG.items() for value in values]
)
def test_a_wrong_value_is_rejected(filled: DeskWorld, table: str, column: str, value: str) -> None:
    rejected(filled, f"UPDATE {table} SET {column} = {value}")


@pytest.mark.parametrize(("table", "column"), REQUIRED)
def test_null_is_rejected(filled: DeskWorld, table: str, column: str) -> None:
    rejected(filled, f"UPDATE {table} SET {column} = NULL")


@pytest.mark.parametrize("statement", WHOLE_ROWS)
def test_columns_that_contradict_each_other_are_rejected_L1_L4(filled: DeskWorld, statement: str) -> None:
    rejected(filled, statement)


@pytest.mark.parametrize("table", TABLES)
def test_no_row_is_there_twice(filled: DeskWorld, table: str) -> None:
    rejected(filled, f"INSERT INTO {table} SELECT * FROM {table}")
