"""Run-wide cycles to their decision (V8, V9): each rule over several targets, what it pauses, and what lifts that."""

from __future__ import annotations

from typing import Any

from foureyes.core.nouns.session import Actor
from foureyes.ui.steps import steps_text

from tests.stage.cycled import CONCERN, PEERS, QWEN, begun, look_review, pauses
from tests.stage.gated import configure
from tests.stage.looped import review
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, GEMINI
from tests.stage.world import DeskWorld

REVIEWERS = (CODEX, GEMINI)
BLOCKER: dict[str, Any] = {"verdict": "blocker", "summary": "it deletes the database"}


def wide(desk: DeskWorld, *, of: int = 2) -> list[str]:
    """Work of claude in the middle of it, and a look at all of it that codex and gemini are asked about."""
    configure(desk, PEERS)
    tasks = [begun(desk) for _ in range(of)]
    desk.app.cycles.now(ALICE, reason="before I leave")
    return tasks


def all_but(desk: DeskWorld, tasks: list[str], *said: tuple[Actor, str]) -> None:
    """Everybody agrees about every target, but these."""
    for task in tasks:
        for by in REVIEWERS:
            if (by, task) not in said:
                look_review(desk, by, task)


def rule(desk: DeskWorld, cycle: str = "c-1") -> str:
    return desk.app.cycles.show(cycle).rule


def submit_work(desk: DeskWorld, task: str) -> None:
    desk.submit(CLAUDE, task, branch=f"fe/{task}")


def test_all_who_were_asked_about_each_target_agree_R4_V8(desk: DeskWorld) -> None:
    tasks = wide(desk, of=3)
    all_but(desk, tasks, (GEMINI, tasks[2]))
    assert (rule(desk), desk.app.cycles.show("c-1").waits_for) == ("", ("gemini",)), "about one target"
    look_review(desk, GEMINI, tasks[2])
    assert (rule(desk), pauses(desk), desk.app.cycles.issues()) == ("R4", set(), [])


def test_a_blocker_about_one_target_holds_each_and_pauses_everything_R1_V9(desk: DeskWorld) -> None:
    tasks = wide(desk)
    look_review(desk, CODEX, tasks[0], **BLOCKER)
    assert rule(desk) == "R1"
    assert [bool(desk.show(task).task.hold) for task in tasks] == [True, True]
    assert [(row.task, row.rule) for row in desk.app.runs.blocked_work().pauses] == [("", "R1")]
    assert [row.task for row in desk.app.cycles.issues()] == [tasks[0]], "of the other one nobody said anything"
    assert steps_text(desk.app.cycles.show("c-1").next).count("fe resume") == 3
    for task in tasks:
        desk.app.stops.resume(ALICE, task, "I looked")
    assert pauses(desk) == {"c-1"}, "what pauses everything is lifted by itself"
    desk.app.stops.resume(ALICE, None, "I looked")
    assert pauses(desk) == set()


def test_concerns_of_two_about_different_targets_pause_everything_and_are_clarified_together_R2_V9(
    desk: DeskWorld,
) -> None:
    tasks = wide(desk)
    look_review(desk, CODEX, tasks[0], **CONCERN)
    look_review(desk, GEMINI, tasks[1], **CONCERN)
    all_but(desk, tasks, (CODEX, tasks[0]), (GEMINI, tasks[1]))
    assert (rule(desk), pauses(desk)) == ("R2", {"c-1"})
    points = desk.app.cycles.show("c-1").points
    assert [(point.task, point.reviewer) for point in points] == [(tasks[0], "codex"), (tasks[1], "gemini")]
    with desk.refused("R2"):
        desk.app.cycles.clarify(QWEN, "c-1", "p1", "it is fine")
    desk.app.cycles.clarify(CLAUDE, "c-1", "p1", "the salt is in the hash")
    assert desk.app.cycles.clarify(CLAUDE, "c-1", "p2", "this one needs none").cycle == "c-2"
    assert (desk.app.cycles.show("c-2").wide, pauses(desk)) == (True, {"c-1"})
    all_but(desk, tasks)
    assert (rule(desk, "c-2"), pauses(desk)) == ("R4", set())


def test_one_who_has_concerns_about_all_is_one_and_flags_each_R3(desk: DeskWorld) -> None:
    tasks = wide(desk, of=3)
    for task in tasks[:2]:
        look_review(desk, CODEX, task, **CONCERN)
    all_but(desk, tasks, (CODEX, tasks[0]), (CODEX, tasks[1]))
    assert (rule(desk), pauses(desk)) == ("R3", set())
    assert sorted(row.task for row in desk.app.cycles.issues()) == sorted(tasks[:2])


