"""A walk back through history ends where nothing beyond can matter, whatever the dates say."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.adapters.git.client.clean_room_objects import Descent
from foureyes.adapters.git.client.object_files import CommitHead
from foureyes.core.words.ids import Sha

TREE = Sha("f" * 40)


def sha(number: int) -> Sha:
    return Sha(f"{number:040x}")


class History:
    """Commits by number; each has earlier ones as parents, and any date."""

    def __init__(self, parents: list[list[int]], dates: list[int]) -> None:
        self.heads = {
            sha(number): CommitHead(TREE, tuple(sha(each) for each in mine), dates[number])
            for number, mine in enumerate(parents)
        }
        self.looked: set[Sha] = set()

    def look(self, names: Iterable[Sha]) -> dict[Sha, CommitHead]:
        asked = list(names)
        self.looked.update(asked)
        return {name: self.heads[name] for name in asked if name in self.heads}

    def walk(self, *tips: Sha) -> Descent:
        return Descent(tips, self.look, LookupError)

    def ancestors(self, tip: Sha) -> set[Sha]:
        seen: set[Sha] = set()
        ahead = [tip]
        while ahead:
            here = ahead.pop()
            if here not in seen:
                seen.add(here)
                ahead += self.heads[here].parents
        return seen

    def bases(self, one: Sha, other: Sha) -> set[Sha]:
        shared = self.ancestors(one) & self.ancestors(other)
        return {base for base in shared if not any(base in self.ancestors(each) - {each} for each in shared)}


@st.composite
def histories(draw: st.DrawFn) -> History:
    count = draw(st.integers(2, 14))
    parents = [
        draw(st.lists(st.integers(0, number - 1), max_size=3, unique=True)) if number else [] for number in range(count)
    ]
    return History(parents, [draw(st.integers(0, 9)) for _ in range(count)])


@given(histories(), st.data())
def test_what_is_beyond_the_end_belongs_to_everybody_A2(history: History, data: st.DataObject) -> None:
    one, other = (data.draw(st.sampled_from(sorted(history.heads))) for _ in range(2))
    walk = history.walk(one, other)
    ends = {name for name, head in walk.met.items() if not walk.met.keys() >= set(head.parents)}
    assert ends <= history.ancestors(one) & history.ancestors(other)
    assert history.bases(one, other) <= walk.met.keys()
    assert history.bases(one, other) <= set(walk.bases())
    assert (one in history.ancestors(other)) == (one in _reached(walk, other))


def _reached(walk: Descent, tip: Sha) -> set[Sha]:
    seen: set[Sha] = set()
    ahead = [tip]
    while ahead:
        here = ahead.pop()
        if here in walk.met and here not in seen:
            seen.add(here)
            ahead += walk.met[here].parents
    return seen


def test_a_long_history_behind_the_fork_is_not_walked_A2() -> None:
    count = 1_000
    parents = [[number - 1] if number else [] for number in range(count)] + [[count - 3]]
    history = History(parents, list(range(count + 1)))
    walk = history.walk(sha(count - 1), sha(count))
    assert walk.bases() == [sha(count - 3)]
    assert len(history.looked) < 8


def test_a_commit_that_is_not_there_matters_only_where_it_decides_A2() -> None:
    history = History([[7], [0], [0], [7], [8]], [5, 5, 5, 5, 5])
    assert history.walk(sha(1), sha(2)).bases() == [sha(0)], "what is behind the fork was cut off"
    assert history.walk(sha(0), sha(1)).bases() == [sha(0)]
    with pytest.raises(LookupError):
        history.walk(sha(1), sha(3))  # the fork itself is not there
    with pytest.raises(LookupError):
        history.walk(sha(1), sha(4))
