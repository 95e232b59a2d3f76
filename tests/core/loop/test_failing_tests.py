"""The QA loop (L13): which tests failed at first, pass since, still fail, are new."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.loop import failures
from foureyes.core.loop.failures import progress, track

from tests.core.samples import quick

NAMES = [f"t{n}" for n in range(8)]
runs = st.lists(st.frozensets(st.sampled_from(NAMES)), max_size=7)


def tracked(*failing: str) -> list[failures.Tests]:
    return [failures.Tests(n, frozenset(names.split())) for n, names in enumerate(failing, 1)]


def test_five_found_three_fixed_two_new_two_fixed_L13() -> None:
    """The vector of L13: yes, no, yes."""
    table = track(tracked("a b c d e", "d e", "d e x y", "x y"))
    assert [one.progress_made for one in table] == [False, True, False, True]
    assert table[0].original_failures == ("a", "b", "c", "d", "e")
    assert [len(one.fixed_now) for one in table] == [0, 3, 0, 2]
    assert (table[2].fixed_since_start, table[2].still_failing, table[2].new_failures) == (
        ("a", "b", "c"),
        ("d", "e"),
        ("x", "y"),
    )
    assert (table[3].fixed_since_start, table[3].still_failing, table[3].new_failures) == (
        ("a", "b", "c", "d", "e"),
        (),
        ("x", "y"),
    )


def test_one_that_passes_beside_new_ones_is_progress_and_only_new_ones_are_none_L13() -> None:
    assert track(tracked("a b", "b c d"))[1].progress_made
    assert not track(tracked("a b", "a b c"))[1].progress_made
    assert not track(tracked("a b", "a b"))[1].progress_made


def test_what_failed_at_first_is_what_the_first_red_iteration_had_L13() -> None:
    assert [one.original_failures for one in track(tracked("", "a", "b"))] == [(), ("a",), ("a",)]


def test_a_test_that_is_new_and_passes_again_is_progress_and_no_original_one_L13() -> None:
    table = track(tracked("a", "a x", "a"))
    assert table[2].progress_made
    assert table[2].fixed_since_start == ()


def test_without_any_iteration_there_is_no_progress_L13() -> None:
    assert track([]) == []
    assert not progress([])


@quick
@given(runs)
def test_every_failure_is_counted_once_in_every_iteration_L13(failing: list[frozenset[str]]) -> None:
    table = track([failures.Tests(n, names) for n, names in enumerate(failing, 1)])
    before: frozenset[str] = frozenset()
    for one, names in zip(table, failing, strict=True):
        assert set(one.still_failing) | set(one.new_failures) == names
        assert not set(one.still_failing) & set(one.new_failures)
        assert set(one.fixed_since_start) | set(one.still_failing) == set(one.original_failures)
        assert set(one.fixed_now) == before - names
        assert one.progress_made == bool(before - names)
        for shown in (one.original_failures, one.fixed_since_start, one.still_failing, one.new_failures, one.fixed_now):
            assert list(shown) == sorted(set(shown))
        before = names
    assert progress(table) == (bool(table) and table[-1].progress_made)
    assert len({one.original_failures for one in table if one.original_failures}) <= 1


def test_a_report_of_twenty_thousand_failing_tests_is_tracked_in_no_time_L13() -> None:
    many = frozenset(f"test_{n}" for n in range(20_000))
    began = time.process_time()
    assert len(track([failures.Tests(1, many), failures.Tests(2, many - {"test_1"})])[1].still_failing) == 19_999
    assert time.process_time() - began < 2
