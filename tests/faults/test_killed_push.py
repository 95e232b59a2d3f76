"""A merge through a remote, killed before each of its steps (Q4, Q6): the other machine goes on, there is one main, and
nothing is lost, merged twice or voided. A submission, killed around its push: it is on record once, and pushed at last.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from foureyes.core.words.refs import attempt_ref

from tests.faults.choosing import NIGHTLY, chosen
from tests.faults.killing import kill_at, steps_of
from tests.faults.two_machines import Machines
from tests.stage.checkout import Checkout
from tests.stage.fork import Child
from tests.stage.people import ALICE, CLAUDE
from tests.stage.places import Place, ServerPlace


def kill_everywhere(machines: Machines, choose: Callable[[list[str]], list[int]]) -> None:
    """Alpha's merge before the steps around its pushes, and before those that are chosen; then it is beta's turn."""
    place = machines.place
    steps = steps_of(lambda: machines.merge("alpha"))
    place.reset()
    pushes = [number for number, step in enumerate(steps, 1) if "push" in step.split()]
    assert len(pushes) >= 2
    around = {number + more for number in pushes for more in (0, 1)}
    for number in sorted({*choose(steps), *around}):
        kill_at(number, lambda: machines.merge("alpha"))
        if isinstance(place, ServerPlace):
            place.wait_until_dark()
        try:
            Child(lambda: machines.merge("beta")).result()
            assert Child(lambda: machines.merge("alpha")).result() == {}
            machines.look()
        except Exception as problem:
            problem.add_note(f"killed before step {number} of {len(steps)}: {steps[number - 1]}")
            raise
        place.reset()


@pytest.mark.parametrize("place", ["sqlite", "postgres"], indirect=True)
def test_a_merge_that_is_killed_at_any_step_is_brought_to_its_end_by_the_other_machine_Q4_Q6(place: Place) -> None:
    kill_everywhere(Machines(place), chosen)


@pytest.mark.parametrize("place", ["postgres"], indirect=True)
def test_so_it_is_where_the_other_machine_sees_only_that_its_connection_is_gone_J4_Q4_Q6(place: Place) -> None:
    """As on two real machines: no process of the one is known to the other."""
    kill_everywhere(Machines(place, sees_ends=False), lambda steps: chosen(steps) if NIGHTLY else [])


class HandingIn(Machines):
    """A task of alpha whose work is committed."""

    def made(self) -> list[str]:
        alpha = self.at("alpha", create=True)
        alpha.checkout.write(".git/info/exclude", ".foureyes/\n")
        alpha.app.policy.accept(ALICE)
        task = alpha.work(CLAUDE, alpha.create())
        alpha.app.close()
        return [task]

    def submit(self) -> None:
        alpha = self.at("alpha")
        alpha.submit(CLAUDE, self.tasks[0])
        alpha.app.close()

    def submitted(self) -> int:
        store = self.place.open()
        try:
            with store.read():
                rows = store.engine.fetch("SELECT seq FROM journal WHERE kind = 'AttemptSubmitted'", {})[1]
                return len(rows)
        finally:
            store.close()

    def check(self) -> None:
        """After the same submission once more."""
        (task,) = self.tasks
        head = Checkout(self.place.root / "alpha").head(f"fe/{task}")
        there = [self.remote.head(ref) for ref in (attempt_ref(task, 1), f"refs/heads/fe/{task}")]
        assert (self.submitted(), there) == (1, [head, head])
        assert [message for area, message in self.place.findings() if area == "integrity"] == []


@pytest.mark.parametrize("place", ["sqlite", "postgres"], indirect=True)
def test_a_hand_in_that_is_killed_around_its_push_is_handed_in_once_and_pushed_at_last_A1_Q6(place: Place) -> None:
    machines = HandingIn(place)
    steps = steps_of(machines.submit)
    place.reset()
    (push,) = [number for number, step in enumerate(steps, 1) if "push" in step.split()]
    for number in (push - 1, push, push + 1):
        kill_at(number, machines.submit)
        Child(machines.submit).result()
        try:
            machines.check()
        except AssertionError as problem:
            problem.add_note(f"killed before step {number} of {len(steps)}: {steps[number - 1]}")
            raise
        place.reset()
