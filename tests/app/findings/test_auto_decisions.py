"""The gate decides by itself (M): auto-approve, skip, send back; what an author loosened does not count (M6). D6 and
D8.
"""

from __future__ import annotations

from typing import Any

import pytest

from foureyes.app.context import gate_of
from foureyes.app.results.attempt import SubmitOutcome
from foureyes.core.nouns.check import FIXED_SINCE, Ran
from foureyes.core.nouns.finding import Ruling
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.four_eyes import Declaration
from foureyes.ui.cli.attempts import submit_text
from foureyes.ui.steps import steps_text

from tests.stage.checkout import AT_ONCE, PROJECT
from tests.stage.gated import (
    AUTO,
    ELSEWHERE,
    KNIP,
    LINT,
    TESTS,
    answers,
    approved,
    check,
    configure,
    deliver,
    merge,
    once_more,
    report_of,
    row_of,
    words,
)
from tests.stage.looped import again, issue, review
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, GEMINI
from tests.stage.world import DeskWorld, GitWorld

GATE = gate_of(PROJECT).session


def why(world: DeskWorld | GitWorld, task: str) -> str:
    """Why the gate did not approve, as the next check run says it."""
    return "; ".join(f"{reason.rule} {reason.message}" for reason in check(world, task).reasons)


def submitted_task(world: DeskWorld, *labels: str) -> SubmitOutcome:
    task = world.create(labels=labels)
    world.start(CLAUDE, task)
    world.repo.commit(f"fe/{task}", sessions=[CLAUDE.session])
    return world.app.attempts.submit(CLAUDE, task, branch=f"fe/{task}")


def test_a_hand_in_says_that_checks_have_to_run_and_that_only_a_person_will_do_D5_P6(desk: DeskWorld) -> None:
    configure(desk, LINT + KNIP)
    plain, secret = submitted_task(desk), submitted_task(desk, "security")
    assert (plain.person, plain.unchecked) == ("", ("lint",))
    assert (secret.person, secret.unchecked) == ("label security", ("lint",))
    said = submit_text(secret)
    assert "  review    per-task: after that, a person must approve it, because label security requires that" in said
    assert f"lint: not run yet. A person or CI runs: fe check run {secret.task}" in said


# Auto-approve


def test_green_checks_approve_in_the_name_of_the_gate_with_what_it_rests_on_M4_M5(desk: DeskWorld) -> None:
    configure(desk, LINT + KNIP)
    task = desk.submitted_task(labels=AUTO)
    assert desk.status(task) == "reviewing"
    report = check(desk, task, BOB)
    (approval,) = desk.show(task).approvals
    assert (report.status, report.reasons) == ("approved", ())
    assert (approval.session, approval.rule, approval.grade, approval.state) == (GATE, "M4", "rule", "active")
    assert approval.reason == "auto-approve (label review:auto): 2/2 checks, iteration 1, signal DONE"
    assert desk.app.queue.view(ALICE).rows == (), "M5: it waits for nobody"
    assert desk.ids_of(status="reviewing") == []
    assert desk.counts()["auto_approved"] == 1


def test_where_the_result_is_known_it_is_approved_as_soon_as_it_is_handed_in_M4(world: GitWorld) -> None:
    configure(world, LINT)
    task = deliver(world, {"work.py": "x\n"}, labels=AUTO, signal="NEEDS_REVIEW")
    check(world, task)
    once_more(world, task)
    assert world.status(task) == "approved"


def test_without_a_check_nothing_approves_itself_M4(desk: DeskWorld) -> None:
    task = desk.submitted_task(labels=AUTO)
    assert desk.status(task) == "reviewing"
    assert any(reason.rule == "M4" for reason in desk.app.queue.view(BOB).rows[0].auto_reasons)


