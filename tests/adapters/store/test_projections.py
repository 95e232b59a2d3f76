"""Projections: each event changes the tables from one allowed state to the next, and the counters with them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from foureyes.adapters.store.store import Store
from foureyes.app.context import IdRow, Token
from foureyes.app.results.session import SessionView
from foureyes.core import events as e
from foureyes.core.events.decision import (
    ApprovalEnded,
    ApprovalFinished,
    ApprovalRecorded,
    ApprovalWithdrawn,
    Approved,
    AttemptSubmitted,
    RedoRequested,
    TaskMerged,
    TaskRejected,
)
from foureyes.core.events.note import Logged
from foureyes.core.events.project import ProjectCreated
from foureyes.core.nouns.attempt import Author
from foureyes.core.words.ids import DiffId, SessionId, Sha, TaskId
from foureyes.core.words.lifecycle import STATUSES, TaskStatus
from foureyes.errors import StaleState

from tests import engines
from tests.adapters.store.shop import append
from tests.engines import NOW
from tests.stage.checkout import PROJECT
from tests.stage.world import DeskWorld

ME = "ses-1"


@pytest.fixture
def store(on: str) -> Store:
    store = engines.new_store(PROJECT, on)
    append(store, ProjectCreated(name="p", prefix="fe", target="main"), session=ME)
    append(store, e.SessionStarted(kind="agent", trust="observed", evidence=("x",)), session=ME)
    append(store, e.TaskCreated(title="a task"), session=ME, task="fe-1")
    return store


def submitted(n: int = 1, **fields: object) -> AttemptSubmitted:
    values = {
        "base": Sha("a"),
        "head": Sha("b"),
        "tree": Sha("c"),
        "ref": "refs/heads/x",
        "diff_id": DiffId("sha256:d"),
    }
    return AttemptSubmitted(
        n=n,
        implementer=SessionId(ME),
        authors=(Author(SessionId(ME), "claim"),),
        **(values | fields),  # type: ignore[arg-type]
    )


APPROVED = Approved(attempt=1, diff_id=DiffId("sha256:d"), rule="P7", status="approved")
TO: dict[TaskStatus, list[e.Event]] = {
    "open": [],
    "in_progress": [e.TaskStarted()],
    "reviewing": [e.TaskStarted(), submitted()],
    "approved": [e.TaskStarted(), submitted(), APPROVED],
    "closed": [e.TaskClosed(rule="C1")],
    "blocked": [e.TaskBlocked(reason="x")],
    "deferred": [e.TaskDeferred()],
}
MOVES: dict[str, tuple[e.Event, tuple[TaskStatus, ...]]] = {
    "start": (e.TaskStarted(), ("open",)),
    "unstart": (e.TaskUnstarted(), ("in_progress",)),
    "release": (e.TaskReleased(implementer=SessionId(ME)), ("in_progress",)),
    "start for another": (e.TaskStarted(implementer=SessionId("ses-child")), ("open",)),
    "approve": (APPROVED, ("reviewing",)),
    "finish": (ApprovalFinished(approval=1, status="approved"), ("reviewing",)),
    "finish what has nothing to merge": (ApprovalFinished(approval=1, status="closed"), ("reviewing",)),
    "withdraw": (ApprovalWithdrawn(approval=1), ("approved",)),
    "end": (ApprovalEnded(approval=1, why="x"), ("approved",)),
    "redo": (RedoRequested(iteration=1, feedback="x"), ("reviewing", "approved")),
    "reject": (TaskRejected(iteration=1, reason="x"), ("reviewing",)),
    "block": (e.TaskBlocked(reason="x"), ("open", "in_progress")),
    "unblock": (e.TaskUnblocked(), ("blocked",)),
    "defer": (e.TaskDeferred(), ("open",)),
    "undefer": (e.TaskUndeferred(), ("deferred",)),
    "merged": (TaskMerged(sha=Sha("m")), ("approved",)),
    "close": (e.TaskClosed(rule="C1"), ("open", "in_progress", "reviewing", "blocked", "deferred")),
    "reopen": (e.TaskReopened(), ("closed", "blocked")),
}


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("status", STATUSES)
def test_a_status_changes_only_from_where_the_table_allows_also_by_a_forged_event_T2(
    store: Store, move: str, status: TaskStatus
) -> None:
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


def test_an_event_about_a_task_that_is_not_there_is_refused(store: Store) -> None:
    for event, _ in MOVES.values():
        with pytest.raises(StaleState):
            append(store, event, session=ME, task="fe-none")


@pytest.mark.parametrize(
    ("relation", "state"),
    [("same", "active"), ("message_only", "active"), ("trivial_rebase", "active"), ("rework", "ended")],
)
def test_a_rework_ends_approvals_and_the_rest_keeps_them_A3(store: Store, relation: str, state: str) -> None:
    append(store, e.TaskStarted(), submitted(), APPROVED, session=ME, task="fe-1")
    store.engine.script(["UPDATE tasks SET status = 'reviewing'"])
    append(store, submitted(2, relation=relation), session=ME, task="fe-1")
    assert store.engine.fetch("SELECT state FROM approvals", {})[1] == [(state,)]


def test_a_session_that_comes_twice_keeps_one_row_and_the_later_time_I1(store: Store) -> None:
    append(store, Logged(text="x"), session=ME, task="fe-1")
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
    recount = {
        f"status:{status}": n
        for status, n in world.sql("SELECT status, count(*) FROM tasks WHERE deleted = 0 GROUP BY status")
    }
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
    ((by_rule,),) = world.sql("SELECT count(*) FROM approvals WHERE rule = 'M4'")
    assert by_rule, "something approved itself"
    assert counted == recount | {"auto_approved": by_rule}


# Approvals that are recorded apart (P11)

RECORDED = ApprovalRecorded(
    attempt=1, diff_id=DiffId("sha256:d"), rule="P7", reason="fine", seen="12345678", grade="origin"
)


def recorded(store: Store) -> int:
    """A task in review with a recorded approval; the approval's number."""
    append(store, e.TaskStarted(), submitted(), session=ME, task="fe-1")
    (seq,) = append(store, RECORDED, session="ses-2", task="fe-1")
    return seq


