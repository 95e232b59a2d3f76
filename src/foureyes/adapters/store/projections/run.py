"""Projects agent runs: their runners, leases, signals and stuck tasks. (S, J4, V9)

A lease is held by its fence, and an event with another fence is refused. `renewals` has the renewal times of leases. No
event fills it, and its rows are deleted with the lease.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from foureyes.adapters.store.connection import Engine, plain
from foureyes.adapters.store.projections.steps import log
from foureyes.errors import StaleState
from foureyes.steps import fe

if TYPE_CHECKING:
    from foureyes.adapters.store.journal import Row
    from foureyes.core import events as e


def _values(event: Any, *names: str) -> dict[str, object]:
    return {name: getattr(event, name) for name in names or event.__struct_fields__}


def _held(db: Engine, row: Row, statement: str, values: dict[str, object]) -> None:
    """Update a run as its lease holder. Raise StaleState if another runner holds the lease. (J4)"""
    if db.change(statement, plain(values | {"at": row.at, "seq": row.seq})) != 1:
        raise StaleState(
            f"the run {values['run']} is not where {row.kind} says: another runner has its lease, or it has ended.",
            next_step=fe("show", row.task) if row.task else fe("status"),
            task=row.task,
        )


def runner_started(db: Engine, row: Row, event: e.RunnerStarted) -> None:
    db.run("run.begin", plain(_values(event) | {"starter": row.session, "at": row.at, "seq": row.seq}))


def runner_ended(db: Engine, row: Row, event: e.RunnerEnded) -> None:
    if db.change("run.finish", plain(_values(event) | {"at": row.at, "seq": row.seq})) != 1:
        raise StaleState(f"the runner {event.session} has ended already, or never began.", next_step=fe("status"))
    db.run("run.end_lease", {"lease": event.session})


def checks_taken(db: Engine, row: Row, event: e.ChecksTaken) -> None:
    db.run("run.take_checks", plain(_values(event) | {"task": row.task, "seq": row.seq}))
    db.run("run.end_lease", {"lease": f"checks:{row.task}"})


def checks_left(db: Engine, row: Row, event: e.ChecksLeft) -> None:
    db.run("run.leave_checks", {"task": row.task, "fence": event.fence, "seq": row.seq})
    db.run("run.end_lease", {"lease": f"checks:{row.task}"})


def run_reserved(db: Engine, row: Row, event: e.RunReserved) -> None:
    db.run("run.reserve", plain(_values(event) | {"task": row.task, "at": row.at, "seq": row.seq}))


def run_taken(db: Engine, row: Row, event: e.RunTaken) -> None:
    _held(db, row, "run.take", _values(event, "run", "runner", "host", "fence", "until"))
    db.run("run.end_lease", {"lease": event.run})


def run_bound(db: Engine, row: Row, event: e.RunBound) -> None:
    _held(db, row, "run.bind", _values(event))


def run_ended(db: Engine, row: Row, event: e.RunEnded) -> None:
    _held(db, row, "run.end", _values(event) | {"signal": event.signal or ""})
    db.run("run.end_lease", {"lease": event.run})


def run_stop_asked(db: Engine, row: Row, event: e.RunStopAsked) -> None:
    if db.change("run.ask_stop", {"run": event.run, "reason": event.reason or "stop"}) != 1:
        raise StaleState(f"{event.run} was asked to end already, or never began.", next_step=fe("status"))


def signalled(db: Engine, row: Row, event: e.Signalled) -> None:
    db.run("run.insert_signal", plain(_values(event) | _said(row)))
    if event.run is not None:
        db.run("run.signal", {"run": event.run, "signal": event.signal, "message": event.message})
    log(db, row, "signal", f"{event.signal}: {event.message}" if event.message else event.signal)


def emitted(db: Engine, row: Row, event: e.Emitted) -> None:
    db.run("run.insert_emitted", plain(_values(event) | _said(row)))
    log(db, row, "event", f"{event.type}: {event.summary}")


def _said(row: Row) -> dict[str, object]:
    return {"seq": row.seq, "task": row.task, "session": row.session, "at": row.at}


def runs_paused(db: Engine, row: Row, event: e.RunsPaused) -> None:
    db.run("run.pause", plain(_said(row) | _values(event, "reason", "rule", "cycle") | {"made_by": event.by}))


def runs_resumed(db: Engine, row: Row, event: e.RunsResumed) -> None:
    if event.by == "rule":
        lifted = db.change("run.resume_by_rule", {"task": row.task, "cycle": event.cycle})
    else:
        lifted = db.change("run.resume", {"task": row.task})
        lifted += db.change("run.unstick", {"task": row.task}) if row.task else 0
    if not lifted:
        raise StaleState("nothing was paused that this could lift.", next_step=fe("status"))


def run_stuck(db: Engine, row: Row, event: e.RunStuck) -> None:
    db.run("run.stick", plain(_said(row) | _values(event)))
    log(db, row, "stuck", event.why)


def profile_cooled(db: Engine, row: Row, event: e.ProfileCooled) -> None:
    db.run("run.cool", plain(_values(event) | {"at": row.at, "seq": row.seq}))


def profile_warmed(db: Engine, row: Row, event: e.ProfileWarmed) -> None:
    db.run("run.warm", {"profile": event.profile, "host": event.host})


PROJECTIONS: dict[str, Any] = {
    "RunnerStarted": runner_started,
    "RunnerEnded": runner_ended,
    "ChecksTaken": checks_taken,
    "ChecksLeft": checks_left,
    "RunReserved": run_reserved,
    "RunTaken": run_taken,
    "RunBound": run_bound,
    "RunEnded": run_ended,
    "RunStopAsked": run_stop_asked,
    "Signalled": signalled,
    "Emitted": emitted,
    "RunsPaused": runs_paused,
    "RunsResumed": runs_resumed,
    "RunStuck": run_stuck,
    "ProfileCooled": profile_cooled,
    "ProfileWarmed": profile_warmed,
}
