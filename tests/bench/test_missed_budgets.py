"""A benchmark names the budgets that it missed."""

from __future__ import annotations

import pytest

from bench.figures import Figure, show


def test_a_missed_budget_is_named_with_the_day_and_the_load(capsys: pytest.CaptureFixture[str]) -> None:
    assert show("Title", "writes", [Figure("a", "1"), Figure("b", "3", "≤ 2", False)]) == 1
    printed = capsys.readouterr()
    assert printed.out.startswith("\n### Title\n\n`python -m bench writes`, 2")
    assert "load" in printed.out
    assert "| b | 3 | ≤ 2 | **missed** |  |" in printed.out
    assert printed.err == "missed: b\n"
