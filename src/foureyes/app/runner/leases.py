"""Leases of runs, runners and checks: how long they last, who holds one, and when another runner may take it. (J4)"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from foureyes.app.context import CheckLease, RunnerRow
from foureyes.app.results.session import SessionView
from foureyes.app.runner_registry import LEASE_SECONDS, check_runner, checks_of, has_ended, is_cut_off, runners_seen
from foureyes.core import events as e
from foureyes.core.nouns.run import Run, RunId, conversation_of
from foureyes.core.words.ids import SessionId
from foureyes.core.words.text import one_line, spaced
from foureyes.errors import Conflict, NotFound
from foureyes.steps import fe

if TYPE_CHECKING:
    from foureyes.app.context import Context, Work
    from foureyes.app.ports import Tx
    from foureyes.app.results.run import RunnerView
    from foureyes.core.nouns.run import RunEnding, RunOutcome, StuckKind
    from foureyes.core.nouns.session import Actor


# ---- Leases of runs and runners (J4) ----

FINAL = 20_000
TEXT = 2_000
REASON = 500


def until(context: Context) -> str:
    """Return the end of a lease that is taken or renewed now."""
    return context.later(LEASE_SECONDS)


def get(tx: Tx, run: str) -> Run:
    """Return a run with the end of its lease as last renewed. Raise NotFound if there is none."""
    row = tx.one("run.get", Run, run=run)
    if row is None:
        raise NotFound(f"there is no run {run}.", next_step=fe("status"))
    return row


def live_runs(tx: Tx, host: str = "") -> list[Run]:
    """Return the runs that have not ended, on one host if given."""
    return tx.all("run.live", Run, host=host)


def held_runs(tx: Tx, runner: str) -> dict[RunId, int]:
    """Return the runs that a runner holds, with their fences. (J4)"""
    from foureyes.app.runner.rows import Held

    return {row.id: row.fence for row in tx.all("run.held", Held, runner=runner)}


def runner_views(context: Context, tx: Tx) -> list[RunnerView]:
    """Return the live runners, and dead ones that left runs behind."""
    seen = runners_seen(context, tx)
    if not seen:
        return []
    from foureyes.app.results.run import RunnerView

    runs = live_runs(tx)
    starters = [row.starter for row, _ in seen]
    names = {row.id: row.name for row in tx.all("session.some", SessionView, ids=starters)}
    views = [
        RunnerView(
            session=row.session,
            starter=names.get(row.starter, row.starter),
            process=row.process,
            host=row.host,
            agents=row.agents,
            state=state,
            started_at=row.started_at,
            until=row.until,
            runs=[run for run in runs if run.runner == row.session],
        )
        for row, state in seen
    ]
    return [view for view in views if view.runs or view.state != "gone"]


def bury(context: Context, work: Work) -> list[str]:
    """Record the end of runners whose process has provably ended. Return their sessions."""
    rows = [row for row in work.tx.all("run.runners", RunnerRow) if not row.ended_at]
    gone = [row for row in rows if has_ended(context, row)]
    for row in gone:
        work.record("", e.RunnerEnded(session=row.session, reason="its process is gone", lost=True))
    return [row.session for row in gone]


def refuse_taken(context: Context, work: Work, run: Run, me: RunnerRow) -> str:
    """Return why a run may be taken over. Raise Conflict if its runner may still be alive. (J4)"""
    if run.state == "ended" or run.runner == me.session:
        why = "has ended" if run.state == "ended" else "already belongs to this runner"
        raise Conflict(f"{run.id} {why}.", next_step=fe("status"), task=run.task)
    holder = work.tx.one("run.runner", RunnerRow, session=run.runner)
    if holder is None or holder.ended_at:
        return "its runner has ended"
    if has_ended(context, holder):
        return "the process of its runner is gone"
    if is_cut_off(context, holder):
        return "the connection of its runner is gone"
    if run.until <= context.now():
        return f"its lease ended at {run.until}"
    raise Conflict(
        f"{run.id} is held by a runner on {holder.host or 'another host'} until {run.until}.",
        next_step=fe("status"),
        task=run.task,
    )


def fence_above(run: Run) -> int:
    """Return a fence above the run's, so that earlier holders are shut out. (J4)"""
    return run.fence + 1