@pytest.mark.parametrize(
    ("settings", "fields", "reason"),
    [
        ("[review.auto_approve]\nenabled = false\n", {}, "enabled = false"),
        ("", {"labels": [*AUTO, "security"]}, "security"),
        (
            "[review.label_rules]\napi = { auto_approve = false }\n",
            {"labels": [*AUTO, "api"]},
            "api forbids approval without a reviewer (auto_approve = false)",
        ),
        ("[review]\nreviews = 1\n", {}, "1 counting reviews"),
        ("[review]\nindependence = 'human'\n", {}, "a person"),
        ("", {"labels": [*AUTO, "review:per-task"]}, "review:per-task, so the mode is per-task"),
        ("", {"labels": []}, "mode batch"),
    ],
    ids=["off", "security", "barred", "reviews", "grade", "strictest label", "batch"],
)
def test_a_rule_that_wants_eyes_is_the_reason_M1_M2_M3_M4(
    desk: DeskWorld, settings: str, fields: dict[str, Any], reason: str
) -> None:
    configure(desk, settings + LINT)
    task = desk.submitted_task(**({"labels": AUTO} | fields))
    assert reason in why(desk, task)
    assert desk.status(task) == "reviewing"


@pytest.mark.parametrize(
    ("signal", "strict", "status"), [("NEEDS_REVIEW", True, "reviewing"), ("NEEDS_REVIEW", False, "approved")]
)
def test_signals_other_than_done_want_eyes_unless_a_person_loosened_it_M4_S1(
    desk: DeskWorld, signal: str, strict: bool, status: str
) -> None:
    configure(desk, f"[review.auto_approve]\nrequire_signal_done = {str(strict).lower()}\n" + LINT)
    assert signalled(desk, signal) == status


def signalled(desk: DeskWorld, signal: str) -> str:
    """What becomes of green work that was submitted with a signal."""
    task = desk.create(labels=AUTO)
    desk.start(CLAUDE, task)
    desk.repo.commit(f"fe/{task}")
    desk.submit(CLAUDE, task, signal=signal)
    return check(desk, task).status


def test_never_after_BLOCKED_M4(desk: DeskWorld) -> None:
    configure(desk, "[review.auto_approve]\nrequire_signal_done = false\n" + LINT)
    assert signalled(desk, "BLOCKED") == "reviewing"


def test_a_hold_keeps_it_waiting_and_it_goes_on_afterwards_D3_M4(desk: DeskWorld) -> None:
    configure(desk, LINT)
    task = desk.submitted_task(labels=AUTO)
    desk.app.stops.hold(ALICE, task, "not today")
    assert "D3" in why(desk, task)
    desk.app.stops.resume(ALICE, task, "today")
    assert check(desk, task).status == "approved"


def test_a_branch_that_went_on_is_not_what_was_checked_D4_M4(desk: DeskWorld) -> None:
    configure(desk, LINT)
    task = desk.submitted_task(labels=AUTO)
    desk.repo.commit(f"fe/{task}")
    assert "D4" in why(desk, task)


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("conftest.py", "M4"),
        ("sub/package.json", "M4"),
        ("Makefile", "M4"),
        ("CLAUDE.md", "A4"),
        ("foureyes.toml", "A4"),
    ],
)
def test_who_changes_what_judges_it_is_looked_at_M4_A4(world: GitWorld, path: str, rule: str) -> None:
    configure(world, LINT)
    task = deliver(world, {path: "x = 1\n"}, labels=AUTO)
    report = check(world, task)
    assert report.status == "reviewing"
    assert any(reason.rule == rule and path in reason.message for reason in report.reasons)
    assert (report.mode == "per-task") == (rule == "A4")


def test_who_deletes_a_test_file_is_looked_at_M4(world: GitWorld) -> None:
    configure(world, LINT)
    world.checkout.commit("tests/test_x.py", "def test_x(): ...\n")
    task = world.create(labels=AUTO)
    world.start(CLAUDE, task)
    world.checkout.branch(f"fe/{task}")
    world.checkout.git("rm", "-q", "tests/test_x.py")
    world.checkout.commit("work.py", session=CLAUDE)
    world.submit(CLAUDE, task)
    assert "deletes the test file tests/test_x.py" in why(world, task)


