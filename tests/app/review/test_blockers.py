"""Verdicts that stop (R1, R2, D3): a blocker holds its task the moment it is recorded, two concerns pause it, with or
without a cycle; who lifts that, and what does not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from foureyes.app.context import IdRow
from foureyes.core.nouns.check import Ran
from foureyes.core.words.ids import SessionId
from foureyes.ui.steps import steps_text

from tests.stage.cycled import CONCERN, PEERS, QWEN, pauses
from tests.stage.gated import AUTO, LINT, configure
from tests.stage.looped import again, issue, review
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, GEMINI, agent
from tests.stage.world import DeskWorld

BLOCKER: dict[str, Any] = {"verdict": "blocker", "summary": "it deletes the database"}
HELD = "codex#1 reported a blocker: it deletes the database"


def hold(desk: DeskWorld, task: str) -> str | None:
    return desk.show(task).task.hold


def seen(desk: DeskWorld, task: str) -> str:
    return desk.show(task).attempts[-1].seen


def attention(desk: DeskWorld) -> list[str]:
    return [row.text for row in desk.app.attention.view(BOB).rows]


def test_a_blocker_that_nobody_asked_for_stops_its_task_without_a_cycle_R1_D3(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    review(desk, task, by=CODEX, **BLOCKER)
    assert hold(desk, task) == HELD
    assert "codex#1 reported a blocker (R1)" in attention(desk)
    for by in (GEMINI, BOB):
        with desk.refused("D3"):
            desk.approve(by, task, seen=seen(desk, task))


def test_a_blocker_needs_no_files_read_and_stops_what_a_rule_would_approve_R1_M4(desk: DeskWorld) -> None:
    configure(desk, LINT)
    task = desk.submitted_task(labels=AUTO)
    review(desk, task, by=CODEX, files_reviewed=[], **BLOCKER)
    desk.app.checks.run(CI, task)
    assert (hold(desk, task), desk.status(task)) == (HELD, "reviewing")
    desk.app.stops.resume(ALICE, task, "I looked")
    assert desk.status(task) == "approved", "the rule decides once nothing stops it"


def test_a_blocker_about_approved_work_is_taken_and_the_merge_queue_passes_it_over_R1_Q1(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    desk.approve(GEMINI, task, seen=seen(desk, task))
    review(desk, task, by=CODEX, **BLOCKER)
    (item,) = desk.app.merges.all(BOB)
    assert (desk.status(task), item.ready, item.why) == ("approved", False, f"held: {HELD}")


def test_two_concerns_about_approved_work_wait_in_the_merge_queue_R2_Q1(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    desk.approve(QWEN, task, seen=seen(desk, task))
    for by in (CODEX, GEMINI):
        review(desk, task, by=by, **CONCERN)
    (item,) = desk.app.merges.all(BOB)
    assert (item.ready, item.why.startswith("held: ")) == (False, True)


LEFT: dict[str, Callable[[DeskWorld, str], object]] = {
    "submission": lambda desk, task: again(desk, task),
    "other's approval": lambda desk, task: review(desk, task, by=GEMINI),
    "end of the cycle": lambda desk, task: desk.app.cycles.end(ALICE, "c-1", "enough"),
    "agent's redo": lambda desk, task: desk.app.feedback.redo(QWEN, task, "no", seen=seen(desk, task)),
    "findings": lambda desk, task: review(desk, task, [issue()], by=GEMINI, verdict="concerns"),
}


@pytest.mark.parametrize("how", LEFT)
def test_what_does_not_lift_a_blocker_R1(desk: DeskWorld, how: str) -> None:
    task = desk.submitted_task()
    review(desk, task, by=CODEX, **BLOCKER)
    LEFT[how](desk, task)
    assert hold(desk, task) == HELD
    assert desk.app.audit.verify().findings == ()


def test_a_stopped_attempt_is_sent_back_by_its_findings_once_it_is_resumed_V10_R1(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    review(desk, task, [issue()], by=CODEX, **BLOCKER)
    assert desk.status(task) == "reviewing"
    desk.app.stops.resume(ALICE, task, "the finding is enough")
    assert (desk.status(task), hold(desk, task)) == ("open", None)


def test_a_reviewer_withdraws_its_blocker_and_no_other_of_its_origin_does_R1_I3(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    review(desk, task, by=CODEX, **BLOCKER)
    review(desk, task, by=GEMINI, **BLOCKER)
    review(desk, task, by=agent("codex", 9, evidence=CODEX.evidence))
    review(desk, task, by=GEMINI, **CONCERN)
    assert hold(desk, task) == HELD, "codex's stands"
    review(desk, task, by=CODEX)
    assert (hold(desk, task), desk.app.cycles.show("c-1").rule) == (None, "R3")


def test_withdrawing_a_blocker_does_not_lift_a_person_s_hold_D3(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    desk.app.stops.hold(ALICE, task, "release freeze")
    review(desk, task, by=CODEX, **BLOCKER)
    review(desk, task, by=CODEX)
    assert hold(desk, task) == "release freeze"


def test_a_person_who_made_the_work_does_not_lift_a_blocker_R1(desk: DeskWorld) -> None:
    task = desk.submitted_task(ALICE)
    review(desk, task, by=CODEX, **BLOCKER)
    with desk.refused("R1"):
        desk.app.stops.resume(ALICE, task, "it is fine")
    desk.app.stops.resume(BOB, task, "I looked")
    assert hold(desk, task) is None


def test_two_concerns_without_a_cycle_pause_at_once_and_their_reviewers_are_asked_again_R2(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    review(desk, task, by=CODEX, **CONCERN)
    assert (desk.app.cycles.show("c-1").rule, pauses(desk)) == ("R3", set())
    assert [row.reviewer for row in desk.app.cycles.issues()] == ["codex#1"], "one concern is flagged"
    review(desk, task, by=GEMINI, **CONCERN)
    view = desk.app.cycles.show("c-1")
    assert (view.rule, view.state, [point.reviewer for point in view.points]) == (
        "R2", "clarifying", ["codex#1", "gemini#1"],
    )  # fmt: skip
    with desk.refused("R2"):
        desk.approve(QWEN, task, seen=seen(desk, task))
    for point in ("p1", "p2"):
        desk.app.cycles.clarify(CLAUDE, "c-1", point, "the salt is in the hash")
    for by in (CODEX, GEMINI):
        review(desk, task, by=by)
    assert (desk.app.cycles.show("c-2").rule, pauses(desk)) == ("R4", set())


def test_two_concerns_of_one_process_are_one_R2_I3(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    for by in (CODEX, replace(CODEX, session=SessionId("ses-codex-again"))):
        review(desk, task, by=by, **CONCERN)
    assert (desk.app.cycles.show("c-1").rule, pauses(desk)) == ("R3", set())


def test_the_questions_go_out_with_the_second_concern_though_a_third_reviewer_is_silent_R2(desk: DeskWorld) -> None:
    configure(desk, PEERS.replace('"gemini"]', '"gemini", "qwen"]').replace("ask = 2", "ask = 3"))
    task = desk.submitted_task()
    for by in (CODEX, GEMINI):
        review(desk, task, by=by, **CONCERN)
    assert (desk.app.cycles.show("c-1").state, len(desk.app.cycles.show("c-1").points)) == ("clarifying", 2)
    review(desk, task, by=QWEN, **BLOCKER)
    assert (desk.app.cycles.show("c-1").rule, attention(desk)) == ("R1", ["qwen reported a blocker (R1)"])
    assert hold(desk, task) == "qwen#1 reported a blocker: it deletes the database", "a later blocker goes before them"


def test_findings_of_two_concerns_send_it_back_once_they_are_clarified_and_not_before_R2_V10(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    task = desk.submitted_task()
    for by, title in ((CODEX, "no salt"), (GEMINI, "no limit")):
        review(desk, task, [issue(title)], by=by, verdict="concerns", summary=title)
    assert (desk.status(task), pauses(desk)) == ("reviewing", {"c-1"})
    desk.app.cycles.clarify(CLAUDE, "c-1", "p1", "it is missing")
    done = desk.app.cycles.clarify(CLAUDE, "c-1", "p2", "it is missing")
    assert done.message == f"c-1 is clarified: {task} went back with the open findings"
    assert (desk.status(task), pauses(desk)) == ("open", {"c-1"})
    with desk.store.read() as tx:
        assert [row.id for row in tx.all("runner.sent_back", IdRow, limit=9)] == [task], "a runner may fix it"
    desk.start(CLAUDE, task)
    again(desk, task)
    for by in (CODEX, GEMINI):
        assert pauses(desk) == {"c-1"}
        review(desk, task, by=by)
    assert pauses(desk) == set(), "both reviewed the next attempt"


def test_a_red_check_does_not_end_the_pause_of_two_concerns_R2_T2(desk: DeskWorld) -> None:
    configure(desk, PEERS + LINT)
    task = desk.submitted_task(labels=AUTO)
    for by in (CODEX, GEMINI):
        review(desk, task, by=by, **CONCERN)
    desk.outside.runner.answers["lint"] = Ran(exit_code=1)
    desk.app.checks.run(CI, task)
    assert (desk.status(task), pauses(desk)) == ("reviewing", {"c-1"})


def test_the_blocker_of_an_agent_that_may_not_stop_keeps_agents_and_rules_from_approving_R1(desk: DeskWorld) -> None:
    configure(desk, '\n[review.peers]\nreviewers = ["codex"]\n[agents]\nqwen = { program = "qwen" }\n')
    task = desk.submitted_task()
    done = review(desk, task, by=QWEN, **BLOCKER)
    assert (hold(desk, task), done.message) == (None, "blocker, 0 findings. No blocking finding is open")
    assert any("your blocker counts as concerns" in note for note in done.notes)
    with desk.refused("R1"):
        desk.approve(GEMINI, task, seen=seen(desk, task))
    desk.approve(BOB, task)


def test_one_step_sets_aside_all_blockers_of_such_an_agent_R1_E6(desk: DeskWorld) -> None:
    configure(desk, '\n[review.peers]\nreviewers = ["codex"]\n[agents]\nqwen = { program = "qwen" }\n')
    tasks = [desk.submitted_task(), desk.submitted_task()]
    for task in tasks:
        review(desk, task, by=QWEN, **BLOCKER)
        review(desk, task, by=CODEX)
    (row,) = [row for row in desk.app.attention.view(BOB).rows if row.choices[0].values.get("agent")]
    assert row.text == f"qwen#1 reported a blocker on {tasks[1]}, {tasks[0]}, but was not asked to review it"
    assert steps_text(row.next).startswith("fe resume --agent ")
    desk.app.stops.resume(BOB, None, "it knows nothing of this", agent=str(row.choices[0].values["agent"]))
    for task in tasks:
        desk.approve(GEMINI, task, seen=seen(desk, task))
    assert [row.kind for row in desk.app.audit.exceptions()] == ["blockers_set_aside"]


def test_old_cycles_say_their_rule_and_what_can_still_be_done_R1_R2(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    task = desk.submitted_task()
    for by in (CODEX, GEMINI):
        review(desk, task, by=by, **CONCERN)
    for point in ("p1", "p2"):
        desk.app.cycles.clarify(CLAUDE, "c-1", point, "it is there")
    old = desk.app.cycles.show("c-1")
    assert (old.state, old.rule, steps_text(old.next)) == ("ended", "R2", "fe review show c-2")
    review(desk, task, by=CODEX, **BLOCKER)
    assert steps_text(desk.app.cycles.show("c-2").next) == f'a person runs: fe resume {task} -m "why"'
    desk.app.stops.resume(BOB, task, "I looked")
    assert steps_text(desk.app.cycles.show("c-2").next) == f"fe show {task} --diff"
