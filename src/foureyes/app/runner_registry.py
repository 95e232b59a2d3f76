"""Lease checks (J4): a runner may write only while it is registered and holds the run's lease."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from foureyes.app.context import CheckLease, RunnerRow, refuse_verb
from foureyes.core.nouns.run import Run
from foureyes.errors import Reason
from foureyes.steps import by, fe

if TYPE_CHECKING:
    from foureyes.app.context import Context
    from foureyes.app.ports import NamedQuery, Tx
    from foureyes.app.results.run import RunnerState
    from foureyes.core.nouns.session import Actor


LEASE_SECONDS = 90
"""How long a lease is valid without renewal, by the store's clock."""
CHECKS = "checks:"
BEGIN = by("person", fe("run"), "a person starts one: ")


def of_runner(actor: Actor) -> list[NamedQuery]:
    """Return the queries for a runner that writes, for `ahead`."""
    asked: list[NamedQuery] = [
        ("run.runner", {"session": actor.session}),
        ("session.get", {"id": actor.session}),
        ("journal.end", {}),
    ]
    if actor.lease is not None and not actor.lease[0].startswith(CHECKS):
        asked.append(("run.get", {"run": actor.lease[0]}))
    return asked


def check_runner(tx: Tx, actor: Actor) -> RunnerRow:
    """Return the runner's row. Refuse a runner that has ended or lost its run's lease. (J4)"""
    tx.ahead(*of_runner(actor))
    row = tx.one("run.runner", RunnerRow, session=actor.session)
    if row is None or row.ended_at:
        ended = f"another runner took it for dead at {row.ended_at}" if row and row.lost else "it has ended"
        why = ended if row else "no runner of this session is on record"
        refuse_verb("nothing was changed.", Reason("J4", f"this runner can no longer write: {why}", BEGIN))
    if actor.lease is not None:
        check_lease(tx, actor, *actor.lease)
    return row


def checks_of(task: str) -> str:
    """Return the name of the lease for a task's checks."""
    return f"{CHECKS}{task}"


def _check_checks(tx: Tx, actor: Actor, task: str, fence: int) -> None:
    """Refuse a runner that does not hold the lease of the task's checks. (J4)"""
    held = tx.one("run.checks_of", CheckLease, task=task)
    if held is None or (held.runner, held.fence) != (actor.session, fence):
        why = f"another runner now runs the checks of {task}"
        refuse_verb("nothing was changed.", Reason("J4", why, fe("check", "show", task)))


def check_lease(tx: Tx, actor: Actor, run: str, fence: int) -> None:
    """Refuse a caller who lost the lease, by its fence and owner. (J4)

    The last owner of an ended run may write until the task's next run starts.
    """
    if run.startswith(CHECKS):
        _check_checks(tx, actor, run.removeprefix(CHECKS), fence)
        return
    held = tx.one("run.get", Run, run=run)
    if held is None or held.fence != fence or (held.state != "ended" and held.runner != actor.session):
        by_whom = f": {held.runner} has it now" if held is not None else ""
        refuse_verb("nothing was changed.", Reason("J4", f"the lease of {run} is lost{by_whom}", fe("status")))
    if held.state == "ended" and tx.one("run.at_work", Run, task=held.task) is not None:
        why = f"{run} has ended, and another run works on {held.task}"
        refuse_verb("nothing was changed.", Reason("J4", why, fe("show", held.task)))


def state_of(context: Context, row: RunnerRow) -> RunnerState:
    """Return a runner's state. If its process can be seen here, its end is noticed sooner. (J4)"""
    return states_of(context, [row])[str(row.session)]


def states_of(context: Context, rows: Sequence[RunnerRow]) -> dict[str, RunnerState]:
    """Like state_of(), for several runners by session. One query reads their locks."""
    dark = context.store.dark([row.beacon for row in rows if row.beacon and not row.ended_at])
    return {str(row.session): _state(context, row, is_dark=row.beacon in dark) for row in rows}


def _state(context: Context, row: RunnerRow, *, is_dark: bool) -> RunnerState:
    if row.ended_at:
        return "ended"
    if is_dark or has_ended(context, row):
        return "gone"
    return "live" if row.until > context.now() else "silent"


def has_ended(context: Context, row: RunnerRow) -> bool:
    """Return True if the runner's process on this machine has ended."""
    return bool(row.process) and context.outside.is_gone(row.process)


def is_cut_off(context: Context, row: RunnerRow) -> bool:
    """Return True if the runner has lost its connection lock. If it still exists, it then ends its agents itself.
    (J4)
    """
    return bool(row.beacon) and bool(context.store.dark([row.beacon]))


def runners_seen(context: Context, tx: Tx) -> list[tuple[RunnerRow, RunnerState]]:
    """Return every runner that may have runs, oldest first, with its state. The transaction caches this."""
    return tx.once("runners", lambda: _runners(context, tx))


def _runners(context: Context, tx: Tx) -> list[tuple[RunnerRow, RunnerState]]:
    rows = tx.all("run.runners", RunnerRow)
    states = states_of(context, rows)
    return [(row, states[str(row.session)]) for row in rows]


def live_runners(context: Context, tx: Tx) -> list[RunnerRow]:
    """Return the live runners, oldest first."""
    return [row for row, state in runners_seen(context, tx) if state == "live"]


def left_runs(context: Context, tx: Tx) -> dict[str, str]:
    """Return messages about runners that are not live, by session. Another runner takes over their runs. (J4)"""
    words = {}
    for row, state in runners_seen(context, tx):
        if state != "live":
            words[str(row.session)] = "its runner is silent" if state == "silent" else "its runner is gone"
    return words