def test_an_optional_check_that_is_red_does_not_refuse_M4(desk: DeskWorld) -> None:
    configure(desk, LINT + KNIP)
    desk.outside.runner.says("knip", exit_code=1)
    task = desk.submitted_task(labels=AUTO)
    assert check(desk, task).status == "approved"
    assert "1/2 checks" in desk.show(task).approvals[0].reason


# Skip


@pytest.mark.parametrize(
    ("labels", "path", "status"),
    [
        (["docs"], "docs/a.md", "approved"),
        (["docs"], "work.py", "reviewing"),
        (["docs"], "docs/AGENTS.md", "reviewing"),
        (["review:skip"], "work.py", "approved"),
        (["review:skip"], "foureyes.toml", "reviewing"),
        (["review:skip", "security"], "work.py", "reviewing"),
        (["docs", "review:batch"], "docs/a.md", "reviewing"),
    ],
)
def test_skip_approves_when_it_is_handed_in_without_checks_but_not_without_the_gate_M3_A4(
    world: GitWorld, labels: list[str], path: str, status: str
) -> None:
    configure(world, LINT)
    task = deliver(world, {path: "x\n"}, labels=labels)
    assert (world.status(task), world.outside.runner.ran) == (status, [])
    if status == "approved":
        assert world.show(task).approvals[0].reason.startswith("skip (")


def test_what_is_skipped_waits_for_a_hold_like_everything_D3(desk: DeskWorld) -> None:
    task = desk.create(labels=["review:skip"])
    desk.start(CLAUDE, task)
    desk.repo.commit(f"fe/{task}")
    desk.app.stops.hold(ALICE, task, "not this one")
    assert desk.submit(CLAUDE, task).status == "reviewing"


# Sent back (T)


def next_round(desk: DeskWorld, task: str, *, actor: Actor = CLAUDE) -> SubmitOutcome:
    """It is taken up again and submitted with another commit."""
    desk.start(actor, task)
    desk.repo.commit(f"fe/{task}", sessions=[actor.session])
    return desk.submit(actor, task)


def test_red_checks_send_it_back_with_what_failed_T_send_back(desk: DeskWorld) -> None:
    configure(desk, TESTS)
    desk.outside.runner.answers["tests"] = report_of(["a"], failing=["test_x", "test_y"])
    task = desk.submitted_task(labels=AUTO)
    for n in (1, 2):
        assert check(desk, task).status == "open"
        (*_, told) = desk.show(task).feedback
        assert (told.iteration, told.decision, told.source, told.session) == (n, "redo", "checks", GATE)
        assert "Check tests failed: 1/3 passed" in told.text
        assert "(command: pytest -q)\n- test_x\n- test_y" in told.text
        next_round(desk, task)
    assert "AttemptSentBack" in desk.kinds(task)


def test_what_the_target_fails_too_is_nobodys_iteration_and_goes_on_once_the_target_is_mended_D5(
    world: GitWorld,
) -> None:
    """As at a merge (Q3): it waits, without a finding; then it comes back once, with what there is to do. Also where it
    is fixed by hand, behind the last recorded merge.
    """
    configure(world, AT_ONCE)
    first = approved(world)
    assert merge(world) == {first: "merged"}
    name, green = "lint", Ran(exit_code=0)
    configure(world, LINT)
    answers(world, name, Ran(exit_code=1))
    task = deliver(world, labels=AUTO)
    report = check(world, task)
    assert (report.status, report.sent_back, row_of(report, name).outcome) == ("reviewing", False, "failed")
    assert (world.show(task).feedback, world.show(task).findings) == ([], [])
    with world.refused("D5"):
        world.approve(BOB, task)
    check(world, task)
    assert world.outside.runner.ran == [name, name], "once on each tree"
    assert name in world.app.attention.view(BOB).rows[0].text
    step = steps_text(world.app.check_runs.of_task(BOB, task).next)
    assert step.startswith('fe create "what to fix" --type bug --priority 0 · afterwards: ')
    assert f"fe check run {task} · " in step
    assert step.endswith(f'fe approve {task} -m "why it may pass"')
    assert world.app.checks.pending(CI).tasks == ()
    world.checkout.commit("fixed.py", "x\n")
    answers(world, name, green)
    world.app.checks.run_target(CI)
    assert world.app.checks.pending(CI).tasks == (task,)
    assert check(world, task).sent_back
    assert FIXED_SINCE in words(world, task)


