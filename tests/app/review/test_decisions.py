"""Decisions over real git: approve (D, P), withdraw, redo, reject, and what was merged by hand (A3)."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from foureyes.app.results.task_list import ListQuery
from foureyes.errors import Conflict, GitProblem, Refused
from foureyes.ui.cli.decisions import approve_text
from foureyes.ui.steps import steps_text

from tests.stage.people import ALICE, BOB, CLAUDE, CODEX, GEMINI, agent, child_of, marked
from tests.stage.world import DeskWorld, GitWorld


def test_a_different_pair_of_eyes_approves_P7(world: GitWorld) -> None:
    task = world.submitted_task()
    done = world.approve(CODEX, task, reason="read it")
    assert (done.rule, done.status, done.exception, done.security_event, done.changed) == (
        "P7",
        "approved",
        False,
        None,
        True,
    )
    (approval,) = world.show(task).approvals
    assert (approval.session, approval.attempt, approval.state, approval.reason) == (
        CODEX.session,
        1,
        "active",
        "read it",
    )
    assert approval.diff_id == world.show(task).attempts[0].diff_id
    assert approval.seen == f"{approval.attempt}.{approval.diff_id.removeprefix('sha256:')[:8]}"
    assert [entry.action for entry in world.show(task).history if entry.session == CODEX.session] == ["approved"]
    assert world.app.audit.exceptions() == []


def test_whoever_made_a_change_may_not_approve_it_P2(world: GitWorld) -> None:
    task = world.submitted_task()
    with world.refused("P2"):
        world.approve(CLAUDE, task, reason="it is fine")


def test_a_new_terminal_of_the_same_agent_is_no_new_pair_of_eyes_I3(world: GitWorld) -> None:
    task = world.submitted_task(agent("claude", 1, evidence=["conversation:c1"]))
    with world.refused("P2"):
        world.approve(agent("claude", 2, evidence=["conversation:c1"]), task, reason="other session")
    with world.refused("P2"):
        world.approve(agent("codex", 1, evidence=["process:boot:ns:claude-1"]), task, reason="inside of it")


def test_evidence_that_comes_later_still_joins_I3(world: GitWorld) -> None:
    task = world.submitted_task()
    world.app.notes.log(CODEX, task, "looking")
    world.app.notes.log(agent("codex", 1, evidence=CLAUDE.evidence), task, "the same after all")
    with world.refused("P2"):
        world.approve(CODEX, task)


def test_an_agent_whose_origin_nobody_knows_approves_nothing_I3_G1(world: GitWorld) -> None:
    task = world.submitted_task()
    with world.refused("P2"):
        world.approve(marked(), task, reason="fine")


def test_who_was_spawned_by_an_author_may_not_approve_I4_P2(world: GitWorld) -> None:
    task = world.submitted_task()
    child = child_of(CLAUDE)
    with world.refused("P2"):
        world.approve(child, task, reason="fine")
    world.app.notes.log(child, task, "spawning one more")
    with world.refused("P2"):
        world.approve(child_of(child), task, reason="fine")


def test_a_delegator_needs_a_reason_P3_I4(world: GitWorld) -> None:
    lead = agent("lead")
    task = world.submitted_task(child_of(lead))
    with world.refused("P3"):
        world.approve(lead, task)
    assert world.approve(lead, task, reason="checked the child's work").exception


def test_a_creator_agent_needs_a_reason_and_is_audited_twice_P3_P8(world: GitWorld) -> None:
    task = world.submitted_task(CLAUDE, creator=CODEX)
    with world.refused("P3") as caught:
        world.approve(CODEX, task, reason="   ")
    assert "-m" in steps_text(caught[0].reasons[-1].next)
    done = world.approve(CODEX, task, reason="I know what I asked for")
    (event,) = world.app.audit.exceptions()
    assert (done.rule, done.exception, done.security_event) == ("P3", True, event.seq)
    assert (event.kind, event.rule, event.task, event.session) == ("creator_approval", "P3", task, CODEX.session)
    assert event.reason == "I know what I asked for"
    (line,) = [log for log in world.show(task).logs if log.type == "security"]
    assert "creator_approval (P3): I know what I asked for" in line.text


def test_a_creator_person_needs_no_reason_and_is_no_exception_P3_P8(world: GitWorld) -> None:
    task = world.submitted_task(creator=ALICE)
    done = world.approve(ALICE, task)
    assert (done.rule, done.exception, "a person may approve a task they created" in done.message) == (
        "P3",
        False,
        True,
    )
    assert world.app.audit.exceptions() == []


def test_strict_refuses_the_creator_also_with_a_reason_P3(world: GitWorld) -> None:
    world.app.policy.set(ALICE, "review.policy", "strict")
    task = world.submitted_task(creator=CODEX)
    with world.refused("P3"):
        world.approve(CODEX, task, reason="please")
    assert world.approve(GEMINI, task).rule == "P7"


def test_the_environment_may_only_make_an_agent_stricter_P12(world: GitWorld) -> None:
    task = world.submitted_task(creator=CODEX)
    world.environ["FOUREYES_FEATURE_BALANCED_REVIEW_POLICY"] = "false"
    with world.refused("P3"):
        world.approve(CODEX, task, reason="please")
    world.environ.clear()
    world.app.policy.set(ALICE, "review.policy", "strict")
    world.environ["FOUREYES_REVIEW_POLICY"] = "trusted"
    with world.refused("P3"):
        world.approve(CODEX, task, reason="please")


def test_who_approved_an_earlier_attempt_needs_a_reason_P5(world: GitWorld) -> None:
    task = world.submitted_task()
    world.approve(CODEX, task)
    world.app.feedback.redo(BOB, task, "one more test")
    world.start(CLAUDE, task)
    world.checkout.commit("work.py", "better\n", session=CLAUDE)
    world.submit(CLAUDE, task)
    with world.refused("P5"):
        world.approve(CODEX, task)
    assert world.approve(CODEX, task, reason="read the difference").rule == "P5"
    assert [row.kind for row in world.app.audit.exceptions()] == ["repeat_reviewer"]


def test_who_asked_for_a_change_may_judge_the_change_I7(world: GitWorld) -> None:
    task = world.submitted_task()
    world.app.feedback.redo(CODEX, task, "no tests")
    world.start(CLAUDE, task)
    world.checkout.commit("work.py", "tests\n", session=CLAUDE)
    world.submit(CLAUDE, task)
    assert world.approve(CODEX, task).rule == "P7"


def test_a_security_label_wants_a_person_P6(world: GitWorld) -> None:
    task = world.submitted_task(labels=["security"])
    with world.refused("P6"):
        world.approve(CODEX, task, reason="fine")
    assert world.approve(BOB, task).status == "approved"


def test_an_approval_needs_the_status_reviewing_D1(world: GitWorld) -> None:
    task = world.create()
    with world.refused("D1"):
        world.approve(BOB, task)
    world.start(CLAUDE, task)
    with world.refused("D1"):
        world.approve(BOB, task)


def test_approving_again_is_a_no_op_D1(world: GitWorld) -> None:
    task = world.submitted_task()
    world.approve(CODEX, task)
    with world.unchanged():
        assert approve_text(world.approve(CODEX, task)) == f"{task} is already approved"
    with world.refused("D1", error=Conflict):
        world.approve(BOB, task)
    world.checkout.switch("main")
    world.checkout.git("merge", "-q", "--no-ff", "--no-edit", f"fe/{task}")
    world.app.merges.process(BOB)
    for actor in (CODEX, BOB, CLAUDE):
        with world.unchanged():
            assert approve_text(world.approve(actor, task)) == f"{task} is already merged"


def test_a_hold_stops_every_approval_D3(world: GitWorld) -> None:
    task = world.submitted_task()
    world.app.stops.hold(ALICE, task, "legal")
    with world.refused("D3"):
        world.approve(BOB, task)
    world.app.stops.resume(ALICE, task, "fine")
    world.app.stops.hold(ALICE, None, "all of it")
    with world.refused("D3"):
        world.approve(BOB, task)


def test_a_changed_line_makes_the_attempt_stale_until_submitted_again_D4(world: GitWorld) -> None:
    task = world.submitted_task()
    world.checkout.commit("work.py", "one more line\n", session=CLAUDE)
    with world.refused("D4") as caught:
        world.approve(CODEX, task)
    assert steps_text(caught[0].reasons[0].next) == f"its author runs: fe submit {task}"
    (row,) = world.app.lists.reviewable(CODEX, ListQuery()).rows
    assert row.you.stale
    world.submit(CLAUDE, task)
    assert world.approve(CODEX, task).attempt == 2


def test_a_deleted_branch_is_stale_D4(world: GitWorld) -> None:
    task = world.submitted_task()
    world.checkout.switch("main")
    world.checkout.git("branch", "-D", f"fe/{task}")
    with world.refused("D4"):
        world.approve(CODEX, task)


def test_git_that_cannot_answer_is_no_pass_G1_D4(desk: DeskWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    task = desk.submitted_task()

    def broken(ref: str) -> None:
        raise GitProblem("git is gone")

    monkeypatch.setattr(desk.repo, "commit_of", broken)
    with desk.refused("D4"):
        desk.approve(CODEX, task)


def test_an_agent_says_what_it_saw_D7(world: GitWorld) -> None:
    task = world.submitted_task()
    with world.refused("D7"):
        world.approve(CODEX, task, seen="")
    with world.refused("D7"):
        world.approve(CODEX, task, seen="1234567")
    shown = world.show(task).attempts[0].seen
    with world.refused("D7"):
        world.approve(CODEX, task, seen=shown.partition(".")[2])
    assert world.approve(CODEX, task, seen=shown).seen == shown


def test_what_was_seen_before_it_was_only_put_on_a_newer_base_counts_as_seen_and_is_on_record_A3_D7(
    world: GitWorld,
) -> None:
    task = world.submitted_task()
    first = world.show(task).attempts[0]
    world.checkout.git("commit", "-q", "--amend", "-m", "other words")
    world.submit(CLAUDE, task)
    assert world.show(task).attempts[1].relation == "message_only"
    done = world.approve(CODEX, task, seen=first.seen)
    assert (done.attempt, done.seen) == (2, first.seen)
    assert world.show(task).approvals[0].seen == first.seen


def test_a_persons_missing_look_is_recorded_as_not_shown_D7(world: GitWorld) -> None:
    task = world.submitted_task()
    assert world.approve(BOB, task, seen="").seen is None
    assert world.show(task).approvals[0].seen == "not shown"


def test_a_change_that_moved_while_one_looked_is_a_conflict_D7(world: GitWorld) -> None:
    task = world.submitted_task()
    seen = world.show(task).attempts[0].diff_id
    world.checkout.commit("work.py", "other\n", session=CLAUDE)
    world.submit(CLAUDE, task)
    with world.refused("D7", error=Conflict) as caught:
        world.approve(CODEX, task, seen=seen)
    assert "moved during your review" in caught[0].reasons[0].message


def test_all_reasons_come_at_once_D_before_P_G2(world: GitWorld) -> None:
    task = world.submitted_task()
    world.app.stops.hold(ALICE, task, "legal")
    world.checkout.commit("work.py", "x\n", session=CLAUDE)
    with world.refused("D3", "D4", "D7", "P2") as caught:
        world.approve(CLAUDE, task, seen="")
    assert [reason.rule for reason in caught[0].reasons] == ["D3", "D4", "D7", "P2"]


def test_reads_write_nothing_D7_I1(world: GitWorld) -> None:
    task = world.submitted_task()
    with world.unchanged():
        world.app.lists.show(GEMINI, task)
        world.app.lists.reviewable(GEMINI, ListQuery())
        world.app.attempts.diff(task)
        world.app.status.show(GEMINI)
        world.app.sessions.whoami(GEMINI)
        world.app.policy.show(GEMINI)
        world.app.doctor.examine(GEMINI)


# Withdraw


def test_who_approved_takes_it_back_and_it_stays_on_record(world: GitWorld) -> None:
    task = world.submitted_task()
    world.approve(CODEX, task)
    done = world.app.decisions.withdraw(CODEX, task, reason="overlooked something")
    (approval,) = world.show(task).approvals
    assert (done.status, approval.state, approval.ended_why) == ("reviewing", "withdrawn", "overlooked something")
    assert world.approve(CODEX, task).status == "approved"


def test_nobody_else_takes_an_approval_back(world: GitWorld) -> None:
    task = world.submitted_task()
    world.approve(CODEX, task)
    for actor in (CLAUDE, GEMINI, BOB):
        with world.refused("T2"):
            world.app.decisions.withdraw(actor, task)


def test_nothing_is_taken_back_after_the_merge_or_before_an_approval(world: GitWorld) -> None:
    task = world.submitted_task()
    with world.refused("T2"):
        world.app.decisions.withdraw(CODEX, task)
    world.approve(CODEX, task)
    world.checkout.switch("main")
    world.checkout.git("merge", "-q", "--no-ff", "--no-edit", f"fe/{task}")
    world.app.merges.process(BOB)
    with world.refused("T2"):
        world.app.decisions.withdraw(CODEX, task)


# Redo and reject


@pytest.mark.parametrize("verb", ["redo", "reject"])
def test_redo_and_reject_need_a_reason(world: GitWorld, verb: str) -> None:
    task = world.submitted_task()
    for blank in ("", "  \n"):
        with world.refused("F1" if verb == "redo" else "T2"):
            getattr(world.app.feedback, verb)(BOB, task, blank)


@pytest.mark.parametrize("verb", ["redo", "reject"])
def test_redo_and_reject_are_for_people_and_for_who_may_approve(world: GitWorld, verb: str) -> None:
    call: Any = getattr(world.app.feedback, verb)
    task = world.submitted_task()
    for actor in (CLAUDE, child_of(CLAUDE), marked()):
        with world.refused("P2"):
            call(actor, task, "I do not like it")
    call(CODEX, task, "no tests")
    assert world.status(task) == ("open" if verb == "redo" else "blocked")


def test_redo_keeps_the_feedback_and_frees_the_claim_F(world: GitWorld) -> None:
    task = world.submitted_task()
    world.app.feedback.redo(BOB, task, "no tests")
    found = world.show(task)
    assert [(row.decision, row.text, row.iteration, row.session) for row in found.feedback] == [
        ("redo", "no tests", 1, BOB.session)
    ]
    assert (found.task.status, found.task.implementer, found.task.ready) == ("open", None, True)
    assert (BOB.session, "requested_changes") in {(entry.session, entry.action) for entry in found.history}


def test_redo_of_an_approved_task_ends_the_approval(world: GitWorld) -> None:
    task = world.submitted_task()
    world.approve(CODEX, task)
    world.app.feedback.redo(BOB, task, "on second thoughts")
    assert [row.state for row in world.show(task).approvals] == ["ended"]
    assert world.app.merges.process(BOB) == []


def test_redo_and_reject_only_from_where_the_table_allows_T2(world: GitWorld) -> None:
    task = world.create()
    for verb in (world.app.feedback.redo, world.app.feedback.reject):
        with world.refused("T2"):
            verb(BOB, task, "why")
    world.work(CLAUDE, task)
    world.submit(CLAUDE, task)
    world.approve(CODEX, task)
    with world.refused("T2"):
        world.app.feedback.reject(BOB, task, "too late")


def test_a_rejected_task_is_shown_apart_and_lifted_by_who_rejected_or_a_person(world: GitWorld) -> None:
    for lifter in (CODEX, ALICE):
        task = world.submitted_task()
        world.app.feedback.reject(CODEX, task, "not wanted")
        (row,) = world.app.lists.page(ListQuery(status="blocked"))
        assert (row.id, row.rejected, world.counts()["rejected"]) == (task, True, 1)
        for verb in (world.app.stops.unblock, world.app.closing.reopen):
            with world.refused("T2"):
                verb(CLAUDE, task)
            with world.refused("T2"):
                verb(GEMINI, task)
        world.app.stops.unblock(lifter, task)
        assert (world.status(task), world.counts()["rejected"]) == ("open", 0)
        world.checkout.switch("main")


# Merged by hand


def worked_off(world: GitWorld, task: str) -> str:
    """What the queue makes of an approved task."""
    (row,) = [row for row in world.app.merges.process(BOB) if row.task == task]
    assert row.merged == (row.outcome in ("found", "merged"))
    return row.outcome


def test_an_approved_head_that_was_merged_by_hand_closes_the_task(world: GitWorld) -> None:
    task = world.submitted_task()
    world.approve(CODEX, task)
    world.checkout.switch("main")
    world.checkout.git("merge", "-q", "--no-ff", "--no-edit", f"fe/{task}")
    by_hand = world.checkout.head()
    assert worked_off(world, task) == "found"
    found = world.task(task)
    assert (found.status, found.resolution, found.merge) == ("closed", "merged", by_hand)
    assert world.checkout.head("main") == by_hand, "the queue adds nothing to what is there"
    with world.unchanged():
        assert world.app.merges.process(BOB) == []


@pytest.mark.parametrize("how", ["--ff-only", "--no-ff"])
def test_a_pure_rebase_keeps_the_approval_A3(world: GitWorld, how: str) -> None:
    task = world.submitted_task()
    world.approve(CODEX, task)
    world.checkout.switch("main")
    world.checkout.commit("other.py", "x\n")
    world.checkout.git("rebase", "-q", "main", f"fe/{task}")
    world.checkout.switch("main")
    world.checkout.git("merge", "-q", "--no-edit", how, f"fe/{task}")
    assert worked_off(world, task) == "found"
    assert world.task(task).resolution == "merged"


def test_a_pure_rebase_that_nobody_merged_keeps_the_approval_too_A3(world: GitWorld) -> None:
    task = world.submitted_task()
    world.approve(CODEX, task)
    world.checkout.switch("main")
    other = world.checkout.commit("other.py", "x\n")
    world.checkout.git("rebase", "-q", "main", f"fe/{task}")
    world.checkout.switch("main")
    assert worked_off(world, task) == "merged"
    assert (world.status(task), world.task(task).merge) == ("closed", world.checkout.head("main"))
    assert world.checkout.git("rev-parse", "main^1") == other
    assert sorted(world.checkout.git("ls-tree", "--name-only", "main").split()) == [
        "code.py",
        "foureyes.toml",
        "other.py",
        "work.py",
    ]


def test_an_amended_message_keeps_the_approval_A3(world: GitWorld) -> None:
    task = world.submitted_task()
    world.approve(CODEX, task)
    world.checkout.git("commit", "-q", "--amend", "-m", "better words")
    world.checkout.switch("main")
    world.checkout.git("merge", "-q", "--no-ff", "--no-edit", f"fe/{task}")
    assert worked_off(world, task) == "found"


def reworked(world: GitWorld) -> str:
    """An approved task whose branch has another content since."""
    task = world.submitted_task()
    world.approve(CODEX, task)
    world.checkout.git("commit", "-q", "--amend", "-m", "x")
    world.checkout.commit("work.py", "something else\n", session=CLAUDE)
    world.checkout.git("reset", "-q", "--soft", "main")
    world.checkout.git("commit", "-qm", "squashed")
    world.checkout.switch("main")
    return task


def voided(world: GitWorld, task: str) -> None:
    """The approval ended with its reasons, and the task waits for eyes again; the target is where it was."""
    before = world.checkout.head("main")
    assert worked_off(world, task) == "void"
    assert world.checkout.head("main") == before
    found = world.show(task)
    assert (found.task.status, found.task.merge) == ("reviewing", None)
    assert [row.state for row in found.approvals] == ["ended"]
    assert "D4" in found.approvals[0].ended_why
    with world.unchanged():
        assert world.app.merges.process(BOB) == [], "what is not approved is not in the queue"
    with world.refused("D4"):
        world.approve(BOB, task)


def test_a_rework_after_the_approval_ends_it_and_reaches_nothing_A3(world: GitWorld) -> None:
    voided(world, reworked(world))


def test_a_rework_that_was_merged_by_hand_is_not_recognised_A3(world: GitWorld) -> None:
    task = reworked(world)
    world.checkout.git("merge", "-q", "--no-ff", "--no-edit", f"fe/{task}")
    voided(world, task)


def test_a_line_added_while_rebasing_is_not_recognised_A3(world: GitWorld) -> None:
    task = world.submitted_task()
    world.approve(CODEX, task)
    world.checkout.switch("main")
    world.checkout.commit("other.py", "x\n")
    world.checkout.git("rebase", "-q", "main", f"fe/{task}")
    world.checkout.write("work.py", "work\nand more\n")
    world.checkout.git("commit", "-qa", "--amend", "--no-edit")
    world.checkout.switch("main")
    world.checkout.git("merge", "-q", "--ff-only", f"fe/{task}")
    voided(world, task)


def test_what_was_never_approved_is_not_closed_by_a_merge(world: GitWorld) -> None:
    task = world.submitted_task()
    world.checkout.switch("main")
    world.checkout.git("merge", "-q", "--no-ff", "--no-edit", f"fe/{task}")
    assert world.app.merges.process(BOB) == []
    assert world.status(task) == "reviewing"


# Minor tasks: P1 and P10


def test_a_minor_task_is_approved_by_its_maker_on_the_record_P1_P8(world: GitWorld) -> None:
    task = world.submitted_task(minor=True)
    done = world.approve(CLAUDE, task)
    assert (done.rule, done.exception, done.status) == ("P1", True, "approved")
    assert [(row.kind, row.task) for row in world.app.audit.exceptions()] == [("minor", task)]
    assert [log.type for log in world.show(task).logs] == ["security"]


def test_the_maker_marks_its_own_task_minor_in_vain_P10(world: GitWorld) -> None:
    task = world.submitted_task()
    world.app.tasks.edit(CLAUDE, task, minor=True)
    with world.refused("P2"):
        world.approve(CLAUDE, task)
    before = world.create()
    world.app.tasks.edit(CODEX, before, minor=True)
    world.checkout.switch("main")
    world.work(CODEX, before)
    world.submit(CODEX, before)
    with world.refused("P2"):
        world.approve(CODEX, before)


def test_a_mark_set_later_by_somebody_else_counts_P10(world: GitWorld) -> None:
    task = world.submitted_task()
    world.app.tasks.edit(BOB, task, minor=True)
    assert world.approve(CLAUDE, task).rule == "P1"


def test_a_large_minor_change_is_not_minor_P10(world: GitWorld) -> None:
    task = world.submitted_task(minor=True, text="x\n" * 51)
    with world.refused("P2"):
        world.approve(CLAUDE, task)


def test_a_minor_change_of_a_protected_path_is_not_minor_P10(world: GitWorld) -> None:
    task = world.create(minor=True)
    world.work(CLAUDE, task, name="foureyes.toml", text='[review]\npolicy = "trusted"\n')
    world.submit(CLAUDE, task)
    with world.refused("P6"):
        world.approve(CLAUDE, task)


def test_five_minor_self_approvals_a_day_and_free_again_after_24_hours_P10(desk: DeskWorld) -> None:
    for _ in range(5):
        desk.approve(CLAUDE, desk.submitted_task(minor=True))
        desk.clock.advance(minutes=1)
    task = desk.submitted_task(minor=True)
    with desk.refused("P2"):
        desk.approve(CLAUDE, task)
    assert desk.approve(CODEX, desk.submitted_task(CODEX, minor=True)).rule == "P1", "another origin has its own five"
    desk.clock.advance(hours=23, minutes=54)
    with desk.refused("P2"):
        desk.approve(CLAUDE, task)
    desk.clock.advance(minutes=2)
    assert desk.approve(CLAUDE, task).rule == "P1"


def test_the_five_are_counted_per_origin_not_per_session_P10(desk: DeskWorld) -> None:
    one, two = agent("claude", 1, evidence=["conversation:x"]), agent("claude", 2, evidence=["conversation:x"])
    for n in range(5):
        actor = (one, two)[n % 2]
        desk.approve(actor, desk.submitted_task(actor, minor=True))
    for actor in (one, two):
        task = desk.submitted_task(actor, minor=True)
        with desk.refused("P2"):
            desk.approve(actor, task)


def test_minor_self_approval_can_be_switched_off_P10(desk: DeskWorld) -> None:
    desk.app.policy.set(ALICE, "minor.self", "false")
    task = desk.submitted_task(minor=True)
    with desk.refused("P2"):
        desk.approve(CLAUDE, task)
    assert desk.approve(CODEX, task).rule == "P1"


def test_a_blank_reason_counts_as_missing_P9(desk: DeskWorld) -> None:
    task = desk.submitted_task(creator=CODEX)
    with desk.refused("P3"):
        desk.approve(CODEX, task, reason=" \t\n ")


def test_trusted_still_refuses_an_author_without_a_declaration_P2(desk: DeskWorld) -> None:
    desk.app.policy.set(ALICE, "review.policy", "trusted")
    task = desk.submitted_task()
    with desk.refused("P2"):
        desk.approve(CLAUDE, task, reason="I looked")


def test_a_broken_configuration_is_no_pass_G1(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    desk.environ["FOUREYES_REVIEW_POLICY"] = "lax"
    with desk.unchanged(), pytest.raises(Exception, match="lax"):
        desk.approve(CODEX, task)
    assert desk.ids_of(status="reviewing") == [task]


def test_no_refusal_suggests_something_destructive_G5(desk: DeskWorld) -> None:
    task = desk.submitted_task(labels=["security"])
    said: list[str] = []
    for actor in (CLAUDE, CODEX, marked(), child_of(CLAUDE)):
        with pytest.raises(Refused) as caught:
            desk.approve(actor, task, seen="")
        said += [
            caught.value.message,
            steps_text(caught.value.next_step),
            *(f"{r.message} {steps_text(r.next)}" for r in caught.value.reasons),
        ]
    words = " ".join(said)
    assert not any(
        word in words for word in ("rm -", "--force", "reset --hard", "--self-close", "--as", "config set", "delete")
    )


def test_the_facts_of_an_approval_are_frozen(world: GitWorld) -> None:
    task = world.submitted_task()
    world.approve(CODEX, task)
    (approval,) = world.show(task).approvals
    with pytest.raises(AttributeError):
        approval.state = "withdrawn"  # type: ignore[misc]
    assert msgspec.structs.asdict(approval)["grade"] == "origin"
