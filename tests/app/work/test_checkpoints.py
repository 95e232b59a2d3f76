"""Checkpoints (K2): a commit under a name; back to it without losing anything; never on a dirty tree or the protected
branch.
"""

from __future__ import annotations

import pytest

from foureyes.core.nouns.session import Actor
from foureyes.errors import BadInput, Conflict, NotFound
from foureyes.ui.steps import steps_text

from tests.stage.people import ALICE, BOB, CI, CLAUDE, asserted
from tests.stage.world import GitWorld


@pytest.fixture
def world(world: GitWorld) -> GitWorld:
    """Somebody stands on a branch of their own with two commits."""
    (world.checkout.path / ".git" / "info" / "exclude").write_text(".foureyes/\n")
    world.checkout.branch("mine")
    world.checkout.commit("one.py")
    world.checkout.commit("two.py")
    return world


def names(world: GitWorld) -> list[tuple[str, str]]:
    return [(one.task, one.name) for one in world.app.checkpoints.all()]


# Create and list


def test_a_checkpoint_names_the_commit_where_the_caller_stands_K2(world: GitWorld) -> None:
    task = world.create()
    made = world.app.checkpoints.create(CLAUDE, "half-way", task=task)
    assert (made.task, made.name, made.sha, made.subject) == (task, "half-way", world.checkout.head(), "a change")
    assert (
        world.checkout.git("rev-parse", f"refs/foureyes/checkpoints/{task}/half-way^{{commit}}")
        == world.checkout.head()
    )
    assert any(log.type == "checkpoint" and "half-way" in log.text for log in world.show(task).logs)


def test_without_a_name_it_gets_the_first_free_number_of_its_task_K2(world: GitWorld) -> None:
    task = world.create()
    assert [world.app.checkpoints.create(CLAUDE).name, world.app.checkpoints.create(CLAUDE, task=task).name] == [
        "1",
        "1",
    ]
    world.checkout.commit("three.py")
    assert world.app.checkpoints.create(CLAUDE).name == "2"
    assert sorted(names(world)) == [("", "1"), ("", "2"), (task, "1")]


def test_the_same_again_is_no_error_and_another_commit_is_a_conflict_K2(world: GitWorld) -> None:
    world.app.checkpoints.create(CLAUDE, "here")
    world.app.checkpoints.create(BOB, "here")
    head = world.checkout.head()
    world.checkout.commit("three.py")
    with world.refused(error=Conflict):
        world.app.checkpoints.create(CLAUDE, "here")
    assert world.app.checkpoints.all()[0].sha == head


@pytest.mark.parametrize("name", ["a b", "../x", "a/b", "-" * 65, "ä", ".lock", "x.lock", "a..b"])
def test_a_name_is_a_name_K2(world: GitWorld, name: str) -> None:
    with world.refused(error=BadInput):
        world.app.checkpoints.create(CLAUDE, name)
    assert names(world) == []


@pytest.mark.parametrize("staged", [False, True])
def test_what_is_not_committed_is_in_no_checkpoint_and_refuses_it_K2(world: GitWorld, staged: bool) -> None:
    world.checkout.write("new.py", "x\n")
    if staged:
        world.checkout.git("add", "new.py")
    with world.refused("K2") as caught:
        world.app.checkpoints.create(CLAUDE, "here")
    assert "new.py" in caught[0].reasons[0].message
    assert names(world) == []


def test_a_task_that_does_not_exist_has_no_checkpoint_K2(world: GitWorld) -> None:
    with world.refused(error=NotFound):
        world.app.checkpoints.create(CLAUDE, "here", task="fe-zzz")


@pytest.mark.parametrize(("who", "allowed"), [(CLAUDE, True), (ALICE, True), (CI, True), (asserted(ALICE), False)])
def test_who_makes_checkpoints_I1_I5(world: GitWorld, who: Actor, allowed: bool) -> None:
    if allowed:
        assert world.app.checkpoints.create(who, "here").name == "here"
        return
    with world.refused("I1"):
        world.app.checkpoints.create(who, "here")
    assert names(world) == [], "nothing was made that nobody may make"


def test_a_token_makes_no_checkpoint_I2(world: GitWorld) -> None:
    task = world.create()
    maker = world.spawn(CLAUDE, task, "implement", below=["process:boot:ns:child"])
    with world.refused("I2"):
        world.app.checkpoints.create(maker, "here", task=task)
    assert names(world) == []


# Restore


def test_restore_takes_branch_and_files_back_and_keeps_where_they_were_K2(world: GitWorld) -> None:
    world.app.checkpoints.create(CLAUDE, "here")
    here = world.checkout.head()
    later = world.checkout.commit("three.py")
    done = world.app.checkpoints.restore(CLAUDE, "here")
    assert (world.checkout.head(), done.branch, done.sha, done.changed) == (here, "mine", here, True)
    assert not (world.checkout.path / "three.py").exists()
    assert world.checkout.git("status", "--porcelain") == ""
    assert done.kept == f"before-here-{later[:7]}"
    assert world.app.checkpoints.restore(CLAUDE, done.kept).sha == later
    assert world.checkout.head() == later