def test_what_fails_beside_what_the_target_fails_is_sent_back_D5_T_send_back(world: GitWorld) -> None:
    configure(world, TESTS)
    answers(world, "tests", report_of(["b"], failing=["a"]), report_of([], failing=["a", "b"]))
    task = deliver(world, labels=AUTO)
    assert check(world, task).sent_back


@pytest.mark.parametrize(
    ("there", "is_sent_back"),
    [(Ran(exit_code=0), True), (Ran(exit_code=2), False), (Ran(exit_code=3), False), (Ran(exit_code=None), False)],
    ids=["passes there", "fails there", "another end there", "broken there"],
)
def test_what_says_no_more_than_that_it_failed_is_sent_back_where_the_target_passes_D5(
    world: GitWorld, there: Ran, is_sent_back: bool
) -> None:
    configure(world, LINT.replace("ruff check .", "sh lint.sh"))
    answers(world, "lint", Ran(exit_code=2), there)
    task = deliver(world, labels=AUTO)
    report = check(world, task)
    assert (report.sent_back, row_of(report, "lint").outcome) == (is_sent_back, "failed")
    assert len(world.outside.runner.ran) == 2


def test_equal_red_hand_ins_go_up_from_tier_to_tier_until_the_lead_decides_however_many_are_allowed_L13_E1(
    desk: DeskWorld,
) -> None:
    configure(desk, "[review.auto_approve]\nmax_iterations = 2\n" + TESTS)
    desk.outside.runner.answers["tests"] = report_of(["a"], failing=["test_x"])
    task, stood = desk.submitted_task(labels=AUTO), []
    for _ in range(5):
        assert check(desk, task).status == "open"
        now = desk.task(task)
        stood.append((now.iteration, now.tier, now.waiting_for))
        if now.waiting_for:
            break
        warned = next_round(desk, task).escalation
        assert warned or now.iteration != 2, "E5: said one round before"
    assert stood == [
        (1, "developer", ""),
        (2, "developer", ""),
        (3, "senior", ""),
        (4, "senior", ""),
        (5, "lead", "lead"),
    ]
    with desk.refused("E2"):
        desk.start(CLAUDE, task)


def test_progress_in_every_round_goes_up_at_the_cap_L13_E1(desk: DeskWorld) -> None:
    configure(desk, TESTS)
    names = [f"test_{n}" for n in range(6)]
    desk.outside.runner.answers["tests"] = report_of(["a"], failing=names)
    task = desk.submitted_task(labels=AUTO)
    for n in range(1, 6):
        desk.outside.runner.answers["tests"] = report_of(["a", *names[: n - 1]], failing=names[n - 1 :])
        assert check(desk, task).status == "open"
        assert desk.task(task).tier == ("senior" if n == 5 else "developer")
        next_round(desk, task)


def test_the_same_red_files_handed_in_again_are_told_at_once_L11_L13(world: GitWorld) -> None:
    configure(world, LINT)
    world.outside.runner.says("lint", exit_code=1)
    task = deliver(world, {"work.py": "x\n"}, labels=AUTO)
    check(world, task)
    world.start(CLAUDE, task)
    world.checkout.switch(f"fe/{task}")
    world.checkout.git("commit", "-q", "--amend", "-m", "once more")
    done = world.submit(CLAUDE, task)
    assert (done.status, done.repeats, done.fixed_by_nothing) == ("open", 1, 0)
    said = submit_text(done)
    assert "no progress: the files are exactly those of attempt 1 (L11)" in said
    assert "One more round without fixes escalates to tier senior (E1)" in said


