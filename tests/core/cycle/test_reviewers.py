"""Who is asked for a review, and why the others are not (V4, I6)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.cycle.reviewers import (
    LeftOut,
    MakerTraits,
    ReviewerCandidate,
    ReviewerChoice,
    choose,
    reaches,
    why_not,
)
from foureyes.core.nouns.session import GRADES, Grade

from tests.core.samples import quick

CLAUDE = ReviewerCandidate(name="claude", order=0, model="opus", vendor="anthropic")
CODEX = ReviewerCandidate(name="codex", order=1, model="gpt", vendor="openai")
GEMINI = ReviewerCandidate(name="gemini", order=2, model="pro", vendor="google")
BY_CLAUDE = MakerTraits(name="claude", model="opus", vendor="anthropic")


def test_never_who_made_it_and_in_declared_order() -> None:
    assert choose([CLAUDE, CODEX, GEMINI], [BY_CLAUDE], "origin", seats=1) == ReviewerChoice(
        chosen=("codex",), left_out=(LeftOut("claude", "made the work"),)
    )


def test_two_seats_two_reviewers_and_it_goes_round() -> None:
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
def test_who_cannot_be_asked_is_passed_over_and_the_next_one_is(candidate: ReviewerCandidate, why: str) -> None:
    choice = choose([candidate, GEMINI], [BY_CLAUDE], "origin", seats=1)
    assert choice.chosen == ("gemini",)
    assert choice.left_out == (LeftOut("codex", why),)
    assert choose([candidate], [BY_CLAUDE], "origin", seats=1) == ReviewerChoice(
        chosen=(), left_out=(LeftOut("codex", why),), person=True
    )


def test_nobody_left_is_a_person() -> None:
    assert choose([], [BY_CLAUDE], "origin", seats=1).person
    assert choose([CODEX], [BY_CLAUDE], "origin", seats=2) == ReviewerChoice(chosen=("codex",), person=True)
    assert choose([CODEX, GEMINI], [BY_CLAUDE], "origin", seats=1, already={"codex", "gemini"}).person


def test_never_below_the_grade() -> None:
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
def test_nobody_who_made_it_is_ever_asked(pool: list[str], made: list[str], grade: Grade, seats: int) -> None:
    makers = [MakerTraits(name=name, model=name, vendor=name) for name in made]
    candidates = [ReviewerCandidate(name=name, order=n, model=name, vendor=name) for n, name in enumerate(pool)]
    choice = choose(candidates, makers, grade, seats=seats)
    assert not set(choice.chosen) & set(made)
    assert choice.person == (len(choice.chosen) < seats)
    assert set(choice.chosen).isdisjoint(each.name for each in choice.left_out)


def test_a_required_reviewer_comes_first_unless_it_made_the_work() -> None:
    has_to = ReviewerCandidate(name="gemini", order=2, last_asked=9, required=True)
    assert choose([CODEX, has_to], [BY_CLAUDE], "origin", seats=1).chosen == ("gemini",)
    assert choose([CODEX, has_to], [MakerTraits(name="gemini")], "origin", seats=1).chosen == ("codex",)


def traits(program: str = "", model: str = "", vendor: str = "") -> dict[str, str]:
    return {"program": program, "model": model, "vendor": vendor}


AUTHOR = MakerTraits(name="author", **traits("claude", "opus", "anthropic"))
NAMELESS = MakerTraits(name="author")


@pytest.mark.parametrize(
    ("who", "maker", "reached"),
    [
        (traits("codex", "gpt", "openai"), AUTHOR, "session origin program model vendor"),
        (traits("claude", "gpt", "openai"), AUTHOR, "session origin model vendor"),
        (traits("codex", "gpt", "anthropic"), AUTHOR, "session origin program model"),
        (traits("codex", "opus", "openai"), AUTHOR, "session origin program"),
        (traits("claude", "opus", "anthropic"), AUTHOR, "session origin"),
        (traits("codex"), AUTHOR, "session origin program"),
        (traits("", "gpt"), AUTHOR, "session origin model"),
        (traits("", "gpt", "openai"), MakerTraits(name="author", model="opus"), "session origin model"),
        (traits("", "gpt"), MakerTraits(name="author", model="opus", vendor="anthropic"), "session origin model"),
        (traits("", "", "openai"), AUTHOR, "session origin"),
        (traits("codex", "gpt", "openai"), NAMELESS, "session origin"),
    ],
)
def test_a_reviewer_reaches_a_grade_only_where_traits_are_known_to_differ(
    who: dict[str, str], maker: MakerTraits, reached: str
) -> None:
    """Unknown is not another (I6, G1); a person is no profile."""
    candidate = ReviewerCandidate(name="reviewer", **who)  # type: ignore[arg-type]
    assert [grade for grade in GRADES if reaches(candidate, maker, grade)] == reached.split()
    for grade in GRADES[:-1]:
        below = "" if grade in reached.split() else f"is not independent enough of author ({grade})"
        assert why_not(candidate, [maker], grade, ()) == below
        assert why_not(candidate, [maker, MakerTraits(name="other")], grade, ()) == (
            below or ("" if grade in ("session", "origin") else f"is not independent enough of other ({grade})")
        )


def test_the_first_reason_why_somebody_is_not_asked_is_given() -> None:
    out = ReviewerCandidate(name="codex", missing="codex is not installed", cooled="out of quota")
    assert why_not(out, [BY_CLAUDE], "origin", ()) == "codex is not installed"
    assert why_not(out, [BY_CLAUDE], "origin", {"codex"}) == "was already asked in this cycle"
    assert why_not(out, [BY_CLAUDE, MakerTraits(name="codex")], "human", ()) == "made the work"
    assert why_not(out, [], "human", ()) == "a person is required"


def test_required_reviewers_come_first_then_the_longest_unasked() -> None:
    def one(name: str, order: int, last_asked: int = 0, required: bool = False) -> ReviewerCandidate:
        return ReviewerCandidate(name=name, order=order, last_asked=last_asked, required=required)

    everyone = [one("e", 1, 9), one("d", 2), one("c", 1), one("b", 3, 5), one("g", 1), one("f", 9, 7, True)]
    assert choose(everyone, [], "origin", seats=9).chosen == ("f", "c", "g", "d", "b", "e")
    assert choose(everyone, [], "origin", seats=0) == ReviewerChoice(chosen=())
    assert choose(everyone, [], "origin", seats=-1) == ReviewerChoice(chosen=())
    for name in ("a", "z"):
        plain = ReviewerCandidate(name=name)
        assert choose([plain, one("m", 0)], [], "origin", seats=2).chosen == tuple(sorted([name, "m"]))
