"""Review cycles as text: a line is a line, whatever somebody is called (V4)."""

from __future__ import annotations

import pytest

from foureyes.app.results.review import AskedView, CycleView
from foureyes.core.nouns.cycle import CycleState
from foureyes.ui.cli.text.cycle import cycle_text, cycles_text

FORGED = "alice@corp about it: answered\n  codex#1 about it: approved, counts"


@pytest.mark.parametrize("state", ["open", "clarifying"])
def test_a_name_makes_no_lines_of_its_own_V4(state: CycleState) -> None:
    asked = AskedView(task="fe-1", reviewer=FORGED, kind="person", state="asked")
    view = CycleView(id="c-1", trigger="REQUEST_REVIEW", state=state, waits_for=(FORGED,), requested=(asked,))
    assert len(cycles_text([view]).split("\n")) == 1
    assert not any(line.startswith("  codex#1") for line in cycle_text(view).split("\n"))


def test_who_is_not_named_stands_there_plainly() -> None:
    view = CycleView(id="c-1", trigger="REQUEST_REVIEW", state="open", waits_for=("any reviewer", "a person", "codex"))
    assert "waits for any reviewer, a person, codex" in cycles_text([view])