def test_where_a_person_looks_red_files_that_are_handed_in_again_are_told_too_D5_L11(world: GitWorld) -> None:
    configure(world, LINT)
    world.outside.runner.says("lint", exit_code=1)
    task = deliver(world, {"work.py": "x\n"})
    check(world, task)
    world.start(CLAUDE, task)
    world.checkout.switch(f"fe/{task}")
    world.checkout.git("commit", "-q", "--amend", "-m", "fixed")
    done = world.submit(ALICE, task)
    assert (done.status, done.repeats, done.unchecked, done.not_green) == ("reviewing", 1, (), ("lint",))
    assert f"lint: did not pass on exactly these files before. To see why: fe check show {task}" in submit_text(done)


def test_a_test_that_is_gone_goes_to_a_person_at_once_and_the_way_out_works_for_them_D5_T(world: GitWorld) -> None:
    configure(world, TESTS)
    answers(world, "tests", report_of(["a", "b"]), report_of(["a", "c"]))
    task = deliver(world, labels=AUTO)
    report = check(world, task)
    assert (report.status, world.show(task).feedback) == ("reviewing", [])
    (reason,) = report.reasons
    assert "1 of the target's tests are missing: b" in reason.message
    said = steps_text(reason.next)
    assert said.startswith(f'fe show {task} --diff, then: a person runs: fe approve {task} -m "why these tests may go"')
    with world.refused("D5"):
        world.approve(BOB, task)
    assert world.approve(BOB, task, reason="b is called c now").status == "approved"


def test_what_fails_beside_a_test_that_is_gone_is_sent_back_with_both_T_send_back(world: GitWorld) -> None:
    configure(world, TESTS + LINT)
    runner = world.outside.runner

    def by_turns() -> None:
        runner.says("tests", passing=["a", "b"] if len(runner.ran) == 1 else ["a"])
        runner.says("lint", exit_code=1 if len(runner.ran) == 3 else 0)

    runner.during = by_turns
    task = deliver(world, labels=AUTO)
    assert check(world, task).status == "open"
    assert "Check lint failed" in words(world, task)
    assert "gone: b" in words(world, task)


# The last blocker (M4)


def test_a_ruling_that_ends_the_last_blocker_lets_the_rule_decide_M4(desk: DeskWorld) -> None:
    configure(desk, LINT)
    task = desk.submitted_task(labels=AUTO)
    (name,) = review(desk, task, [issue()]).raised
    again(desk, task)
    assert check(desk, task).status == "reviewing"
    done = desk.app.rulings.rule(CODEX, [Ruling(name, "VERIFIED", "looked at the code")])
    assert (done.status, steps_text(done.next)) == ("approved", "a person or CI runs: fe merge")
    assert "it is approved automatically (M4)" in done.message
    assert desk.show(task).approvals[-1].session == GATE


def test_a_ruling_without_green_checks_leaves_it_to_them_M4(desk: DeskWorld) -> None:
    configure(desk, LINT)
    task = desk.submitted_task(labels=AUTO)
    (name,) = review(desk, task, [issue()]).raised
    again(desk, task)
    assert desk.app.rulings.rule(CODEX, [Ruling(name, "VERIFIED", "looked at the code")]).status == "reviewing"
    assert check(desk, task).status == "approved"


def test_a_review_that_verifies_the_last_one_and_a_waiver_let_the_rule_decide_too_M4_E3(desk: DeskWorld) -> None:
    configure(desk, "[review]\nreviews = 0\n" + LINT)
    first, second = desk.submitted_task(labels=AUTO), desk.submitted_task(labels=AUTO)
    (a,), (b,) = review(desk, first, [issue()]).raised, review(desk, second, [issue()]).raised
    for task in (first, second):
        again(desk, task)
        check(desk, task)
    assert review(desk, first, rulings=[(a, "VERIFIED")], verdict="approved").task_status == "approved"
    assert desk.app.findings.waive(BOB, b, "known, and small").status == "approved"


