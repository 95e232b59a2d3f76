"""The engine of the loop (L11–L17, E1–E5), as pure tables and properties."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.loop.rounds import (
    TIERS,
    FindingMove,
    FruitlessRun,
    LoopAct,
    LoopAttempt,
    LoopState,
    above,
    loop_state,
    rounds,
    waits,
    wants_lead,
)
from foureyes.core.rules.policy import Limits

LIMITS = Limits()


def loop(
    fixed: Sequence[int],
    *,
    found: int = 100,
    closed: bool = True,
    limits: Limits = LIMITS,
    trees: Sequence[str] = (),
    acts: Sequence[LoopAct] = (),
    odds: Sequence[FruitlessRun] = (),
    failures: Sequence[int] = (),
) -> LoopState:
    """A loop whose first round finds so many, and whose later rounds fix as many as told."""
    roots = [f"r{n}" for n in range(found)]
    steps = [FindingMove(root, 1, "open", "raised") for root in roots]
    at = 0
    for n, count in enumerate(fixed, 2):
        steps += [FindingMove(root, n, "resolved", "ruled") for root in roots[at : at + count]]
        at += count
    handed = [
        LoopAttempt(
            n=n,
            tree=trees[n - 1] if trees else f"t{n}",
            close_seq=n * 10,
            merge_failures=failures[n - 1] if failures else 0,
        )
        for n in range(1, len(fixed) + 2)
    ]
    return loop_state(handed, rounds(handed, steps, closed=closed), acts, odds, limits)


@pytest.mark.parametrize(
    ("fixed", "no_progress", "actions", "tier"),
    [
        ([4, 1, 0, 0], [0, 0, 0, 1, 2], ["continue", "continue", "continue", "warn", "escalate"], "senior"),
        ([0, 2, 1, 1], [0, 1, 0, 0, 0], ["continue", "warn", "continue", "warn", "escalate"], "senior"),
        ([0], [0, 1], ["continue", "warn"], "developer"),
        ([0, 0], [0, 1, 2], ["continue", "warn", "escalate"], "senior"),
        ([0, 1, 0, 1], [0, 1, 0, 1, 0], ["continue", "warn", "continue", "warn", "escalate"], "senior"),
    ],
)
def test_no_progress_is_nought_after_progress_and_else_one_more_L12(
    fixed: list[int], no_progress: list[int], actions: list[str], tier: str
) -> None:
    found = loop(fixed)
    assert [one.no_progress for one in found.rounds] == no_progress
    assert [one.action for one in found.rounds] == actions
    assert found.tier == tier


def test_the_first_answer_is_judged_like_any_other_L11() -> None:
    assert loop([0]).no_progress == 1
    assert loop([1]).no_progress == 0


def test_the_same_tree_again_is_no_progress_whatever_was_resolved_L11() -> None:
    found = loop([3, 2], trees=["a", "a", "b"])
    assert [one.is_progress for one in found.rounds] == [False, False, True]
    assert [one.no_progress for one in found.rounds] == [0, 1, 0]


def counted_anew(*, close_seq: int = 0, starts: int = 0) -> LoopState:
    """Found twice in 1; fixed in 2, which raises a third and is submitted once more as 3, where one is verified."""
    steps = [FindingMove(root, 1, "open", "raised") for root in ("a", "b")]
    steps += [FindingMove("c", 2, "open", "raised"), FindingMove("a", 3, "resolved", "ruled")]
    second = LoopAttempt(n=2, tree="2", head="h2", close_seq=close_seq)
    first = LoopAttempt(n=1, tree="1", head="h1", close_seq=10)
    third = LoopAttempt(n=3, tree="2", head="h2", starts=starts)
    handed = [first, second, third]
    return loop_state(handed, rounds(handed, steps, closed=True), (), (), LIMITS)


def test_a_commit_that_is_counted_anew_is_no_further_round_and_nothing_of_it_is_lost_L11_L12() -> None:
    found = counted_anew()
    _, second, third = found.rounds
    assert (second.goes_on, second.had, second.raised, second.action) == (True, 0, 0, "")
    assert (third.had, third.fixed, third.raised, third.same_tree, third.is_progress) == (2, 1, 1, False, True)
    assert (found.round, found.no_progress, found.open_blocking) == (2, 0, 2)


@pytest.mark.parametrize("how", [{"close_seq": 20}, {"starts": 1}], ids=["sent back", "taken up"])
def test_what_was_sent_back_or_worked_on_and_is_the_same_again_is_a_round_without_progress_L11(
    how: dict[str, int],
) -> None:
    found = counted_anew(**how)
    assert (found.rounds[1].goes_on, found.rounds[2].same_tree) == (False, True)
    assert [one.no_progress for one in found.rounds][:2] == [0, 1]
    assert found.tier == "senior", "two rounds without progress (E1)"


def test_new_blockers_do_not_erase_progress_L11() -> None:
    steps = [FindingMove(root, 1, "open", "raised") for root in ("a", "b")]
    steps += [FindingMove("a", 2, "resolved", "ruled"), FindingMove("c", 2, "open", "raised")]
    handed = [LoopAttempt(n=1, tree="1"), LoopAttempt(n=2, tree="2")]
    second = rounds(handed, steps, closed=True)[1]
    assert (second.had, second.fixed, second.raised, second.is_progress) == (2, 1, 1, True)


def test_what_is_reopened_in_the_same_round_was_not_fixed_in_it_L11() -> None:
    steps = [
        FindingMove("a", 1, "open", "raised"),
        FindingMove("a", 2, "resolved", "ruled"),
        FindingMove("a", 2, "open", "flagged"),
    ]
    handed = [LoopAttempt(n=1, tree="1"), LoopAttempt(n=2, tree="2")]
    assert rounds(handed, steps, closed=True)[1].fixed == 0


@pytest.mark.parametrize("state", ["obsolete", "waived"])
def test_what_left_or_was_waived_is_no_progress_L11(state: str) -> None:
    steps = [FindingMove("a", 1, "open", "raised"), FindingMove("a", 2, state, "waived")]  # type: ignore[arg-type]
    handed = [LoopAttempt(n=1, tree="1"), LoopAttempt(n=2, tree="2")]
    assert rounds(handed, steps, closed=True)[1].fixed == 0


@pytest.mark.parametrize(("raised", "had", "found"), [(1, 1, 0), (2, 0, 1)])
def test_a_waiver_that_ran_out_is_answered_in_the_round_that_had_it_or_is_new_in_the_one_that_found_it_L11(
    raised: int, had: int, found: int
) -> None:
    steps = [
        FindingMove("a", raised, "open", "raised"),
        FindingMove("a", raised, "waived", "waived"),
        FindingMove("a", 2, "claimed", "answered"),
    ]
    handed = [LoopAttempt(n=1, tree="1"), LoopAttempt(n=2, tree="2")]
    second = rounds(handed, steps, closed=True)[1]
    assert (second.had, second.raised) == (had, found)


def test_what_comes_back_worse_than_its_waiver_is_new_in_that_round_L11() -> None:
    steps = [
        FindingMove("a", 1, "open", "raised"),
        FindingMove("a", 1, "waived", "waived"),
        FindingMove("a", 2, "open", "flagged"),
        FindingMove("a", 2, "claimed", "answered"),
    ]
    handed = [LoopAttempt(n=1, tree="1"), LoopAttempt(n=2, tree="2")]
    second = rounds(handed, steps, closed=True)[1]
    assert (second.had, second.raised) == (0, 1)


def test_a_round_in_review_is_not_judged_yet() -> None:
    found = loop([0], closed=False)
    assert (found.no_progress, found.round, found.rounds[-1].action) == (0, 1, "")


def test_a_round_that_had_nothing_blocking_to_resolve_changes_no_count() -> None:
    found = loop([0, 0, 0], found=0)
    assert (found.no_progress, found.round, found.tier) == (0, 4, "developer")
    assert loop([0, 0, 0, 0], found=0).tier == "senior"


def test_the_counters_start_again_within_a_tier_and_the_totals_stay_E1() -> None:
    found = loop([0, 0, 1])
    assert (found.tier, found.round, found.no_progress, found.iteration, len(found.rounds)) == ("senior", 1, 0, 4, 4)


def test_senior_does_not_loop_for_ever() -> None:
    found = loop([0] * 4)
    assert (found.tier, found.waiting_for, found.escalations) == ("lead", "lead", 2)


def test_a_warning_comes_one_round_early_and_says_to_whom_E5() -> None:
    assert (
        loop([0]).warning
        == "iteration 2, 1 without progress. One more round without fixes escalates to tier senior (E1)"
    )
    assert "If the next submission is sent back" in loop([1, 1, 1]).warning
    assert loop([1]).warning == ""
    assert "to tier lead" in loop([0, 0, 0]).warning


@pytest.mark.parametrize(
    ("option", "tier", "waiting"),
    [
        ("split", "developer", ""),
        ("fresh", "developer", ""),
        ("senior", "senior", ""),
        ("continue", "senior", ""),
        ("ask", "user", "user"),
    ],
)
def test_what_the_lead_decides_is_where_the_loop_goes_on_E3(option: str, tier: str, waiting: str) -> None:
    found = loop([0] * 4, acts=[LoopAct(55, 5, option)])  # type: ignore[arg-type]
    assert (found.tier, found.waiting_for, found.round, found.no_progress) == (tier, waiting, 0, 0)


def test_a_loop_that_comes_back_after_the_lead_goes_to_a_person_E1() -> None:
    found = loop([0] * 6, acts=[LoopAct(55, 5, "senior")])
    assert (found.tier, found.waiting_for) == ("user", "user")


def test_the_lead_may_be_asked_before_the_loop_goes_on_and_nothing_else_changes_L14() -> None:
    found = loop([2], acts=[LoopAct(15, 2, "asked", "3 of 4 rejected")], closed=False)
    assert (found.tier, found.waiting_for, found.why) == ("developer", "lead", "3 of 4 rejected")
    answered = loop([2], acts=[LoopAct(15, 2, "asked"), LoopAct(16, 2, "continue", "go on")], closed=False)
    assert (answered.tier, answered.waiting_for) == ("developer", "")


@pytest.mark.parametrize(
    ("how", "counts"), [("crash", True), ("timeout", True), ("blocked", True), ("cancelled", False)]
)
@pytest.mark.parametrize("had", [0, 2])
def test_a_run_that_ended_oddly_counts_only_if_it_had_the_findings_L17(how: str, counts: bool, had: int) -> None:
    found = loop([1], odds=[FruitlessRun(25, 2, how, had)])  # type: ignore[arg-type]
    assert found.no_progress == int(counts and had > 0)


def test_two_odd_ends_escalate_like_two_rounds_L17() -> None:
    found = loop([1], odds=[FruitlessRun(25, 2, "crash", 1), FruitlessRun(26, 2, "timeout", 1)])
    assert (found.tier, found.no_progress) == ("senior", 0)
    assert found.why == "2 rounds without progress, and in the last run it took too long (L17)"
    told = loop([1], odds=[FruitlessRun(25, 2, "crash", 1), FruitlessRun(26, 2, "crash", 1, "out of memory")])
    assert told.why == "2 rounds without progress, and in the last run out of memory (L17)"


def test_three_failed_merges_go_to_the_next_tier_Q3() -> None:
    assert loop([1, 1], failures=[1, 1, 0]).tier == "developer"
    assert loop([1, 1], failures=[1, 1, 1]).tier == "senior"


@pytest.mark.parametrize(
    ("answers", "asks"),
    [
        ([], False),
        (["REJECTED"], True),
        (["REJECTED", "FIXED"], False),
        (["REJECTED", "REJECTED", "FIXED"], True),
        (["FIXED"] * 3, False),
    ],
)
def test_more_than_half_rejected_asks_the_lead_L14(answers: list[str], asks: bool) -> None:
    assert wants_lead(answers, LIMITS) is asks


def test_limits_are_in_one_place_and_the_warning_follows_them_E5() -> None:
    patient = Limits(no_progress_limit=4, iteration_cap=20)
    assert loop([0, 0], limits=patient).warning == ""
    assert "3 without progress" in loop([0, 0, 0], limits=patient).warning
    hasty = Limits(no_progress_limit=1, iteration_cap=5)
    assert loop([0], limits=hasty).tier == "senior"


@given(st.lists(st.integers(0, 3), max_size=30), st.integers(1, 4), st.integers(1, 7))
def test_without_a_lead_every_loop_reaches_one_who_decides_in_a_bounded_number_of_rounds(
    fixed: list[int], limit: int, cap: int
) -> None:
    limits = Limits(no_progress_limit=limit, iteration_cap=cap)
    found = loop(fixed, found=10_000, limits=limits)
    most = 2 * cap
    if len(found.rounds) >= most:
        assert TIERS.index(found.tier) >= TIERS.index("lead")
    assert all(one.no_progress <= limit for one in found.rounds)
    assert bool(found.waiting_for) == bool(waits(found.tier))


@given(st.lists(st.integers(0, 2), min_size=1, max_size=20))
def test_a_warning_is_always_followed_by_what_it_says_E5(fixed: list[int]) -> None:
    before, after = loop(fixed, found=1_000), loop([*fixed, 0], found=1_000)
    if before.warning and not before.waiting_for:
        assert after.tier == before.next_tier == above(before.tier, 0)