def silence(work: Work, run: Run, reason: str) -> None:
    """End the run's session and every session below it, which voids their tokens. Claims stay."""
    if run.session is None:
        return
    for row in _line(work.tx, run.session):
        if not row.ended:
            work.record("", e.SessionEnded(session=SessionId(row.id), reason=reason))


def _line(tx: Tx, session: str) -> list[SessionView]:
    """Return a session and all its descendants, deepest first."""
    row = tx.one("session.get", SessionView, id=session)
    if row is None:
        return []
    below = [each for child in tx.all("session.children", SessionView, parent=session) for each in _line(tx, child.id)]
    return [*below, row]


def event_of_end(run: Run, outcome: RunOutcome | None, ending: RunEnding) -> e.RunEnded:
    """Return the event that ends a run. Text from the program is shortened and cleaned, never refused."""
    if outcome is None:
        return e.RunEnded(run=run.id, ending=ending, fence=run.fence)
    return e.RunEnded(
        run=run.id,
        ending=ending,
        fence=run.fence,
        signal=outcome.signal,
        message=spaced(outcome.message, TEXT),
        rc=outcome.rc,
        error=outcome.error,
        error_text=spaced(outcome.error_text, TEXT),
        conversation=conversation_of(outcome.conversation),
        final=spaced(outcome.final, FINAL),
        seconds=outcome.seconds,
        input_tokens=outcome.usage.input_tokens,
        output_tokens=outcome.usage.output_tokens,
        cost_micros=outcome.usage.cost_micros,
        left=outcome.left,
    )


def with_last_reason(tx: Tx, task: str, kind: StuckKind, why: str) -> str:
    """Return the reason for an escalation together with the failure of the last run, because that run's output may be
    gone.
    """
    ended = [run for run in tx.all("run.of_task", Run, task=task, limit=1) if run.state == "ended"]
    reason = one_line(ended[0].why, REASON) if ended and kind != "spend" else ""
    return f"{why}; the last one: {reason}" if reason else why


def stop_targets(context: Context, tx: Tx, what: str) -> list[Run]:
    """Return the live runs that a run id or a task id names."""
    run = tx.one("run.get", Run, run=RunId(what.strip()))
    if run is not None:
        return [run] if run.state != "ended" else []
    task = context.find_id(tx, what)
    return [row for row in live_runs(tx) if row.task == task]


# ---- Leases of checks (J4) ----


def take(context: Context, runner: Actor, task: str) -> Actor:
    """Lease the checks of a task and return the runner with this lease. Raise Conflict if another live runner has it.
    (J4)
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
    """Release the lease of a task's checks. Does nothing if another runner has taken it."""
    assert leased.lease is not None
    with context.writing(replace(leased, lease=None), "run") as work:
        row = work.tx.one("run.checks_of", CheckLease, task=task)
        if row is not None and (row.runner, row.fence) == (leased.session, leased.lease[1]):
            work.record(task, e.ChecksLeft(fence=row.fence))


def checks_of_others(context: Context, tx: Tx, me: str) -> set[str]:
    """Return the tasks whose checks another runner, which may be alive, is running."""
    rows = tx.all("run.checks_taken", CheckLease)
    return {row.task for row in rows if is_anothers(context, tx, row, me)}


def is_anothers(context: Context, tx: Tx, row: CheckLease, me: str) -> bool:
    """Return True if the lease belongs to another runner and is still valid."""
    if not row.runner or row.runner == me or row.until <= context.now():
        return False
    return any(seen.session == row.runner and state in ("live", "silent") for seen, state in runners_seen(context, tx))


def renewed(tx: Tx, me: str) -> list[tuple[str, int]]:
    """Return the check leases that a runner renews together with its own."""
    return [(checks_of(row.task), row.fence) for row in tx.all("run.checks_taken", CheckLease) if row.runner == me]