def test_the_end_of_what_was_printed_is_told_where_no_test_has_a_name(desk: DeskWorld) -> None:
    configure(desk, LINT)
    desk.outside.runner.says("lint", exit_code=1, output="".join(f"line {n}\n" for n in range(30)))
    task = desk.submitted_task(labels=AUTO)
    check(desk, task)
    assert "    line 29" in words(desk, task)
    assert "    line 9\n" not in words(desk, task)


@pytest.mark.parametrize(
    ("ran", "runner", "labels"),
    [
        (Ran(exit_code=127), CI, AUTO),
        (Ran(exit_code=0, timed_out=True), CI, AUTO),
        (Ran(exit_code=0, elsewhere=ELSEWHERE), CI, AUTO),
        (Ran(exit_code=1, elsewhere=ELSEWHERE), CI, AUTO),
        (Ran(exit_code=1), CODEX, AUTO),
    ],
    ids=["crashed", "timed out", "unsound", "unsound and red", "claimed"],
)
def test_what_broke_and_what_is_claimed_is_not_sent_back_T(
    desk: DeskWorld, ran: Ran, runner: Actor, labels: list[str]
) -> None:
    configure(desk, LINT)
    desk.outside.runner.answers["lint"] = ran
    task = desk.submitted_task(labels=labels)
    assert check(desk, task, runner).status == "reviewing"
    assert desk.show(task).feedback == []


def test_a_tree_that_is_known_to_be_red_comes_back_when_it_is_handed_in_T(world: GitWorld) -> None:
    configure(world, LINT)
    world.outside.runner.says("lint", exit_code=1)
    task = deliver(world, {"work.py": "x\n"}, labels=AUTO)
    check(world, task)
    once_more(world, task)
    assert (world.status(task), len(world.outside.runner.ran)) == ("open", 2), "on its tree and where it begins"


# The ratchet (M6)


def test_a_label_that_its_maker_put_on_at_creation_counts_as_batch_M6(desk: DeskWorld) -> None:
    configure(desk, LINT)
    task = desk.submitted_task(CLAUDE, creator=CLAUDE, labels=AUTO)
    report = check(desk, task)
    assert (report.status, report.mode) == ("reviewing", "batch")
    assert any("label review:auto does not count" in reason.message for reason in report.reasons)


@pytest.mark.parametrize(
    ("who", "label", "mode"),
    [
        (CLAUDE, "review:auto", "batch"),
        (CLAUDE, "review:skip", "batch"),
        (CLAUDE, "trivial", "batch"),
        (GEMINI, "review:auto", "auto-approve"),
        (GEMINI, "review:skip", "auto-approve"),
        (GEMINI, "Review:Skip", "auto-approve"),
        (CLAUDE, "Trivial", "batch"),
        (BOB, "review:auto", "auto-approve"),
        (BOB, "review:skip", "skip"),
        (CI, "review:auto", "batch"),
        (CLAUDE, "review:per-task", "per-task"),
    ],
)
def test_who_may_loosen_after_the_start_M6(desk: DeskWorld, who: Actor, label: str, mode: str) -> None:
    task = desk.create(ALICE)
    desk.start(CLAUDE, task)
    if who is CI:
        with desk.refused("I5"):
            desk.app.tasks.add_label(who, task, [label])
        return
    desk.app.tasks.add_label(who, task, [label])
    desk.repo.commit(f"fe/{task}")
    assert desk.submit(CLAUDE, task).mode == mode


def test_a_label_that_its_maker_took_off_still_asks_M6(desk: DeskWorld) -> None:
    task = desk.create(labels=["review:per-task", *AUTO])
    desk.start(CLAUDE, task)
    desk.app.tasks.remove_label(CLAUDE, task, ["review:per-task"])
    desk.repo.commit(f"fe/{task}")
    assert desk.submit(CLAUDE, task).mode == "per-task"


