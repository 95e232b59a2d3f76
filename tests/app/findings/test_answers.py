"""Answers (L6, L7): one per finding and submission, all of a set or none; who answers; and what silence means."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from foureyes.core.nouns.finding import GROUNDS, Answer
from foureyes.core.nouns.session import Actor
from foureyes.core.words.ids import SessionId
from foureyes.errors import BadInput, FoureyesError, Refused
from foureyes.ui.steps import steps_text

from tests.stage.gated import configure, deliver
from tests.stage.looped import (
    REASON,
    again,
    answer,
    findings,
    issue,
    next_attempt,
    open_ids,
    respond,
    review,
    rule,
    states,
    texts,
)
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, GEMINI, asserted, child_of
from tests.stage.world import DeskWorld, GitWorld

KEPT = '\n[review]\ndefault_mode = "per-task"\n'


def at_work(desk: DeskWorld, *severities: str) -> tuple[str, list[str]]:
    """A task that came back with findings and was taken up again."""
    task = desk.submitted_task()
    names = review(
        desk, task, [issue(f"problem {n}", word) for n, word in enumerate(severities or ("HIGH", "CRITICAL", "LOW"))]
    ).raised
    if desk.status(task) == "reviewing":
        desk.app.feedback.redo(BOB, task, "look at the notes")
    desk.start(CLAUDE, task)
    return task, list(names)


def give(desk: DeskWorld | GitWorld, task: str, *answers: Answer, by: Actor = CLAUDE) -> None:
    desk.app.answers.respond(by, task, list(answers))


def test_a_whole_set_is_stored_L6(desk: DeskWorld) -> None:
    task, (high, critical, low) = at_work(desk)
    give(desk, task, answer(high, "FIXED"), answer(critical, "REJECTED"), answer(low, "DEFERRED"))
    assert states(desk, task) == {high: "claimed", critical: "disputed", low: "deferred"}


WRONG: dict[str, tuple[str, dict[str, Any], str]] = {
    "deferred": ("DEFERRED", {}, "L6"),
    "skipped": ("SKIPPED", {}, "L6"),
    "fixed without a word": ("FIXED", {"text": " "}, "L6"),
    "rejected without a word": ("REJECTED", {"text": ""}, "L6"),
    "rejected too hard": ("REJECTED", {"text": "This is too hard!"}, "L7"),
    "rejected takes too long": ("REJECTED", {"text": "It takes too long."}, "L7"),
    "rejected I disagree": ("REJECTED", {"text": "I disagree"}, "L7"),
    "rejected in half a sentence": ("REJECTED", {"text": "it is fine as it is"}, "L7"),
    "rejected in white space": ("REJECTED", {"text": "no" + " " * 40}, "L7"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_a_blocking_finding_does_not_take_is_listed_and_nothing_is_stored_L6_L7(
    desk: DeskWorld, case: str
) -> None:
    word, more, rule_id = WRONG[case]
    task, (high, critical, low) = at_work(desk)
    with desk.refused(rule_id) as caught:
        give(desk, task, answer(high, "FIXED"), answer(critical, word, **more), answer(low, "SKIPPED"))
    assert critical in texts(caught[0].reasons)
    assert high not in texts(caught[0].reasons)
    assert set(states(desk, task).values()) == {"open"}


def test_every_offending_id_is_listed_at_once_L6(desk: DeskWorld) -> None:
    task, (high, critical, low) = at_work(desk)
    other = desk.submitted_task(GEMINI)
    (foreign,) = review(desk, other, [issue()]).raised
    with desk.refused("L6", "L7") as caught:
        give(
            desk,
            task,
            answer(high, "SKIPPED"),
            answer(critical, "REJECTED", "I disagree"),
            answer("TL-phantom-1-001", "FIXED"),
            answer(foreign, "FIXED"),
            answer(low, "FIXED"),
            answer(low, "SKIPPED"),
        )
    said = texts(caught[0].reasons)
    assert all(name in said for name in (high, critical, low, foreign, "TL-phantom-1-001"))


def test_a_phantom_id_inflates_no_count_L6(desk: DeskWorld) -> None:
    task, _ = at_work(desk)
    with desk.refused("L6"):
        give(desk, task, *[answer(f"TL-{task}-1-{n:03}", "FIXED") for n in (1, 2, 3, 4, 99)])
    assert set(states(desk, task).values()) == {"open"}


def test_two_ids_of_one_finding_are_one_finding_L6(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    (first,) = review(desk, task, [issue()]).raised
    again(desk, task)
    (second,) = review(desk, task, [issue(id=first)]).raised
    desk.start(CLAUDE, task)
    with desk.refused("L6"):
        give(desk, task, answer(first, "FIXED"), answer(second, "REJECTED"))


def test_a_resolved_finding_takes_no_answer_L6(desk: DeskWorld) -> None:
    task, names = at_work(desk, "HIGH", "LOW")
    give(desk, task, answer(names[0], "FIXED"))
    desk.repo.commit(f"fe/{task}")
    desk.submit(CLAUDE, task)
    rule(desk, {names[0]: "VERIFIED"})
    with desk.refused("L6"):
        give(desk, task, answer(names[0], "FIXED"))


def test_no_answer_at_all_is_no_answer_L6(desk: DeskWorld) -> None:
    task, _ = at_work(desk)
    with desk.refused("L6"):
        give(desk, task)


@pytest.mark.parametrize("ground", ["", "because", "FALSE_POSITIVE ", "too_hard"])
def test_a_blocking_finding_is_rejected_on_a_ground_L7(desk: DeskWorld, ground: str) -> None:
    task, (high, *_) = at_work(desk)
    with desk.refused("L7"):
        give(desk, task, Answer(finding=high, action="REJECTED", text=REASON, ground=ground))


@pytest.mark.parametrize("ground", GROUNDS)
def test_each_ground_is_one_and_is_kept_L7(desk: DeskWorld, ground: str) -> None:
    task, (high, *_) = at_work(desk)
    give(desk, task, Answer(finding=high, action="REJECTED", text=REASON, ground=ground))
    assert desk.app.findings.show(CODEX, high).moves[-1].ground == ground


def test_a_suggestion_needs_no_ground_and_no_technical_reason_L7(desk: DeskWorld) -> None:
    task, (*_, low) = at_work(desk)
    give(desk, task, Answer(finding=low, action="REJECTED", text="no"))
    assert states(desk, task)[low] == "disputed"


def test_a_reason_that_says_more_than_too_hard_is_a_reason_L7(desk: DeskWorld) -> None:
    task, (high, *_) = at_work(desk)
    text = "too hard to do here: the caller already checks the input, see pay() line 12"
    give(desk, task, Answer(finding=high, action="REJECTED", text=text, ground="better_alternative"))
    assert states(desk, task)[high] == "disputed"


# Until the submission


def test_an_answer_may_be_changed_until_the_hand_in_L6(desk: DeskWorld) -> None:
    task, (high, critical, low) = at_work(desk)
    give(desk, task, answer(high, "REJECTED"), answer(low, "SKIPPED"))
    give(desk, task, answer(high, "FIXED"), answer(low, "DEFERRED"))
    give(desk, task, answer(critical, "FIXED"))
    assert states(desk, task) == {high: "claimed", critical: "claimed", low: "deferred"}
    desk.repo.commit(f"fe/{task}")
    desk.submit(CLAUDE, task)
    desk.app.feedback.redo(BOB, task, "again")
    desk.start(CLAUDE, task)
    with desk.refused("L6") as caught:
        give(desk, task, answer(high, "REJECTED"))
    assert "is waiting for a ruling" in texts(caught[0].reasons)


def test_a_hand_in_leaves_no_blocking_finding_without_an_answer_L6(desk: DeskWorld) -> None:
    task, (high, critical, _) = at_work(desk)
    give(desk, task, answer(high, "FIXED"))
    desk.repo.commit(f"fe/{task}")
    with desk.refused("L6") as caught:
        desk.submit(CLAUDE, task)
    assert [critical in reason.message for reason in caught[0].reasons] == [True]
    assert (
        steps_text(caught[0].next_step)
        == f'fe finding answer {critical} --fixed -m "what you changed" | --rejected --ground …'
    )


def test_silence_about_a_suggestion_counts_as_skipped_L6(desk: DeskWorld) -> None:
    task, (high, critical, low) = at_work(desk)
    again(desk, task)
    assert states(desk, task) == {high: "claimed", critical: "claimed", low: "skipped"}
    assert desk.app.findings.show(CODEX, low).moves[-1].word == "SKIPPED"


def test_silence_about_an_unanswered_suggestion_at_the_first_hand_in_skips_nothing_L6(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    (low,) = review(desk, task, [issue(severity="LOW")]).raised
    assert states(desk, task) == {low: "open"}


@pytest.mark.parametrize("status", ["open", "approved", "blocked"])
def test_answers_are_given_at_work_or_in_review_L6(desk: DeskWorld, status: str) -> None:
    configure(desk, KEPT)
    task = desk.submitted_task()
    (name,) = review(desk, task, [issue(severity="LOW")]).raised
    if status == "open":
        desk.app.feedback.redo(BOB, task, "again")
    elif status == "approved":
        desk.approve(BOB, task)
    else:
        desk.app.feedback.reject(BOB, task, "no")
    with desk.refused("L6"):
        give(desk, task, answer(name, "FIXED"))


# Commits


def test_a_commit_that_is_named_must_be_one_L6(world: GitWorld) -> None:
    task = deliver(world)
    (name,) = review(world, task, [issue()]).raised
    world.start(CLAUDE, task)
    for commit in ("0" * 40, "deadbeef", "abc", "HEAD", "main", "refs/heads/main", "HEAD~1", "--all", "x" * 40):
        with world.refused("L6"):
            give(world, task, answer(name, "FIXED", commit=commit))


def test_a_commit_of_the_attempt_before_fixed_nothing_since_L6(world: GitWorld) -> None:
    task = deliver(world)
    (name,) = review(world, task, [issue()]).raised
    world.start(CLAUDE, task)
    for commit in (world.checkout.head(f"fe/{task}"), world.checkout.head("main")):
        with world.refused("L6"):
            give(world, task, answer(name, "FIXED", commit=commit[:12]))


def test_a_commit_that_is_not_in_what_is_handed_in_refuses_the_hand_in_L6(world: GitWorld) -> None:
    task = deliver(world)
    (name,) = review(world, task, [issue()]).raised
    world.start(CLAUDE, task)
    world.checkout.branch("elsewhere")
    stray = world.checkout.commit("stray.py", "x = 1\n", session=CLAUDE)
    give(world, task, answer(name, "FIXED", commit=stray))
    world.checkout.switch(f"fe/{task}")
    mine = world.checkout.commit("fix.py", "x = 2\n", session=CLAUDE)
    with world.refused("L6") as caught:
        world.submit(CLAUDE, task)
    assert stray[:12] in texts(caught[0].reasons)
    give(world, task, answer(name, "FIXED", commit=mine[:9].upper()))
    world.submit(CLAUDE, task)
    assert states(world, task) == {name: "claimed"}


# What can wait


def test_a_deferred_suggestion_becomes_a_tech_debt_task_L6(desk: DeskWorld) -> None:
    task, (*_, low) = at_work(desk)
    give(desk, task, answer(low, "DEFERRED", "after the release", debt="new"))
    new = findings(desk, task)[low].tracked
    planned = desk.task(new)
    assert (planned.labels, planned.status) == (["tech-debt"], "open")
    assert low in planned.description
    assert "after the release" in planned.description


def test_a_session_with_a_token_may_defer_into_a_new_task_too_L6_I2(desk: DeskWorld) -> None:
    task = desk.create()
    worker = desk.spawn(BOB, task, "implement")
    desk.repo.commit(f"fe/{task}")
    desk.submit(worker, task)
    (low,) = review(desk, task, [issue(severity="LOW")]).raised
    give(desk, task, answer(low, "DEFERRED", "after the release", debt="new"), by=worker)
    assert desk.task(findings(desk, task)[low].tracked).labels == ["tech-debt"]


def test_a_deferred_suggestion_may_name_a_task_that_is_there_L6(desk: DeskWorld) -> None:
    task, (*_, low) = at_work(desk)
    there = desk.create()
    give(desk, task, answer(low, "DEFERRED", debt=there.upper()))
    assert findings(desk, task)[low].tracked == there


def test_the_tech_debt_id_of_another_tracker_is_kept_as_text_L6(desk: DeskWorld) -> None:
    task, (*_, low) = at_work(desk)
    done = desk.app.answers.respond(CLAUDE, task, [answer(low, "DEFERRED", "needs Redis", debt="TD-052")])
    assert "TD-052 is not a task here, so it is kept only in the text of the answer" in done.notes
    assert findings(desk, task)[low].tracked == ""
    sent = desk.app.findings.show(ALICE, low).latest_answer
    assert sent is not None
    assert (sent.word, sent.words) == ("DEFERRED", "needs Redis\ntech debt: TD-052")


def test_only_a_deferred_answer_makes_a_task_L6(desk: DeskWorld) -> None:
    task, (high, _, low) = at_work(desk)
    tasks = len(desk.ids_of())
    give(desk, task, answer(high, "FIXED", debt="new"), answer(low, "SKIPPED", debt="new"))
    assert len(desk.ids_of()) == tasks


# Who answers


@pytest.mark.parametrize(
    "who",
    [BOB, ALICE, CI, replace(CLAUDE, session=SessionId("ses-claude-again"))],
    ids=["bob", "alice", "ci", "origin"],
)
def test_a_person_a_service_or_the_same_eyes_answer_for_the_implementer_L6_I7(desk: DeskWorld, who: Actor) -> None:
    task, (high, *_) = at_work(desk)
    give(desk, task, answer(high, "FIXED"), by=who)
    entry = next(entry for entry in desk.show(task).history if entry.action == "responded")
    assert (entry.session, entry.via) == (CLAUDE.session, who.session)


@pytest.mark.parametrize("who", [CODEX, GEMINI, child_of(CLAUDE)], ids=["reviewer", "stranger", "child"])
def test_neither_a_stranger_nor_the_reviewer_answers_L6(desk: DeskWorld, who: Actor) -> None:
    task, (high, *_) = at_work(desk)
    with desk.refused("L6"):
        give(desk, task, answer(high, "FIXED"), by=who)


def test_a_delegator_answers_for_its_child_and_a_review_token_for_nobody_L6_I2(desk: DeskWorld) -> None:
    configure(desk, KEPT)
    task = desk.create(BOB)
    child = desk.spawn(GEMINI, task, "implement")
    desk.repo.commit(f"fe/{task}")
    desk.submit(child, task)
    (name,) = review(desk, task, [issue()]).raised
    reviewer = desk.spawn(BOB, task, "review")
    with desk.refused("I2"):
        give(desk, task, answer(name, "FIXED"), by=reviewer)
    give(desk, task, answer(name, "FIXED"), by=GEMINI)
    assert states(desk, task) == {name: "claimed"}
    other = desk.submitted_task()
    (foreign,) = review(desk, other, [issue()]).raised
    with desk.refused("I2"):
        give(desk, other, answer(foreign, "FIXED"), by=child)


@pytest.mark.parametrize("who", [asserted(CLAUDE), replace(CLAUDE, within="fe check run")], ids=["name", "check"])
def test_a_typed_name_and_what_a_check_starts_answer_nothing_I1_I5(desk: DeskWorld, who: Actor) -> None:
    task, (high, *_) = at_work(desk)
    with desk.unchanged(), pytest.raises(Refused):
        give(desk, task, answer(high, "FIXED"), by=who)


def test_who_answers_is_an_author_and_neither_rules_nor_approves_I7_P2(desk: DeskWorld) -> None:
    task, names = at_work(desk, "HIGH")
    desk.app.claims.unstart(CLAUDE, task)
    desk.start(GEMINI, task)
    respond(desk, task, {names[0]: "FIXED"}, by=GEMINI)
    desk.app.claims.unstart(GEMINI, task)
    desk.start(CLAUDE, task)
    desk.repo.commit(f"fe/{task}")
    desk.submit(CLAUDE, task)
    for who in (GEMINI, CLAUDE):
        with desk.refused("L8"):
            rule(desk, {names[0]: "VERIFIED"}, by=who)
        with desk.refused("P2", "D2"):
            desk.approve(who, task, reason="fine")


# As a document


def handoff(**fields: Any) -> bytes:
    return json.dumps({"type": "handoff_developer"} | fields).encode()


def said(name: str, action: str) -> dict[str, str]:
    return {
        "issue_id": name,
        "action": action,
        "details": "done" if action == "FIXED" else "",
        "reason": REASON,
        "ground": "false_positive",
    }


def test_a_document_with_the_right_numbers_is_taken_G6(desk: DeskWorld) -> None:
    task, (high, critical, low) = at_work(desk)
    counts = {"total_blocking": 2, "fixed": 1, "rejected_with_reason": 1, "unaddressed": 0}
    document = handoff(
        issue_responses=[said(high, "FIXED"), said(critical, "REJECTED"), said(low, "SKIPPED")], blocking_summary=counts
    )
    desk.app.answers.respond_document(CLAUDE, task, document)
    assert states(desk, task) == {high: "claimed", critical: "disputed", low: "skipped"}


MISCOUNTED: list[dict[str, int]] = [
    {"total_blocking": 1}, {"total_blocking": 3}, {"fixed": 2}, {"fixed": 0}, {"rejected_with_reason": 1},
    {"unaddressed": 0}, {"unaddressed": 2},
]  # fmt: skip


@pytest.mark.parametrize("counts", MISCOUNTED, ids=str)
def test_a_number_that_counting_contradicts_refuses_the_whole_document_G6(
    desk: DeskWorld, counts: dict[str, int]
) -> None:
    task, (high, *_) = at_work(desk)
    with desk.unchanged(), pytest.raises(FoureyesError) as caught:
        desk.app.answers.respond_document(
            CLAUDE, task, handoff(issue_responses=[said(high, "FIXED")], blocking_summary=counts)
        )
    assert "G6" in texts(caught.value.reasons)
    assert next(iter(counts)) in texts(caught.value.reasons)


@pytest.mark.parametrize(
    "raw",
    [b"", b"FIXED all of them", b"[]", handoff(issue_responses=[{"issue_id": "x", "action": "MAYBE"}]), handoff(x=1)],
)
def test_a_document_that_is_none_answers_nothing_L6(desk: DeskWorld, raw: bytes) -> None:
    task, _ = at_work(desk)
    with desk.unchanged(), pytest.raises(BadInput):
        desk.app.answers.respond_document(CLAUDE, task, raw)
    assert len(open_ids(desk, task)) == 2


def test_after_real_work_the_answered_finding_waits_for_its_ruling_L8(world: GitWorld) -> None:
    task = deliver(world, {"pay.py": "limit = 10\n"})
    (name,) = review(world, task, [issue(file="pay.py", line=1)]).raised
    next_attempt(world, task, {"pay.py": "limit = LIMIT\n"})
    assert states(world, task) == {name: "claimed"}
