"""What benchmarks print goes to its place on the page, and nowhere else."""

from __future__ import annotations

import pytest

from bench.__main__ import FIGURES, PAGE, pasted
from bench.figures import Figure, show


def test_a_section_takes_the_place_of_the_one_before() -> None:
    page = "a\n<!-- writes: begin -->\nold\n<!-- writes: end -->\nb\n<!-- scale: begin -->\nx\n<!-- scale: end -->\n"
    assert pasted(page, "writes", "\nnew\n") == page.replace("old", "new")
    assert pasted(page, "gate", "new") == page


def test_every_figure_has_its_place_on_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name in FIGURES:
        assert pasted(page, name, f"of {name}") != page, name


def test_a_missed_budget_is_said_with_the_day_and_the_load(capsys: pytest.CaptureFixture[str]) -> None:
    assert show("Title", "writes", [Figure("a", "1"), Figure("b", "3", "≤ 2", False)]) == 1
    printed = capsys.readouterr()
    assert printed.out.startswith("\n### Title\n\n`python -m bench writes`, 2")
    assert "load" in printed.out
    assert "| b | 3 | ≤ 2 | **missed** |  |" in printed.out
    assert printed.err == "missed: b\n"