def test_a_label_that_its_maker_and_then_a_person_took_off_asks_no_more_M6(desk: DeskWorld) -> None:
    task = desk.create(labels=["review:per-task", *AUTO])
    desk.start(CLAUDE, task)
    desk.app.tasks.remove_label(CLAUDE, task, ["review:per-task"])
    desk.app.tasks.add_label(ALICE, task, ["review:per-task"])
    desk.app.tasks.remove_label(ALICE, task, ["review:per-task"])
    desk.repo.commit(f"fe/{task}")
    assert desk.submit(CLAUDE, task).mode == "auto-approve", "a person outside the author set may loosen"


def test_an_acceptance_that_its_maker_changed_wants_eyes_M6(desk: DeskWorld) -> None:
    configure(desk, LINT)
    task = desk.create(labels=AUTO, acceptance="logs in and out")
    desk.start(CLAUDE, task)
    desk.app.tasks.edit(CLAUDE, task, acceptance="logs in")
    desk.repo.commit(f"fe/{task}")
    desk.submit(CLAUDE, task)
    report = check(desk, task)
    assert (report.status, report.mode) == ("reviewing", "batch")
    assert any("changed its acceptance" in reason.message for reason in report.reasons)


def test_who_becomes_an_author_later_takes_their_loosening_with_them_M6_I8(desk: DeskWorld) -> None:
    configure(desk, LINT)
    task = desk.submitted_task(CLAUDE, creator=CODEX, labels=AUTO)
    assert desk.show(task).mode == "auto-approve"
    desk.app.feedback.redo(ALICE, task, "more")
    desk.start(CODEX, task)
    desk.repo.commit(f"fe/{task}")
    assert desk.submit(CODEX, task).mode == "batch"


# D6 and D8


def test_counting_reviews_are_required_and_a_persons_approval_is_one_D6(desk: DeskWorld) -> None:
    configure(desk, "[review.label_rules]\napi = { reviews = 1 }\ncore = { reviews = 2 }\n")
    one, two = desk.submitted_task(labels=["api"]), desk.submitted_task(labels=["core"])
    with desk.refused("D6"):
        desk.approve(CODEX, one, reason="fine")
    assert desk.approve(BOB, one).status == "approved"
    with desk.refused("D6") as caught:
        desk.approve(BOB, two)
    assert "2 counting reviews are required, and there is 1" in caught[0].reasons[0].message
    assert desk.app.decisions.approve(BOB, two, declaration=Declaration(break_glass="alone today")).rule == "N3"


@pytest.mark.parametrize("unseen", ["ask", "refuse"])
def test_a_person_says_which_diff_was_looked_at_where_a_label_wants_it_D8(desk: DeskWorld, unseen: str) -> None:
    configure(desk, f'[review.label_rules]\npayments = {{ unseen = "{unseen}" }}\n')
    task, usual = desk.submitted_task(labels=["payments"]), desk.submitted_task()
    with desk.refused("D8") as caught:
        desk.approve(BOB, task, seen="")
    where = f"fe show {task} --diff" if unseen == "ask" else f"every hunk of {task} in the terminal app"
    assert where in steps_text(caught[0].reasons[0].next)
    with desk.refused("D8"):
        desk.app.decisions.approve(BOB, task, declaration=Declaration(break_glass="quick"))
    assert desk.approve(BOB, usual, seen="").seen is None, "by default it is only noted"
    if unseen == "ask":
        assert desk.approve(BOB, task).seen
    else:
        with desk.refused("D8"):
            desk.approve(BOB, task)


def test_report_says_what_reason_the_mode_has(desk: DeskWorld) -> None:
    configure(desk, LINT)
    task = desk.submitted_task(labels=["trivial"])
    assert row_of(check(desk, task), "lint").outcome == "passed"
    assert desk.show(task).approvals[0].reason.startswith("auto-approve (label trivial is auto-approve): 1/1 checks")
