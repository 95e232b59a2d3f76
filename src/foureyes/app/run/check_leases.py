"""Leases of checks (J4): one runner of several runs the checks of a task; of one that is gone, the next takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from foureyes.app.call.leasing import check_runner, checks_of, runners_seen
from foureyes.app.call.rows import CheckLease
from foureyes.app.run.leases import until
from foureyes.core import events as e
from foureyes.errors import Conflict
from foureyes.steps import fe

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx
    from foureyes.core.nouns.session import Actor


def take(context: Context, runner: Actor, task: str) -> Actor:
    """J4: the checks of a task are this runner's; the runner as who it is towards them. Refused where another one that
    lives runs them.
    """
    with context.writing(runner, "run") as work:
        me = check_runner(work.tx, runner)
        row = work.tx.one("run.checks_of", CheckLease, task=task)
        if row is not None and is_anothers(context, work.tx, row, me.session):
            raise Conflict(f"the checks of {task} are run by another runner.", next_step=fe("status"), task=task)
        fence = row.fence + 1 if row is not None else 1
        work.record(task, e.ChecksTaken(runner=me.session, fence=fence, until=until(context)))
    return replace(runner, lease=(checks_of(task), fence))


def leave(context: Context, leased: Actor, task: str) -> None:
    """It has done with them; nothing to say where another runner has them by now."""
    assert leased.lease is not None
    with context.writing(replace(leased, lease=None), "run") as work:
        row = work.tx.one("run.checks_of", CheckLease, task=task)
        if row is not None and (row.runner, row.fence) == (leased.session, leased.lease[1]):
            work.record(task, e.ChecksLeft(fence=row.fence))


def taken_by_others(context: Context, tx: Tx, me: str) -> set[str]:
    """The tasks whose checks another runner runs that lives, for all that is known."""
    rows = tx.all("run.checks_taken", CheckLease)
    return {row.task for row in rows if is_anothers(context, tx, row, me)}


def is_anothers(context: Context, tx: Tx, row: CheckLease, me: str) -> bool:
    """Whether a lease keeps this runner from running them."""
    if not row.runner or row.runner == me or row.until <= context.now():
        return False
    return any(seen.session == row.runner and state in ("live", "silent") for seen, state in runners_seen(context, tx))


def renewed(tx: Tx, me: str) -> list[tuple[str, int]]:
    """The leases of checks that a runner renews with its own."""
    return [(checks_of(row.task), row.fence) for row in tx.all("run.checks_taken", CheckLease) if row.runner == me]
