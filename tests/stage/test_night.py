"""The day leaves out cases, and no engine; the night leaves out nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from tests.stage import night

MANY = [f"{number}-{engine}" for number in range(30) for engine in night.ENGINES]


def engine(case: str) -> str:
    return case.rpartition("-")[2]


def engines_by_room(engines: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Which engines the cases of a room run on."""
    rooms: dict[str, set[str]] = defaultdict(set)
    for name, found in engines.items():
        rooms[name.partition("::")[0].rpartition("/")[0]] |= found
    return rooms


@pytest.fixture
def leaving(request: pytest.FixtureRequest) -> night.Leaving:
    """What this run leaves for the night."""
    found = request.config.pluginmanager.get_plugin("leaving")
    assert isinstance(found, night.Leaving)
    return found


def test_every_test_of_this_run_has_a_case(leaving: night.Leaving) -> None:
    assert {name for name, found in leaving.every.items() if found} == {n for n, found in leaving.kept.items() if found}


def test_every_room_of_this_run_meets_both_engines_if_it_ever_does(leaving: night.Leaving) -> None:
    assert engines_by_room(leaving.kept) == engines_by_room(leaving.every)


@pytest.mark.parametrize("row", night.TABLE, ids=lambda row: row.where)
def test_some_cases_run_by_day_the_first_among_them(row: night.Day) -> None:
    few, many = night.by_day(row.where, MANY[:2]), night.by_day(row.where, MANY)
    assert few[0] == many[0] == MANY[0]
    assert len(many) <= len(MANY)


@dataclass(frozen=True)
class Named:
    """A case of which only its name counts."""

    id: str


@pytest.mark.parametrize(("name", "chosen"), night.ALSO.items(), ids=list(night.ALSO))
def test_the_case_in_the_middle_runs_with_the_first_and_the_last(name: str, chosen: str) -> None:
    first, _, last = cases = [Named("first"), Named(chosen), Named("last")]
    assert night.with_also(name, cases, [first, last]) == cases
    assert night.with_also(f"{name}_2", cases, [first, last]) == [first, last]
    with pytest.raises(AssertionError, match="has no case"):
        night.with_also(name, [first, last], [first])


def test_of_folders_with_several_names_the_odd_one_is_kept_and_without_one_everything() -> None:
    cases = [("project", 1), (night.ODD, 1), ("project", 2), (night.ODD, 2)]
    assert night.in_one_place(cases, lambda case: case) == [(night.ODD, 1), (night.ODD, 2)]
    assert night.in_one_place(MANY, lambda case: [case]) == MANY


@pytest.mark.parametrize("name", sorted(night.WHOLE))
def test_a_slow_file_runs_at_night_or_where_it_is_named(
    pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    root = pytestconfig.rootpath
    assert (root / name).is_file()
    monkeypatch.setattr(night, "NIGHT", False)
    monkeypatch.setattr(pytestconfig, "args", ["tests"])
    assert night.is_left(root / name, pytestconfig)
    monkeypatch.setattr(pytestconfig, "args", [f"{name}::test_this"])
    assert not night.is_left(root / name, pytestconfig)
    monkeypatch.setattr(pytestconfig, "args", ["tests"])
    monkeypatch.setattr(night, "NIGHT", True)
    assert not night.is_left(root / name, pytestconfig)


def test_where_engines_take_turns_each_case_runs_on_one_of_them() -> None:
    turns = night.Turns()
    days = [turns.cases("tests/app/test_x.py", MANY[:4], engine) for _ in range(8)]
    row = night.day_of("tests/app/test_x.py")
    assert [engine(day[0]) == "postgres" for day in days] == [number % row.turns == 0 for number in range(8)]
    assert {tuple(case.partition("-")[0] for case in day) for day in days} == {("0", "1")}


def test_a_turn_is_one_of_a_file_or_of_a_room() -> None:
    def is_turn(turns: night.Turns, name: str) -> bool:
        return engine(turns.cases(name, MANY[:4], engine)[0]) == "postgres"

    turns = night.Turns()
    files = (
        "tests/app/gate/test_x.py",
        "tests/app/gate/test_y.py",
        "tests/app/work/test_x.py",
        "tests/races/test_x.py",
    )
    assert [is_turn(turns, name) for name in (*files, "tests/races/test_y.py")] == [True, False, True, True, True]


def test_a_test_that_is_about_one_engine_or_about_both_at_once_keeps_its_cases() -> None:
    cases = ["1-postgres", "2-postgres"]
    assert night.Turns().cases("tests/app/test_x.py", cases, engine) == cases
    assert night.Turns().cases("tests/app/test_x.py", ["1-", "2-sqlite"], engine) == ["1-", "2-sqlite"]
