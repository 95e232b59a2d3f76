"""H1: what shares files stands side by side."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.rules.risk import side_by_side


@pytest.mark.parametrize(
    ("paths", "order"),
    [
        ([], []),
        ([["a"], ["b"], ["c"]], [0, 1, 2]),
        ([["a"], ["b"], ["a"]], [0, 2, 1]),
        ([["a"], ["b"], ["c"], ["c", "a"]], [0, 2, 3, 1]),
        ([[], ["a"], [], ["a"]], [0, 1, 3, 2]),
        ([["b"], ["a"], ["c"], ["a"], ["b", "c"]], [0, 2, 4, 1, 3]),
    ],
)
def test_what_shares_a_file_follows_where_the_first_of_it_was_H1(paths: list[list[str]], order: list[int]) -> None:
    assert side_by_side(paths) == order


@given(st.lists(st.sets(st.sampled_from("abcdef"), max_size=3), max_size=12))
def test_nothing_is_lost_and_no_group_is_torn_apart_H1(paths: list[set[str]]) -> None:
    order = side_by_side(paths)
    assert sorted(order) == list(range(len(paths)))
    groups: list[tuple[set[int], set[str]]] = []
    for place, touched in enumerate(paths):
        joined = [group for group in groups if group[1] & touched]
        rest = [group for group in groups if not group[1] & touched]
        groups = [*rest, ({place}.union(*(g[0] for g in joined)), set(touched).union(*(g[1] for g in joined)))]
    for members, _ in groups:
        places = sorted(order.index(member) for member in members)
        assert places == list(range(places[0], places[0] + len(places)))
    firsts = [min(members) for members, _ in sorted(groups, key=lambda group: order.index(min(group[0])))]
    assert firsts == sorted(firsts)
