"""What broke in the systems before us, on both engines; more in test_migrate and test_postgres."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from foureyes.adapters.store.sqlite import SqliteEngine
from foureyes.app.results.task_list import ListQuery
from foureyes.errors import Conflict, FoureyesError, NotFound
from foureyes.ui.steps import steps_text

from tests import engines
from tests.adapters.store.shop import append, security
from tests.stage.people import ALICE, BOB, CLAUDE, CODEX
from tests.stage.world import DeskWorld


def test_wal_and_full_synchronisation_are_in_force_for_every_connection(tmp_path: Path) -> None:
    place = engines.Place("sqlite", tmp_path)
    for store in (place.create(), place.open()):
        assert isinstance(store.engine, SqliteEngine)
        assert (store.engine.connection.pragma("journal_mode"), store.engine.connection.pragma("synchronous")) == (
            "wal",
            2,
        )
    assert apsw.Connection(str(tmp_path / "store.db")).pragma("journal_mode") == "wal"


def test_many_connections_that_come_and_go_corrupt_nothing(place: engines.Place) -> None:
    store = place.create()
    for _ in range(15):
        other = place.open()
        append(other, security())
        append(store, security())
        other.close()
    assert store.health() == []
    assert store.audit().findings == ()
    assert store.engine.fetch("SELECT count(*) FROM journal", {})[1] == [(30,)]


def test_the_same_key_with_the_same_content_is_the_same_task_and_writes_nothing(desk: DeskWorld) -> None:
    first = desk.app.tasks.create(CLAUDE, "a task", key="k", labels=["a"], description="d")
    with desk.unchanged():
        again = desk.app.tasks.create(CLAUDE, "a task", key="k", labels=["a"], description="d")
    assert again.task == first.task
    assert desk.ids_of() == [first.task]


CHANGES: list[dict[str, object]] = [
    {"title": "another"},
    {"description": "other"},
    {"labels": ["b"]},
    {"priority": 0},
    {"minor": True},
]


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_the_same_key_with_another_content_is_a_conflict_and_keeps_the_old(
    desk: DeskWorld, change: dict[str, object]
) -> None:
    fields: dict[str, object] = {"title": "a task", "description": "d", "labels": ["a"]}
    task = desk.create(CLAUDE, **fields, key="k")  # type: ignore[arg-type]
    before = desk.task(task)
    with desk.unchanged(), pytest.raises(Conflict) as caught:
        desk.create(CLAUDE, **{**fields, **change}, key="k")  # type: ignore[arg-type]
    assert (caught.value.exit_code, caught.value.task) == (4, task)
    assert task in steps_text(caught.value.next_step)
    assert desk.task(task) == before


def test_another_key_or_none_makes_another_task(desk: DeskWorld) -> None:
    made = {desk.create(key=key) for key in ("k", "K", "k2", "", "")}
    assert len(made) == 5


def test_a_key_is_kept_by_a_task_that_was_edited_or_closed(desk: DeskWorld) -> None:
    task = desk.create(ALICE, title="a task", key="k")
    desk.app.tasks.edit(BOB, task, title="edited")
    assert desk.create(ALICE, title="a task", key="k") == task
    desk.app.closing.cancel(ALICE, task)
    assert desk.create(ALICE, title="a task", key="k") == task


def verbs(desk: DeskWorld, task: str) -> dict[str, Callable[[], object]]:
    app = desk.app
    return {
        "edit": lambda: app.tasks.edit(ALICE, task, title="x"),
        "label": lambda: app.tasks.add_label(ALICE, task, ["x"]),
        "unlabel": lambda: app.tasks.remove_label(ALICE, task, ["x"]),
        "depend": lambda: app.tasks.add_dependency(ALICE, task, [task]),
        "start": lambda: app.claims.start(CLAUDE, task),
        "unstart": lambda: app.claims.unstart(CLAUDE, task),
        "submit": lambda: app.attempts.submit(CLAUDE, task),
        "approve": lambda: app.decisions.approve(ALICE, task),
        "redo": lambda: app.feedback.redo(ALICE, task, "x"),
        "reject": lambda: app.feedback.reject(ALICE, task, "x"),
        "withdraw": lambda: app.decisions.withdraw(ALICE, task),
        "block": lambda: app.stops.block(ALICE, task, "x"),
        "hold": lambda: app.stops.hold(ALICE, task, "x"),
        "close": lambda: app.closing.close(ALICE, task),
        "reopen": lambda: app.closing.reopen(ALICE, task),
        "cancel": lambda: app.closing.cancel(ALICE, task),
        "delete": lambda: app.closing.delete(ALICE, task),
        "log": lambda: app.notes.log(ALICE, task, "x"),
        "handoff": lambda: app.notes.handoff(ALICE, task, done=["a"], remaining=[], decisions=[], uncertain=[]),
    }


def test_changing_a_task_that_is_not_there_is_refused_and_makes_none(desk: DeskWorld) -> None:
    desk.create()
    before = desk.counts()
    for name, verb in verbs(desk, "fe-zzz9").items():
        with desk.unchanged(), pytest.raises(NotFound) as caught:
            verb()
        assert (caught.value.exit_code, "fe-zzz9" in caught.value.message) == (3, True), name
    assert len(desk.ids_of()) == 1
    assert desk.counts() == before


GARBAGE = {
    "labels that are no list": "UPDATE tasks SET labels = 'garbage' WHERE id = ?",
    "labels of another shape": "UPDATE tasks SET labels = '{\"a\": 1}' WHERE id = ?",
    "files of an attempt": "UPDATE attempts SET files = 'garbage' WHERE task = ?",
    "a journal payload": "UPDATE journal SET payload = 'garbage' WHERE task = ?",
    "a handoff": "UPDATE handoffs SET done = 'garbage' WHERE task = ?",
}


@pytest.mark.parametrize("what", GARBAGE)
def test_one_bad_row_does_not_stop_work_on_other_tasks_and_is_named(desk: DeskWorld, what: str) -> None:
    bad, good = desk.submitted_task(CODEX), desk.create(title="good")
    desk.app.notes.handoff(CODEX, bad, done=["a"], remaining=[], decisions=[], uncertain=[])
    desk.sql(GARBAGE[what], bad)
    desk.start(CLAUDE, good)
    desk.app.notes.log(CLAUDE, good, "going on")
    desk.repo.commit(f"fe/{good}", sessions=[CLAUDE.session])
    desk.submit(CLAUDE, good)
    assert desk.approve(BOB, good).changed
    assert desk.create(title="another") in desk.ids_of(sort="newest", limit=1)
    said = []
    calls: dict[str, Callable[[], object]] = {
        "show": lambda: desk.show(bad),
        "approve": lambda: desk.approve(BOB, bad),
        "log": lambda: desk.app.notes.log(CLAUDE, bad, "still there"),
        "list": desk.ids_of,
        "reviewable": lambda: desk.app.lists.reviewable(BOB, ListQuery()).rows,
        "status": desk.counts,
    }
    for name, call in calls.items():
        try:
            call()
        except FoureyesError as problem:
            said.append(f"{problem.message} {problem.task}")
        except Exception as problem:
            pytest.fail(f"{name}: {problem!r}")
    assert all(bad in text for text in said), said
    findings = " ".join(finding.message for finding in desk.store.audit().findings)
    assert findings, "an audit names it"
