"""The port `Workshop`, held to by real git and by the script that stands in for it, as far as the script goes.

What makes objects, moves branches or writes worktrees has no script: whoever needs it takes real git, and is told so.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from foureyes.app.git_ports import Workshop
from foureyes.core.words.ids import Sha
from foureyes.errors import Conflict

from tests.contract.grounds import NOWHERE, Ground
from tests.stage.scripted_git import ScriptedWorkshop

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def test_a_tree_is_that_of_its_commit_and_none_where_there_is_no_commit(ground: Ground) -> None:
    first, second = ground.commit("fe/work"), ground.commit("fe/work")
    trees = [ground.workshop.tree_of(commit) for commit in (first, second, first)]
    assert trees[0] == trees[2] != trees[1]
    assert ground.workshop.tree_of(NOWHERE) is None


def test_commit_all_leaves_nothing_uncommitted_and_names_its_sessions(ground: Ground) -> None:
    before = ground.commit("fe/work")
    ground.leave("a.txt", "b.txt")
    made = ground.workshop.commit_all("all of it", [("Foureyes-Session", "ses-one"), ("Foureyes-Task", "fe-1")])
    assert ground.repo.uncommitted("refs/heads/fe/work") == []
    assert ground.repo.commit_of("HEAD") == made
    assert ground.repo.is_ancestor(before, made)
    change = ground.repo.change(target="main", ref="refs/heads/fe/work", since=None)
    assert [each.sessions for each in change.commits] == [(), ("ses-one",)]


def test_commit_file_commits_one_file_to_what_is_checked_out(ground: Ground) -> None:
    ground.leave("a.txt", "b.txt")
    made = ground.workshop.commit_file("a.txt", "one of them")
    assert ground.repo.heads() == {"refs/heads/main": made}
    assert ground.repo.uncommitted("refs/heads/main") == ["b.txt"]
    work = ground.commit("fe/work")
    ground.leave("c.txt")
    assert ground.workshop.commit_file("c.txt", "on a branch") != work
    assert ground.repo.commit_of("main") == made


def test_what_is_kept_is_no_branch(ground: Ground) -> None:
    head = ground.commit("fe/work")
    before = ground.repo.heads()
    ground.workshop.keep("refs/foureyes/attempts/fe-1/1", head)
    ground.workshop.keep("refs/foureyes/attempts/fe-1/1", head)
    assert ground.repo.heads() == before


def test_a_repository_as_it_is_made_names_no_program_and_nothing_is_behind(ground: Ground) -> None:
    assert ground.workshop.programs_named() == []
    assert ground.workshop.behind("main") == []
    assert [each.path for each in ground.workshop.catch_up("main") if each.moved] == []


def test_a_task_has_no_worktree_before_it_is_made_and_none_can_be_dropped(ground: Ground) -> None:
    assert ground.workshop.worktrees() == {}
    assert ground.workshop.drop_worktree("fe-1").stays == ""


def test_a_branch_is_deleted_when_it_is_on_the_target_and_checked_out_nowhere(ground: Ground) -> None:
    ground.commit("fe/work")
    assert not ground.workshop.delete_merged("fe/work", target="main")
    ground.land("fe/work")
    assert not ground.workshop.delete_merged("fe/work", target="main")
    ground.commit("fe/more")
    assert ground.workshop.delete_merged("refs/heads/fe/work", target="main")
    assert not ground.workshop.delete_merged("fe/work", target="main")
    assert not ground.workshop.delete_merged("main", target="main")
    assert set(ground.repo.heads()) == {"refs/heads/main", "refs/heads/fe/more"}


def test_a_patch_that_fits_is_tried_without_a_trace(ground: Ground) -> None:
    patch = "diff --git a/n.txt b/n.txt\nnew file mode 100644\n--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1 @@\n+new\n"
    assert ground.workshop.apply_patch(patch, only_try=True) == ""
    assert ground.repo.uncommitted("refs/heads/main") == []
    assert ground.workshop.apply_patch(patch, only_try=False) == ""


def test_a_checkpoint_has_one_commit_and_the_newest_comes_first_K2(ground: Ground) -> None:
    first, second = ground.commit("fe/work"), ground.commit("fe/work")
    add = ground.workshop.add_checkpoint
    add("fe-1", "before", first, at=NOON)
    add("fe-1", "after", second, at=NOON + timedelta(hours=1))
    add("fe-1", "before", first, at=NOON + timedelta(hours=2))
    with pytest.raises(Conflict):
        add("fe-1", "before", second, at=NOON)
    listed = [(each.task, each.name, each.sha) for each in ground.workshop.checkpoints()]
    assert listed == [("fe-1", "after", second), ("fe-1", "before", first)]


def test_a_checkpoint_is_dropped_only_where_it_is(ground: Ground) -> None:
    first, second = ground.commit("fe/work"), ground.commit("fe/work")
    ground.workshop.add_checkpoint("fe-1", "before", first, at=NOON)
    drop = ground.workshop.drop_checkpoint
    assert [drop("fe-1", "before", second), drop("fe-1", "other", first)] == [False, False]
    assert [drop("fe-1", "before", first), drop("fe-1", "before", first)] == [True, False]
    assert ground.workshop.checkpoints() == []


UNSCRIPTED: dict[str, Callable[[Workshop, Sha], object]] = {
    "export": lambda shop, sha: shop.export(sha, "nowhere"),
    "merge": lambda shop, sha: shop.merge(base=sha, tip=sha, head=sha),
    "commit": lambda shop, sha: shop.commit(tree=sha, parents=[sha], message="m"),
    "move": lambda shop, sha: shop.move("refs/heads/main", new=sha, old=sha),
    "add_worktree": lambda shop, sha: shop.add_worktree("fe-1", branch="b", base=sha, session="ses-1"),
    "copy_into": lambda shop, sha: shop.copy_into("fe-1", [".env"]),
    "reset": lambda shop, sha: shop.reset("refs/heads/main", old=sha, new=sha),
}


@pytest.mark.parametrize("verb", UNSCRIPTED)
def test_what_the_script_does_not_know_it_does_not_pretend_to_do(verb: str) -> None:
    with pytest.raises(AssertionError):
        UNSCRIPTED[verb](ScriptedWorkshop(), NOWHERE)
