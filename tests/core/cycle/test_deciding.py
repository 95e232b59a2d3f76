"""How a cycle is decided (V8): R0, R1, R2, R3, R4 row by row, and invariants of every cycle."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.cycle.decision import AskedReviewer, TargetReview, decide, is_complete, stops
from foureyes.core.nouns.cycle import AskState
from foureyes.core.words.vocabulary import VERDICTS, Verdict

from tests.core.samples import quick

OK: Verdict = "approved"
CONCERNS: Verdict = "concerns"
BLOCKER: Verdict = "blocker"
NAMES = ("codex", "gemini", "claude", "qwen", "opencode", "amp")


def answers(*verdicts: Verdict, target: str = "fe-1") -> list[TargetReview]:
    return [
        TargetReview(review=n, reviewer=NAMES[n - 1], target=target, verdict=verdict)
        for n, verdict in enumerate(verdicts, 1)
    ]


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [((BLOCKER,), True), ((CONCERNS, CONCERNS), True), ((CONCERNS,), False), ((OK, CONCERNS), False), ((), False)],
)
def test_one_blocker_or_two_concerns_wait_for_nobody_else(verdicts: tuple[Verdict, ...], expected: bool) -> None:
    assert stops(answers(*verdicts)) is expected


def asks(*states: str, target: str = "fe-1") -> list[AskedReviewer]:
    found = []
    for name, state in zip(NAMES, states, strict=False):
        word: AskState = "answered" if state == "answered" else "not_given"
        found.append(AskedReviewer(reviewer=name, target=target, state=word, why="" if word == "answered" else state))
    return found


def rule(*verdicts: Verdict, counting: tuple[int, ...] | None = None, quorum: int = 1, gone: int = 0) -> str:
    """Counting: those that approve, unless it is said."""
    given = answers(*verdicts)
    counted = counting if counting is not None else tuple(a.review for a in given if a.verdict == OK)
    asked = asks(*["answered"] * len(verdicts), *["timeout"] * gone)
    return decide(["fe-1"], asked, given, counted, quorum).rule


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        # R1: any blocker, whatever else is said
        ((BLOCKER,), "R1"),
        ((BLOCKER, OK), "R1"),
        ((OK, OK, BLOCKER), "R1"),
        ((BLOCKER, BLOCKER), "R1"),
        ((BLOCKER, CONCERNS), "R1"),
        ((CONCERNS, CONCERNS, BLOCKER), "R1"),
        # R2: two or more concerns
        ((CONCERNS, CONCERNS), "R2"),
        ((CONCERNS, OK, CONCERNS), "R2"),
        ((CONCERNS, CONCERNS, CONCERNS), "R2"),
        # R3: exactly one
        ((CONCERNS,), "R3"),
        ((CONCERNS, OK), "R3"),
        ((OK, OK, CONCERNS), "R3"),
        # R4: all approve
        ((OK,), "R4"),
        ((OK, OK), "R4"),
        # R0: nothing was answered
        ((), "R0"),
    ],
)
def test_the_rows_of_the_table_each_before_the_next(verdicts: tuple[Verdict, ...], expected: str) -> None:
    assert rule(*verdicts) == expected


@pytest.mark.parametrize(
    ("verdicts", "counting", "quorum", "gone", "expected"),
    [
        ((OK,), (), 1, 0, "R0"),  # it read nothing of the diff, or its reviewer may not approve
        ((OK, OK), (1,), 1, 0, "R4"),
        ((OK, OK), (1,), 2, 0, "R0"),
        ((OK, OK), (1, 2), 2, 0, "R4"),
        ((), (), 1, 1, "R0"),
        ((), (), 1, 3, "R0"),  # all out of quota: no success
        ((OK,), (1,), 2, 1, "R0"),  # half of the quorum timed out
        ((OK,), (1,), 1, 1, "R4"),  # the quorum is there
        ((CONCERNS,), (), 2, 1, "R3"),  # R3 looks at every valid review, whether it counts or not
        ((CONCERNS, CONCERNS), (), 3, 1, "R2"),
        ((BLOCKER,), (), 2, 2, "R1"),
    ],
)
def test_only_R4_needs_counting_reviews_and_too_few_are(
    verdicts: tuple[Verdict, ...], counting: tuple[int, ...], quorum: int, gone: int, expected: str
) -> None:
    assert rule(*verdicts, counting=counting, quorum=quorum, gone=gone) == expected


def test_the_cases_of_the_specification() -> None:
    """The table of four: any blocker stops, two concerns pause, one is logged, all approved goes on."""
    assert [rule(BLOCKER, OK), rule(CONCERNS, CONCERNS), rule(CONCERNS, OK), rule(OK, OK)] == ["R1", "R2", "R3", "R4"]


def test_the_last_review_of_a_reviewer_counts() -> None:
    first = TargetReview(review=1, reviewer="codex", target="fe-1", verdict=BLOCKER)
    second = TargetReview(review=2, reviewer="codex", target="fe-1", verdict=OK)
    assert decide(["fe-1"], [], [second, first], {1, 2}, 1).rule == "R4"
    assert not stops([second, first])


def test_one_reviewer_with_concerns_about_two_targets_is_one_concern() -> None:
    given = [TargetReview(review=n, reviewer="codex", target=f"fe-{n}", verdict=CONCERNS) for n in (1, 2)]
    assert decide(["fe-1", "fe-2"], [], given, (), 1).rule == "R3"
    other = TargetReview(review=3, reviewer="gemini", target="fe-2", verdict=CONCERNS)
    assert decide(["fe-1", "fe-2"], [], [*given, other], (), 1).rule == "R2"


def test_every_target_has_its_own_quorum() -> None:
    given = [*answers(OK, OK, target="fe-1"), TargetReview(review=3, reviewer="codex", target="fe-2", verdict=OK)]
    assert decide(["fe-1", "fe-2"], [], given, {1, 2}, 1).rule == "R0"
    ruled = decide(["fe-1", "fe-2"], [], given, {1, 2, 3}, 1)
    assert (ruled.rule, ruled.counting) == ("R4", 3)
    assert decide([], [], [], (), 1).rule == "R0"


def test_the_reasons_name_verdicts_and_missing_reviews() -> None:
    def said(*given: TargetReview, targets: tuple[str, ...] = ("fe-1",), quorum: int = 1) -> tuple[str, ...]:
        return decide(targets, [], given, {each.review for each in given if each.verdict == OK}, quorum).reasons

    assert said(*answers(BLOCKER, CONCERNS)) == ("codex reported a blocker",)
    assert said(*answers(BLOCKER, BLOCKER, OK)) == ("codex, gemini reported a blocker",)
    assert said(*answers(CONCERNS, OK)) == ("codex has concerns",)
    assert said(*answers(CONCERNS, CONCERNS)) == ("codex, gemini have concerns",)
    assert said(*answers(*[CONCERNS] * 5)) == ("codex, gemini, claude, qwen, opencode have concerns",)
    assert said(*answers(*[CONCERNS] * 6)) == ("codex, gemini, claude, qwen, opencode and 1 more have concerns",)
    assert said(*answers(OK)) == ("codex approves",)
    assert said(*answers(OK, OK)) == ("all 2 approve",)
    assert said(*answers(OK), targets=("fe-1", "fe-2")) == ("fe-2: 0 of 1 counting reviews",)
    assert said(*answers(OK), quorum=2) == ("fe-1: 1 of 2 counting reviews",)
    assert said(targets=()) == ("no reviewer was asked",)
    waiting = AskedReviewer(reviewer="qwen", target="fe-1", state="asked")
    asked = [*asks("answered", "timeout", "quota"), waiting]
    ruled = decide(["fe-1"], asked, answers(OK), (), 2)
    assert ruled.reasons == (
        "fe-1: 0 of 2 counting reviews", "gemini gave no review: timeout", "claude gave no review: quota",
        "qwen gave no review: no answer",
    )  # fmt: skip
    assert (ruled.requested, ruled.answered, ruled.counting, ruled.short) == (4, 1, 0, ("fe-1",))
    assert decide(["fe-1"], asks("answered"), answers(OK), {1}, 1).short == ()


verdicts_given = st.lists(st.sampled_from(VERDICTS), max_size=4)


@given(verdicts_given, st.sets(st.integers(1, 4)), st.integers(1, 4), st.integers(0, 2))
@quick
def test_a_cycle_goes_on_only_by_its_quorum_or_one_concern(
    given_: list[Verdict], counting: set[int], quorum: int, gone: int
) -> None:
    ruled = rule(*given_, counting=tuple(counting), quorum=quorum, gone=gone)
    approving = [n for n, verdict in enumerate(given_, 1) if verdict == OK]
    if ruled == "R4":
        assert set(given_) == {OK}
        assert len(set(approving) & counting) >= quorum
    if ruled == "R3":
        assert given_.count(CONCERNS) == 1
    assert (ruled == "R1") == (BLOCKER in given_)
    assert not (ruled == "R0" and CONCERNS in given_)


@given(verdicts_given, st.integers(1, 3))
@quick
def test_a_blocker_more_is_never_milder(given_: list[Verdict], quorum: int) -> None:
    assert rule(*given_, BLOCKER, quorum=quorum) == "R1"


def test_a_cycle_is_complete_when_every_seat_has_an_answer() -> None:
    waiting = AskedReviewer(reviewer="gemini", target="fe-1", state="asked")
    assert not is_complete([waiting], answers(OK), ["fe-1"], 1)
    assert is_complete([*asks("answered")], answers(OK), ["fe-1"], 1)
    assert not is_complete([*asks("answered")], answers(OK), ["fe-1"], 2)
    assert not is_complete(asks("timeout"), [], ["fe-1"], 1)
    assert is_complete([], answers(OK, OK), ["fe-1"], 2)  # who was not asked may answer, too
    assert is_complete([waiting], [], [], 1)  # its target is none any more
    assert is_complete([waiting], answers(OK, target="fe-2"), ["fe-2"], 1)
    assert not is_complete([], answers(OK), ["fe-1", "fe-2"], 1), "each target has an answer of its own"
    assert not is_complete([], [*answers(OK), *answers(OK)], ["fe-1"], 2), "one reviewer has one seat"


def test_without_the_review_of_who_has_to_give_one_it_is_not_reviewed() -> None:
    found = decide(["fe-1"], asks("answered"), answers(OK), {1}, 1, {"fe-1": ["gemini"]})
    assert (found.rule, found.short, found.lacking) == ("R0", (), ("fe-1",))
    assert found.reasons == ("fe-1: still needs a review by gemini (D6)",)
    assert decide(["fe-1"], asks("answered"), answers(OK), {1}, 1, {"fe-1": []}).rule == "R4"
    assert decide(["fe-1"], asks("answered"), answers(CONCERNS), set(), 1, {"fe-1": ["gemini"]}).rule == "R3"