def standing(store: Store) -> tuple[object, ...]:
    """Where the task is, and what became of the approval."""
    ((status, version),) = store.engine.fetch("SELECT status, version FROM tasks", {})[1]
    ((state, worktree_of),) = store.engine.fetch("SELECT state, recorded FROM approvals", {})[1]
    assert store.audit().findings == ()
    assert version == store.engine.fetch("SELECT max(seq) FROM journal WHERE task = 'fe-1'", {})[1][0][0], (
        "who read it before is told (T6)"
    )
    return status, state, worktree_of


def test_a_recorded_approval_leaves_the_task_in_review_and_says_what_was_seen_P11(store: Store) -> None:
    seq = recorded(store)
    assert standing(store) == ("reviewing", "active", 1)
    columns, (row,) = store.engine.fetch("SELECT * FROM approvals", {})
    found = dict(zip(columns, row, strict=True))
    assert {name: found[name] for name in ("seq", "session", "attempt", "diff_id", "rule", "reason", "seen", "grade")} == {
        "seq": seq, "session": "ses-2", "attempt": 1, "diff_id": "sha256:d", "rule": "P7", "reason": "fine",
        "seen": "12345678", "grade": "origin",
    }  # fmt: skip
    assert ("ses-2", "approved", 1) in store.engine.fetch("SELECT session, action, attempt FROM history", {})[1]


@pytest.mark.parametrize("status", ["approved", "closed"])
def test_a_finished_approval_takes_effect_and_stays_its_reviewers_P11(store: Store, status: TaskStatus) -> None:
    append(store, ApprovalFinished(approval=recorded(store), status=status), session=ME, task="fe-1")
    assert standing(store) == (status, "active", 0)
    assert store.engine.fetch("SELECT session FROM approvals", {})[1] == [("ses-2",)]
    assert (ME, "approved") not in store.engine.fetch("SELECT session, action FROM history", {})[1], (
        "who finishes has not approved"
    )


