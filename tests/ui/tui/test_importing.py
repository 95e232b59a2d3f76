"""A plan is imported from the board: all of its tasks, or none and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.errors import BadInput
from foureyes.ui.tui.importing import LIMIT, read_plan_file

from tests.ui.tui.stage import Player, Seat, play

PLAN = "# Plan\n\n## Task: Write the handbook\n\nFor people.\n\n## Task: Print it\n\nDepends on: Write the handbook\n"


def test_i_asks_for_the_file_of_a_plan_and_makes_its_tasks(seat: Seat) -> None:
    (seat.root / "plan.md").write_text(PLAN)

    async def story(at: Player) -> None:
        assert "IMPORT A PLAN" in await at.press("i")
        screen = await at.press(*"plan.md", "enter")
        assert "planned 2 tasks, 2 tasks will merge without a reviewer once checks pass" in screen
        assert "Open 2" in screen

    play(seat.sit(), story)
    assert {row.title for row in seat.rows("open")} == {"Write the handbook", "Print it"}


def test_a_plan_that_is_not_there_is_said_and_makes_nothing(seat: Seat) -> None:
    async def story(at: Player) -> None:
        assert "none.md cannot be read: No such file" in await at.press("i", *"none.md", "enter")

    play(seat.sit(), story)
    assert seat.rows("open") == []


def test_what_is_no_text_or_too_large_is_no_plan(tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(BadInput, match="not valid UTF-8"):
        read_plan_file(str(path))
    path.write_bytes(b"x" * (LIMIT + 1))
    with pytest.raises(BadInput, match="no plan"):
        read_plan_file(str(path))
