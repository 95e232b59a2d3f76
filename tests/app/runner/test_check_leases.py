"""Leases of checks (J4): of two runners one runs them; of one that is gone the next takes them, without waiting."""

from __future__ import annotations

from foureyes.app.gate.checks import Checks
from foureyes.app.runner import leases
from foureyes.app.runner_registry import LEASE_SECONDS
from foureyes.errors import Conflict

from tests.stage.gated import LINT, configure
from tests.stage.running import PROCESS, runner
from tests.stage.world import DeskWorld

OTHER = "proc:boot:ns:10:10"


def test_of_two_runners_one_runs_the_checks_of_a_task_J4(desk: DeskWorld) -> None:
    one, two, task = runner(desk), runner(desk, OTHER), desk.submitted_task()
    leased = leases.take(desk.app.context, one, task)
    with desk.refused(error=Conflict):
        leases.take(desk.app.context, two, task)
    with desk.store.read() as tx:
        assert leases.checks_of_others(desk.app.context, tx, two.session) == {task}
        assert leases.checks_of_others(desk.app.context, tx, one.session) == set()
    leases.leave(desk.app.context, leased, task)
    assert leases.take(desk.app.context, two, task).lease == (f"checks:{task}", 2)
    desk.sound()


def test_the_checks_of_a_runner_that_is_gone_are_taken_at_once_and_it_writes_no_result_J4(desk: DeskWorld) -> None:
    configure(desk, LINT)
    one, task = runner(desk), desk.submitted_task()
    leased = leases.take(desk.app.context, one, task)
    desk.outside.gone.add(PROCESS)
    two = runner(desk, OTHER)
    taken = leases.take(desk.app.context, two, task)
    with desk.refused("J4"):
        Checks(desk.app.context).run(leased, task)
    with desk.refused("J4"):
        leases.leave(desk.app.context, leased, task)
    assert Checks(desk.app.context).run(taken, task).checks[0].outcome == "passed"


def test_a_lease_of_checks_is_renewed_with_its_runner_and_else_ends_J4(desk: DeskWorld) -> None:
    one, two, task = runner(desk), runner(desk, OTHER), desk.submitted_task()
    leased = leases.take(desk.app.context, one, task)
    for _ in range(3):
        desk.clock.advance(seconds=LEASE_SECONDS - 1)
        desk.app.runs.renew(one, [])
        with desk.refused(error=Conflict):
            leases.take(desk.app.context, two, task)
    desk.clock.advance(seconds=LEASE_SECONDS)
    assert leases.take(desk.app.context, two, task).lease == (f"checks:{task}", 2)
    with desk.unchanged():
        leases.leave(desk.app.context, leased, task)
    with desk.refused("J4"):
        desk.app.notes.log(leased, task, "too late")
    desk.sound()
