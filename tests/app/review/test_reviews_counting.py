"""Which reviews count (V6), and for what: as many as are asked for (D6), an agent's own before its approval (D9)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from foureyes.core.nouns.session import Actor
from foureyes.core.words.ids import SessionId
from foureyes.steps import fe

from tests.stage.gated import configure
from tests.stage.looped import again, issue, review, rule, states, texts, why_not_approved
from tests.stage.people import ALICE, BOB, CLAUDE, CODEX, GEMINI, agent, child_of, person
from tests.stage.world import DeskWorld

ONE = "\n[review]\nreviews = 1\n"
TWO = "\n[review]\nreviews = 2\n"
OWN = '\n[review]\nagent_approval = "review"\n'
QWEN = agent("qwen")


def rules_against(desk: DeskWorld, task: str, by: Actor) -> set[str]:
    return {reason.rule for reason in why_not_approved(desk, task, by=by)}


def another_session_of(actor: Actor) -> Actor:
    """What `fe whoami --new` makes: a new line in the log, the same eyes (I4)."""
    return replace(actor, session=SessionId(f"{actor.session}-again"), base=actor.session)


def test_no_review_is_required_by_default_and_the_record_says_so_D6(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    assert desk.approve(CODEX, task, reason="fine").status == "approved"


def test_an_agent_approves_only_once_a_review_counts_D6(desk: DeskWorld) -> None:
    configure(desk, ONE)
    task = desk.submitted_task()
    assert rules_against(desk, task, CODEX) == {"D6"}
    review(desk, task, by=GEMINI)
    assert desk.approve(CODEX, task).status == "approved"


def test_a_persons_approval_is_one_review_of_every_grade_D6(desk: DeskWorld) -> None:
    configure(desk, ONE)
    assert desk.approve(BOB, desk.submitted_task()).status == "approved"


def test_where_two_are_required_a_person_needs_another_reviewer_D6(desk: DeskWorld) -> None:
    configure(desk, TWO)
    task = desk.submitted_task()
    reasons = why_not_approved(desk, task)
    assert "2 counting reviews are required, and there is 1, including your approval" in texts(reasons)
    assert [reason.next for reason in reasons if reason.rule == "D6"] == [fe("review", "request", task)]
    review(desk, task)
    assert desk.approve(BOB, task).status == "approved"


def test_a_persons_own_review_and_their_approval_are_one_pair_of_eyes_D6(desk: DeskWorld) -> None:
    configure(desk, TWO)
    task = desk.submitted_task()
    review(desk, task, by=BOB)
    assert rules_against(desk, task, BOB) == {"D6"}
    other_terminal = replace(BOB, session=SessionId("ses-bob-tmux"))
    assert rules_against(desk, task, other_terminal) == {"D6"}, "people are themselves across terminals (I5)"
    assert desk.approve(ALICE, task).status == "approved", "another person's approval is the second"


def test_two_sessions_of_one_origin_are_one_reviewer_D6_I4(desk: DeskWorld) -> None:
    configure(desk, TWO)
    task = desk.submitted_task()
    review(desk, task)
    review(desk, task, by=another_session_of(CODEX))
    assert rules_against(desk, task, GEMINI) == {"D6"}
    review(desk, task, by=QWEN)
    assert desk.approve(GEMINI, task).status == "approved"


def test_a_later_concern_of_the_same_eyes_replaces_their_approval_V6_I4(desk: DeskWorld) -> None:
    configure(desk, ONE)
    task = desk.submitted_task()
    review(desk, task)
    review(desk, task, by=another_session_of(CODEX), verdict="concerns")
    assert rules_against(desk, task, GEMINI) == {"D6"}


def test_two_agents_are_two_reviewers_D6(desk: DeskWorld) -> None:
    configure(desk, TWO)
    task = desk.submitted_task()
    review(desk, task)
    assert rules_against(desk, task, CODEX) == {"D6"}
    review(desk, task, by=GEMINI)
    assert desk.approve(CODEX, task).status == "approved"


def test_a_label_may_ask_for_reviews_and_the_most_wanted_counts_D6_M3(desk: DeskWorld) -> None:
    configure(desk, ONE + "\n[review.label_rules.payments]\nreviews = 2\n")
    task = desk.submitted_task(labels=["payments"])
    review(desk, task)
    assert rules_against(desk, task, GEMINI) == {"D6"}
    review(desk, task, by=GEMINI)
    assert desk.approve(GEMINI, task).status == "approved"


@pytest.mark.parametrize(
    "who",
    [CLAUDE, replace(CLAUDE, session=SessionId("ses-other")), child_of(CLAUDE)],
    ids=["author", "origin", "child"],
)
def test_a_review_by_who_made_the_work_never_counts_V6_P2(desk: DeskWorld, who: Actor) -> None:
    configure(desk, ONE)
    task = desk.submitted_task()
    assert not review(desk, task, by=who).counts
    assert "D6" in rules_against(desk, task, CODEX)


def test_a_review_of_another_diff_does_not_count_V6(desk: DeskWorld) -> None:
    configure(desk, ONE)
    task = desk.submitted_task()
    review(desk, task)
    again(desk, task)
    assert rules_against(desk, task, GEMINI) == {"D6"}
    assert "D6" in rules_against(desk, task, CODEX)
    assert review(desk, task).counts, "the same reviewer looks again"
    assert desk.approve(GEMINI, task).status == "approved"


def test_a_later_review_of_the_same_session_replaces_the_earlier_V6(desk: DeskWorld) -> None:
    configure(desk, ONE)
    task = desk.submitted_task()
    review(desk, task)
    review(desk, task, verdict="concerns")
    assert rules_against(desk, task, GEMINI) == {"D6"}
    review(desk, task)
    assert desk.approve(GEMINI, task).status == "approved"


@pytest.mark.parametrize("verdict", ["concerns", "blocker"])
def test_only_an_approving_review_counts_V6(desk: DeskWorld, verdict: str) -> None:
    configure(desk, ONE)
    task = desk.submitted_task()
    assert not review(desk, task, verdict=verdict).counts
    held = {"D3"} if verdict == "blocker" else set()
    assert rules_against(desk, task, GEMINI) == {"D6"} | held, "a blocker holds it besides (R1)"


def test_an_incomplete_review_does_not_count_V6(desk: DeskWorld) -> None:
    configure(desk, ONE)
    task = desk.submitted_task()
    review(desk, task, files_reviewed=[])
    assert rules_against(desk, task, GEMINI) == {"D6"}


def test_a_reviewer_who_becomes_an_author_counts_no_more_V6_I7(desk: DeskWorld) -> None:
    configure(desk, ONE)
    task = desk.submitted_task()
    review(desk, task)
    desk.app.feedback.redo(BOB, task, "again")
    desk.start(CODEX, task)
    desk.submit(CODEX, task, branch=f"fe/{task}")
    assert desk.show(task).attempts[-1].diff_id == desk.show(task).attempts[0].diff_id
    assert rules_against(desk, task, GEMINI) == {"D6"}, "the same diff, and its reviewer now holds the claim"


def test_an_agents_approval_needs_its_own_counting_review_where_that_is_asked_for_D9(desk: DeskWorld) -> None:
    configure(desk, OWN)
    task = desk.submitted_task()
    review(desk, task, by=GEMINI)
    assert rules_against(desk, task, CODEX) == {"D9"}
    review(desk, task, files_reviewed=[])
    assert rules_against(desk, task, CODEX) == {"D9"}
    review(desk, task)
    assert desk.approve(CODEX, task).status == "approved"


def test_a_person_needs_no_review_document_to_approve_D9(desk: DeskWorld) -> None:
    configure(desk, OWN)
    assert desk.approve(person("carol"), desk.submitted_task()).status == "approved"


def test_a_review_of_an_earlier_diff_is_no_review_of_this_one_D9(desk: DeskWorld) -> None:
    configure(desk, OWN)
    task = desk.submitted_task()
    review(desk, task)
    again(desk, task)
    assert "D9" in rules_against(desk, task, CODEX)


@pytest.mark.parametrize("verdict", ["approved", "concerns", "blocker"])
def test_any_review_of_an_earlier_attempt_counts_as_reviewed_P5(desk: DeskWorld, verdict: str) -> None:
    task = desk.submitted_task()
    review(desk, task, verdict=verdict)
    if verdict == "blocker":
        desk.app.stops.resume(BOB, task, "looked into it")
    again(desk, task)
    with desk.refused("P5"):
        desk.approve(CODEX, task)
    done = desk.approve(CODEX, task, reason="the null case has a test now")
    assert (done.rule, done.exception) == ("P5", True)


def test_a_reviewer_who_found_something_may_approve_once_it_is_resolved_I7_P5(desk: DeskWorld) -> None:
    configure(desk, OWN)
    task = desk.submitted_task()
    (name,) = review(desk, task, [issue()]).raised
    again(desk, task)
    assert "D2" in rules_against(desk, task, CODEX)
    review(desk, task, rulings=[(name, "VERIFIED")])
    assert states(desk, task) == {name: "resolved"}
    assert desk.approve(CODEX, task, reason="read the fix").rule == "P5"


def test_an_open_blocking_finding_stands_against_everybody_whatever_was_reviewed_D2(desk: DeskWorld) -> None:
    configure(desk, '\n[review]\ndefault_mode = "per-task"\n')
    task = desk.submitted_task()
    (name,) = review(desk, task, [issue()]).raised
    review(desk, task, by=GEMINI)
    for who in (BOB, ALICE, GEMINI, QWEN):
        assert rules_against(desk, task, who) == {"D2"}
    assert states(desk, task) == {name: "open"}


def test_breaking_the_glass_passes_missing_reviews_and_never_an_open_finding_N3_D2(desk: DeskWorld) -> None:
    from foureyes.core.rules.four_eyes import Declaration

    configure(desk, TWO)
    task = desk.submitted_task()
    review(desk, task, [issue()])
    with desk.refused("D2"):
        desk.app.decisions.approve(BOB, task, declaration=Declaration(break_glass="the shop is down"))
    desk.app.findings.waive(BOB, next(iter(states(desk, task))), "the shop is down")
    assert desk.app.decisions.approve(BOB, task, declaration=Declaration(break_glass="the shop is down")).rule == "N3"


def test_a_ruling_alone_is_no_review_D6(desk: DeskWorld) -> None:
    configure(desk, ONE)
    task = desk.submitted_task()
    (name,) = review(desk, task, [issue()]).raised
    again(desk, task)
    rule(desk, {name: "VERIFIED"})
    assert rules_against(desk, task, CODEX) == {"D6"}
