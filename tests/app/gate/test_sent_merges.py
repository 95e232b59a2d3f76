"""A push that is cut off, killed or late (Q4, Q6): one target, nothing lost or merged twice, no approval voided."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from foureyes.app.git_ports import RefUpdate
from foureyes.errors import RemoteProblem, StoreProblem

from tests.stage.clones import Clone
from tests.stage.gated import merge, merge_rows
from tests.stage.people import ALICE, CI, CODEX
from tests.stage.wires import Wired


class Killed(BaseException):
    """The process is gone."""


def kill(_: Sequence[RefUpdate]) -> None:
    raise Killed


def killed_at(clones: Wired, when: str) -> str:
    """A task whose merge was being pushed by alpha when that was killed."""
    task = clones.approved(clones.alpha)
    wire = clones.wire(clones.alpha)
    setattr(wire, when, kill)
    with pytest.raises(Killed):
        merge(clones.alpha)
    setattr(wire, when, None)
    clones.beta.outside.gone.add("process:alpha")
    return task


def merges_of(clones: Wired, task: str) -> int:
    return clones.log().count(f"Merge {task}: a task")


def test_killed_before_the_push_the_other_clone_merges_it_once_Q4_Q6(clones: Wired) -> None:
    task = killed_at(clones, "before")
    assert merge(clones.beta) == {task: "merged"}
    assert merges_of(clones, task) == 1


def test_killed_after_the_push_the_other_clone_finds_it_and_notes_no_exception_Q4_Q6(clones: Wired) -> None:
    task = killed_at(clones, "after")
    assert merge(clones.beta) == {task: "found"}
    assert (merges_of(clones, task), clones.beta.status(task)) == (1, "closed")
    assert clones.beta.app.audit.exceptions() == []
    assert clones.beta.checkout.head("main") == clones.main()


def test_until_it_is_known_whether_it_arrived_nobody_takes_the_approval_back_Q4_Q6(clones: Wired) -> None:
    task = killed_at(clones, "after")
    beta = clones.beta
    with beta.refused("Q4"):
        beta.app.feedback.redo(ALICE, task, "no")
    with beta.refused("Q4"):
        beta.app.decisions.withdraw(CODEX, task, reason="no")
    merge(beta)
    assert beta.status(task) == "closed"


def test_who_was_taken_for_dead_and_wakes_up_pushes_nothing_any_more_J4_Q6(clones: Wired) -> None:
    alpha, beta = clones.alpha, clones.beta
    task = clones.approved(alpha)
    before = clones.main()

    def asleep(_: object) -> None:
        wire.before = None
        beta.outside.gone.add("process:alpha")
        hold_and_settle(beta, task)

    wire = clones.wire(alpha)
    wire.before = asleep
    rows = merge_rows(alpha)
    assert rows[task].outcome == "waiting"
    assert clones.main() == before
    assert alpha.status(task) == "open"


def hold_and_settle(beta: Clone, task: str) -> None:
    """The other machine shuts it out, and a person takes the work back."""
    beta.app.stops.hold(ALICE, task, "wait")
    merge(beta)
    beta.app.stops.resume(ALICE, task, "go on")
    beta.app.feedback.redo(ALICE, task, "not like this")


def test_a_push_without_an_answer_is_found_by_the_next_merge_Q4_Q6(clones: Wired) -> None:
    alpha = clones.alpha
    task = clones.approved(alpha)
    wire = clones.wire(alpha)

    def cut(_: object) -> None:
        wire.after, wire.down = None, "the line is dead"
        raise RemoteProblem("origin cannot be asked: the line is dead", kind="unreachable")

    wire.after = cut
    row = merge_rows(alpha)[task]
    assert (row.outcome, "the next fe merge tells" in row.message) == ("waiting", True)
    assert alpha.status(task) == "approved"
    wire.down = ""
    assert merge(alpha) == {task: "found"}
    assert merges_of(clones, task) == 1


def test_a_push_that_is_cut_off_once_is_tried_again_Q6(clones: Wired) -> None:
    alpha = clones.alpha
    task = clones.approved(alpha)
    wire = clones.wire(alpha)

    def cut(_: object) -> None:
        wire.before = None
        raise RemoteProblem("origin cannot be asked: hung up", kind="unreachable")

    wire.before = cut
    assert merge(alpha) == {task: "merged"}
    assert merges_of(clones, task) == 1


def test_a_store_that_goes_away_after_the_push_loses_nothing_Q4_Q6(
    clones: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    alpha = clones.alpha
    task = clones.approved(alpha)

    def gone(*_: object, **__: object) -> None:
        raise StoreProblem("the server stopped. Nothing was changed.")

    with monkeypatch.context() as patch:
        clones.wire(alpha).after = lambda _: patch.setattr(alpha.store, "write", gone)
        with pytest.raises(StoreProblem, match="the rest waits"):
            alpha.app.merges.process(CI)
    clones.wire(alpha).after = None
    assert alpha.checkout.head("main") == clones.main()
    assert merge(alpha) == {task: "found"}
    assert merges_of(clones, task) == 1
