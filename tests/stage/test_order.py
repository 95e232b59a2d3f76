"""Long tests come first for every worker; none is lost, and neighbours stay neighbours."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, cast

import pytest

from tests.stage.order import FIRST, dealt

ROOT = Path(__file__).resolve().parents[2]


class Item(NamedTuple):
    nodeid: str


SHORT = [Item(f"tests/core/test_{letter}.py::test_{number}") for letter in "abcdef" for number in range(20)]
LONG = [Item(f"{name}::test_{number}") for name in FIRST for number in range(2)]


def dealt_out(items: list[Item], workers: int) -> list[Item]:
    return cast("list[Item]", dealt(cast("list[pytest.Item]", items), workers))


@pytest.mark.parametrize("workers", [1, 2, 3, 8])
def test_every_part_begins_with_long_tests_and_none_is_lost(workers: int) -> None:
    found = dealt_out([*SHORT[:50], *LONG, *SHORT[50:]], workers)
    assert sorted(found) == sorted([*SHORT, *LONG])
    heads = [found[len(found) * number // workers] for number in range(workers)]
    assert all(head in LONG for head in heads)
    assert [item for item in found if item in SHORT] == SHORT


def test_a_run_of_few_tests_is_dealt_out_too() -> None:
    assert dealt_out(SHORT[:2], 3) == SHORT[:2]
    assert sorted(dealt_out(LONG[:3], 2)) == sorted(LONG[:3])


def test_every_file_that_comes_first_is_there() -> None:
    assert [name for name in FIRST if not (ROOT / name).is_file()] == []
