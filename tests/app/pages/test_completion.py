"""The completion gate (X4): every reason why a scope is not done, and the one case in which it is."""

from __future__ import annotations

from typing import Any

import pytest

from foureyes.app.results.task import Report
from foureyes.core.nouns.check import Ran
from foureyes.core.nouns.finding import ReportedFinding
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.four_eyes import Declaration
from foureyes.errors import NotFound
from foureyes.ui.cli.checks import completion_text as report_text

from tests.stage.checkout import AT_ONCE
from tests.stage.gated import LINT, answers, approved, check, configure, deliver, merge
from tests.stage.looped import issue, next_attempt, respond, review, rule, texts
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, GEMINI
from tests.stage.world import DeskWorld, GitWorld

KEPT = '\n[review]\ndefault_mode = "per-task"\n'


def validate(world: DeskWorld | GitWorld, actor: Actor = BOB, **scope: Any) -> Report:
    return world.app.validation.validate(actor, **scope)


def told(world: DeskWorld | GitWorld, **scope: Any) -> str:
    """Why it is not complete."""
    report = validate(world, **scope)
    assert (report.complete, all(reason.rule == "X4" and reason.next for reason in report.reasons)) == (False, True)
    return texts(report.reasons)


def test_nothing_handed_in_is_nothing_in_the_way_X4(desk: DeskWorld) -> None:
    desk.create()
    report = validate(desk)
    assert (report.complete, report.tasks, report.scope, report.reasons) == (True, 0, "everything submitted", ())


def test_reviewed_ruled_approved_merged_and_green_is_complete_X4(world: GitWorld) -> None:
    configure(world, AT_ONCE + LINT)
    task = deliver(world)
    (name,) = review(world, task, [issue(), issue("a name", "LOW")]).raised[:1]
    next_attempt(world, task, {"x.py": "x = 1\n"})
    rule(world, {name: "VERIFIED"})
    check(world, task)
    world.approve(BOB, task)
    assert f"{task} is approved but not merged" in told(world)
    assert merge(world) == {task: "merged"}
    assert validate(world).complete


@pytest.mark.parametrize("state", ["open", "claimed", "disputed"])
def test_unresolved_blocking_findings_are_named_X4(desk: DeskWorld, state: str) -> None:
    configure(desk, KEPT)
    task = desk.submitted_task()
    names = review(desk, task, [issue("a"), issue("b", "LOW")]).raised
    if state != "open":
        respond(desk, task, {names[0]: "FIXED" if state == "claimed" else "REJECTED"})
    said = told(desk)
    assert f"Unresolved blocking review issues: {names[0]} ({task})" in said
    assert names[1] not in said
    assert validate(desk).blocking == {task: [names[0]]}


def test_more_findings_than_a_line_holds_are_counted_X4(desk: DeskWorld) -> None:
    configure(desk, KEPT)
    review(desk, desk.submitted_task(), [issue(f"problem {n}") for n in range(14)])
    assert "and 4 more" in told(desk)


