"""The lessons that code and tests cite by number are on a page, and what is not only planned is tried by a test."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from foureyes.config.settings import SETTINGS

from tests.architecture.house import ROOT, name_of

ROW = re.compile(r"^\| (\d+) \| (.+) \| (.+) \|$", re.MULTILINE)
CITED = re.compile(r"[Ll]essons?[ _\n]+((?:\d+)(?:(?:, lesson |, |_lesson_| and |_and_|–)\d+)*)")


def page() -> dict[int, str]:
    """Every lesson by its number, with what keeps it from happening here."""
    text = (ROOT / "docs" / "lessons.md").read_text(encoding="utf-8")
    return {int(number): here for number, _, here in ROW.findall(text)}


def numbers(text: str) -> Iterator[int]:
    """The lessons that a text cites; `17–33` are seventeen of them."""
    for cited in CITED.findall(text):
        for first, last in re.findall(r"(\d+)(?:–(\d+))?", cited):
            yield from range(int(first), int(last or first) + 1)


def cited(folder: str) -> dict[int, str]:
    """Every lesson that is cited below a folder, with a place."""
    paths: list[Path] = sorted(path for end in ("py", "md", "sql") for path in (ROOT / folder).rglob(f"*.{end}"))
    return {number: name_of(path) for path in paths for number in numbers(path.read_text(encoding="utf-8"))}


def test_the_lessons_are_numbered_without_a_gap() -> None:
    assert list(page()) == list(range(1, 78))


def test_every_lesson_that_is_cited_is_on_the_page() -> None:
    known = page()
    found = {**cited("src"), **cited("docs"), **cited("tests")}
    assert len(found) > 50
    assert {number: place for number, place in found.items() if number not in known} == {}


def test_every_lesson_that_is_learnt_is_tried_by_a_test() -> None:
    tried = cited("tests")
    assert [number for number, here in page().items() if number not in tried and "Not built yet" not in here] == []


def test_a_duration_has_its_unit_in_its_name_lesson_56() -> None:
    durations = re.compile(r"timeout|stale|settle|silence|idle|expir|duration|age\b")
    units = ("_seconds", "_minutes", "_hours", "_days")
    names = [setting.key for setting in SETTINGS if setting.kind == "number" and durations.search(setting.key)]
    assert len(names) > 1
    assert [name for name in names if not name.endswith(units)] == []


DAY = re.compile(r"^\| ((?:t?[abr]\d+)(?:, t?[abr]\d+)*) \| .+ \| (.+) \|$", re.MULTILINE)
LEFT_OUT = {"b20"}
"""What belongs to modes."""
REAL = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
"""What was met with real repositories, reports and agent programs, as far as it is mended."""
TEAM = {f"t{letter}{n}" for letter in "ab" for n in range(1, 8)}
"""What the first team met on two machines."""
PLAYED = ("tests/scenarios/test_field_of_teams.py", "tests/scenarios/test_field_of_joining.py")


def test_every_row_of_the_ordinary_day_and_of_the_first_team_names_tests_that_exist() -> None:
    text = (ROOT / "docs" / "lessons.md").read_text(encoding="utf-8")
    rows = DAY.findall(text)
    tests = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^ *def (test_\w+)\(", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    cited = {name: ids for ids, names in rows for name in re.findall(r"`(test_\w+)`", names)}
    assert {name: ids for name, ids in cited.items() if name not in tests} == {}
    assert all("`test_" in names for _, names in rows)
    known = {one for ids, _ in rows for one in ids.split(", ")}
    wanted = {f"a{n}" for n in range(2, 10)} | {f"b{n}" for n in range(1, 23)} | {f"r{n}" for n in REAL}
    assert known == (wanted - LEFT_OUT) | TEAM


def test_whatever_the_first_team_met_is_played_again_on_two_machines() -> None:
    names = [
        name for path in PLAYED for name in re.findall(r"^def (test_\w+)\(", (ROOT / path).read_text(), re.MULTILINE)
    ]
    assert {point for name in names for point in re.findall(r"_(t[ab]\d)(?=_|$)", name)} == TEAM
