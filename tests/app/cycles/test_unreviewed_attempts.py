"""Attempts that wait and that nobody reviews are said until somebody decides (R0, V4, E6)."""

from __future__ import annotations

from foureyes.app.cycles.unreviewed_attempts import unreviewed
from foureyes.ui.steps import steps_text

from tests.stage.gated import configure
from tests.stage.looped import review
from tests.stage.people import ALICE, BOB, CI, CODEX
from tests.stage.world import DeskWorld

ONLY_ITS_MAKER = '\n[review.peers]\nreviewers = ["claude"]\nask = 1\n'


def rows(desk: DeskWorld) -> list[tuple[str, str]]:
    """The rows NO REVIEW of attention."""
    return [(row.task, row.text) for row in desk.app.attention.view(BOB).rows if row.kind == "review"]


def test_a_hand_in_about_which_nobody_can_be_asked_is_in_the_attention_at_once_V4_E6(desk: DeskWorld) -> None:
    configure(desk, ONLY_ITS_MAKER)
    task = desk.submitted_task()
    assert rows(desk) == [(task, "no reviewer is left to ask in c-1")]
    (row,) = [row for row in desk.app.attention.view(BOB).rows if row.kind == "review"]
    assert f"fe show {task} --diff" in row.details[-1]
    assert f"fe approve {task}" in row.details[-1]
    assert [choice.verb for choice in row.choices] == ["redo", "now"]
    desk.app.decisions.approve(BOB, task)
    assert rows(desk) == []


def test_it_stays_after_the_cycle_was_ended_without_a_review_R0(desk: DeskWorld) -> None:
    configure(desk, ONLY_ITS_MAKER)
    task = desk.submitted_task()
    desk.app.cycles.request(ALICE, task, reviewers=["human"])
    assert rows(desk) == [(task, "a person must review it (c-1)")]
    desk.app.cycles.end(ALICE, "c-1", "she is away")
    assert rows(desk) == [(task, "c-1 ended without a review")]
    review(desk, task, by=CODEX)
    assert rows(desk) == []


def test_where_the_policy_names_no_reviewers_peers_who_come_by_are_waited_for_V4(desk: DeskWorld) -> None:
    configure(desk, "\n[review]\nreviews = 1\n")
    desk.submitted_task()
    with desk.store.read() as tx:
        assert unreviewed(tx, (), 10) == []
    assert rows(desk) == []


def test_where_nobody_could_be_asked_and_nobody_came_by_in_time_it_is_R0_with_why_V4_V8(desk: DeskWorld) -> None:
    configure(desk, ONLY_ITS_MAKER)
    task = desk.submitted_task()
    assert desk.app.cycles.decide(CI) == []
    desk.clock.wait(31 * 60)
    assert "fe review decide c-1" in steps_text(desk.app.cycles.show("c-1").next)
    (done,) = desk.app.cycles.decide(CI)
    assert (done.cycle, done.rule) == ("c-1", "R0")
    assert "claude was not asked: made the work" in desk.app.cycles.show("c-1").reasons
    assert rows(desk) == [(task, "c-1 ended without a review (R0)")]
    assert [row.rule for row in desk.app.cycles.issues()] == ["R0"]


def test_who_comes_by_is_an_answer_and_one_of_two_is_too_few_after_a_while_R0_V8(desk: DeskWorld) -> None:
    configure(desk, "\n[review]\nreviews = 2\n")
    task = desk.submitted_task()
    review(desk, task, by=CODEX)
    assert desk.app.cycles.show("c-1").state == "open"
    desk.clock.wait(31 * 60)
    assert [done.rule for done in desk.app.cycles.decide(CI)] == ["R0"]
