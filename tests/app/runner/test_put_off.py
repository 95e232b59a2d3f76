"""What failed is back in the merge queue, is waited for, and holds nothing else (Q3, X3); a runner that ends says what is left."""

from __future__ import annotations

import errno
from typing import Any

import pytest

from foureyes.core.runner.steps import Finish, Wait
from foureyes.errors import GitProblem, Reason, Refused
from foureyes.steps import by_person, fe

from tests.stage.gated import AUTO, LINT
from tests.stage.people import ALICE
from tests.stage.playground import Playground

LOCKED = "refs/heads/main cannot be written"


@pytest.fixture
def ground(ground: Playground) -> Playground:
    ground.configured(LINT)
    return ground


class Locked:
    """A workshop that cannot merge some heads."""

    def __init__(self, ground: Playground, monkeypatch: pytest.MonkeyPatch) -> None:
        self.heads: set[str] = set()
        merge = ground.shop.merge

        def refuse(**given: Any) -> object:
            if given["head"] in self.heads:
                raise GitProblem(LOCKED)
            return merge(**given)

        monkeypatch.setattr(ground.shop, "merge", refuse)


def test_one_stuck_merge_holds_no_other_and_is_tried_again_by_itself_Q3(
    ground: Playground, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked, tasks = Locked(ground, monkeypatch), [ground.create(ALICE, labels=AUTO) for _ in range(3)]
    runner = ground.runner(agents=3, until_idle=True)
    while ground.status(tasks[0]) != "approved":
        locked.heads |= {
            ground.repo.branches[ref][-1] for ref in [f"refs/heads/fe/{tasks[0]}"] if ref in ground.repo.branches
        }
        last = runner.tick()
    while [ground.status(task) for task in tasks[1:]] != ["closed", "closed"]:
        last = runner.tick()
        assert not isinstance(last, Finish)
        if isinstance(last, Wait):
            ground.clock.advance(seconds=5)
    assert ground.status(tasks[0]) == "approved"
    locked.heads.clear()
    assert ground.settle(runner) == "idle"
    assert ground.status(tasks[0]) == "closed"


def test_a_runner_that_gives_up_says_what_is_left_and_why_Q3(
    ground: Playground, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(**_: object) -> object:
        raise GitProblem(LOCKED)

    monkeypatch.setattr(ground.shop, "merge", never)
    task = ground.create(ALICE, labels=AUTO)
    runner, began = ground.runner(until_idle=True), ground.clock.now()
    last: object = None
    while not isinstance(last, Finish):
        last = runner.tick()
        if isinstance(last, Wait):
            ground.clock.advance(seconds=10)
    assert (last.why, last.is_unfinished) == ("idle", True)
    assert last.left == (f"{task} is approved but not merged: git: {LOCKED}",)
    assert (ground.clock.now() - began).total_seconds() > 600, "a short fault is waited for"
    assert ground.lines("").count(f"{task} stuck: git: {LOCKED}") == 1
    assert ground.lines("").count(f"! {task} is approved but not merged: git: {LOCKED}") == 1


@pytest.mark.parametrize("what", ["the look", "the leases"])
def test_a_full_disk_does_not_end_a_runner_X3(ground: Playground, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    task = ground.create(ALICE, labels=AUTO)
    runner = ground.runner(until_idle=True)

    def full(*_: object, **__: object) -> object:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(
            runner._reader if what == "the look" else runner, "read" if what == "the look" else "_renew", full
        )
        assert isinstance(runner.tick(), Wait)
        assert isinstance(runner.tick(), Wait)
    assert ground.settle(runner) == "idle"
    assert ground.lines("").count("! nothing starts: the disk is full") == 1
    assert ground.status(task) == "closed"


def test_what_only_a_person_can_do_is_not_waited_for_Q3(ground: Playground, monkeypatch: pytest.MonkeyPatch) -> None:
    why = Reason("P12", "foureyes.toml on main names release as the target", by_person(fe("config", "accept")))

    def never(**_: object) -> object:
        raise Refused("nothing was merged or closed.", reasons=(why,))

    monkeypatch.setattr(ground.shop, "merge", never)
    task = ground.create(ALICE, labels=AUTO)
    runner, began = ground.runner(until_idle=True), ground.clock.now()
    last: object = None
    while not isinstance(last, Finish):
        last = runner.tick()
        if isinstance(last, Wait):
            ground.clock.advance(seconds=1)
    assert (ground.clock.now() - began).total_seconds() < 60, "it ends at once"
    assert last.is_unfinished
    (left,) = last.left
    assert left.startswith(f"{task} is approved but not merged: ")
    assert "foureyes.toml on main names release as the target (P12)" in left
    assert left.endswith("a person runs: fe config accept")
