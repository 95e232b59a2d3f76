"""Projections: each event changes the tables from one allowed state to the next, and the counters with them."""

from __future__ import annotations

import pytest

from foureyes.adapters.store.store import Store
from foureyes.core import events as e
from foureyes.core.attempt import Author
from foureyes.core.ids import DiffId, SessionId, Sha, TaskId
from foureyes.core.lifecycle import STATUSES, Status
from foureyes.errors import StaleState

from tests import engines
from tests.adapters.store.shop import append
from tests.app.world import PROJECT, DeskWorld

ME = "ses-1"


@pytest.fixture
def store(on: str) -> Store:
    store = engines.new_store(PROJECT, on)
    append(store, e.ProjectCreated(name="p", prefix="fe", target="main"), session=ME)
    append(store, e.SessionStarted(kind="agent", trust="observed", evidence=("x",)), session=ME)
    append(store, e.TaskCreated(title="a task"), session=ME, task="fe-1")
    return store


def submitted(n: int = 1, **fields: object) -> e.AttemptSubmitted:
    values = {"base": Sha("a"), "head": Sha("b"), "tree": Sha("c"), "ref": "refs/heads/x", "diff_id": DiffId("sha256:d")}
    return e.AttemptSubmitted(n=n, implementer=SessionId(ME), authors=(Author(SessionId(ME), "claim"),), **(values | fields))  # type: ignore[arg-type]


APPROVED = e.Approved(attempt=1, diff_id=DiffId("sha256:d"), rule="P7", status="approved")
TO: dict[Status, list[e.Event]] = {
    "open": [],
    "in_progress": [e.TaskStarted()],
    "reviewing": [e.TaskStarted(), submitted()],
    "approved": [e.TaskStarted(), submitted(), APPROVED],
    "closed": [e.TaskClosed(rule="C1")],
    "blocked": [e.TaskBlocked(reason="x")],
    "deferred": [e.TaskDeferred()],
}
MOVES: dict[str, tuple[e.Event, tuple[Status, ...]]] = {
    "start": (e.TaskStarted(), ("open",)),
    "unstart": (e.TaskUnstarted(), ("in_progress",)),
    "release": (e.TaskReleased(implementer=SessionId(ME)), ("in_progress",)),
    "approve": (APPROVED, ("reviewing",)),
    "withdraw": (e.ApprovalWithdrawn(approval=1), ("approved",)),
    "end": (e.ApprovalEnded(approval=1, why="x"), ("approved",)),
    "redo": (e.RedoRequested(iteration=1, feedback="x"), ("reviewing", "approved")),
    "reject": (e.TaskRejected(iteration=1, reason="x"), ("reviewing",)),
    "block": (e.TaskBlocked(reason="x"), ("open", "in_progress")),
    "unblock": (e.TaskUnblocked(), ("blocked",)),
    "defer": (e.TaskDeferred(), ("open",)),
    "undefer": (e.TaskUndeferred(), ("deferred",)),
    "merged": (e.TaskMerged(sha=Sha("m")), ("approved",)),
    "close": (e.TaskClosed(rule="C1"), ("open", "in_progress", "reviewing", "blocked", "deferred")),
    "reopen": (e.TaskReopened(), ("closed", "blocked")),
}


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("status", STATUSES)
def test_a_status_changes_only_from_where_the_table_allows_also_by_a_forged_event_T2(store: Store, move: str, status: Status) -> None:
    append(store, *TO[status], session=ME, task="fe-1")
    assert store.engine.fetch("SELECT status FROM tasks", {})[1] == [(status,)]
    event, allowed = MOVES[move]
    if status in allowed:
        append(store, event, session=ME, task="fe-1")
    else:
        with pytest.raises(StaleState):
            append(store, event, session=ME, task="fe-1")
        assert store.engine.fetch("SELECT status FROM tasks", {})[1] == [(status,)]
    assert store.audit().findings == ()


@pytest.mark.parametrize("n", [0, 1, 3])
def test_an_attempt_is_the_next_one_or_nothing_T6(store: Store, n: int) -> None:
    append(store, e.TaskStarted(), submitted(1), session=ME, task="fe-1")
    with pytest.raises(StaleState):
        append(store, submitted(n), session=ME, task="fe-1")


def test_an_event_about_a_task_that_is_not_there_is_refused_lesson_25(store: Store) -> None:
    for event, _ in MOVES.values():
        with pytest.raises(StaleState):
            append(store, event, session=ME, task="fe-none")


@pytest.mark.parametrize(
    ("relation", "state"), [("same", "active"), ("message_only", "active"), ("trivial_rebase", "active"), ("rework", "ended")]
)
def test_a_rework_ends_approvals_and_the_rest_keeps_them_A3(store: Store, relation: str, state: str) -> None:
    append(store, e.TaskStarted(), submitted(), APPROVED, session=ME, task="fe-1")
    store.engine.script(["UPDATE tasks SET status = 'reviewing'"])
    append(store, submitted(2, relation=relation), session=ME, task="fe-1")
    assert store.engine.fetch("SELECT state FROM approvals", {})[1] == [(state,)]


def test_a_session_that_comes_twice_keeps_one_row_and_the_later_time_I1(store: Store) -> None:
    append(store, e.Logged(text="x"), session=ME, task="fe-1")
    assert store.engine.fetch("SELECT id, last_seq FROM sessions", {})[1] == [(ME, 4)]


def test_dependencies_and_parents_make_ready_what_is_ready_T4(store: Store) -> None:
    append(store, e.TaskCreated(title="b", depends_on=(TaskId("fe-1"),)), session=ME, task="fe-2")
    append(store, e.TaskCreated(title="c", parent=TaskId("fe-1")), session=ME, task="fe-3")

    def ready() -> list[object]:
        return [row[0] for row in store.engine.fetch("SELECT id FROM tasks WHERE ready = 1 ORDER BY n", {})[1]]

    assert ready() == ["fe-1", "fe-3"]
    append(store, e.TaskBlocked(reason="x"), session=ME, task="fe-1")
    assert ready() == []
    append(store, e.TaskClosed(rule="C1"), session=ME, task="fe-1")
    assert ready() == ["fe-2", "fe-3"]
    append(store, e.TaskReopened(), session=ME, task="fe-1")
    assert ready() == ["fe-1", "fe-3"]
    assert store.audit().findings == ()


def test_counters_equal_a_recount_whatever_happened(full: DeskWorld) -> None:
    world = full
    counted = {str(name): n for name, n in world.sql("SELECT name, n FROM counters WHERE n <> 0")}
    recount = {f"status:{status}": n for status, n in world.sql("SELECT status, count(*) FROM tasks WHERE deleted = 0 GROUP BY status")}
    flags = {
        "ready": "ready = 1",
        "waiting": "status = 'open' AND open_deps > 0",
        "rejected": "rejected_by IS NOT NULL",
        "held": "hold IS NOT NULL",
        "unmerged": "unmerged = 1",
        "landed": "landed = 1",
    }
    for name, condition in flags.items():
        ((n,),) = world.sql(f"SELECT count(*) FROM tasks WHERE deleted = 0 AND {condition}")
        recount |= {name: n} if n else {}
    assert counted == recount