ENDS: dict[str, Callable[[int], e.Event]] = {
    "withdrawn": lambda approval: ApprovalWithdrawn(approval=approval),
    "ended": lambda approval: ApprovalEnded(approval=approval, why="x"),
}


@pytest.mark.parametrize("state", ENDS)
def test_a_recorded_approval_ends_without_moving_the_task_P11_T8(store: Store, state: str) -> None:
    append(store, ENDS[state](recorded(store)), session="ses-2", task="fe-1")
    assert standing(store) == ("reviewing", state, 1)


@pytest.mark.parametrize("state", ENDS)
def test_a_finished_approval_that_ends_moves_the_task_back_into_review_P11_T8(store: Store, state: str) -> None:
    seq = recorded(store)
    append(store, ApprovalFinished(approval=seq, status="approved"), ENDS[state](seq), session="ses-2", task="fe-1")
    assert standing(store) == ("reviewing", state, 0)


@pytest.mark.parametrize(("relation", "state"), [("same", "active"), ("trivial_rebase", "active"), ("rework", "ended")])
def test_a_rework_ends_a_recorded_approval_too_A3_P11(store: Store, relation: str, state: str) -> None:
    recorded(store)
    append(store, submitted(2, relation=relation), session=ME, task="fe-1")
    assert standing(store)[1] == state


@pytest.mark.parametrize(
    "event",
    [RedoRequested(iteration=1, feedback="x"), TaskRejected(iteration=1, reason="x")],
    ids=lambda event: type(event).__name__,
)
def test_what_sends_a_task_back_ends_its_recorded_approvals_P11(store: Store, event: e.Event) -> None:
    recorded(store)
    append(store, event, session="ses-3", task="fe-1")
    assert standing(store)[1] == "ended"


# Sessions that are given out, and their ends (I2, I4)


def issued(name: str = "child", *, evidence: tuple[str, ...] = ()) -> e.TokenIssued:
    hashed = f"hash of {name}"
    return e.TokenIssued(
        session=SessionId(f"ses-{name}"), hash=hashed, role="implement", bound="process:1", name=name, evidence=evidence
    )


def sessions(store: Store) -> dict[str, SessionView]:
    with store.read() as tx:
        return {row.id: row for row in tx.all("session.page", SessionView, limit=100)}


def token(store: Store, name: str = "child") -> Token:
    with store.read() as tx:
        found = tx.one("session.token", Token, hash=f"hash of {name}")
    assert found is not None
    return found


def test_a_token_makes_a_session_below_the_one_that_gave_it_out_I2_I4(store: Store) -> None:
    append(store, issued(), session=ME, task="fe-1")
    row = sessions(store)["ses-child"]
    assert (row.kind, row.trust, row.parent, row.origin, row.proven, row.ended) == (
        "agent",
        "issued",
        ME,
        "ses-child",
        True,
        False,
    )
    assert token(store) == Token(
        hash="hash of child",
        session=SessionId("ses-child"),
        task=TaskId("fe-1"),
        role="implement",
        bound="process:1",
        ended=False,
    )
    assert store.audit().findings == ()


def test_what_one_person_gives_out_is_one_origin_I4(store: Store) -> None:
    for name in ("one", "two"):
        append(store, issued(name, evidence=("spawned:ses-alice",)), session="ses-alice", task="fe-1")
    append(store, issued("three", evidence=("spawned:ses-bob",)), session="ses-bob", task="fe-1")
    origins = {name: row.origin for name, row in sessions(store).items()}
    assert origins["ses-one"] == origins["ses-two"] != origins["ses-three"]


@pytest.mark.parametrize("field", ["session", "hash"])
def test_neither_a_token_nor_its_session_is_given_out_twice_I2(store: Store, field: str) -> None:
    append(store, issued(), session=ME, task="fe-1")
    again = {"session": issued("other"), "hash": issued()}[field]
    with pytest.raises(engines.INTEGRITY):
        append(store, replace(again, **{field: getattr(issued(), field)}), session=ME, task="fe-1")
    assert set(sessions(store)) == {"ses-child", ME}


