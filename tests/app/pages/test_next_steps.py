"""The next step on a page is a value of its view, the same for every face (G2)."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import msgspec
import pytest

from foureyes.app.pages.next_steps import after_queue, after_status
from foureyes.app.results.status import AttentionRow, AttentionView, StatusView
from foureyes.app.results.task_list import ListQuery
from foureyes.core.words.lifecycle import STATUSES
from foureyes.steps import NO_STEP, fe, prose
from foureyes.ui.cli.status import status_text
from foureyes.ui.steps import steps_text

from tests.stage.gated import configure
from tests.stage.looped import play
from tests.stage.people import ALICE, BOB, CLAUDE, CODEX
from tests.stage.world import DeskWorld, GitWorld


def status(*, counts: dict[str, int] | None = None, **fields: Any) -> StatusView:
    usual = defaultdict(int, {**dict.fromkeys((*STATUSES, "ready"), 0), **(counts or {})})
    return StatusView(
        project="shop", target="main", policy="strict", policy_source="default",
        counts=usual, **({"reviewable": 0} | fields),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("view", "step"),
    [
        (status(), 'fe create "your first task"'),
        (status(counts={"closed": 2}), 'fe create "your next task"'),
        (status(counts={"closed": 2, "in_progress": 1}), "fe list"),
        (status(counts={"closed": 2, "reviewing": 1}), "fe queue"),
        (status(counts={"approved": 1}), "fe merge"),
        (status(counts={"approved": 1, "ready": 1}), "fe list --ready      then   an agent runs: fe next"),
        (status(counts={"ready": 1}, hold="stop"), 'a person runs: fe resume --project -m "why"'),
        (status(counts={"ready": 1}, hold="stop", reviewable=2), "fe list --reviewable      2 wait for your review"),
        (status(reviewable=20, reviewable_more=True), "fe list --reviewable      20 or more wait for your review"),
    ],
)
def test_the_status_leads_to_what_waits_for_the_caller_first(view: StatusView, step: str) -> None:
    assert steps_text(after_status(view, ALICE)) == step


def test_the_status_carries_its_next_step(desk: DeskWorld) -> None:
    assert steps_text(desk.app.status.show(ALICE).next) == 'fe create "your first task"'
    desk.create(ALICE)
    assert steps_text(desk.app.status.show(ALICE).next) == "fe list --ready      then   an agent runs: fe next"
    assert steps_text(desk.app.status.show(CLAUDE).next) == "fe list --ready      then   fe start ID"


def test_no_step_leads_a_person_to_a_claim_which_would_make_them_an_author_P2(desk: DeskWorld) -> None:
    task = desk.create(ALICE)
    desk.app.closing.cancel(ALICE, task)
    assert steps_text(desk.app.closing.reopen(ALICE, task).next) == f"an agent runs: fe start {task}"
    desk.start(ALICE, task)
    assert steps_text(desk.app.claims.unstart(ALICE, task).next) == "an agent runs: fe next"


def test_a_person_who_started_it_is_told_that_the_work_in_review_is_for_others_P2_P13(desk: DeskWorld) -> None:
    task = desk.submitted_task(ALICE)
    page = desk.app.lists.reviewable(ALICE, ListQuery())
    assert (page.rows, page.missing) == ([], [])
    (row,) = page.barred
    assert (row.task.id, row.you.may_approve, [reason.rule for reason in row.you.reasons]) == (task, False, ["P2"])
    assert all(step.who == "other" for step in row.next.steps)
    assert desk.app.lists.reviewable(BOB, ListQuery()).barred == []


def test_the_status_ends_with_what_moves_the_first_thing_that_only_a_person_moves_E6(desk: DeskWorld) -> None:
    configure(desk, "")
    task = play(desk, [0, 0, 0, 0], found=1)
    for actor in (ALICE, CLAUDE):
        (row,) = desk.app.attention.view(actor).rows
        assert (row.kind, row.task, desk.app.status.show(actor).next) == ("loop", task, row.next)
    held = desk.create(ALICE)
    desk.app.stops.hold(ALICE, held, "look first")
    assert steps_text(desk.app.status.show(ALICE).next) == f'fe resume {held} -m "why"'


def test_a_task_leads_from_start_over_submit_to_a_look_and_an_approval(desk: DeskWorld) -> None:
    task = desk.create(ALICE)
    assert steps_text(desk.show(task, CLAUDE).next) == f"fe start {task}"
    assert steps_text(desk.show(task).next) == f"an agent runs: fe start {task}", "who starts it is its author (P2)"
    desk.start(CLAUDE, task)
    assert steps_text(desk.show(task).next) == f"fe submit {task}"
    task = desk.submitted_task(CLAUDE)
    seen = desk.show(task).attempts[-1].seen
    assert steps_text(desk.show(task, CLAUDE).next) == f"someone else runs: fe approve {task} --seen {seen}"
    assert steps_text(desk.show(task, BOB).next) == f"fe show {task} --diff      then   fe approve {task} --seen {seen}"
    beside_the_diff = desk.app.lists.show(BOB, task, with_diff=True)
    assert steps_text(beside_the_diff.next) == f"fe approve {task} --seen {seen}"
    cancelled = desk.create(ALICE)
    desk.app.closing.cancel(ALICE, cancelled)
    assert desk.show(cancelled).next == NO_STEP


def test_who_may_not_approve_is_led_to_what_removes_the_first_reason_and_to_nothing_that_is_refused(
    desk: DeskWorld,
) -> None:
    task = desk.submitted_task(CLAUDE)
    desk.repo.commit(f"fe/{task}", sessions=[CLAUDE.session])
    assert steps_text(desk.show(task, CLAUDE).next) == f"fe submit {task}"
    assert steps_text(desk.show(task, BOB).next) == f"fe submit {task}", "a person may submit for an agent"
    assert steps_text(desk.show(task, CODEX).next) == f"its author runs: fe submit {task}"
    held = desk.submitted_task(CLAUDE)
    desk.app.stops.hold(BOB, held, "look first")
    assert steps_text(desk.show(held, CODEX).next) == f'a person runs: fe resume {held} -m "why"'


def test_an_approved_task_is_led_on_by_what_the_merge_queue_says_of_it_Q0_D5(desk: DeskWorld) -> None:
    below = desk.submitted_task()
    task = desk.submitted_task()
    desk.approve(BOB, task)
    assert steps_text(desk.show(task, ALICE).next) == "fe merge --wait", "it settles"
    assert steps_text(desk.show(task, CODEX).next) == "a person or CI runs: fe merge --wait"
    desk.clock.advance(hours=1)
    assert steps_text(desk.show(task, ALICE).next) == "fe merge"
    desk.app.tasks.add_dependency(ALICE, task, [below])
    assert steps_text(desk.show(task, ALICE).next) == f"fe show {below}"
    desk.app.stops.hold(ALICE, None, "a freeze")
    assert steps_text(desk.show(task, ALICE).next) == 'a person runs: fe resume --project -m "why"'


def test_what_the_maker_has_to_take_out_is_no_command_for_a_reviewer_A7(desk: DeskWorld) -> None:
    one = desk.submitted_task()
    two = desk.started(CODEX)
    desk.repo.branches[f"refs/heads/fe/{two}"] = list(desk.repo.branches[f"refs/heads/fe/{one}"])
    desk.repo.commit(f"fe/{two}")
    desk.submit(CODEX, two)
    desk.app.feedback.reject(BOB, one, "never")
    rebase = steps_text(desk.show(two, CODEX).next)
    assert rebase.startswith("git rebase --onto ")
    for reader in (ALICE, CLAUDE):
        assert steps_text(desk.show(two, reader).next).startswith(f"its author runs: {rebase.split(',')[0]}")


def test_the_queue_leads_to_the_first_change_that_the_caller_may_approve(desk: DeskWorld) -> None:
    assert steps_text(desk.app.queue.view(BOB).next) == "fe list --ready"
    mine, other = desk.submitted_task(CODEX, priority=0), desk.submitted_task(CLAUDE, priority=4)
    assert [row.task for row in desk.app.queue.view(CODEX).rows] == [mine, other]
    assert steps_text(desk.app.queue.view(CODEX).next) == f"fe show {other} --diff"
    assert steps_text(desk.app.queue.view(BOB).next) == f"fe show {mine} --diff"
    rows = desk.app.queue.view(BOB).rows
    assert steps_text(after_queue(rows, 2)) == f"fe show {mine} --diff      fe approve --all-auto"


def test_a_limited_queue_counts_all_and_leads_to_what_it_shows(desk: DeskWorld) -> None:
    mine, other = desk.submitted_task(CODEX, priority=0), desk.submitted_task(CLAUDE, priority=4)
    view = desk.app.queue.view(CODEX, limit=1)
    assert (view.count, [row.task for row in view.rows]) == (2, [mine])
    assert steps_text(view.next) == f"fe show {mine} --diff"
    whole = desk.app.queue.view(CODEX)
    assert [row.task for row in whole.rows] == [mine, other]
    assert msgspec.structs.replace(whole, rows=view.rows, next=view.next) == view


def test_an_epic_leads_to_its_tasks_and_never_to_a_claim_T4(desk: DeskWorld) -> None:
    made = desk.app.tasks.create(ALICE, "Shop", type="epic")
    epic = made.task
    assert steps_text(made.next) == steps_text(desk.show(epic).next) == f'fe create "a task of it" --parent {epic}'
    desk.create(parent=epic)
    assert steps_text(desk.show(epic).next) == f"fe list --parent {epic}"


def test_what_is_open_adds_up_in_the_status_line(desk: DeskWorld) -> None:
    epic, held, ready = desk.create(type="epic"), desk.create(), desk.create()
    desk.create(depends_on=[ready], parent=epic)
    desk.app.stops.hold(ALICE, held, "freeze")
    said = status_text(desk.app.status.show(ALICE), desk.app.attention.view(ALICE))
    assert "open 4 (1 ready, 1 waiting, 1 epic, 1 stopped)" in said


def test_what_stopped_merging_is_said_once_and_the_way_back_with_it_Q6() -> None:
    note = prose("main lacks the last recorded merge: ") + fe("target", "accept")
    row = AttentionRow(id="m", kind="merge", text="main lacks the last recorded merge", next=fe("target", "accept"))
    view = status(notes=(note,), stopped=note)
    assert status_text(view, AttentionView(rows=(row,))).count("lacks the last recorded merge") == 1
    assert status_text(view, AttentionView()).count("lacks the last recorded merge") == 1
    other = status(notes=(prose("main lacks the last recorded merge mapped differently"), note), stopped=note)
    assert status_text(other, AttentionView(rows=(row,))).count("mapped differently") == 1, "that is another note"


def test_what_is_stale_does_not_wait_for_anybodys_eyes_P13_D4(world: GitWorld) -> None:
    task = world.submitted_task(CLAUDE)
    assert world.app.status.show(CODEX).reviewable == 1
    world.checkout.commit("more.py", "more\n")
    view = world.app.status.show(CODEX)
    assert (view.reviewable, world.app.queue.view(CODEX).approvable) == (0, 0), task
