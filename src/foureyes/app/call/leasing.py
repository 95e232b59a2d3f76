"""Leases (J4): whether a runner may write at all, and whether it holds the run that it writes for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.call.refusals import refuse_verb
from foureyes.app.call.rows import CheckLease, RunnerRow
from foureyes.core.nouns.run import Run
from foureyes.errors import Reason
from foureyes.steps import by, fe

if TYPE_CHECKING:
    from foureyes.app.ports import Tx
    from foureyes.core.nouns.session import Actor

LEASE_SECONDS = 90
"""How long a lease holds without being renewed, by the store's clock."""
CHECKS = "checks:"
BEGIN = by("person", fe("run"), "a person starts one: ")


def check_runner(tx: Tx, actor: Actor) -> RunnerRow:
    """J4: a runner that is on record and has not ended; and, where it writes for a run, who holds the lease of it."""
    row = tx.one("run.runner", RunnerRow, session=actor.session)
    if row is None or row.ended_at:
        ended = f"it was taken for dead at {row.ended_at}" if row and row.lost else "it has ended"
        why = ended if row else "no runner of this session is on record"
        refuse_verb("nothing was changed.", Reason("J4", f"this runner writes nothing any more: {why}", BEGIN))
    if actor.lease is not None:
        check_lease(tx, actor, *actor.lease)
    return row


def checks_of(task: str) -> str:
    """What the lease of a task's checks is called."""
    return f"{CHECKS}{task}"


def _check_checks(tx: Tx, actor: Actor, task: str, fence: int) -> None:
    """J4: a result of a check is written by who runs the checks of that task."""
    held = tx.one("run.checks_of", CheckLease, task=task)
    if held is None or (held.runner, held.fence) != (actor.session, fence):
        why = f"another runner has the checks of {task} by now"
        refuse_verb("nothing was changed.", Reason("J4", why, fe("check", "show", task)))


def check_lease(tx: Tx, actor: Actor, run: str, fence: int) -> None:
    """J4: the lease row is the truth: its fence, and who has it. After a run has ended its last holder may still settle
    what became of the work, as long as nobody has begun anew.
    """
    if run.startswith(CHECKS):
        _check_checks(tx, actor, run.removeprefix(CHECKS), fence)
        return
    held = tx.one("run.get", Run, run=run)
    if held is None or held.fence != fence or (held.state != "ended" and held.runner != actor.session):
        by_whom = f": {held.runner} has it now" if held is not None else ""
        refuse_verb("nothing was changed.", Reason("J4", f"the lease of {run} is lost{by_whom}", fe("status")))
    if held.state == "ended" and tx.one("run.at_work", Run, task=held.task) is not None:
        why = f"{run} has ended, and another run of {held.task} is at work"
        refuse_verb("nothing was changed.", Reason("J4", why, fe("show", held.task)))
