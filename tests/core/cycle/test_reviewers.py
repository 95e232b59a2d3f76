"""V4: who is asked, and why the others are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.cycle.reviewers import LeftOut, MakerTraits, ReviewerCandidate, ReviewerChoice, choose
from foureyes.core.nouns.session import GRADES, Grade

from tests.core.samples import quick

CLAUDE = ReviewerCandidate(name="claude", order=0, model="opus", vendor="anthropic")
CODEX = ReviewerCandidate(name="codex", order=1, model="gpt", vendor="openai")
GEMINI = ReviewerCandidate(name="gemini", order=2, model="pro", vendor="google")
BY_CLAUDE = MakerTraits(name="claude", model="opus", vendor="anthropic")


def test_never_who_made_it_and_in_declared_order_V4() -> None:
    assert choose([CLAUDE, CODEX, GEMINI], [BY_CLAUDE], "origin", seats=1) == ReviewerChoice(
        chosen=("codex",), left_out=(LeftOut("claude", "made the work"),)
    )


def test_two_seats_two_reviewers_and_it_goes_round_V4() -> None:
    asked = ReviewerCandidate(name="codex", order=1, last_asked=7)
    assert choose([CLAUDE, asked, GEMINI], [BY_CLAUDE], "origin", seats=1).chosen == ("gemini",)
    assert choose([CLAUDE, asked, GEMINI], [BY_CLAUDE], "origin", seats=2).chosen == ("gemini", "codex")


@pytest.mark.parametrize(
    ("candidate", "why"),
    [
        (ReviewerCandidate(name="codex", cooled="out of quota until 14:00"), "out of quota until 14:00"),
        (ReviewerCandidate(name="codex", missing="codex is not installed"), "codex is not installed"),
    ],
)
def test_who_cannot_be_asked_is_passed_over_and_the_next_one_is_V4(candidate: ReviewerCandidate, why: str) -> None:
    choice = choose([candidate, GEMINI], [BY_CLAUDE], "origin", seats=1)
    assert choice.chosen == ("gemini",)
    assert choice.left_out == (LeftOut("codex", why),)
    assert choose([candidate], [BY_CLAUDE], "origin", seats=1) == ReviewerChoice(
        chosen=(), left_out=(LeftOut("codex", why),), person=True
    )


def test_nobody_left_is_a_person_V4() -> None:
    assert choose([], [BY_CLAUDE], "origin", seats=1).person
    assert choose([CODEX], [BY_CLAUDE], "origin", seats=2) == ReviewerChoice(chosen=("codex",), person=True)
    assert choose([CODEX, GEMINI], [BY_CLAUDE], "origin", seats=1, already={"codex", "gemini"}).person


def test_never_below_the_grade_V4_I6() -> None:
    twin = ReviewerCandidate(name="claude-senior", model="opus", vendor="anthropic")
    sibling = ReviewerCandidate(name="claude-small", model="haiku", vendor="anthropic")
    unknown = ReviewerCandidate(name="opencode")
    everyone = [twin, sibling, unknown, CODEX]
    assert choose(everyone, [BY_CLAUDE], "origin", seats=9).chosen == (
        "claude-senior",
        "claude-small",
        "opencode",
        "codex",
    )
    assert choose(everyone, [BY_CLAUDE], "model", seats=9).chosen == ("claude-small", "codex")
    assert choose(everyone, [BY_CLAUDE], "vendor", seats=9).chosen == ("codex",)
    assert choose(everyone, [BY_CLAUDE], "human", seats=1) == ReviewerChoice(
        chosen=(), left_out=tuple(LeftOut(each.name, "a person is required") for each in everyone), person=True
    )


names = st.sampled_from(("claude", "codex", "gemini", "qwen"))


@given(st.lists(names, unique=True), st.lists(names), st.sampled_from(GRADES), st.integers(0, 4))
@quick
def test_nobody_who_made_it_is_ever_asked_V4(pool: list[str], made: list[str], grade: Grade, seats: int) -> None:
    makers = [MakerTraits(name=name, model=name, vendor=name) for name in made]
    candidates = [ReviewerCandidate(name=name, order=n, model=name, vendor=name) for n, name in enumerate(pool)]
    choice = choose(candidates, makers, grade, seats=seats)
    assert not set(choice.chosen) & set(made)
    assert choice.person == (len(choice.chosen) < seats)
    assert set(choice.chosen).isdisjoint(each.name for each in choice.left_out)


def test_who_has_to_review_comes_before_who_was_asked_longest_ago_and_never_if_it_made_the_work_D6_V4() -> None:
    has_to = ReviewerCandidate(name="gemini", order=2, last_asked=9, required=True)
    assert choose([CODEX, has_to], [BY_CLAUDE], "origin", seats=1).chosen == ("gemini",)
    assert choose([CODEX, has_to], [MakerTraits(name="gemini")], "origin", seats=1).chosen == ("codex",)