def test_every_name_that_can_be_given_can_be_gone_back_to_also_there_and_back_K2(world: GitWorld) -> None:
    name = "n" * 64
    world.app.checkpoints.create(CLAUDE, name)
    here, later = world.checkout.head(), world.checkout.commit("three.py")
    for wanted in (here, later, here, later):
        done = world.app.checkpoints.restore(CLAUDE, name)
        assert world.checkout.head() == wanted
        name = done.kept


def test_restore_where_one_is_already_changes_nothing_K2(world: GitWorld) -> None:
    world.app.checkpoints.create(CLAUDE, "here")
    with world.unchanged():
        assert not world.app.checkpoints.restore(CLAUDE, "here").changed
    assert names(world) == [("", "here")]


@pytest.mark.parametrize("dirt", ["tracked", "untracked", "staged"])
def test_restore_refuses_on_a_dirty_tree_and_touches_nothing_K2(world: GitWorld, dirt: str) -> None:
    world.app.checkpoints.create(CLAUDE, "here")
    later = world.checkout.commit("three.py")
    path = "three.py" if dirt == "tracked" else "new.py"
    world.checkout.write(path, "mine\n")
    if dirt == "staged":
        world.checkout.git("add", path)
    with world.refused("K2") as caught:
        world.app.checkpoints.restore(CLAUDE, "here")
    assert path in caught[0].reasons[0].message
    assert (world.checkout.head(), (world.checkout.path / path).read_text()) == (later, "mine\n")
    assert names(world) == [("", "here")]


def test_restore_never_moves_the_protected_branch_nor_a_detached_head_K2(world: GitWorld) -> None:
    world.app.checkpoints.create(CLAUDE, "here")
    for where in ("main", "--detach"):
        world.checkout.git("switch", "-q", where)
        before = world.checkout.head()
        with world.refused("K2") as caught:
            world.app.checkpoints.restore(CLAUDE, "here")
        assert "git switch -c NAME" in steps_text(caught[0].reasons[0].next)
        assert (world.checkout.head(), names(world)) == (before, [("", "here")])


def test_a_name_that_several_tasks_have_wants_the_task_K2(world: GitWorld) -> None:
    one, two = world.create(), world.create()
    for task in (one, two):
        world.app.checkpoints.create(CLAUDE, "half", task=task)
    world.checkout.commit("three.py")
    with world.refused(error=NotFound) as caught:
        world.app.checkpoints.restore(CLAUDE, "half")
    assert (one in caught[0].message, two in caught[0].message) == (True, True)
    with world.refused(error=NotFound):
        world.app.checkpoints.restore(CLAUDE, "nothing")
    assert world.app.checkpoints.restore(CLAUDE, "half", task=two).changed


@pytest.mark.parametrize(("who", "rule"), [(CI, "I5"), (asserted(ALICE), "I1")])
def test_services_and_typed_names_restore_and_prune_nothing_I1_I5(world: GitWorld, who: Actor, rule: str) -> None:
    world.app.checkpoints.create(CLAUDE, "here")
    world.checkout.commit("three.py")
    with world.refused(rule):
        world.app.checkpoints.restore(who, "here")
    with world.refused(rule):
        world.app.checkpoints.prune(who, keep=0)
    assert names(world) == [("", "here")]


# Prune


def test_prune_keeps_the_newest_of_each_task_and_every_commit_K2(world: GitWorld) -> None:
    task = world.create()
    heads = []
    for number in range(3):
        world.clock.advance(seconds=1)
        heads.append(world.checkout.commit(f"n{number}.py"))
        world.app.checkpoints.create(CLAUDE)
        world.app.checkpoints.create(CLAUDE, task=task)
    gone = world.app.checkpoints.prune(CLAUDE, keep=1, task=task)
    assert sorted((one.task, one.name) for one in gone) == [(task, "1"), (task, "2")]
    assert sorted(names(world)) == [("", "1"), ("", "2"), ("", "3"), (task, "3")]
    assert sorted(one.name for one in world.app.checkpoints.prune(CLAUDE, keep=2)) == ["1"]
    assert all(world.checkout.git("cat-file", "-t", head) == "commit" for head in heads)
    assert world.kinds().count("CheckpointNoted") == 9


def test_prune_of_nothing_writes_nothing_K2(world: GitWorld) -> None:
    world.app.checkpoints.create(CLAUDE)
    with world.unchanged():
        assert world.app.checkpoints.prune(CLAUDE) == []
