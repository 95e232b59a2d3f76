"""Long tests come first for every worker; none is lost, and neighbours stay neighbours."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple, cast

import pytest

from tests.stage.order import FIRST, HOUSE, dealt

ROOT = Path(__file__).resolve().parents[2]


class Item(NamedTuple):
    nodeid: str


SHORT = [Item(f"tests/core/test_{letter}.py::test_{number}") for letter in "abcdef" for number in range(20)]
LONG = [Item(f"{name}::test_{number}") for name in FIRST for number in range(2)]
READERS = [Item(f"{name}::test_{number}") for name in HOUSE for number in range(2)]


def dealt_out(items: list[Item], workers: int) -> list[Item]:
    return cast("list[Item]", dealt(cast("list[pytest.Item]", items), workers))


@pytest.mark.parametrize("workers", [1, 2, 3, 8])
def test_every_part_begins_with_long_tests_and_none_is_lost(workers: int) -> None:
    found = dealt_out([*SHORT[:50], *LONG, *SHORT[50:]], workers)
    assert sorted(found) == sorted([*SHORT, *LONG])
    heads = [found[len(found) * number // workers] for number in range(workers)]
    assert all(head in LONG for head in heads)
    assert [item for item in found if item in SHORT] == SHORT


@pytest.mark.parametrize("workers", [1, 2, 3, 8])
def test_what_reads_the_programs_own_text_is_one_block_of_one_part(workers: int) -> None:
    many = [Item(f"tests/app/test_{number}.py::test_it") for number in range(500)]
    found = dealt_out([*READERS[20:], *LONG, *many, *READERS[:20]], workers)
    assert sorted(found) == sorted([*READERS, *LONG, *many])
    at = [found.index(item) for item in READERS]
    assert max(at) - min(at) + 1 == len(READERS)
    assert all(number * workers // len(found) == at[0] * workers // len(found) for number in at)


def test_every_file_that_parses_all_modules_is_one_of_the_house() -> None:
    found = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "tests").rglob("test_*.py")
        if re.search(r"^from tests\.architecture\.house import .*\btree_of\b", path.read_text(), re.MULTILINE)
    ]
    assert sorted(set(found) - set(HOUSE)) == []


def test_a_run_of_few_tests_is_dealt_out_too() -> None:
    assert dealt_out(SHORT[:2], 3) == SHORT[:2]
    assert sorted(dealt_out(LONG[:3], 2)) == sorted(LONG[:3])


def test_every_file_that_comes_first_is_there() -> None:
    assert [name for name in (*FIRST, *HOUSE) if not (ROOT / name).is_file()] == []
