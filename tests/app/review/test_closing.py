"""Closing without an approval (C), cancel, delete, reopen, epics (T5)."""

from __future__ import annotations

from foureyes.app.results.task_list import ListQuery
from foureyes.ui.steps import steps_text

from tests.stage.people import ALICE, BOB, CLAUDE, CODEX, GEMINI, agent, marked
from tests.stage.world import DeskWorld, GitWorld


def test_the_table_of_C1(desk: DeskWorld) -> None:
    close = desk.app.closing.close
    untouched = desk.create(CODEX)
    with desk.refused("C1") as caught:
        close(CODEX, untouched)
    assert steps_text(caught[0].reasons[0].next) == f"fe cancel {untouched}"
    assert close(GEMINI, untouched, reason="not needed").status == "closed"

    implemented = desk.submitted_task(CLAUDE, creator=CODEX)
    with desk.refused("C1"):
        close(CLAUDE, implemented)
    assert close(CODEX, implemented).status == "closed"

    given_back = desk.create()
    desk.start(CLAUDE, given_back)
    desk.app.claims.unstart(CLAUDE, given_back)
    with desk.refused("C1"):
        close(CLAUDE, given_back)
    assert close(CODEX, given_back).status == "closed"


def test_the_maker_of_its_own_task_closes_it_only_by_an_audited_exception_C1_P8(desk: DeskWorld) -> None:
    task = desk.submitted_task(CLAUDE, creator=CLAUDE)
    with desk.refused("C1"):
        desk.app.closing.close(CLAUDE, task, exception="  ")
    done = desk.app.closing.close(CLAUDE, task, exception="wrong repository")
    assert "recorded as an exception: fe audit log --exceptions" in done.notes
    (event,) = desk.app.audit.exceptions()
    assert (event.kind, event.rule, event.reason, event.task) == ("self_close", "C1", "wrong repository", task)
    assert [log.type for log in desk.show(task).logs] == ["security"]


def test_a_live_claim_is_closed_only_by_a_person_or_the_creator_C1(desk: DeskWorld) -> None:
    task = desk.create(CODEX)
    desk.start(CLAUDE, task)
    with desk.refused("C1"):
        desk.app.closing.close(GEMINI, task)
    assert desk.app.closing.close(CODEX, task).status == "closed"
    other = desk.create(CODEX)
    desk.start(CLAUDE, other)
    assert desk.app.closing.close(BOB, other).status == "closed"


def test_anyone_closes_a_minor_task_and_its_maker_on_the_record_C1_P10(desk: DeskWorld) -> None:
    desk.app.closing.close(CODEX, desk.submitted_task(minor=True))
    assert desk.app.audit.exceptions() == []
    desk.app.closing.close(CLAUDE, desk.submitted_task(minor=True))
    assert [row.kind for row in desk.app.audit.exceptions()] == ["minor"]


def test_the_same_origin_counts_as_the_maker_C1_I3(desk: DeskWorld) -> None:
    task = desk.submitted_task(agent("claude", 1, evidence=["conversation:x"]))
    with desk.refused("C1"):
        desk.app.closing.close(agent("claude", 2, evidence=["conversation:x"]), task)
    with desk.refused("C1"):
        desk.app.closing.close(marked(), task)


def test_closing_merges_nothing_and_the_work_is_listed_C2(world: GitWorld) -> None:
    task = world.submitted_task()
    main = world.checkout.head("main")
    done = world.app.closing.close(BOB, task, reason="we need it no more")
    assert done.notes == ("its work was not merged. To see such tasks: fe list --unmerged",)
    assert world.checkout.head("main") == main
    assert (world.ids_of(unmerged=True), world.counts()["unmerged"]) == ([task], 1)
    world.app.closing.reopen(BOB, task)
    assert (world.ids_of(unmerged=True), world.counts()["unmerged"]) == ([], 0)


def test_closing_work_without_code_leaves_nothing_unmerged_C2(world: GitWorld) -> None:
    task = world.create()
    world.start(CLAUDE, task)
    world.submit(CLAUDE, task, no_code=True)
    world.app.closing.close(BOB, task)
    assert world.ids_of(unmerged=True) == []


def test_from_reviewing_a_close_needs_the_gate_conditions_C3(world: GitWorld) -> None:
    task = world.submitted_task()
    world.app.stops.hold(ALICE, task, "legal")
    with world.refused("D3"):
        world.app.closing.close(BOB, task)
    world.app.stops.resume(ALICE, task, "fine")
    world.checkout.commit("work.py", "moved on\n", session=CLAUDE)
    with world.refused("D4"):
        world.app.closing.close(BOB, task)
    world.submit(CLAUDE, task)
    assert world.app.closing.close(BOB, task).status == "closed"


def test_closing_again_is_a_no_op(desk: DeskWorld) -> None:
    task = desk.create()
    desk.app.closing.close(BOB, task)
    with desk.unchanged():
        assert not desk.app.closing.close(CLAUDE, task).changed


