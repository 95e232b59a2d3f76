"""Next steps as tools."""

from __future__ import annotations

from foureyes.errors import Reason, Refused
from foureyes.steps import NO_STEP, blank, by_person, either, fe, phrase, prose, shell
from foureyes.ui.mcp.next_tools import steps_in, tools_of
from foureyes.ui.mcp.tools import TOOLS, tools


def test_G2_what_the_caller_would_type_is_named_as_a_tool_where_one_is_offered() -> None:
    more = fe("show", "fe-1", "--context")
    steps = either(fe("submit", "fe-1", "-m", phrase("x")), fe("finding", "answer", blank("ID")), more)
    assert tools_of(steps, TOOLS) == ["task_submit", "finding_answer", "task_context"]
    assert tools_of(fe("show", "fe-1"), TOOLS) == ["task_show"]
    assert tools_of(fe("finding", "answer", "TL-1", "--track"), TOOLS) == []
    assert tools_of(fe("close", "fe-1"), TOOLS) == []
    assert tools_of(fe("close", "fe-1"), tools(everything=True)) == ["task_close"]


def test_what_others_do_other_programs_and_words_are_no_tools() -> None:
    for steps in (by_person(fe("approve", "fe-1")), shell("git", "fetch"), prose("look at it"), NO_STEP):
        assert tools_of(steps, TOOLS) == []


def test_a_refusal_has_the_steps_of_all_its_reasons() -> None:
    problem = Refused("no.", reasons=(Reason("A1", "x", fe("log", "fe-1")),), next_step=fe("next"))
    assert tools_of(steps_in(problem), TOOLS) == ["task_log", "task_next"]
