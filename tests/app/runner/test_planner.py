"""A plan by an agent: read, checked, kept; nothing is imported (M7, I2, I5)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from foureyes.core.nouns.run import RunOutcome
from foureyes.errors import AgentUnavailable, BadInput

from tests.stage.people import ALICE, CLAUDE
from tests.stage.playground import Playground
from tests.stage.playing import Play

PLAN = "## Task 1: Keys are stored\n\n## Task 2: Sign in\nDepends on: Task 1\n"


@pytest.fixture
def ground(ground: Playground) -> Iterator[Playground]:
    ground.outside.programs = ground.agents
    yield ground
    ground.check_nothing_left()
    assert ground.app.runs.runners() == []


def says(answer: str, conversation: str = "c1") -> Play:
    return Play(outcome=RunOutcome(ended=True, rc=0, answer=answer, conversation=conversation), commits=0)


def titles(ground: Playground) -> list[str]:
    return [row[0] for row in ground.sql("SELECT title FROM tasks ORDER BY n")]


def test_a_plan_is_drafted_for_a_goal_and_kept_and_nothing_is_imported_M7(ground: Playground) -> None:
    ground.plays = [says(f"Here:\n```\n{PLAN}```")]
    drafted = ground.app.planning.draft(ALICE, "Sign in")
    assert ([row.title for row in drafted.rows], drafted.problem) == (["Keys are stored", "Sign in"], "")
    assert ground.outside.plans == {drafted.task: PLAN}
    assert titles(ground) == ["Goal: Sign in"]
    (launch,) = ground.agents.launched
    assert (launch.role, launch.purpose, launch.writes, "Sign in" in launch.prompt) == ("plan", "plan", False, True)
    (run,) = ground.runs_of(drafted.task)
    assert (run.ending, run.role) == ("finished", "plan")


def test_what_it_drafted_is_imported_by_the_person_below_the_goal_M7(ground: Playground) -> None:
    ground.plays = [says(PLAN)]
    drafted = ground.app.planning.draft(ALICE, "Sign in")
    rows = ground.app.plans.import_(ALICE, drafted.text, parent=drafted.task)
    assert {ground.show(row.task).task.parent for row in rows} == {drafted.task}


def test_a_goal_may_be_a_task_that_is_there(ground: Playground) -> None:
    goal = ground.create(ALICE)
    ground.plays = [says(PLAN)]
    assert ground.app.planning.draft(ALICE, goal).task == goal
    assert len(titles(ground)) == 1


def test_what_is_no_plan_is_asked_for_once_more_in_a_new_conversation(ground: Playground) -> None:
    ground.plays = [says("I would begin with tests.", "c1"), says(PLAN)]
    assert len(ground.app.planning.draft(ALICE, "Sign in").rows) == 2
    again = ground.agents.launched[1]
    assert not again.resumes
    assert "The project's files" in again.prompt


def test_after_that_it_is_said_and_nothing_is_kept(ground: Playground) -> None:
    ground.plays = [says("No."), says("Still no.")]
    with pytest.raises(BadInput, match="could not be read"):
        ground.app.planning.draft(ALICE, "Sign in")
    assert ground.outside.plans == {}
    assert [row[0] for row in ground.sql("SELECT resolution FROM tasks")] == ["cancelled"], "work for nobody"


def test_who_is_not_there_leaves_no_goal_behind(ground: Playground) -> None:
    with pytest.raises(BadInput, match="there is no agent profile"):
        ground.app.planning.draft(ALICE, "Sign in", profile="nobody")
    assert not titles(ground)


def test_a_plan_that_can_be_read_and_not_imported_is_kept_with_why_M7(ground: Playground) -> None:
    lost = "## Task: A\nDepends on: nobody knows\n"
    ground.plays = [says(lost), says(lost)]
    drafted = ground.app.planning.draft(ALICE, "Sign in")
    assert "nobody knows" in drafted.problem
    assert ground.outside.plans == {drafted.task: lost}


def test_a_program_that_fails_says_so_in_its_own_words_S2(ground: Playground) -> None:
    ground.plays = [Play(outcome=RunOutcome(ended=False, rc=1, error="auth", error_text="please log in"), commits=0)]
    with pytest.raises(AgentUnavailable, match="please log in"):
        ground.app.planning.draft(ALICE, "Sign in")


def test_below_an_agent_nobody_plans_and_no_goal_is_made_I5(ground: Playground) -> None:
    with ground.refused("I5"):
        ground.app.planning.draft(CLAUDE, "Sign in")


def test_who_plans_is_who_is_named_or_else_whoever_can_be_used(ground: Playground) -> None:
    ground.plays = [says(PLAN), says(PLAN)]
    ground.app.planning.draft(ALICE, "Sign in", profile="codex")
    ground.agents.missing = {"claude-senior"}
    ground.app.planning.draft(ALICE, "Sign out")
    assert [launch.profile_name for launch in ground.agents.launched] == ["codex", "claude"]
    with pytest.raises(BadInput, match="no agent profile"):
        ground.app.planning.draft(ALICE, "Sign out", profile="nobody")
