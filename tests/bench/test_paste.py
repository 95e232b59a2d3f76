"""What benchmarks print goes to its place on the page, and nowhere else."""

from __future__ import annotations

import re

import pytest

from bench.__main__ import FIGURES, PAGE, pasted
from bench.figures import Figure, show
from bench.install import ROOT


def test_a_section_takes_the_place_of_the_one_before() -> None:
    page = "a\n<!-- writes: begin -->\nold\n<!-- writes: end -->\nb\n<!-- scale: begin -->\nx\n<!-- scale: end -->\n"
    assert pasted(page, "writes", "\nnew\n") == page.replace("old", "new")
    assert pasted(page, "gate", "new") == page


def test_every_figure_has_its_place_on_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name in FIGURES:
        assert pasted(page, name, f"of {name}") != page, name


def test_every_figure_and_every_command_is_named_to_contributors() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    listed = page.partition("make bench")[2].partition("```")[0].replace("\n", " ").split("start-up")[1]
    assert [name.strip() for name in listed.split(",") if name.strip()] == list(FIGURES)[1:]
    helped = re.findall(r"^#   make ([a-z-]+)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert [name for name in helped if f"\nmake {name} " not in page and name not in WITHOUT_A_WORD] == []


WITHOUT_A_WORD = ("demo",)
"""For users."""


def test_a_missed_budget_is_said_with_the_day_and_the_load(capsys: pytest.CaptureFixture[str]) -> None:
    assert show("Title", "writes", [Figure("a", "1"), Figure("b", "3", "≤ 2", False)]) == 1
    printed = capsys.readouterr()
    assert printed.out.startswith("\n### Title\n\n`python -m bench writes`, 2")
    assert "load" in printed.out
    assert "| b | 3 | ≤ 2 | **missed** |  |" in printed.out
    assert printed.err == "missed: b\n"