def test_a_missing_review_an_approval_that_was_not_merged_and_work_that_came_back_X4(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    waiting, agreed, back = deliver(world), approved(world), deliver(world, actor=GEMINI)
    world.app.feedback.redo(BOB, back, "again")
    said = told(world)
    assert f"{waiting} is waiting for review" in said
    assert f"{agreed} is approved but not merged" in said
    assert f"{back} was submitted but is open again" in said


def test_rejected_work_is_not_done_X4(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    desk.app.feedback.reject(BOB, task, "no")
    assert f"{task} was submitted but is blocked" in told(desk)


def test_work_that_landed_unapproved_X4_K4(world: GitWorld) -> None:
    task = world.create()
    world.start(CLAUDE, task)
    world.checkout.commit("landed.py", "x = 1\n", session=CLAUDE)
    world.submit(CLAUDE, task)
    assert f"the work of {task} is on the target branch without an approval" in told(world)
    world.approve(BOB, task)
    assert validate(world).complete


@pytest.mark.parametrize(
    ("run", "word"),
    [(None, "has not run"), (Ran(exit_code=1), "failed"), (Ran(exit_code=None, timed_out=True), "timed out")],
)
def test_a_required_check_that_is_red_on_the_target_or_never_ran_there_X4_G1(
    world: GitWorld, run: Ran | None, word: str
) -> None:
    configure(world, LINT)
    if run is not None:
        world.outside.runner.answers["lint"] = run
        world.outside.runner.during = lambda: None  # so it ends like this on the target as well
        world.app.checks.run_target(CI)
    assert "required check lint" in told(world)
    assert word in told(world)
    world.outside.runner.answers["lint"] = Ran(exit_code=0)
    world.app.checks.run_target(CI, again=word == "failed")  # what broke says nothing, and is run again by itself
    assert validate(world).complete
    world.checkout.commit("more.py", "x = 1\n", message="the target moves on")
    assert "has not run" in told(world)


def test_a_waiver_that_ran_out_on_unmerged_work_X4_E3(desk: DeskWorld) -> None:
    configure(desk, KEPT)
    task = desk.submitted_task()
    (name,) = review(desk, task, [issue()]).raised
    desk.app.findings.waive(BOB, name, "for now", days=1)
    assert name not in told(desk)
    desk.clock.advance(hours=24)
    assert f"a waiver has expired: {name} ({task})" in told(desk)


def test_a_waiver_that_runs_out_after_the_merge_is_in_nobodys_way_X4(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task = deliver(world)
    (name,) = review(world, task, [issue()]).raised
    world.app.findings.waive(BOB, name, "for now", days=1)
    next_attempt(world, task, {"x.py": "x = 1\n"}, answers={})
    world.approve(BOB, task)
    merge(world)
    world.clock.advance(hours=48)
    report = validate(world)
    assert report.complete
    assert any(f"{task}: {name} is waived until " in note for note in report.notes), "it stays on every report (E3)"


def test_a_blocking_finding_in_merged_work_is_in_the_way_X4(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task = approved(world)
    merge(world)
    assert validate(world).complete
    name = world.app.findings.add(BOB, task, ReportedFinding(severity="CRITICAL", title="it deletes the table")).id
    assert name in told(world)


def test_break_glass_over_a_red_check_is_in_nobodys_way_once_it_is_merged_and_the_target_says_the_rest_X4(
    world: GitWorld,
) -> None:
    configure(world, AT_ONCE + KEPT + LINT)
    task = deliver(world)
    answers(world, "lint", Ran(exit_code=1))
    check(world, task)
    world.app.decisions.approve(BOB, task, declaration=Declaration(break_glass="the shop is down"))
    said = told(world)
    assert f"{task} is approved but not merged" in said
    assert "required check lint" in said


def test_cancelled_tasks_and_work_closed_unmerged_do_not_count_X4(desk: DeskWorld) -> None:
    configure(desk, KEPT)
    cancelled, closed = desk.create(), desk.submitted_task()
    review(desk, closed, [issue()])
    desk.app.closing.cancel(ALICE, cancelled)
    desk.app.feedback.redo(BOB, closed, "no")
    desk.app.closing.close(BOB, closed)
    assert validate(desk).complete


def test_a_scope_looks_at_its_own_tasks_only_X4(desk: DeskWorld) -> None:
    configure(desk, KEPT)
    mine, other = desk.submitted_task(labels=["release"], group="auth"), desk.submitted_task(GEMINI)
    review(desk, other, [issue()])
    for scope in ({"tasks": [mine]}, {"label": "release"}, {"group": "auth"}):
        said = told(desk, **scope)
        assert (mine in said, other in said) == (True, False)
    desk.app.closing.close(BOB, mine)
    for scope in ({"tasks": [mine]}, {"label": "release"}, {"group": "auth"}):
        assert validate(desk, **scope).complete
    assert other in told(desk, tasks=[other])
    assert not validate(desk).complete


def test_a_task_that_is_not_there_is_no_empty_scope_X4_G1(desk: DeskWorld) -> None:
    with pytest.raises(NotFound):
        validate(desk, tasks=["fe-zzzz"])


def test_looking_writes_nothing_and_everybody_gets_the_same_answer_G3_D7(desk: DeskWorld) -> None:
    configure(desk, KEPT)
    review(desk, desk.submitted_task(), [issue()])
    with desk.unchanged():
        assert len({texts(validate(desk, who).reasons) for who in (ALICE, BOB, CI, CLAUDE, CODEX)}) == 1


def test_a_scope_that_no_task_is_in_was_mistyped_X4(desk: DeskWorld) -> None:
    desk.create(labels=["sprint-4"], group="web")
    assert desk.app.validation.validate(BOB, label="sprint-4").complete
    assert desk.app.validation.validate(BOB, group="web").complete
    for scope in ({"label": "sprint-5"}, {"group": "wev"}, {"label": "sprint-4", "group": "sprint-4"}):
        with pytest.raises(NotFound, match="no task has the"):
            desk.app.validation.validate(BOB, **scope)


def test_a_waiver_is_on_the_approval_and_on_every_report_after_it_E3(desk: DeskWorld) -> None:
    task = desk.submitted_task(labels=["review:per-task"])
    (name,) = review(desk, task, [issue()]).raised
    desk.app.findings.waive(BOB, name, "next release")
    said = f"{task}: {name} is waived until"
    assert [note for note in desk.approve(BOB, task).notes if note.startswith(said)]
    assert any(note.startswith(said) for note in desk.app.validation.validate(BOB).notes)


def test_complete_without_a_scope_says_what_it_does_not_cover_X4(desk: DeskWorld) -> None:
    assert report_text(validate(desk)) == "complete: everything submitted"
    first, second, third, gone = desk.create(), desk.create(), desk.create(), desk.create()
    desk.start(CLAUDE, second)
    desk.app.closing.cancel(BOB, gone, reason="not needed")
    assert report_text(validate(desk)) == "complete: everything submitted; 3 tasks are open"
    assert report_text(validate(desk, tasks=[first, third])) == f"complete: {' '.join(sorted([first, third]))}"
