"""Worktrees (K1): one per task with its claim, found again on redo, gone after the merge, never with work in it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from foureyes.app.results.work import ClaimedWorktree
from foureyes.core.nouns.session import Actor
from foureyes.errors import GitProblem, LostClaim
from foureyes.ui.steps import steps_text

from tests.stage.checkout import AT_ONCE, Checkout
from tests.stage.gated import configure, merge
from tests.stage.people import ALICE, BOB, CLAUDE, CODEX
from tests.stage.world import GitWorld


@pytest.fixture
def world(world: GitWorld) -> GitWorld:
    (world.checkout.path / ".git" / "info" / "exclude").write_text(".foureyes/\n")
    return world


def opened(world: GitWorld, task: str, actor: Actor = CLAUDE) -> Checkout:
    return Checkout(Path(world.app.worktrees.open(actor, task).path))


def begun(world: GitWorld, actor: Actor = CLAUDE) -> tuple[str, Checkout]:
    """A task that somebody has started, with its worktree."""
    task = world.create()
    world.start(actor, task)
    return task, opened(world, task, actor)


def submitted_task(world: GitWorld) -> tuple[str, Checkout]:
    task, place = begun(world)
    place.commit("work.py")
    world.submit(CLAUDE, task, branch=f"fe/{task}")
    return task, place


def test_a_started_task_gets_a_checkout_of_its_own_on_a_branch_of_its_own_K1(world: GitWorld) -> None:
    task, place = begun(world)
    assert place.path == world.checkout.path / ".foureyes" / "worktrees" / task
    assert place.git("symbolic-ref", "HEAD") == f"refs/heads/fe/{task}"
    assert place.head() == world.checkout.head("main")
    assert world.checkout.git("symbolic-ref", "HEAD") == "refs/heads/main", "the person's checkout stays where it is"


def test_the_same_again_is_the_same_with_everything_in_it_K1(world: GitWorld) -> None:
    task, place = begun(world)
    place.write("half.py", "not yet\n")
    assert opened(world, task).path == place.path
    assert (place.path / "half.py").read_text() == "not yet\n"


def test_commits_there_name_task_and_session_K1_A1(world: GitWorld) -> None:
    task, place = begun(world)
    place.commit("work.py")
    said = place.git("log", "-1", "--format=%(trailers:only,unfold)")
    assert said.splitlines() == [f"Task: {task}", f"Foureyes-Session: {CLAUDE.session}"]
    world.submit(CLAUDE, task, branch=f"fe/{task}")
    assert world.show(task).attempts[0].commits[0].sessions == (CLAUDE.session,)


def test_a_person_who_opens_it_for_an_agent_does_not_become_the_author_A1(world: GitWorld) -> None:
    task = world.create()
    world.start(CLAUDE, task)
    place = opened(world, task, BOB)
    place.commit("work.py")
    assert CLAUDE.session in place.git("log", "-1", "--format=%(trailers:only)")


@pytest.mark.parametrize("state", ["open", "reviewing", "approved"])
def test_a_worktree_comes_with_the_claim_K1(world: GitWorld, state: str) -> None:
    task = world.create()
    if state != "open":
        task, _ = submitted_task(world)
    if state == "approved":
        world.approve(BOB, task)
    with world.refused("K1") as caught:
        world.app.worktrees.open(CLAUDE, task)
    assert steps_text(caught[0].next_step) == f"fe start {task} --worktree"


def test_somebody_elses_claim_gives_no_worktree_in_ones_own_name_K1_A1(world: GitWorld) -> None:
    """The trailers of its commits would name who only looked in."""
    task, place = begun(world)
    with pytest.raises(LostClaim):
        world.app.worktrees.open(CODEX, task)
    place.commit("work.py")
    assert CODEX.session not in place.git("log", "-1", "--format=%(trailers:only)")


def test_a_redo_that_keeps_goes_on_in_the_same_place_K1_F1(world: GitWorld) -> None:
    task, place = submitted_task(world)
    head = place.head()
    world.app.feedback.redo(BOB, task, "more")
    world.start(CLAUDE, task)
    again = opened(world, task)
    assert (again.path, again.head()) == (place.path, head)


def test_a_fresh_start_takes_the_worktree_back_to_where_the_task_began_K1_F1(world: GitWorld) -> None:
    task, place = submitted_task(world)
    head = place.head()
    (kept,) = world.app.feedback.redo(BOB, task, "another way", option="fresh").notes
    assert f"refs/foureyes/attempts/{task}/1" in kept
    assert (place.head(), place.git("status", "--porcelain")) == (world.checkout.head("main"), "")
    assert not (place.path / "work.py").exists()
    world.start(CODEX, task)
    again = opened(world, task, CODEX)
    again.commit("other.py")
    assert CODEX.session in again.git("log", "-1", "--format=%(trailers:only)")
    assert world.checkout.head(f"refs/foureyes/attempts/{task}/1") == head


def test_work_that_is_not_committed_keeps_a_fresh_start_waiting_K1_F1(world: GitWorld) -> None:
    task, place = submitted_task(world)
    head = place.head()
    place.write("half.py", "mine\n")
    (note,) = world.app.feedback.redo(BOB, task, "another way", option="fresh").notes
    assert "half.py" in note
    assert ((place.path / "half.py").read_text(), place.head()) == ("mine\n", head)


def test_a_branch_of_another_name_goes_on_being_the_tasks_K1(world: GitWorld) -> None:
    task = world.create()
    world.work(CLAUDE, task, branch="mine")
    world.submit(CLAUDE, task)
    world.checkout.switch("main")
    world.app.feedback.redo(BOB, task, "more")
    world.start(CLAUDE, task)
    view = world.app.worktrees.open(CLAUDE, task)
    assert (view.branch, Checkout(Path(view.path)).head()) == ("mine", world.checkout.head("mine"))


def test_after_a_failed_merge_it_is_still_there_K1_Q3(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task, place = begun(world)
    place.commit("code.py", "mine\n")
    world.submit(CLAUDE, task, branch=f"fe/{task}")
    world.approve(BOB, task)
    world.checkout.commit("code.py", "theirs\n")
    assert merge(world) == {task: "conflict"}
    world.start(CLAUDE, task)
    assert (opened(world, task).path, (place.path / "code.py").read_text()) == (place.path, "mine\n")


def test_after_its_merge_the_worktree_and_its_branch_are_gone_K1(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task, place = submitted_task(world)
    world.approve(BOB, task)
    assert merge(world) == {task: "merged"}
    assert not place.path.exists()
    assert world.checkout.git("for-each-ref", f"refs/heads/fe/{task}") == ""
    assert world.checkout.git("worktree", "list", "--porcelain").count("worktree ") == 1


def test_the_store_is_found_from_a_worktree_and_work_is_handed_in_from_there_K3(
    world: GitWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    task, place = begun(world)
    place.commit("work.py")
    monkeypatch.setattr(world.app.context, "_repo", place.port)
    world.app.context.__dict__.pop("repo").close()
    assert world.submit(CLAUDE, task).ref == f"refs/heads/fe/{task}"


def test_where_the_target_has_no_commit_there_is_nothing_to_branch_from_K1(world: GitWorld) -> None:
    task = world.create()
    world.start(CLAUDE, task)
    world.checkout.branch("elsewhere")
    world.checkout.git("branch", "-q", "-D", "main")
    with world.refused(error=GitProblem):
        world.app.worktrees.open(CLAUDE, task)


def test_something_else_in_its_place_is_not_touched_K1_G5(world: GitWorld) -> None:
    task = world.create()
    world.start(ALICE, task)
    place = world.checkout.path / ".foureyes" / "worktrees" / task
    os.makedirs(place)
    (place / "precious.txt").write_text("mine\n")
    with world.refused(error=GitProblem):
        world.app.worktrees.open(ALICE, task)
    assert (place / "precious.txt").read_text() == "mine\n"


def test_a_claim_brings_its_worktree_and_asking_again_finds_it_K1(world: GitWorld) -> None:
    task = world.create()
    claimed = world.app.claims.start(CLAUDE, task, worktree=True)
    assert isinstance(claimed, ClaimedWorktree)
    assert (claimed.status, claimed.changed, claimed.branch) == ("in_progress", True, f"fe/{task}")
    assert Path(claimed.worktree).is_dir()
    again = world.app.claims.start(CLAUDE, task, worktree=True)
    assert isinstance(again, ClaimedWorktree)
    assert (again.changed, again.worktree) == (False, claimed.worktree)


def test_the_next_task_comes_with_its_worktree_only_if_asked_K1(world: GitWorld) -> None:
    first, second = world.create(), world.create()
    with_one = world.app.claims.next(CLAUDE, worktree=True)
    assert isinstance(with_one, ClaimedWorktree)
    assert with_one.task == first
    without = world.app.claims.next(CODEX)
    assert (without.task, isinstance(without, ClaimedWorktree)) == (second, False)
    there = world.app.context.workshop.worktrees()
    assert (first in there, second in there) == (True, False)


def test_every_worktree_is_listed_with_its_task_and_branch_K1(world: GitWorld) -> None:
    task, place = begun(world)
    place.write("half.py", "not yet\n")
    (row,) = world.app.worktrees.listed()
    assert (row.task, row.status, row.path, row.over) == (task, "in_progress", str(place.path), False)
    assert (row.state.branch, row.state.wrong) == (f"fe/{task}", "")
    assert row.state.bytes > 0


def test_a_worktree_that_is_none_any_more_is_listed_as_that_K1(world: GitWorld) -> None:
    _, place = begun(world)
    (place.path / ".git").unlink()
    assert world.app.worktrees.listed()[0].state.wrong


def test_prune_removes_what_closed_tasks_left_and_nothing_that_is_nowhere_else_K1(world: GitWorld) -> None:
    working, _ = begun(world)
    over, place = submitted_task(world)
    kept, other = submitted_task(world)
    other.write("half.py", "not yet\n")
    for task in (over, kept):
        world.app.closing.close(BOB, task)
    tried = {row.task: row.stays for row in world.app.worktrees.prune(ALICE, only_try=True)}
    assert place.path.exists()
    rows = {row.task: row.stays for row in world.app.worktrees.prune(ALICE)}
    assert rows == tried
    assert (rows[over], "half.py" in rows[kept]) == ("", True)
    assert {row.task for row in world.app.worktrees.listed()} == {working, kept}
    assert world.checkout.git("rev-parse", f"fe/{over}"), "its branch stays: it was never merged"


def test_a_lost_worktree_is_made_again_by_a_plain_start_of_who_has_the_task_K1(world: GitWorld) -> None:
    task = world.create()
    first = world.app.claims.start(CLAUDE, task, worktree=None)
    assert isinstance(first, ClaimedWorktree)
    shutil.rmtree(first.worktree)
    again = world.app.claims.start(CLAUDE, task, worktree=None)
    assert isinstance(again, ClaimedWorktree)
    assert (again.changed, again.worktree, Path(again.worktree).is_dir()) == (False, first.worktree, True)
    assert not isinstance(world.app.claims.start(CLAUDE, task, worktree=False), ClaimedWorktree), "with --here"


def test_a_worktree_that_git_lost_by_a_move_is_told_by_doctor_with_what_repairs_it_K1(world: GitWorld) -> None:
    task, place = begun(world)
    assert not [row for row in world.app.doctor.examine(ALICE) if row.check == "worktrees"]
    (place.path / ".git").write_text(f"gitdir: /moved/.git/worktrees/{task}\n")
    (check,) = [row for row in world.app.doctor.examine(ALICE) if row.check == "worktrees"]
    assert (check.result, task in check.message) == ("warn", True)
    (step,) = check.next.steps
    world.checkout.git(*map(str, step.argv[1:]))
    assert not [row for row in world.app.doctor.examine(ALICE) if row.check == "worktrees"]
