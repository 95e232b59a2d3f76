"""Q1, Q3: merges at once. One works, the others leave or wait; every task reaches the target exactly once, in one
line.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from foureyes.errors import Conflict
from foureyes.ui.steps import steps_text

from tests.races.hooks import Paused, elsewhere, meanwhile
from tests.stage.floor import Floor
from tests.stage.fork import Child, Gate, Signal, Standby, swarm
from tests.stage.looking import check, picture, tables
from tests.stage.people import ALICE, CI
from tests.stage.places import Place


def on_the_line(floor: Floor, head: str) -> int:
    """How many commits on the target's first-parent line merged this head."""
    rows = floor.checkout.git("log", "--first-parent", "--format=%P", f"{floor.base}..main").splitlines()
    return sum(head in row.split()[1:] for row in rows)


def head_of(floor: Floor, task: str) -> str:
    return str(next(row["head"] for row in tables(floor).attempts if row["task"] == task))


def merged(floor: Floor) -> dict[str, str]:
    """One whole `fe merge`, as a process of its own."""

    def run() -> dict[str, str]:
        try:
            return {row.task: row.outcome for row in floor.merge()}
        finally:
            floor.close()

    return Child(run).result()


@pytest.mark.parametrize("count", [2, 4])
def test_of_merges_at_once_one_works_and_the_others_leave_with_4_and_who_is_at_work_Q1(
    place: Place, template: Path, count: int
) -> None:
    floor = Floor(place, template)
    tasks = [floor.agreed() for _ in range(3)]
    floor.close()

    def merge(number: int, gate: Gate) -> tuple[int, str]:
        floor.app  # noqa: B018 - opened before the gate
        gate.wait()
        try:
            floor.merge(CI if number else ALICE)
        except Conflict as problem:
            return problem.exit_code, problem.message
        finally:
            floor.close()
        return 0, ""

    said = swarm(count, merge)
    assert (0, "") in said
    assert all(words.startswith("another fe merge is running") for rc, words in said if rc == 4), said
    assert {rc for rc, _ in said} <= {0, 4}
    check(floor)
    found = tables(floor)
    assert {row["id"]: row["status"] for row in found.tasks} == dict.fromkeys(tasks, "closed")
    kinds = [row["kind"] for row in found.journal]
    assert (kinds.count("TaskMerged"), kinds.count("ApprovalVoided"), kinds.count("MergeFailed")) == (3, 0, 0)
    assert picture(floor).checkouts == ("project: ",)


def test_who_comes_while_a_merge_is_at_work_is_told_what_it_merges_and_changes_nothing_Q1(
    place: Place, template: Path
) -> None:
    floor = Floor(place, template)
    task, other = floor.agreed(), floor.agreed()
    floor.close()
    first = Paused(floor, floor.merge)
    before = picture(floor)

    def second() -> tuple[int, str, str]:
        try:
            floor.merge()
        except Conflict as problem:
            return problem.exit_code, problem.message, steps_text(problem.next_step)
        finally:
            floor.close()
        return 0, "", ""

    code, message, step = Child(second).result()
    assert (code, step) == (4, "fe merge --list")
    assert task in message
    assert picture(floor) == before
    rows = first.go_on()
    assert {row.task: row.outcome for row in rows} == {task: "merged", other: "merged"}
    check(floor)


def test_a_merge_that_finds_another_at_work_between_two_of_its_own_still_says_what_it_merged_G2(
    place: Place, template: Path
) -> None:
    """The second one gets in when the first has merged one task and has not taken the next."""
    floor = Floor(place, template)
    task, other = floor.agreed(), floor.agreed()
    floor.close()

    fresh, go_on = elsewhere(floor), Signal()

    def second(enough: Callable[[], None]) -> None:
        def stand(_: object) -> None:
            enough()
            go_on.await_()

        meanwhile(fresh, "commit", stand)
        fresh.merge()
        fresh.close()

    def first() -> list[str]:
        meanwhile(floor, "drop_worktree", lambda _: other_merge.begin())
        try:
            return [row.task for row in floor.merge() if row.merged]
        finally:
            go_on.give()
            floor.close()

    with Standby(second) as other_merge:
        assert task in Child(first).result(), "what it merged is in its answer"
        other_merge.result()
    go_on.close()
    check(floor)
    assert {row["id"]: row["status"] for row in tables(floor).tasks} == {task: "closed", other: "closed"}


def test_a_task_that_somebody_merges_by_hand_meanwhile_is_merged_once_Q3(place: Place, template: Path) -> None:
    floor = Floor(place, template)
    task = floor.agreed()
    floor.close()

    def merge() -> dict[str, str]:
        by_hand = ("merge", "-q", "--no-ff", "-m", "by hand", f"fe/{task}")
        meanwhile(floor, "commit", lambda _: floor.checkout.git(*by_hand))
        try:
            return {row.task: row.outcome for row in floor.merge()}
        finally:
            floor.close()

    head = head_of(floor, task)
    Child(merge).result()
    merged(floor)
    assert on_the_line(floor, head) == 1
    assert tables(floor).tasks[0]["status"] == "closed"


def test_a_move_of_the_target_that_a_killed_merge_had_begun_and_that_comes_late_merges_nothing_twice_Q4(
    place: Place, template: Path
) -> None:
    """Who is killed while git runs leaves git running: the branch moves after the next `fe merge` has looked."""
    floor = Floor(place, template)
    task = floor.agreed()
    floor.close()
    late = place.root.with_name("late")

    def killed(given: dict[str, Any]) -> None:
        late.write_text(f"{given['new']} {given['old']}")
        raise KeyboardInterrupt

    def first() -> None:
        meanwhile(floor, "move", killed)
        floor.merge()

    assert isinstance(Child(first).ended().error, KeyboardInterrupt)

    def second() -> None:
        meanwhile(
            floor, "commit", lambda _: floor.checkout.git("update-ref", "refs/heads/main", *late.read_text().split())
        )
        floor.merge()
        floor.close()

    Child(second).result()
    assert on_the_line(floor, head_of(floor, task)) == 1
    check(floor)
