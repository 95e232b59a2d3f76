"""A push that is cut off, killed or late (Q4, Q6): one target, nothing lost or merged twice, no approval voided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from msgspec.structs import replace

from foureyes.app.findings.raising import findings_of_task
from foureyes.app.gate import merger as settling
from foureyes.app.gate.landing import TargetLine
from foureyes.app.gate.merge_candidate import PUSH_SECONDS
from foureyes.app.gate.merger import MergeLock
from foureyes.app.git_ports import RefUpdate
from foureyes.app.target import sent_for, sent_merges
from foureyes.core.events.gate import MergeLeft
from foureyes.core.nouns.finding import ReportedFinding
from foureyes.core.words.ids import Sha
from foureyes.core.words.refs import FENCE
from foureyes.errors import Conflict, CutOff, GitProblem, Refused, RemoteProblem, StoreProblem
from foureyes.ui.steps import steps_text

from tests.stage.clones import Clone
from tests.stage.gated import merge, merge_rows
from tests.stage.people import ALICE, CI, CODEX
from tests.stage.wires import Wire, Wired


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


def test_status_and_doctor_tell_of_a_push_whose_answer_nobody_heard_until_it_is_known_Q4(
    clones: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MergeLock, "close", lambda _: None)  # alpha stays connected
    beta, says = clones.beta, "was pushed, but the remote has not confirmed it yet"

    def told() -> list[str]:
        notes = [steps_text(note) for note in beta.app.status.show(ALICE).notes]
        lines = [f"{line.message}: {steps_text(line.next)}" for line in beta.app.doctor.examine(ALICE)]
        return [line for line in (*notes, *lines) if says in line]

    task = killed_at(clones, "before")
    assert told() == [f"{task}: its merge {says}: fe merge"] * 2
    beta.outside.gone.clear()
    assert told() == [], "alpha may be at it"
    beta.outside.gone.add("process:alpha")
    merge(beta)
    assert told() == []


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
    assert (row.outcome, "The next fe merge shows" in row.message) == ("waiting", True)
    assert alpha.status(task) == "approved"
    wire.down = ""
    assert merge(alpha) == {task: "found"}
    assert merges_of(clones, task) == 1


def cut_once(wire: Wire) -> None:
    """This push is cut off, and none after it."""
    wire.before = None
    raise RemoteProblem("origin cannot be asked: hung up", kind="unreachable")


def test_a_store_that_goes_away_after_the_push_loses_nothing_Q4_Q6(
    clones: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    alpha = clones.alpha
    task = clones.approved(alpha)

    def gone(*_: object, **__: object) -> None:
        raise StoreProblem("the server stopped. Nothing was changed.")

    with monkeypatch.context() as patch:
        clones.wire(alpha).after = lambda _: patch.setattr(alpha.store, "write", gone)
        told = (
            f"Nothing was merged before. The next fe merge shows whether {task} was merged. The rest of the queue waits"
        )
        with pytest.raises(CutOff, match=told) as caught:
            alpha.app.merges.process(CI)
    assert (caught.value.code, caught.value.exit_code) == ("store", 5)
    clones.wire(alpha).after = None
    assert alpha.checkout.head("main") == clones.main()
    assert merge(alpha) == {task: "found"}
    assert merges_of(clones, task) == 1


def lose_the_answer(wire: Wire, *, down: str = "") -> None:
    """The next push arrives, and nobody here hears of it; `down`: nor of anything afterwards."""

    def late(_: object) -> None:
        wire.after, wire.down = None, down
        raise RemoteProblem("origin did not answer: timed out", kind="unreachable")

    wire.after = late


def is_open(world: Clone, task: str) -> bool:
    """Whether it is not known what became of its push."""
    with world.store.read() as tx:
        return sent_for(tx, task) is not None


def test_a_push_that_arrived_while_its_answer_was_lost_is_found_and_not_merged_again_Q4_Q6(clones: Wired) -> None:
    alpha = clones.alpha
    task = clones.approved(alpha)
    lose_the_answer(clones.wire(alpha))
    assert merge(alpha) == {task: "found"}
    assert (merges_of(clones, task), alpha.status(task)) == (1, "closed")
    assert alpha.app.audit.exceptions() == []


def test_what_somebody_merges_on_the_remote_meanwhile_is_not_merged_again_Q3_Q6(clones: Wired) -> None:
    alpha, beta = clones.alpha, clones.beta.checkout
    task = clones.approved(alpha)
    wire = clones.wire(alpha)

    def by_hand(_: object) -> None:
        wire.before = None
        beta.git("fetch", "-q", "origin")
        beta.git("merge", "-q", "--no-ff", "-m", "by hand", f"origin/fe/{task}")
        beta.git("push", "-q", "origin", "main")

    wire.before = by_hand
    assert merge(alpha) == {task: "found"}
    assert (clones.log()[0], merges_of(clones, task)) == ("by hand", 0)


def test_a_remote_that_is_gone_before_the_look_behind_a_push_leaves_it_open_Q4_Q6(
    clones: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    alpha = clones.alpha
    task = clones.approved(alpha)
    wire = clones.wire(alpha)

    def push(updates: Sequence[RefUpdate]) -> object:
        answer = real(updates)
        wire.down = "the line is dead"  # the fence was looked at, and then nothing is
        return answer

    def late(_: object) -> None:
        wire.after = None
        monkeypatch.setattr(wire, "push", push)
        raise RemoteProblem("origin did not answer: timed out", kind="unreachable")

    real, wire.after = wire.push, late
    assert merge(alpha) == {task: "waiting"}
    assert is_open(alpha, task)
    monkeypatch.undo()
    wire.down = ""
    assert merge(alpha) == {task: "found"}


def test_a_push_that_cannot_be_noted_here_is_a_merge_all_the_same_Q4_Q6(clones: Wired) -> None:
    alpha = clones.alpha
    task = clones.approved(alpha)
    wire = clones.wire(alpha)

    def full(tips: Mapping[str, Sha]) -> None:
        raise GitProblem("no space left on device")

    wire.after = lambda _: setattr(wire, "_note", full)
    assert merge(alpha) == {task: "merged"}
    assert (merges_of(clones, task), alpha.status(task)) == (1, "closed")


def test_git_that_fails_behind_a_push_leaves_it_open_Q4_Q6(clones: Wired, monkeypatch: pytest.MonkeyPatch) -> None:
    alpha = clones.alpha
    task = clones.approved(alpha)
    real = TargetLine.push

    def broken(self: TargetLine, *args: object, **more: object) -> None:
        real(self, *args, **more)  # type: ignore[arg-type]
        raise GitProblem("no space left on device")

    monkeypatch.setattr(TargetLine, "push", broken)
    assert merge(alpha) == {task: "stuck"}
    assert is_open(alpha, task)
    monkeypatch.undo()
    assert merge(alpha) == {task: "found"}


def test_a_blocking_finding_voids_nothing_that_may_be_on_the_remote_and_stays_D2_Q4_Q6(clones: Wired) -> None:
    alpha, beta = clones.alpha, clones.beta
    task = clones.approved(alpha)
    wire = clones.wire(alpha)

    def found(_: object) -> None:
        wire.before = None
        beta.app.findings.add(ALICE, task, ReportedFinding(severity="HIGH", title="it deletes everything"))

    wire.before = found
    assert merge(alpha) == {task: "merged"}
    assert (merges_of(clones, task), alpha.status(task)) == (1, "closed")
    with alpha.store.read() as tx:
        assert [finding.title for finding in findings_of_task(tx, task)] == ["it deletes everything"]


def test_a_blocking_finding_ends_the_approval_once_the_push_is_known_not_to_have_arrived_D2_Q6(clones: Wired) -> None:
    alpha, beta = clones.alpha, clones.beta
    task = clones.approved(alpha)
    wire = clones.wire(alpha)

    def found_and_cut(_: object) -> None:
        beta.app.findings.add(ALICE, task, ReportedFinding(severity="HIGH", title="it deletes everything"))
        cut_once(wire)

    wire.before = found_and_cut
    assert merge(alpha) == {task: "void"}
    assert (alpha.status(task), is_open(alpha, task), merges_of(clones, task)) == ("reviewing", False, 0)


def test_a_merge_that_arrives_although_its_approval_has_ended_is_an_exception_on_record_Q4_Q6(clones: Wired) -> None:
    alpha = clones.alpha
    task = clones.approved(alpha)

    def set_aside(_: object) -> None:  # as a store does it that was restored from a backup
        with alpha.app.context.writing(CI, "merge") as work:
            work.gate.record(task, MergeLeft(attempt=1, why="not known any more"))
        alpha.app.feedback.redo(ALICE, task, "no")

    clones.wire(alpha).before = set_aside
    row = merge_rows(alpha)[task]
    assert any("Q4" in note for note in row.notes)
    assert [entry.kind for entry in alpha.app.audit.exceptions()] == ["merged_unapproved"]


def test_who_settles_late_does_not_undo_what_another_has_pushed_since_J4_Q6(
    clones: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    alpha, beta = clones.alpha, clones.beta
    task = killed_at(clones, "before")
    alpha.outside.gone.add("process:alpha")
    alpha.outside.own = "process:alpha2"
    real, wire = TargetLine.shut_out, clones.wire(beta)

    def slow(self: TargetLine, onto: Sha) -> bool:
        is_out = real(self, onto)
        monkeypatch.undo()
        monkeypatch.setattr(MergeLock, "close", lambda _: None)  # beta stays connected
        wire.before = kill  # beta settles it as well, pushes again, and is at that
        with pytest.raises(Killed):
            merge(beta)
        return is_out

    monkeypatch.setattr(TargetLine, "shut_out", slow)
    with pytest.raises(Conflict):  # beta is at work
        merge(alpha)
    assert is_open(alpha, task)


def test_a_remote_that_refuses_the_fence_keeps_one_item_stuck_and_stops_nothing_else_Q3_Q6(clones: Wired) -> None:
    alpha = clones.alpha
    task = killed_at(clones, "before")
    hook = clones.remote.path / "hooks" / "update"
    hook.write_text(f'#!/bin/sh\ncase $1 in {FENCE}) echo "only branches here" >&2; exit 1;; esac\n')
    hook.chmod(0o755)
    other = clones.approved(alpha)
    for _ in range(2):
        rows = merge_rows(clones.beta)
        assert (rows[task].outcome, rows[other].outcome) == ("stuck", "stuck")
        assert "refs/foureyes/*" in rows[task].message
    assert not is_open(alpha, task)
    hook.unlink()
    for each in (task, other):
        alpha.app.merges.retry(ALICE, each)
    assert merge(clones.beta) == {task: "merged", other: "merged"}


def without_remote(world: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    """The configuration that is in force names no remote any more."""
    real = world.app.context.gate_policy
    monkeypatch.setattr(world.app.context, "gate_policy", lambda tx: replace(real(tx), remote=""))


def killed_without_remote(clones: Wired, monkeypatch: pytest.MonkeyPatch) -> str:
    """A merge that arrived, whose process is gone, and since then the configuration names no remote."""
    task = killed_at(clones, "after")
    clones.alpha.outside.own = "process:alpha2"
    clones.alpha.outside.gone.add("process:alpha")
    without_remote(clones.alpha, monkeypatch)
    return task


def test_a_remote_that_is_gone_is_named_and_what_went_there_waits_Q6(
    clones: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    alpha = clones.alpha
    task = killed_without_remote(clones, monkeypatch)
    wire = alpha.outside.remotes.pop("origin")
    alpha.app.context._remotes.clear()
    row = merge_rows(alpha)[task]
    assert (row.outcome, "only origin can tell" in row.message) == ("waiting", True)
    assert is_open(alpha, task)
    alpha.outside.remotes["origin"] = wire
    assert merge(alpha) == {task: "found"}


def test_a_target_that_moves_at_every_look_keeps_a_push_open_and_says_so_Q6(
    clones: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = killed_at(clones, "before")
    monkeypatch.setattr(TargetLine, "shut_out", lambda *_: False)
    row = merge_rows(clones.beta)[task]
    assert (row.outcome, "moved 5 times" in row.message) == ("waiting", True)
    assert is_open(clones.beta, task)


def test_a_lease_outlasts_the_push_that_it_is_for_J4_Q6(clones: Wired) -> None:
    task = killed_at(clones, "before")
    world = clones.beta
    with world.store.read() as tx:
        assert list(sent_merges(tx)) == [task]
    item = next(item for item in world.app.merges.all() if item.task == task)
    assert item.until >= world.app.context.later(PUSH_SECONDS - 60)


def test_what_fails_behind_a_recorded_merge_is_a_note_Q5(clones: Wired, monkeypatch: pytest.MonkeyPatch) -> None:
    alpha = clones.alpha
    task = clones.approved(alpha)

    def locked(_: object) -> None:
        raise GitProblem("cannot lock ref refs/heads/main")

    monkeypatch.setattr(TargetLine, "follow", locked)
    row = merge_rows(alpha)[task]
    assert (row.outcome, row.notes[0]) == ("merged", "git: cannot lock ref refs/heads/main")


def test_a_refusal_without_reasons_says_why_what_went_waits_by_its_sentence_Q6(
    clones: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    task, beta = killed_at(clones, "before"), clones.beta

    def refused(_: object) -> object:
        raise Refused("the remote is not to be asked.")

    monkeypatch.setattr(settling._Settling, "_line_there", refused)
    (row,) = [row for row in beta.app.merges.process(CI) if row.task == task]
    assert "the remote is not to be asked" in row.message
