"""H3: the samples of a batch: drawn once, by a number that nobody knew; never none of a large one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from foureyes.core.rules.policy import HumanRule
from foureyes.core.rules.sampling import LEFT_OUT, SAMPLE, Drawable, samples, to_be_drawn

from tests.core.samples import quick

RULE = HumanRule()
numbers = st.integers(0, 2**128 - 1).map(lambda number: f"{number:032x}")
sizes = st.integers(0, 60)


def batch(size: int) -> list[Drawable]:
    return [Drawable(task=f"fe-{n}", attempt=1, diff_id=f"sha256:{n:064x}") for n in range(size)]


def opened(rows: list[Drawable], number: str = "0", rule: HumanRule = RULE) -> list[Drawable]:
    """The batch after it was opened."""
    new = to_be_drawn(rows, rule)
    chosen = samples(new, number, rule)
    drawn = {row.task: SAMPLE if row.task in chosen else LEFT_OUT for row in new}
    return [
        replace(row, drawn=drawn.get(row.task, row.drawn), ever=max(row.ever, drawn.get(row.task, 0))) for row in rows
    ]


def sampled(rows: list[Drawable]) -> set[str]:
    return {row.task for row in rows if row.is_sample}


@pytest.mark.parametrize(
    ("size", "expected"),
    [(0, 0), (1, 0), (4, 0), (5, 1), (9, 1), (10, 1), (11, 2), (20, 2), (21, 3), (30, 3), (50, 5), (70, 7)],
)
def test_from_five_on_a_tenth_is_looked_at_H3(size: int, expected: int) -> None:
    assert len(sampled(opened(batch(size)))) == expected


@quick
@given(sizes, numbers, numbers)
def test_looking_again_draws_nothing_again_H3(size: int, number: str, other: str) -> None:
    first = opened(batch(size), number)
    assert bool(sampled(first)) == (size >= RULE.sample_from)
    assert opened(first, other) == first


@quick
@given(sizes, sizes, numbers, numbers)
def test_what_comes_later_changes_nothing_about_what_was_drawn_H3(
    known: int, more: int, number: str, other: str
) -> None:
    first = opened(batch(known), number)
    later = opened([*first, *batch(known + more)[known:]], other)
    assert sampled(later[:known]) >= sampled(first)
    if known >= RULE.sample_from:
        assert later[:known] == first


@quick
@given(numbers)
def test_a_task_that_was_drawn_stays_a_sample_whatever_is_handed_in_next_H3(number: str) -> None:
    first = opened(batch(8), number)
    again = [replace(row, attempt=2, diff_id=f"sha256:{n:064d}", drawn=0) for n, row in enumerate(first)]
    assert sampled(opened(again, number)) >= sampled(first)


def test_another_change_of_a_task_that_was_left_out_is_drawn_again_H3() -> None:
    first = opened(batch(8))
    again = [replace(row, attempt=2, drawn=0) for row in first]
    assert {row.task for row in to_be_drawn(again, RULE)} == {row.task for row in first} - sampled(first)


def test_who_hands_in_last_has_the_same_chance_as_the_others_H3() -> None:
    first = opened(batch(12))
    late = Drawable(task="fe-late", attempt=1, diff_id="sha256:late")
    hits = sum("fe-late" in samples(to_be_drawn([*first, late], RULE), str(number), RULE) for number in range(2_000))
    assert 120 < hits < 280


@quick
@given(sizes, st.floats(0, 1))
def test_a_share_is_rounded_up_and_never_more_than_all_H3(size: int, share: float) -> None:
    found = len(sampled(opened(batch(size), rule=HumanRule(sample_share=share))))
    if size < RULE.sample_from or share == 0:
        assert found == 0
    else:
        assert max(1, share * size - 0.01) <= found <= min(size, share * size + 1.01)


def test_whoever_does_not_know_the_number_cannot_tell_which_H3() -> None:
    assert len({frozenset(sampled(opened(batch(50), f"{number}"))) for number in range(20)}) > 15


def test_where_nothing_is_to_be_sampled_nothing_is_H3() -> None:
    assert sampled(opened(batch(50), rule=HumanRule(sample_share=0))) == set()
    assert sampled(opened(batch(50), rule=HumanRule(sample_from=51))) == set()
    assert sampled(opened(batch(2), rule=HumanRule(sample_from=1, sample_share=1.0))) == {"fe-0", "fe-1"}