def test_one_target_that_too_few_looked_at_is_R0_and_told_alone_R0_V8(desk: DeskWorld) -> None:
    tasks = wide(desk)
    for by in REVIEWERS:
        look_review(desk, by, tasks[0])
    desk.clock.wait(31 * 60)
    (done,) = desk.app.cycles.decide(CI)
    assert (done.rule, pauses(desk)) == ("R0", set())
    assert any(reason.startswith(f"{tasks[1]}: 0 of 1") for reason in desk.app.cycles.show("c-1").reasons)
    assert [row.task for row in desk.app.cycles.issues()] == [tasks[1]]


def test_a_target_that_is_handed_in_leaves_and_the_others_decide_V4_V8(desk: DeskWorld) -> None:
    tasks = wide(desk)
    look_review(desk, CODEX, tasks[0], **CONCERN)
    submit_work(desk, tasks[0])
    for by in REVIEWERS:
        look_review(desk, by, tasks[1])
    assert rule(desk) == "R4"


def test_a_submission_does_not_lift_the_hold_of_a_blocker_R1(desk: DeskWorld) -> None:
    tasks = wide(desk)
    look_review(desk, CODEX, tasks[0], **BLOCKER)
    submit_work(desk, tasks[0])
    assert desk.show(tasks[0]).task.hold == "codex#1 reported a blocker: it deletes the database"


def test_what_moved_on_is_nobody_s_question_and_the_others_run_again_R2(desk: DeskWorld) -> None:
    tasks = wide(desk)
    for by, task in zip(REVIEWERS, tasks, strict=True):
        look_review(desk, by, task, **CONCERN)
    asked = {point.id: point.task for point in desk.app.cycles.show("c-1").points}
    for point, task in asked.items():
        if task == tasks[0]:
            desk.app.cycles.clarify(CLAUDE, "c-1", point, "it is there")
    submit_work(desk, tasks[1])
    desk.app.cycles.decide(CI)
    again = next(view for view in desk.app.cycles.listed() if view.trigger == "CLARIFIED")
    assert [target.task for target in again.targets] == [tasks[0]]


def test_what_pauses_everything_goes_once_each_target_s_newer_attempt_is_judged_V9_R2(desk: DeskWorld) -> None:
    tasks = wide(desk)
    for task in tasks:
        for by in REVIEWERS:
            look_review(desk, by, task, **CONCERN)
    for task in tasks:
        submit_work(desk, task)
    assert (desk.app.cycles.show("c-1").state, pauses(desk)) == ("ended", {"c-1"})
    for by in REVIEWERS:
        review(desk, tasks[0], by=by)
    assert pauses(desk) == {"c-1"}, "the other one is not judged yet"
    for by in REVIEWERS:
        review(desk, tasks[1], by=by)
    assert pauses(desk) == set()


def test_silence_is_a_wide_cycle_of_the_silent_alone_V1_V9(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    tasks = [begun(desk) for _ in range(3)]
    runner = desk.app.runs.begin(ALICE, agents=1).actor
    desk.app.cycles.open(runner, "TIMEOUT_FALLBACK", tasks[:2], reason="nothing was heard", wide=True)
    assert desk.app.cycles.open(runner, "TIMEOUT_FALLBACK", tasks[:2], wide=True).changed is False
    all_but(desk, tasks[:2], (CODEX, tasks[0]))
    look_review(desk, CODEX, tasks[0], **BLOCKER)
    assert (rule(desk), pauses(desk), desk.show(tasks[2]).task.hold) == ("R1", {"c-1"}, None)


def test_a_person_s_redo_of_one_target_does_not_lift_what_pauses_everything_V9(desk: DeskWorld) -> None:
    tasks = wide(desk)
    for task in tasks:
        for by in REVIEWERS:
            look_review(desk, by, task, **CONCERN)
    submit_work(desk, tasks[0])
    desk.app.feedback.redo(BOB, tasks[0], "say more")
    assert pauses(desk) == {"c-1"}


def test_one_more_is_asked_about_the_target_that_too_few_looked_at_and_about_no_other_R0_V4(desk: DeskWorld) -> None:
    configure(desk, PEERS.replace('"gemini"]', '"gemini", "qwen"]').replace("ask = 2", "ask = 1"))
    tasks = [begun(desk) for _ in range(2)]
    desk.app.cycles.now(ALICE, reason="before I leave")
    asked = {row.task: row.reviewer for row in desk.app.cycles.show("c-1").requested}
    by = {"codex": CODEX, "gemini": GEMINI, "qwen": QWEN}
    look_review(desk, by[asked[tasks[0]]], tasks[0])
    look_review(desk, by[asked[tasks[1]]], tasks[1], files_reviewed=[])
    silent = [row.task for row in desk.app.cycles.show("c-1").requested if row.state == "asked"]
    assert silent == [tasks[1]]
