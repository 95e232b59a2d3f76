"""Review cycles (V1, V4, V8, V9, V10): opened at a submission and by people, decided with the last answer, clarified and
run again; pauses and holds by rule.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from foureyes.app.results.review import CycleView, ReviewOutcome
from foureyes.app.review.early_reviews import record_early_review, take_early_review
from foureyes.core.nouns.cycle import EarlyReview, early_review_ref
from foureyes.core.nouns.session import Actor
from foureyes.errors import NotFound

from tests.stage.documents import review_result
from tests.stage.gated import AUTO, LINT, configure
from tests.stage.looped import again, issue, review
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, GEMINI
from tests.stage.world import DeskWorld

PEERS = '\n[review.peers]\nreviewers = ["codex", "gemini", "claude"]\n'
TWO = PEERS + "ask = 2\n"
CONCERN: dict[str, Any] = {"verdict": "concerns", "summary": "the salt is missing"}


def peers(desk: DeskWorld, text: str = TWO) -> None:
    configure(desk, text)


def cycle(desk: DeskWorld, name: str = "c-1") -> CycleView:
    return desk.app.cycles.show(name)


def states(view: CycleView) -> dict[str, str]:
    return {row.reviewer: row.state for row in view.requested}


def paused(desk: DeskWorld) -> list[tuple[str, str, str]]:
    return [(row.task, row.made_by, row.rule) for row in desk.app.runs.blocked_work().pauses]


def test_without_peers_nothing_is_asked_and_all_is_as_it_was_V1(desk: DeskWorld) -> None:
    desk.submitted_task()
    assert desk.app.cycles.listed() == []


def test_a_hand_in_asks_as_many_as_the_policy_says_and_never_its_author_V1_V4(desk: DeskWorld) -> None:
    peers(desk)
    task = desk.submitted_task()
    view = cycle(desk)
    assert (view.trigger, view.state, view.seats, view.quorum) == ("REQUEST_REVIEW", "open", 2, 1)
    assert [(target.task, target.attempt) for target in view.targets] == [(task, 1)]
    assert states(view) == {"codex": "asked", "gemini": "asked"}
    assert view.waits_for == ("codex", "gemini")


def test_who_was_asked_longest_ago_comes_first_V4(desk: DeskWorld) -> None:
    peers(desk, PEERS)
    for _ in range(3):
        desk.submitted_task()
    assert [row.requested[0].reviewer for row in reversed(desk.app.cycles.listed())] == ["codex", "gemini", "codex"]


def test_two_approve_and_the_last_answer_decides_R4_V8(desk: DeskWorld) -> None:
    peers(desk)
    task = desk.submitted_task()
    first = review(desk, task, by=CODEX)
    assert any("waits for other reviewers" in note for note in first.notes)
    assert (cycle(desk).state, states(cycle(desk))) == ("open", {"codex": "answered", "gemini": "asked"})
    review(desk, task, by=GEMINI)
    view = cycle(desk)
    assert (view.state, view.rule, view.reasons) == ("decided", "R4", ("all 2 approve",))
    assert desk.app.cycles.issues() == []
    assert desk.status(task) == "reviewing"


def test_one_concern_is_flagged_and_the_work_goes_on_R3(desk: DeskWorld) -> None:
    peers(desk)
    task = desk.submitted_task()
    review(desk, task, by=CODEX, **CONCERN)
    review(desk, task, by=GEMINI)
    assert cycle(desk).rule == "R3"
    (row,) = desk.app.cycles.issues()
    assert (row.task, row.rule, row.verdict, row.text) == (task, "R3", "concerns", "the salt is missing")
    assert paused(desk) == []
    assert desk.show(task).task.hold is None


def test_a_concern_with_a_HIGH_finding_sends_the_attempt_back_when_the_cycle_ends_and_not_before_V10_R3(
    desk: DeskWorld,
) -> None:
    peers(desk)
    task = desk.submitted_task()
    first = review(desk, task, [issue()], by=CODEX, verdict="concerns")
    assert (first.sent_back, desk.status(task)) == (False, "reviewing"), "gemini was asked, too"
    second = review(desk, task, by=GEMINI)
    assert (second.sent_back, desk.status(task), cycle(desk).rule) == (True, "open", "R3")


def test_a_blocker_holds_its_task_only_at_once_and_a_person_lifts_it_R1(desk: DeskWorld) -> None:
    peers(desk)
    task, other = desk.submitted_task(), desk.submitted_task()
    done = review(desk, task, by=CODEX, verdict="blocker", summary="it deletes the database")
    assert done.message == "blocker, 0 findings. The task is held until a person decides (R1)"
    assert desk.show(task).task.hold == "codex#1 reported a blocker: it deletes the database"
    assert (cycle(desk).rule, states(cycle(desk))["gemini"]) == ("R1", "asked"), "nobody waits for gemini"
    assert desk.show(other).task.hold is None
    with desk.refused("D3"):
        desk.app.decisions.approve(BOB, task)
    review(desk, task, by=GEMINI)
    assert (cycle(desk).rule, states(cycle(desk))["gemini"]) == ("R1", "answered"), "it may still answer"
    desk.app.stops.resume(ALICE, task, "I looked")
    assert desk.show(task).task.hold is None


def test_two_concerns_pause_and_ask_the_author_and_agreement_lifts_it_R2_R4_V9(desk: DeskWorld) -> None:
    peers(desk)
    task = desk.submitted_task()
    review(desk, task, by=CODEX, **CONCERN)
    review(desk, task, [issue("no limit", "LOW")], by=GEMINI, verdict="concerns", summary="no limit")
    view = cycle(desk)
    assert (view.rule, view.state) == ("R2", "clarifying")
    assert [(point.id, point.reviewer, point.text) for point in view.points] == [
        ("p1", "codex", "the salt is missing"),
        ("p2", "gemini", "no limit"),
    ]
    assert view.points[1].finding, "it is linked to what was found"
    assert paused(desk) == [(task, "rule", "R2")]
    desk.app.cycles.clarify(CLAUDE, "c-1", "p1", "the salt is in the hash")
    done = desk.app.cycles.clarify(CLAUDE, "c-1", "p2", "the limit is in the settings")
    assert (done.cycle, done.requested) == ("c-2", ("codex", "gemini"))
    assert (cycle(desk).state, cycle(desk).why, cycle(desk, "c-2").follows) == ("ended", "clarified", "c-1")
    assert paused(desk) == [(task, "rule", "R2")], "until they have looked again"
    review(desk, task, by=CODEX)
    review(desk, task, by=GEMINI)
    assert (cycle(desk, "c-2").rule, paused(desk)) == ("R4", [])


def test_a_concern_that_is_left_lifts_the_pause_too_R3_V9(desk: DeskWorld) -> None:
    task = two_concerns(desk)
    for point in ("p1", "p2"):
        desk.app.cycles.clarify(CLAUDE, "c-1", point, "it is there, look")
    review(desk, task, by=CODEX)
    review(desk, task, by=GEMINI, **CONCERN)
    assert (cycle(desk, "c-2").rule, paused(desk)) == ("R3", [])


def two_concerns(desk: DeskWorld) -> str:
    peers(desk)
    task = desk.submitted_task()
    review(desk, task, by=CODEX, **CONCERN)
    review(desk, task, by=GEMINI, **CONCERN)
    return task


def test_after_three_rounds_of_concerns_a_person_is_asked_R2(desk: DeskWorld) -> None:
    task = two_concerns(desk)
    for n in (1, 2):
        for point in ("p1", "p2"):
            desk.app.cycles.clarify(CLAUDE, f"c-{n}", point, "as before")
        review(desk, task, by=CODEX, **CONCERN)
        review(desk, task, by=GEMINI, **CONCERN)
    view = cycle(desk, "c-3")
    assert (view.state, view.rule, view.points) == ("decided", "R2", ())
    assert (task, "rule", "R2") in paused(desk)


def test_only_the_author_or_a_person_clarifies_and_once_R2(desk: DeskWorld) -> None:
    two_concerns(desk)
    with desk.refused("R2"):
        desk.app.cycles.clarify(CODEX, "c-1", "p1", "I think it is fine")
    desk.app.cycles.clarify(ALICE, "c-1", "p1", "it is meant so")
    for point in ("p1", "p9"):
        with desk.refused("R2"):
            desk.app.cycles.clarify(CLAUDE, "c-1", point, "again")


def test_no_answer_by_the_deadline_is_R0_and_the_pause_stays_V9(desk: DeskWorld) -> None:
    task = two_concerns(desk)
    assert desk.app.cycles.decide(CI) == []
    desk.clock.wait(31 * 60)
    (done,) = desk.app.cycles.decide(CI)
    assert (done.rule, done.state) == ("R0", "decided")
    assert paused(desk) == [(task, "rule", "R2")]
    desk.app.stops.resume(ALICE, task, "I know why")
    assert paused(desk) == []


def test_a_pause_of_a_person_is_not_lifted_by_a_rule_V9(desk: DeskWorld) -> None:
    task = two_concerns(desk)
    desk.app.runs.pause(ALICE, task, reason="not today")
    for point in ("p1", "p2"):
        desk.app.cycles.clarify(CLAUDE, "c-1", point, "it is there")
    review(desk, task, by=CODEX)
    review(desk, task, by=GEMINI)
    assert paused(desk) == [(task, "person", "")]


def test_who_is_late_gives_no_review_and_the_next_one_is_asked_then_a_person_R0_V4(desk: DeskWorld) -> None:
    peers(desk, PEERS)
    task = desk.submitted_task()
    desk.clock.wait(31 * 60)
    assert desk.app.cycles.decide(CI) == []
    assert states(cycle(desk)) == {"codex": "not_given", "gemini": "asked"}
    desk.clock.wait(31 * 60)
    (done,) = desk.app.cycles.decide(CI)
    assert (done.rule, done.state) == ("R0", "decided")
    assert "codex gave no review: timeout" in cycle(desk).reasons
    (row,) = desk.app.cycles.issues()
    assert (row.rule, row.task) == ("R0", task)


def test_a_person_who_ends_the_wait_reads_for_whom_it_goes_on_V8(desk: DeskWorld) -> None:
    peers(desk, PEERS)
    desk.submitted_task()
    (done,) = desk.app.cycles.decide(ALICE, "c-1", now=True)
    assert done.message.startswith("c-1 is open and waits for codex until 20")
    assert done.notes == ("--now ends only the wait for people, and an agent that was asked may still answer",)


def test_a_runner_says_why_there_is_no_review_and_nobody_is_a_success(desk: DeskWorld) -> None:
    peers(desk)
    desk.submitted_task()
    runner = desk.app.runs.begin(ALICE, agents=1).actor
    desk.app.cycles.not_given(runner, "c-1", "codex", why="quota", text="limit reached")
    assert cycle(desk).state == "open"
    done = desk.app.cycles.not_given(runner, "c-1", "gemini", why="invalid")
    assert (done.state, done.rule) == ("decided", "R0")


def test_a_newer_attempt_ends_the_older_cycle_and_opens_one_of_its_own_V4(desk: DeskWorld) -> None:
    peers(desk)
    task = desk.submitted_task()
    desk.app.feedback.redo(BOB, task, "say more")
    assert (cycle(desk).state, cycle(desk).why) == ("ended", "RedoRequested")
    again(desk, task)
    assert [(row.id, row.state) for row in desk.app.cycles.listed()] == [("c-2", "open"), ("c-1", "ended")]
    assert cycle(desk, "c-2").targets[0].attempt == 2


def test_a_decision_of_a_person_ends_the_cycle_V4(desk: DeskWorld) -> None:
    peers(desk)
    task = desk.submitted_task()
    desk.app.decisions.approve(BOB, task)
    assert (cycle(desk).state, cycle(desk).why) == ("ended", "Approved")


def test_no_rule_approves_while_reviewers_are_asked_or_none_looked_V8_M4(desk: DeskWorld) -> None:
    peers(desk, PEERS + LINT)
    task = desk.submitted_task(labels=AUTO)
    desk.app.checks.run(CI, task)
    assert desk.status(task) == "reviewing"
    review(desk, task, by=CODEX)
    assert (cycle(desk).rule, desk.status(task)) == ("R4", "approved")


def test_who_made_the_work_has_no_voice_in_its_cycle_V4_V8(desk: DeskWorld) -> None:
    peers(desk)
    task = desk.submitted_task()
    review(desk, task, by=CLAUDE, verdict="blocker", summary="do not look")
    assert cycle(desk).reviews == ()
    with desk.refused("V4"):
        desk.app.cycles.request(CLAUDE, task, reviewers=["claude"])


def test_who_was_not_asked_may_answer_too_V4(desk: DeskWorld) -> None:
    configure(desk, "\n[review]\nreviews = 1\n")
    task = desk.submitted_task()
    assert cycle(desk).waits_for == ("any reviewer",)
    assert desk.app.cycles.decide(CI) == [], "nobody was asked: whoever comes by is waited for"
    review(desk, task, by=GEMINI)
    assert (cycle(desk).rule, [given.counts for given in cycle(desk).reviews]) == ("R4", [True])


def test_a_quorum_of_two_wants_two_that_count_V8_D6(desk: DeskWorld) -> None:
    configure(desk, PEERS.replace("[review.peers]", "[review]\nreviews = 2\n[review.peers]"))
    task = desk.submitted_task()
    review(desk, task, by=CODEX)
    review(desk, task, by=GEMINI, files_reviewed=[])
    assert cycle(desk).rule == "R0"
    assert any("1 of 2 counting" in reason for reason in cycle(desk).reasons)


def test_a_person_lets_reviewers_look_and_the_same_again_is_the_same_V1(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    done = desk.app.cycles.now(ALICE, task, reason="it changes the login")
    assert (done.cycle, done.changed, cycle(desk).trigger) == ("c-1", True, "USER_MANUAL")
    assert desk.app.cycles.now(ALICE, task).changed is False
    named = desk.app.cycles.request(BOB, task, reviewers=["gemini", "human"])
    assert (named.cycle, named.requested) == ("c-1", ("a person", "gemini"))
    with desk.refused("V1"):
        desk.app.cycles.now(CLAUDE, task)


def test_what_is_neither_in_progress_nor_in_review_is_not_looked_at_V1(desk: DeskWorld) -> None:
    task = desk.create()
    with desk.refused("V1"):
        desk.app.cycles.now(ALICE, task)
    with desk.refused("V1"):
        desk.app.cycles.now(ALICE)


def test_a_look_at_all_work_in_progress_is_one_wide_cycle_and_stops_everything_V1_V9(desk: DeskWorld) -> None:
    peers(desk, PEERS.replace('"claude"', '"qwen"'))
    tasks = [begun(desk, actor) for actor in (CLAUDE, CLAUDE)]
    done = desk.app.cycles.now(ALICE, reason="before I leave")
    view = cycle(desk, done.cycle)
    assert view.wide
    assert [(target.task, target.early_review) for target in view.targets] == [(task, 1) for task in sorted(tasks)]
    assert desk.app.cycles.now(ALICE).changed is False
    assert set(states(view)) == {"codex", "gemini"}


@pytest.mark.parametrize(
    ("said", "trigger"), [("milestone", "MILESTONE"), ("blocker", "BLOCKER"), ("request_review", "REQUEST_REVIEW")]
)
def test_what_an_agent_says_without_a_runner_asks_for_eyes_V1_S3(desk: DeskWorld, said: str, trigger: str) -> None:
    peers(desk, PEERS)
    task = begun(desk, CLAUDE)
    done = desk.app.runs.emit(CLAUDE, said, "half of it", task=task)
    assert (cycle(desk).trigger, cycle(desk).reason, cycle(desk).targets[0].early_review) == (trigger, "half of it", 1)
    assert done.notes == ("opened the review cycle c-1",)
    desk.app.runs.emit(CLAUDE, said, "half of it", task=task)
    desk.app.runs.emit(CLAUDE, "progress", "more of it", task=task)
    assert len(desk.app.cycles.listed()) == 1


def test_a_review_of_a_look_binds_the_task_and_approves_nothing_V1(desk: DeskWorld) -> None:
    peers(desk, PEERS)
    task = begun(desk, CLAUDE)
    desk.app.cycles.request(CLAUDE, task, reason="is this the way?")
    with desk.refused("V4"):
        look_review(desk, CLAUDE, task)
    done = look_review(desk, CODEX, task, [issue()], verdict="concerns")
    assert (done.counts, cycle(desk).rule, desk.status(task)) == (False, "R3", "in_progress")
    assert len(done.raised) == 1
    with desk.refused("L6"):
        desk.submit(CLAUDE, task)


def test_a_hand_in_ends_the_look_s_cycle_and_a_look_counts_for_no_attempt_V1_V6(desk: DeskWorld) -> None:
    configure(desk, "\n[review]\nreviews = 1\n")
    task = begun(desk, CLAUDE)
    desk.app.cycles.now(ALICE, task)
    look_review(desk, CODEX, task)
    assert cycle(desk).rule == "R4"
    desk.submit(CLAUDE, task)
    assert cycle(desk, "c-2").trigger == "REQUEST_REVIEW"
    with desk.refused("D6"):
        desk.app.decisions.approve(GEMINI, task, seen=desk.show(task).attempts[-1].seen)


def test_of_two_who_look_at_once_each_has_a_number_and_a_ref_of_its_own_V1(desk: DeskWorld) -> None:
    task = begun(desk, CLAUDE)
    context = desk.app.context
    first = take_early_review(context, CI, task)
    desk.repo.commit(f"fe/{task}")
    second = take_early_review(context, CI, task)
    for looked in (first, second):
        with context.writing(CI, "run") as work:
            record_early_review(context, work, looked)
    with context.store.read() as tx:
        rows = tx.all("cycle.early_reviews", EarlyReview, task=task)
    assert [row.commit for row in rows] == [first.commit, second.commit]
    refs = {early_review_ref(task, row.n): row.commit for row in rows}
    assert {name: commit for name, commit in desk.workshop.kept.items() if "/looks/" in name} == refs


def test_a_review_is_of_the_look_that_it_names_and_of_no_other_D7_V1(desk: DeskWorld) -> None:
    peers(desk)
    task = begun(desk, CLAUDE)
    desk.app.cycles.now(ALICE, task)
    desk.repo.commit(f"fe/{task}")
    desk.app.cycles.request(ALICE, task, reviewers=["codex", "gemini"])
    first, second = (cycle(desk, name).targets[0] for name in ("c-1", "c-2"))
    assert (first.early_review, second.early_review, first.diff_id == second.diff_id) == (1, 2, False)
    for reviewer in (CODEX, GEMINI):
        look_review(desk, reviewer, task)
    assert (cycle(desk).state, cycle(desk).reviews) == ("open", ())
    assert (cycle(desk, "c-2").rule, len(cycle(desk, "c-2").reviews)) == ("R4", 2)
    look_review(desk, CODEX, task, diff_id=first.diff_id)
    assert states(cycle(desk))["codex"] == "answered"


@pytest.mark.parametrize("named", ["1.0123456789abcdef0123", "", "sha256:"])
def test_an_agent_s_review_of_a_look_names_what_it_looked_at_D7(desk: DeskWorld, named: str) -> None:
    peers(desk)
    task = begun(desk, CLAUDE)
    desk.app.cycles.now(ALICE, task)
    with desk.refused("D7"):
        look_review(desk, CODEX, task, diff_id=named)
    assert states(cycle(desk)) == {"codex": "asked", "gemini": "asked"}


def test_a_person_may_leave_out_which_look_it_is_where_there_is_one_D7(desk: DeskWorld) -> None:
    peers(desk)
    task = begun(desk, CLAUDE)
    desk.app.cycles.now(ALICE, task)
    with desk.refused("D7"):
        look_review(desk, BOB, task, diff_id="1.0123456789abcdef0123")
    assert look_review(desk, BOB, task, diff_id="").message == "approved, 0 findings (early review 1)"
    desk.repo.commit(f"fe/{task}")
    desk.app.cycles.now(ALICE, task)
    with desk.refused("D7"):
        look_review(desk, ALICE, task, diff_id="")


def test_a_person_signs_a_review_of_a_look_I9_V1(desk: DeskWorld) -> None:
    peers(desk)
    desk.app.keys.new(ALICE)
    desk.app.policy.set(ALICE, "review.human_proof", "key")
    task = begun(desk, CLAUDE)
    desk.app.cycles.now(ALICE, task)
    assert look_review(desk, ALICE, task).message == "approved, 0 findings (early review 1)"
    assert desk.app.audit.verify().findings == ()


def test_a_reviewer_of_a_look_is_told_the_verdict_it_gave_L5(desk: DeskWorld) -> None:
    peers(desk)
    task = begun(desk, CLAUDE)
    desk.app.cycles.now(ALICE, task)
    done = look_review(desk, CODEX, task, verdict="concerns", summary="no")
    assert (done.status, done.message) == ("CHANGES_REQUESTED", "concerns, 0 findings (early review 1)")


def look_review(
    desk: DeskWorld, by: Actor, task: str, issues: Sequence[dict[str, Any]] = (), **more: Any
) -> ReviewOutcome:
    """A review of the last look, which reads every file of it."""
    with desk.store.read() as tx:
        early_review = tx.all("cycle.early_reviews", EarlyReview, task=task)[-1]
    said = review_result(issues, **{"files_reviewed": early_review.files, "diff_id": early_review.diff_id} | more)
    return desk.app.reviews.submit(by, task, json.dumps(said).encode())


def begun(desk: DeskWorld, actor: Actor) -> str:
    """Work in the middle of it, on the branch of its task."""
    task = desk.create()
    desk.start(actor, task)
    desk.repo.commit(f"fe/{task}")
    return task


def test_a_person_ends_a_cycle_without_a_rule_V8(desk: DeskWorld) -> None:
    peers(desk)
    desk.submitted_task()
    desk.app.cycles.end(ALICE, "c-1", "asked by mistake")
    assert (cycle(desk).state, cycle(desk).why) == ("ended", "asked by mistake")
    done = desk.app.cycles.end(ALICE, "c-1", "once more")
    assert (done.changed, done.message) == (False, f"c-1 had already ended: asked by mistake, {cycle(desk).ended_at}")
    with desk.refused("V8"):
        desk.app.cycles.end(CLAUDE, "c-1", "I do not want it")


def test_a_runner_asks_one_more_and_nobody_twice_V4(desk: DeskWorld) -> None:
    configure(desk, "\n[review]\nreviews = 1\n")
    desk.submitted_task()
    runner = desk.app.runs.begin(ALICE, agents=1).actor
    assert desk.app.cycles.ask(runner, "c-1", "codex").changed
    assert not desk.app.cycles.ask(runner, "c-1", "codex").changed
    with desk.refused("V4"):
        desk.app.cycles.ask(runner, "c-1", "claude")


def test_a_cycle_that_is_not_there_is_said_so(desk: DeskWorld) -> None:
    with pytest.raises(NotFound):
        desk.app.cycles.show("c-9")


def test_what_scripted_agents_say_counts_only_in_a_demo_V3(desk: DeskWorld) -> None:
    scripted = '\n[agents]\ncodex = { program = "codex", adapter = "scripted" }\n'
    peers(desk, PEERS + scripted)
    task = desk.submitted_task()
    review(desk, task, by=CODEX)
    assert (cycle(desk).state, states(cycle(desk))) == ("open", {"codex": "answered", "gemini": "asked"})
    peers(desk, "demo = true\n" + PEERS + scripted)
    review(desk, desk.submitted_task(), by=CODEX)
    assert cycle(desk, "c-2").rule == "R4"


def test_what_nobody_reviewed_waits_for_a_person_by_name_E6_R0(desk: DeskWorld) -> None:
    peers(desk, PEERS)
    task = desk.submitted_task()
    for _ in range(2):
        desk.clock.wait(31 * 60)
        desk.app.cycles.decide(CI)
    (row,) = [row for row in desk.app.attention.view(ALICE).rows if row.kind == "review"]
    assert (row.task, row.text) == (task, "c-1 ended without a review (R0)")
    desk.app.decisions.approve(BOB, task)
    assert [row for row in desk.app.attention.view(ALICE).rows if row.kind == "review"] == []


def test_where_peers_are_wanted_and_none_counts_that_is_a_reason_to_look_H1(desk: DeskWorld) -> None:
    peers(desk)
    task = desk.submitted_task()

    def reasons() -> list[str]:
        return [reason.message for row in desk.app.queue.view(BOB).rows for reason in row.risk.reasons]

    assert "no counting peer review" in reasons()
    review(desk, task, by=CODEX)
    assert "no counting peer review" not in reasons()


def test_a_look_at_everything_says_that_it_was_not_everything_V1(
    desk: DeskWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    peers(desk, PEERS.replace('"claude"', '"qwen"'))
    tasks = [begun(desk, actor) for actor in (CLAUDE, CLAUDE)]
    monkeypatch.setattr("foureyes.app.review.cycle_verbs.MOST_ROWS", 1)
    done = desk.app.cycles.now(ALICE)
    assert [each.task for each in cycle(desk, done.cycle).targets] == tasks[:1]
    assert [note for note in done.notes if note.startswith("more than 1 tasks") and tasks[1] in note]
