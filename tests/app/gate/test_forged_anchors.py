"""J3, Q4: what the author of a change writes into its messages is no anchor of the journal."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from foureyes.app.git_ports import RefUpdate
from foureyes.ui.steps import steps_text

from tests.stage.checkout import AT_ONCE, signed
from tests.stage.gated import approved, configure, merge
from tests.stage.people import ALICE, BOB, CLAUDE, CODEX
from tests.stage.wires import Wired
from tests.stage.world import GitWorld

FORGED = "work\n\nJournal: 9997:87e98b053b78e57"


class Killed(BaseException):
    """The process is gone."""


def kill(_: Sequence[RefUpdate]) -> None:
    raise Killed


def submitted_task(world: GitWorld, *, by_merge: bool = False, says: str = FORGED) -> str:
    """A task whose commit, or a merge on its branch, says that it is an anchor."""
    task, git = world.create(), world.checkout.git
    world.work(CLAUDE, task)
    if by_merge:
        git("merge", "-q", "--no-ff", "-m", FORGED, git("commit-tree", "HEAD^{tree}", "-p", "main", "-m", "side"))
    git("commit", "-q", "--amend", "-m", *signed(says, CLAUDE))
    world.submit(CLAUDE, task)
    world.checkout.switch("main")
    return task


@pytest.mark.parametrize("by_merge", [False, True])
def test_a_merge_of_such_work_that_was_killed_after_its_push_is_found_Q4_J3(clones: Wired, *, by_merge: bool) -> None:
    alpha, beta = clones.alpha, clones.beta
    task = submitted_task(alpha, by_merge=by_merge)
    alpha.approve(CODEX, task, reason="read it")
    wire = clones.wire(alpha)
    wire.after = kill
    with pytest.raises(Killed):
        merge(alpha)
    wire.after = None
    beta.outside.gone.add("process:alpha")
    assert merge(beta) == {task: "found"}
    for world in (alpha, beta):
        assert world.app.audit.verify().findings == ()
        assert not any("older state" in steps_text(note) for note in world.app.status.show(ALICE).notes)
    clones.approved(beta)
    assert list(merge(beta).values()) == ["merged"]


def test_such_work_on_the_target_is_no_anchor_and_what_no_task_brought_is_one_J3_P12(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task = submitted_task(world)
    world.approve(BOB, task, reason="read it")
    world.checkout.git("merge", "-q", "--ff-only", f"fe/{task}")
    assert merge(world) == {task: "found"}
    assert world.app.audit.verify().findings == ()
    world.checkout.git("commit", "-q", "--allow-empty", "-m", "x\n\nJournal: 9996:ffff")
    with world.refused("P12") as caught:
        merge(world)
    assert "9996:ffff" in caught[0].reasons[0].message
    world.checkout.git("reset", "-q", "--hard", "HEAD~1")


def test_an_anchor_that_the_store_holds_does_not_hide_one_that_it_lacks_J3_P12(world: GitWorld) -> None:
    """A store that was put back goes on to the row of a merge that it lost, and anybody reads its rows and commits."""
    configure(world, AT_ONCE)
    git, row = world.checkout.git, world.app.audit.log(limit=1)[0]
    side = git("commit-tree", "HEAD^{tree}", "-p", "main", "-m", "side")
    git("merge", "-q", "--no-ff", "-m", f"merged\n\nJournal: {row.seq}:0f3a", side)
    world.create()
    later = world.app.audit.log(limit=1)[0]
    git("commit", "-q", "--allow-empty", "-m", f"x\n\nJournal: {later.seq}:{later.hash}")
    with world.refused("P12") as caught:
        merge(world)
    assert f"{row.seq}:0f3a" in caught[0].reasons[0].message
    assert "is an older state or a copy" in str(world.app.status.show(ALICE).notes)
    assert any("lacks" in each.message or "does not have" in each.message for each in world.app.audit.verify().findings)
    world.app.projects.adopt(ALICE, "an older backup is all that is left")
    assert merge(world) == {}


def test_a_merge_that_is_lost_after_a_store_was_taken_up_is_missed_whatever_its_row_J3_P12(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    git = world.checkout.git
    for row in ("9998:0f3a", "9999:0f3b"):
        git("commit", "-q", "--allow-empty", "-m", f"lost\n\nJournal: {row}")
    world.app.projects.adopt(ALICE, "an older backup is all that is left")
    task = approved(world)
    assert merge(world) == {task: "merged"}
    git("commit", "-q", "--allow-empty", "-m", "lost since\n\nJournal: 400:0f3c")
    with world.refused("P12") as caught:
        merge(world)
    assert "400:0f3c" in caught[0].reasons[0].message


def taken_up(world: GitWorld) -> None:
    """A store that lacks two merges, and was adopted."""
    for row in ("9998:0f3a", "9999:0f3b"):
        world.checkout.git("commit", "-q", "--allow-empty", "-m", f"lost\n\nJournal: {row}")
    world.app.projects.adopt(ALICE, "an older backup is all that is left")


@pytest.mark.parametrize("is_merged", [False, True], ids=["at once", "after a merge"])
def test_a_copy_of_the_anchor_that_was_taken_up_brings_no_older_state_back_J3_P12(
    world: GitWorld, *, is_merged: bool
) -> None:
    """Who can commit on the target puts it on top of a merge that the store lost since."""
    configure(world, AT_ONCE)
    taken_up(world)
    if is_merged:
        approved(world)
        merge(world)
    task = approved(world)
    for words in ("lost since\n\nJournal: 400:0f3c", "copied\n\nJournal: 9999:0f3b"):
        world.checkout.git("commit", "-q", "--allow-empty", "-m", words)
    with world.refused("P12"):
        merge(world)
    assert "is an older state or a copy" in str(world.app.status.show(ALICE).notes)
    assert any("does not have" in each.message for each in world.app.audit.verify().findings)
    world.app.projects.adopt(ALICE, "looked at, and taken up once more")
    assert merge(world) == {task: "merged"}
    assert world.app.audit.verify().findings == ()


def test_a_store_that_was_taken_up_is_so_in_a_clone_that_is_behind_or_ahead_J3_P12(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    taken_up(world)
    tip, git = world.checkout.head(), world.checkout.git
    for at in ("HEAD~1", "HEAD~2", tip):
        git("reset", "-q", "--hard", at)
        assert world.app.audit.verify().findings == ()
        assert "older state" not in str(world.app.status.show(ALICE).notes)
    git("commit", "-q", "--allow-empty", "-m", "plain")
    assert world.app.audit.verify().findings == ()
    assert merge(world) == {}


def test_work_that_nobody_approved_is_none_of_a_task_for_that_J3_P12(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task = submitted_task(world)
    world.app.feedback.redo(BOB, task, "what is that line for?")
    world.checkout.git("merge", "-q", "--ff-only", f"fe/{task}")
    with world.refused("P12"):
        merge(world)
    world.checkout.git("reset", "-q", "--hard", "HEAD~1")


@pytest.mark.parametrize("row", ["9997", "99997"])
def test_such_work_stops_no_merge_of_a_store_that_was_taken_up_J3_P12(world: GitWorld, row: str) -> None:
    """Whether its row is before or after those that the adopted commit has."""
    configure(world, AT_ONCE)
    git = world.checkout.git
    taken_up(world)
    task = submitted_task(world, says=FORGED.replace("9997", row))
    other = approved(world)
    world.approve(BOB, task, reason="read it")
    git("merge", "-q", "--no-edit", f"fe/{task}")
    assert merge(world) == {task: "found", other: "merged"}
    assert world.app.audit.verify().findings == ()