def test_an_ended_session_has_a_void_token_for_ever_I2(store: Store) -> None:
    append(store, issued(), session=ME, task="fe-1")
    append(store, e.SessionEnded(session=SessionId("ses-child")), session=ME)
    assert (sessions(store)["ses-child"].ended, token(store).ended) == (True, True)
    append(store, Logged(text="a ghost"), session="ses-child", task="fe-1")
    append(store, e.SessionEnded(session=SessionId("ses-child")), session=ME)
    assert token(store).ended
    assert store.engine.fetch("SELECT ended_seq FROM tokens", {})[1] == [(5,)], "since the first time"
    assert store.audit().findings == ()


def test_who_writes_after_its_end_is_there_again_unless_it_needs_a_token_I1(store: Store) -> None:
    append(store, e.SessionEnded(session=SessionId(ME)), session=ME)
    assert sessions(store)[ME].ended
    append(store, Logged(text="back"), session=ME, task="fe-1")
    assert not sessions(store)[ME].ended
    append(store, e.SessionEnded(session=SessionId(ME)), session="ses-alice")
    assert sessions(store)[ME].ended
    assert store.audit().findings == ()


def test_a_claim_that_is_made_for_a_session_is_that_sessions_I7(store: Store) -> None:
    append(store, issued(), e.TaskStarted(implementer=SessionId("ses-child")), session=ME, task="fe-1")
    assert store.engine.fetch("SELECT implementer FROM tasks", {})[1] == [("ses-child",)]
    history = store.engine.fetch("SELECT session, via FROM history WHERE action = 'started'", {})[1]
    assert history == [("ses-child", ME)], "and no implementation action of who made it"


def test_a_session_under_a_new_name_knows_what_it_was_called_before_I4(store: Store) -> None:
    for name in ("ses-2", "ses-3"):
        append(
            store, e.SessionStarted(kind="agent", trust="observed", evidence=("x",), base=SessionId(ME)), session=name
        )
    with store.read() as tx:
        newest = tx.one("session.newest", IdRow, base=ME)
    assert newest == IdRow("ses-3")
    assert {row.origin for row in sessions(store).values()} == {ME}


def test_the_newest_session_is_the_one_that_was_made_last_whoever_wrote_last_I4(store: Store) -> None:
    """A command that began under the name before may end after `session new`."""
    for name in ("ses-2", "ses-3"):
        append(
            store, e.SessionStarted(kind="agent", trust="observed", evidence=("x",), base=SessionId(ME)), session=name
        )
    append(store, Logged(text="late"), session="ses-2", task="fe-1")
    with store.read() as tx:
        assert tx.one("session.newest", IdRow, base=ME) == IdRow("ses-3")


# What people say about authors, and what they sign (I8, I9)


def test_a_later_clearing_counts_up_to_a_later_attempt_I8(store: Store) -> None:
    for attempt in (1, 3):
        append(
            store,
            e.AttributionCleared(session=SessionId("ses-typo"), attempt=attempt, reason="x"),
            session=ME,
            task="fe-1",
        )
    assert store.engine.fetch("SELECT task, session, attempt, seq FROM cleared", {})[1] == [("fe-1", "ses-typo", 3, 5)]
    assert store.audit().findings == ()


def test_a_signature_counts_once_I9(store: Store) -> None:
    signed = e.DecisionSigned(key="SHA256:k", statement="{}", signature="s")
    append(store, signed, session=ME)
    with pytest.raises(engines.INTEGRITY):
        append(store, signed, session=ME)
    assert store.audit().findings == ()


def test_a_retired_key_stays_on_record_with_the_reason_and_does_not_come_back_I9(store: Store) -> None:
    key = e.KeyAdded(fingerprint="SHA256:k", public="ssh-ed25519 k", person="alice@box")
    append(store, key, e.KeyRetired(fingerprint="SHA256:k", reason="lost"), session=ME)
    assert store.engine.fetch("SELECT person, retired_at, retired_why FROM keys", {})[1] == [("alice@box", NOW, "lost")]
    with pytest.raises(engines.INTEGRITY):
        append(store, key, session=ME)
    assert store.audit().findings == ()
