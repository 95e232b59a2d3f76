"""Rulings (L8, L9, L18): what an answer is worth, who says so, how it is taken back."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from foureyes.core.nouns.finding import RULINGS, Ruling
from foureyes.core.nouns.session import Actor
from foureyes.core.words.ids import SessionId
from foureyes.errors import BadInput, NotFound, Refused
from foureyes.ui.steps import steps_text

from tests.stage.gated import configure
from tests.stage.looped import (
    again,
    answer,
    findings,
    issue,
    respond,
    review,
    rule,
    same_tier,
    standing,
    states,
    texts,
    why_not_approved,
)
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, GEMINI, agent, asserted, child_of, marked
from tests.stage.ports import DeskKeys
from tests.stage.world import DeskWorld

KEPT = '\n[review]\ndefault_mode = "per-task"\n'
STRICT = '\n[review]\npolicy = "strict"\ndefault_mode = "per-task"\n'
QWEN = agent("qwen")


def answered(
    desk: DeskWorld, word: str = "FIXED", *, settings: str = KEPT, creator: Actor = ALICE, **fields: object
) -> tuple[str, str]:
    """A task in review again, with one blocking finding that was answered."""
    configure(desk, settings)
    task = desk.submitted_task(creator=creator, **fields)  # type: ignore[arg-type]
    (name,) = review(desk, task, [issue()]).raised
    respond(desk, task, {name: word})
    desk.repo.commit(f"fe/{task}", sessions=[CLAUDE.session])
    desk.submit(CLAUDE, task)
    return task, name


TABLE = {
    ("FIXED", "VERIFIED"): "resolved",
    ("FIXED", "NOT_FIXED"): "open",
    ("REJECTED", "ACCEPTED"): "resolved",
    ("REJECTED", "OVERRULED"): "open",
}


@pytest.mark.parametrize("word", RULINGS)
@pytest.mark.parametrize("given", ["FIXED", "REJECTED"])
def test_a_ruling_is_about_the_answer_that_was_given_L8_L9(desk: DeskWorld, given: str, word: str) -> None:
    task, name = answered(desk, given)
    if (given, word) in TABLE:
        rule(desk, {name: word})
        assert states(desk, task) == {name: TABLE[given, word]}
        return
    with desk.unchanged(), pytest.raises(Refused) as caught:
        rule(desk, {name: word})
    assert caught.value.reasons[0].rule in ("L4", "L8", "L9", "V7")


def test_a_claim_is_no_fix_and_stands_against_the_approval_until_somebody_verified_it_L8_D2(desk: DeskWorld) -> None:
    task, name = answered(desk)
    (reason,) = why_not_approved(desk, task)
    assert (reason.rule, "no reviewer has verified" in reason.message, steps_text(reason.next)) == (
        "D2",
        True,
        f"fe finding judge {name} (--verified or --not-fixed)",
    )
    rule(desk, {name: "VERIFIED"})
    assert desk.approve(BOB, task).status == "approved"


def test_a_dispute_is_no_acceptance_L9_D2(desk: DeskWorld) -> None:
    task, name = answered(desk, "REJECTED")
    (reason,) = why_not_approved(desk, task)
    assert ("no reviewer has ruled on it" in reason.message, steps_text(reason.next)) == (
        True,
        f"fe finding judge {name} (--accepted or --overruled)",
    )
    rule(desk, {name: "ACCEPTED"})
    assert desk.approve(BOB, task).status == "approved"


def test_an_open_one_is_answered_first_D2(desk: DeskWorld) -> None:
    configure(desk, KEPT)
    task = desk.submitted_task()
    (name,) = review(desk, task, [issue()]).raised
    (reason,) = why_not_approved(desk, task)
    assert ("is open" in reason.message, steps_text(reason.next)) == (
        True,
        f'its implementer runs: fe finding answer {name} --fixed -m "what you changed" | --rejected --ground …',
    )
    for word in RULINGS:
        with desk.unchanged(), pytest.raises(Refused):
            rule(desk, {name: word})


def test_every_blocking_finding_is_a_reason_of_its_own_D2_G2(desk: DeskWorld) -> None:
    configure(desk, KEPT)
    task = desk.submitted_task()
    names = review(desk, task, [issue("a"), issue("b", "CRITICAL"), issue("c", "LOW")]).raised
    told = texts(why_not_approved(desk, task))
    assert [name in told for name in names] == [True, True, False]


def test_not_fixed_counts_as_a_false_fix_and_verified_does_not_L8(desk: DeskWorld) -> None:
    task, name = answered(desk)
    rule(desk, {name: "NOT_FIXED"})
    assert findings(desk, task)[name].false_fixes == 1
    respond(desk, task, {name: "FIXED"})
    rule(desk, {name: "VERIFIED"})
    assert findings(desk, task)[name].false_fixes == 1


def test_an_overruled_finding_must_be_fixed_L9(desk: DeskWorld) -> None:
    task, name = answered(desk, "REJECTED")
    rule(desk, {name: "OVERRULED"})
    assert findings(desk, task)[name].must_fix
    with desk.refused("L9") as caught:
        respond(desk, task, {name: "REJECTED"})
    assert "overruled" in texts(caught[0].reasons)
    respond(desk, task, {name: "FIXED"})


# Who rules


@pytest.mark.parametrize(
    "who",
    [CLAUDE, replace(CLAUDE, session=SessionId("ses-again")), child_of(CLAUDE), marked("cursor")],
    ids=["self", "origin", "child", "unknown"],
)
@pytest.mark.parametrize(("given", "word"), [("FIXED", "VERIFIED"), ("REJECTED", "ACCEPTED")])
def test_who_made_the_work_does_not_rule_on_its_own_answers_L8_P2(
    desk: DeskWorld, who: Actor, given: str, word: str
) -> None:
    task, name = answered(desk, given)
    with desk.unchanged(), pytest.raises(Refused):
        rule(desk, {name: word}, by=who)
    with desk.unchanged(), pytest.raises(Refused):
        review(desk, task, rulings=[(name, word)], by=who, verdict="approved")


def test_not_even_of_minor_work_L8_P1(desk: DeskWorld) -> None:
    _, name = answered(desk, minor=True)
    with desk.refused("L8"):
        rule(desk, {name: "VERIFIED"}, by=CLAUDE)


@pytest.mark.parametrize("policy", ["trusted", "delegated"])
def test_not_under_a_looser_policy_either_L8(desk: DeskWorld, policy: str) -> None:
    _, name = answered(desk, settings=f'\n[review]\npolicy = "{policy}"\ndefault_mode = "per-task"\n')
    with desk.refused("L8"):
        rule(desk, {name: "VERIFIED"}, by=CLAUDE)


@pytest.mark.parametrize(("who", "rule_id"), [(CI, "I5"), (asserted(CODEX), "I1"), (asserted(BOB), "I1")])
def test_services_and_typed_names_do_not_rule_I1_I5(desk: DeskWorld, who: Actor, rule_id: str) -> None:
    _, name = answered(desk)
    with desk.refused(rule_id):
        rule(desk, {name: "VERIFIED"}, by=who)


def test_a_review_token_rules_on_its_task_only_and_an_implement_token_on_none_I2(desk: DeskWorld) -> None:
    task, name = answered(desk)
    other, others = answered(desk)
    reviewer = desk.spawn(BOB, task, "review")
    with desk.refused("I2"):
        rule(desk, {others: "VERIFIED"}, by=reviewer)
    third = desk.create()
    worker = desk.spawn(QWEN, third, "implement")
    with desk.refused("I2"):
        rule(desk, {name: "VERIFIED"}, by=worker)
    rule(desk, {name: "VERIFIED"}, by=reviewer)
    assert (states(desk, task)[name], states(desk, other)[others]) == ("resolved", "claimed")


def test_the_creator_rules_with_a_reason_and_that_is_audited_P3_P8(desk: DeskWorld) -> None:
    task, name = answered(desk, creator=QWEN)
    with desk.refused("P3"):
        rule(desk, {name: "VERIFIED"}, by=QWEN, reason="  ")
    rule(desk, {name: "VERIFIED"}, by=QWEN, reason="ran it")
    (event,) = desk.app.audit.exceptions()
    assert (event.kind, event.rule, event.reason, event.task) == ("creator_approval", "P3", "ran it", task)


def test_a_person_who_created_it_rules_without_one_P3(desk: DeskWorld) -> None:
    _, name = answered(desk, creator=ALICE)
    rule(desk, {name: "VERIFIED"}, by=ALICE, reason="")
    assert list(desk.app.audit.exceptions()) == []


@pytest.mark.parametrize("word", ["FIXED", "REJECTED"])
def test_a_person_does_not_rule_on_an_answer_that_they_gave_L8(desk: DeskWorld, word: str) -> None:
    configure(desk, KEPT)
    task = desk.submitted_task(creator=ALICE)
    (name,) = review(desk, task, [issue()]).raised
    respond(desk, task, {name: word}, by=BOB)
    ruling = {"FIXED": "VERIFIED", "REJECTED": "ACCEPTED"}[word]
    with desk.refused("L8"):
        rule(desk, {name: ruling}, by=BOB)
    rule(desk, {name: ruling}, by=ALICE)
    assert states(desk, task) == {name: "resolved"}


def test_under_strict_the_creator_does_not_rule_P3(desk: DeskWorld) -> None:
    _, name = answered(desk, settings=STRICT, creator=QWEN)
    with desk.refused("P3"):
        rule(desk, {name: "VERIFIED"}, by=QWEN, reason="ran it")
    rule(desk, {name: "VERIFIED"}, by=GEMINI)


def test_who_asked_for_the_change_may_judge_it_under_strict_too_I7(desk: DeskWorld) -> None:
    _, name = answered(desk, settings=STRICT)
    rule(desk, {name: "VERIFIED"}, by=CODEX)


def test_where_a_label_wants_a_person_only_a_person_rules_P6(desk: DeskWorld) -> None:
    _, name = answered(desk, labels=["security"])
    with desk.refused("P6"):
        rule(desk, {name: "VERIFIED"}, by=CODEX)
    rule(desk, {name: "VERIFIED"}, by=BOB)


def test_with_human_proof_key_a_persons_ruling_is_signed_I9(desk: DeskWorld) -> None:
    _, name = answered(desk)
    desk.app.keys.new(ALICE)
    desk.app.policy.set(ALICE, "review.human_proof", "key")
    rule(desk, {name: "VERIFIED"}, by=BOB, reason="ran it")
    said = desk.keys.signed[-1].decode()
    assert f"{name} VERIFIED: ran it" in said
    assert "finding judge" in said
    _, other = answered(desk)
    desk.keys = DeskKeys()
    desk.app.context.keys = desk.keys
    with desk.refused("I9"):
        rule(desk, {other: "VERIFIED"}, by=BOB)
    rule(desk, {other: "VERIFIED"}, by=GEMINI)


def test_with_human_proof_key_taking_a_ruling_back_is_signed_I9_L18(desk: DeskWorld) -> None:
    _, name = answered(desk)
    desk.app.keys.new(ALICE)
    desk.app.policy.set(ALICE, "review.human_proof", "key")
    rule(desk, {name: "NOT_FIXED"}, by=BOB)
    desk.app.rulings.take_back(BOB, name)
    assert f"take back the ruling on {name}" in desk.keys.signed[-1].decode()


def test_with_human_proof_key_a_persons_review_is_signed_with_its_rulings_I9(desk: DeskWorld) -> None:
    task, name = answered(desk)
    desk.app.keys.new(ALICE)
    desk.app.policy.set(ALICE, "review.human_proof", "key")
    review(desk, task, rulings=[(name, "VERIFIED")], by=BOB)
    assert f"{name} VERIFIED" in desk.keys.signed[-1].decode()
    desk.keys = DeskKeys()
    desk.app.context.keys = desk.keys
    with desk.refused("I9"):
        review(desk, task, by=BOB)


# All or nothing


def test_a_set_of_rulings_is_stored_whole_or_not_at_all_L8(desk: DeskWorld) -> None:
    configure(desk, KEPT)
    task = desk.submitted_task()
    a, b, c = review(desk, task, [issue("a"), issue("b"), issue("c")]).raised
    respond(desk, task, {a: "FIXED", b: "REJECTED"})
    with desk.refused("L8") as caught:
        rule(desk, {a: "VERIFIED", b: "VERIFIED", c: "NOT_FIXED"})
    assert (b in texts(caught[0].reasons), c in texts(caught[0].reasons)) == (True, True)
    rule(desk, {a: "VERIFIED", b: "OVERRULED"})
    assert states(desk, task) == {a: "resolved", b: "open", c: "open"}


def test_one_wrong_ruling_of_a_review_stores_nothing_of_it_L8_V3(desk: DeskWorld) -> None:
    task, name = answered(desk)
    with desk.unchanged(), pytest.raises(Refused):
        review(desk, task, [issue("new one", "CRITICAL")], rulings=[(name, "ACCEPTED")])
    with desk.unchanged(), pytest.raises(Refused):
        review(desk, task, rulings=[(name, "VERIFIED"), ("TL-x-1-001", "VERIFIED")])
    assert states(desk, task) == {name: "claimed"}


def test_a_finding_is_ruled_on_once_in_one_call_L8(desk: DeskWorld) -> None:
    task, name = answered(desk)
    (again_,) = review(desk, task, [issue(id=name)]).raised
    respond(desk, task, {again_: "FIXED"})
    with desk.refused("L8"):
        desk.app.rulings.rule(CODEX, [Ruling(name, "VERIFIED"), Ruling(again_, "NOT_FIXED")])


def test_rulings_of_one_call_are_about_one_task_and_about_something_L8(desk: DeskWorld) -> None:
    (_, name), (_, other) = answered(desk), answered(desk)
    with desk.unchanged(), pytest.raises(BadInput):
        rule(desk, {name: "VERIFIED", other: "VERIFIED"})
    with desk.unchanged(), pytest.raises(BadInput):
        rule(desk, {})
    with desk.unchanged(), pytest.raises(NotFound):
        rule(desk, {"TL-x-1-001": "VERIFIED"})


def test_rulings_are_about_an_attempt_in_review_L8(desk: DeskWorld) -> None:
    task, name = answered(desk)
    desk.app.feedback.redo(BOB, task, "again")
    with desk.refused("L8"):
        rule(desk, {name: "VERIFIED"})


def test_a_ruling_may_say_which_diff_was_seen_and_another_is_refused_D7(desk: DeskWorld) -> None:
    task, name = answered(desk)
    with desk.refused("D7"):
        desk.app.rulings.rule(CODEX, [Ruling(name, "VERIFIED")], seen="0" * 64)
    desk.app.rulings.rule(CODEX, [Ruling(name, "VERIFIED")], seen=desk.show(task).attempts[-1].diff_id)


# Taken back


@pytest.mark.parametrize(("given", "word"), TABLE)
def test_who_gave_a_ruling_takes_it_back_and_all_is_as_before_L18(desk: DeskWorld, given: str, word: str) -> None:
    task, name = answered(desk, given)
    before = findings(desk, task)[name]
    rule(desk, {name: word})
    desk.app.rulings.take_back(CODEX, name)
    assert findings(desk, task)[name] == before
    rule(desk, {name: word})
    assert states(desk, task) == {name: TABLE[given, word]}


def test_nobody_else_takes_it_back_L18(desk: DeskWorld) -> None:
    task, name = answered(desk)
    rule(desk, {name: "VERIFIED"})
    for who in (GEMINI, BOB, CLAUDE):
        with desk.refused("L18"):
            desk.app.rulings.take_back(who, name)
    assert states(desk, task) == {name: "resolved"}


def test_a_person_takes_it_back_from_another_terminal_L18_I5(desk: DeskWorld) -> None:
    task, name = answered(desk)
    rule(desk, {name: "VERIFIED"}, by=BOB)
    desk.app.rulings.take_back(replace(BOB, session=SessionId("ses-bob-tmux")), name)
    assert states(desk, task) == {name: "claimed"}


def test_once_the_next_hand_in_has_read_it_it_stays_L18(desk: DeskWorld) -> None:
    task, name = answered(desk)
    rule(desk, {name: "NOT_FIXED"})
    respond(desk, task, {name: "FIXED"})
    with desk.refused("L18"):
        desk.app.rulings.take_back(CODEX, name)
    desk.repo.commit(f"fe/{task}")
    desk.submit(CLAUDE, task)
    with desk.refused("L18"):
        desk.app.rulings.take_back(CODEX, name)


def test_what_was_taken_back_is_not_taken_back_again_L18(desk: DeskWorld) -> None:
    _, name = answered(desk)
    rule(desk, {name: "VERIFIED"})
    desk.app.rulings.take_back(CODEX, name)
    with desk.refused("L18"):
        desk.app.rulings.take_back(CODEX, name)


def test_what_the_approval_rests_on_is_not_taken_back_under_it_L18(desk: DeskWorld) -> None:
    task, name = answered(desk)
    rule(desk, {name: "VERIFIED"})
    desk.approve(BOB, task)
    with desk.refused("L18"):
        desk.app.rulings.take_back(CODEX, name)


def test_a_ruling_taken_back_after_the_round_ended_changes_what_the_engine_counts_and_the_record_says_it_L18_L11(
    desk: DeskWorld,
) -> None:
    task = desk.submitted_task()
    a, b = review(desk, task, [issue("a"), issue("b")]).raised
    again(desk, task)
    rule(desk, {a: "VERIFIED", b: "NOT_FIXED"})
    assert (desk.status(task), standing(desk, task).no_progress) == ("open", 0)
    desk.app.rulings.take_back(CODEX, a)
    assert standing(desk, task).no_progress == 1
    assert same_tier(desk, task) == ("developer", "")
    desk.start(CLAUDE, task)
    desk.app.answers.respond(CLAUDE, task, [answer(b, "FIXED")])
    desk.repo.commit(f"fe/{task}")
    desk.submit(CLAUDE, task)
    rule(desk, {a: "NOT_FIXED", b: "NOT_FIXED"})
    assert same_tier(desk, task) == ("senior", "")


def test_a_ruling_that_needs_a_reason_proposes_itself_with_one_P5(desk: DeskWorld) -> None:
    configure(desk, KEPT)
    task = desk.submitted_task()
    review(desk, task)
    (name,) = review(desk, task, [issue()], by=GEMINI).raised
    desk.app.feedback.redo(BOB, task)
    again(desk, task)
    with desk.refused("P5") as caught:
        rule(desk, {name: "VERIFIED"}, by=CODEX, reason="")
    assert steps_text(caught[0].next_step) == f'fe finding judge {name} --verified -m "why"'
    rule(desk, {name: "VERIFIED"}, by=CODEX, reason="looked again")
