"""X1: by id, label and priority; what waits is chosen with what it waits for."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.sprint.selection import SprintCandidate, Wanted, choose, with_waiting
from foureyes.core.words.ids import TaskId

from tests.core.samples import quick


def task(name: str, **fields: Any) -> SprintCandidate:
    return SprintCandidate(id=TaskId(name), **fields)


def chosen(tasks: list[SprintCandidate], **wanted: Any) -> list[str]:
    return [each.id for each in choose(tasks, Wanted(**wanted))]


ALL = [
    task("p", priority=0, labels=("Security",)),
    task("a", priority=1, labels=("api",)),
    task("b", priority=2, labels=("api", "docs"), ready=False, waits_for=("a",)),
    task("c", priority=3),
    task("d", ready=False, waits_for=("elsewhere",)),
    task("e", ready=False),
]


def test_without_a_wish_all_that_is_ready_and_what_waits_for_it_X1_T4() -> None:
    assert chosen(ALL) == ["p", "a", "b", "c"]


def test_labels_without_case_priorities_and_ids_narrow_it_X1() -> None:
    assert chosen(ALL, labels=("security",)) == ["p"]
    assert chosen(ALL, labels=("api",)) == ["a", "b"]
    assert chosen(ALL, labels=("docs",)) == [], "what it waits for is not chosen"
    assert chosen(ALL, below=1) == ["p", "a"]
    assert chosen(ALL, ids=("c", "d")) == ["c", "d"], "who names it waits with it"
    assert chosen(ALL, ids=("c",), labels=("api",)) == ["a", "b", "c"]
    assert chosen(ALL, without=("api", "c")) == ["p"]


def test_what_each_waits_for_is_put_beside_it_X1() -> None:
    assert with_waiting([task("x"), task("y")], {"x": ["y"]}) == [task("x", waits_for=("y",)), task("y")]


@quick
@given(st.lists(st.tuples(st.booleans(), st.sets(st.integers(0, 7), max_size=3)), max_size=8))
def test_nothing_is_chosen_that_could_never_begin_T4(rows: list[tuple[bool, set[int]]]) -> None:
    tasks = [
        task(str(n), ready=ready, waits_for=() if ready else tuple(sorted(str(each) for each in others if each != n)))
        for n, (ready, others) in enumerate(rows)
    ]
    found = {each.id: each for each in choose(tasks, Wanted())}
    assert all(each.id in found for each in tasks if each.ready)
    assert all(each.ready or set(each.waits_for) <= set(found) for each in found.values())
