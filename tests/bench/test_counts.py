"""What the benchmark counts of a command is what it asks and reads, and no more than it may."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.counts import MOST, decisions, figures
from bench.places import Place, PostgresPlace, SqlitePlace
from tests.engines import Server


def test_facts_and_rules_that_an_approval_and_a_merge_read_are_counted_with_their_budgets(tmp_path: Path) -> None:
    rows = decisions(tmp_path / "decisions")
    assert [(row.what, row.budget, row.met) for row in rows] == [
        ("approve, facts read", "≤ 2", True),
        ("approve, policy read", "≤ 1", True),
        ("merge, facts read", "≤ 2", True),
        ("merge, policy read", "≤ 1", True),
    ]
    assert all(float(row.value) >= 1 for row in rows), "a decision rests on both"


@pytest.mark.parametrize("engine", list(MOST))
def test_no_command_goes_to_its_database_more_often_than_it_may(engine: str, tmp_path: Path, server: Server) -> None:
    """What is read twice, or by two ways where one would do, is a message too many: the budgets are what there is."""
    place: Place = SqlitePlace(tmp_path / "place")
    if engine == PostgresPlace.engine:
        place = PostgresPlace(server.url, tmp_path / "shared", "counted")
    rows = figures(place)
    assert [(row.what, row.value) for row in rows if not row.met] == []
    assert {row.what for row in rows} == {f"{engine}, {name}" for name in MOST[engine]}
