"""X1: how long a task will take: the median of the past by label, type, overall; its own; twenty minutes."""

from __future__ import annotations

import statistics

from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.sprint.selection import ENOUGH, Estimates, Past, median, together

from tests.core.samples import quick

API = [Past(seconds=minutes * 60, type="feature", labels=("api", "review:auto")) for minutes in (10, 40, 70)]
DOCS = [Past(seconds=minutes * 60, type="docs", labels=("docs",)) for minutes in (5, 6, 7, 8)]


def test_the_past_of_its_label_comes_before_that_of_its_type_and_of_all_X1() -> None:
    known = Estimates([*API, *DOCS])
    by_label = known.of(labels=("api",), type="docs", own=99)
    assert (by_label.minutes, by_label.source, by_label.words) == (40, "label", "median of 3 with label api")
    by_type = known.of(labels=("new",), type="docs", own=99)
    assert (by_type.minutes, by_type.source, by_type.past) == (6, "type", 4)
    overall = known.of(labels=(), type="bug", own=99)
    assert (overall.minutes, overall.source, overall.words) == (8, "overall", "median of 7")


def test_without_a_past_its_own_estimate_counts_then_twenty_minutes_and_it_says_so_X1() -> None:
    nothing = Estimates(API[:2])
    assert nothing.past == 2
    own, default = nothing.of(labels=("api",), type="feature", own=15), nothing.of(labels=(), type="task", own=None)
    assert (own.minutes, own.words) == (15, "its own estimate")
    assert (default.minutes, default.words) == (20, "no past runs: default 20 m")


def test_of_several_labels_the_one_with_the_longest_past_counts_and_review_labels_never_X1() -> None:
    known = Estimates([*API, *DOCS])
    assert known.of(labels=("api", "docs"), type="task", own=None).word == "docs"
    assert known.of(labels=("review:auto",), type="task", own=None).source == "overall"


@quick
@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=40))
def test_the_median_is_the_middle_X1(values: list[int]) -> None:
    assert median(values) == int(statistics.median(values))


@quick
@given(st.lists(st.integers(1, 500), max_size=40), st.integers(1, 9))
def test_with_more_agents_it_takes_less_but_never_less_than_the_longest_X1(minutes: list[int], agents: int) -> None:
    assert together(minutes, agents) >= together(minutes, agents + 1) >= max(minutes, default=0)
    assert together(minutes, 1) == sum(minutes)


@quick
@given(st.lists(st.builds(Past, seconds=st.integers(0, 10**5), labels=st.just(("a",))), max_size=9), st.integers(1, 99))
def test_an_estimate_is_always_a_minute_or_more_and_says_where_it_comes_from_X1(past: list[Past], own: int) -> None:
    found = Estimates(past).of(labels=("a",), type="task", own=own)
    assert found.minutes >= 1
    assert found.words
    assert (found.source == "label") == (len(past) >= ENOUGH)
