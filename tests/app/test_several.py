"""Several tasks in one call: all of them or none, and every refusal is listed (G2, G4)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from foureyes.app.results.task_list import Outcome
from foureyes.errors import BadInput, NotFound

from tests.stage.people import ALICE, CLAUDE
from tests.stage.world import DeskWorld

Call = Callable[[DeskWorld, list[str]], list[Outcome]]

CALLS: dict[str, Call] = {
    "label": lambda desk, tasks: desk.app.tasks.add_labels(ALICE, tasks, ["security", "api"]),
    "label off": lambda desk, tasks: desk.app.tasks.remove_labels(ALICE, tasks, ["x"]),
    "defer": lambda desk, tasks: desk.app.stops.defer_several(ALICE, tasks, "2027-01-31"),
    "delete": lambda desk, tasks: desk.app.closing.delete_several(ALICE, tasks, reason="planned twice"),
}


@pytest.mark.parametrize("call", CALLS)
def test_all_are_changed_or_none_and_every_refusal_is_listed_G2_G4(desk: DeskWorld, call: str) -> None:
    tasks = [desk.create(labels=["x"]) for _ in range(3)]
    with desk.refused() as caught:
        CALLS[call](desk, [*tasks, "fe-nope", "fe-none"])
    assert [reason.message for reason in caught[0].reasons] == [
        "there is no task fe-nope.",
        "there is no task fe-none.",
    ]
    done = CALLS[call](desk, [tasks[0], tasks[1], tasks[0]])
    assert ([row.task for row in done], all(row.changed for row in done)) == (tasks[:2], True)
    assert (desk.task(tasks[2]).labels, desk.status(tasks[2])) == (["x"], "open")


def test_a_task_that_stands_elsewhere_keeps_all_of_them_where_they_are_T2(desk: DeskWorld) -> None:
    free, begun, gone = desk.create(), desk.started(CLAUDE), desk.create()
    desk.app.closing.cancel(ALICE, gone)
    with desk.refused("T2", "T2") as caught:
        desk.app.stops.defer_several(ALICE, [free, begun, gone])
    assert "2 of 3 tasks" in caught[0].message
    assert desk.app.stops.defer_several(ALICE, [free])[0].status == "deferred"
    assert desk.app.stops.undefer_several(ALICE, [free])[0].status == "open"


def test_one_task_is_refused_in_its_own_words_and_none_is_no_call(desk: DeskWorld) -> None:
    with desk.refused(error=NotFound):
        desk.app.tasks.add_labels(ALICE, ["fe-nope"], ["x"])
    with desk.refused(error=BadInput):
        desk.app.stops.undefer_several(ALICE, [])