def test_approved_and_deferred_tasks_are_not_closed_T2(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    desk.approve(CODEX, task)
    with desk.refused("T2"):
        desk.app.closing.close(BOB, task)
    deferred = desk.create()
    desk.app.stops.defer(BOB, deferred)
    with desk.refused("T2"):
        desk.app.closing.close(BOB, deferred)


# Cancel and delete


def test_cancel_is_for_the_creator_or_a_person_and_for_work_nobody_began(desk: DeskWorld) -> None:
    task = desk.create(CODEX)
    with desk.refused("T2"):
        desk.app.closing.cancel(CLAUDE, task)
    desk.app.closing.cancel(CODEX, task, reason="planned twice")
    assert (desk.status(task), desk.task(task).resolution) == ("closed", "cancelled")
    with desk.unchanged():
        assert not desk.app.closing.cancel(CODEX, task).changed
    begun = desk.create(CODEX)
    desk.start(CLAUDE, begun)
    with desk.refused("T2") as caught:
        desk.app.closing.cancel(ALICE, begun)
    assert steps_text(caught[0].reasons[0].next) == f'a person runs: fe close {begun} -m "why"'
    desk.app.claims.unstart(CLAUDE, begun)
    with desk.refused("T2"):
        desk.app.closing.cancel(ALICE, begun)


def test_delete_hides_from_lists_and_counts_and_keeps_the_journal(desk: DeskWorld) -> None:
    task = desk.create(title="findable words")
    desk.app.closing.delete(ALICE, task)
    assert (desk.ids_of(), desk.ids_of(text="findable"), desk.ids_of(status="closed")) == ([], [], [])
    assert sum(desk.counts()[status] for status in ("open", "closed")) == 0
    assert desk.kinds(task) == ["TaskCreated", "TaskDeleted"]
    with desk.unchanged():
        assert not desk.app.closing.delete(ALICE, task).changed


def test_delete_is_allowed_exactly_where_cancel_is(desk: DeskWorld) -> None:
    task = desk.create(CODEX)
    desk.start(CLAUDE, task)
    for actor in (CODEX, ALICE):
        with desk.refused("T2"):
            desk.app.closing.delete(actor, task)


def test_a_reopened_deleted_task_is_found_by_its_words_again(desk: DeskWorld) -> None:
    task = desk.create(title="findable words")
    desk.app.closing.delete(ALICE, task)
    desk.app.closing.reopen(ALICE, task)
    assert (desk.ids_of(), desk.counts()["open"]) == ([task], 1)
    assert desk.ids_of(text="findable") == [task]


# Reopen


def test_reopen_ends_approvals_and_keeps_history_and_authors_I8(world: GitWorld) -> None:
    task = world.submitted_task()
    world.approve(CODEX, task)
    world.checkout.switch("main")
    world.checkout.git("merge", "-q", "--no-ff", "--no-edit", f"fe/{task}")
    world.app.merges.process(BOB)
    world.app.closing.reopen(GEMINI, task, reason="it came back")
    found = world.show(task)
    assert (found.task.status, found.task.merge, found.task.closed_at, found.task.resolution) == (
        "open",
        None,
        None,
        "",
    )
    assert [(row.state, row.ended_why) for row in found.approvals] == [("ended", "reopened")]
    assert found.authors == [CLAUDE.session]
    assert len(found.attempts) == 1
    assert {"created", "started", "submitted", "approved"} == {entry.action for entry in found.history}


def test_reopen_only_what_is_closed_or_blocked_T2(desk: DeskWorld) -> None:
    for task in (desk.create(), desk.submitted_task()):
        with desk.refused("T2"):
            desk.app.closing.reopen(BOB, task)


def test_a_maker_stays_a_maker_after_reopening_I8_P2(world: GitWorld) -> None:
    task = world.submitted_task()
    world.app.closing.close(BOB, task)
    world.app.closing.reopen(BOB, task)
    world.start(CODEX, task)
    world.checkout.switch("main")
    world.checkout.branch("second")
    world.checkout.commit("second.py", session=CODEX)
    world.submit(CODEX, task)
    with world.refused("P2"):
        world.approve(CLAUDE, task, reason="that was the other attempt")


# Epics


def test_an_epic_never_closes_by_itself_T5(desk: DeskWorld) -> None:
    epic = desk.create(CODEX, type="epic")
    child = desk.submitted_task(CLAUDE, parent=epic)
    with desk.refused("T5"):
        desk.app.closing.close(CODEX, epic)
    desk.app.closing.close(BOB, child)
    assert desk.status(epic) == "open"
    with desk.refused("C1"):
        desk.app.closing.close(CLAUDE, epic)
    assert desk.app.closing.close(CODEX, epic).status == "closed"
    assert desk.app.audit.exceptions() == []


def test_a_deleted_child_is_no_child_T5(desk: DeskWorld) -> None:
    epic = desk.create(CODEX, type="epic")
    desk.app.closing.close(BOB, desk.submitted_task(CLAUDE, parent=epic))
    gone = desk.create(parent=epic)
    with desk.refused("T5"):
        desk.app.closing.close(CODEX, epic)
    desk.app.closing.delete(ALICE, gone)
    assert desk.app.closing.close(CODEX, epic).status == "closed"


def test_the_creator_of_an_epic_without_children_cancels_it_C1_T5(desk: DeskWorld) -> None:
    epic = desk.create(CODEX, type="epic")
    with desk.refused("C1"):
        desk.app.closing.close(CODEX, epic)
    assert [row.id for row in desk.app.lists.page(ListQuery(type="epic"))] == [epic]
