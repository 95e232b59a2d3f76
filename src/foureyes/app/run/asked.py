"""What reviews want of a runner: who was asked and has not answered, what calls for a cycle, which cycles wait for
nobody (V1, V3, V4, V8). Each by a bounded question.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from foureyes.app.call.context import stamp
from foureyes.app.cycles.asking import can_ask, is_cooling
from foureyes.app.cycles.clarifying import answer_by
from foureyes.app.cycles.deciding import may_be_due
from foureyes.app.cycles.reading import wholes
from foureyes.app.run.rows import AskedRow, Awaited, CalledRow, ClarifyRow, HandedIn, HeardRow, ReviewRun
from foureyes.app.views.pause import PauseView
from foureyes.core.cycle.triggering import RunActivity, silence_begins, silent, trigger_of
from foureyes.core.nouns.cycle import Cycle, CycleId
from foureyes.core.nouns.run import MAKES, Run, RunId, conversation_of
from foureyes.core.rules.required import wants_peers
from foureyes.core.run.snapshot import Called, PastRun, ReviewDue
from foureyes.core.words.ids import TaskId

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx
    from foureyes.app.run.in_hand import RunnerDesk
    from foureyes.core.rules.policy import ReviewPolicy

MOST_OF_A_KIND = 50
"""How many of each kind one look goes into."""
MINUTE = 60.0
"""Of silence, in seconds."""


def reviews_due(context: Context, tx: Tx, host: str) -> tuple[ReviewDue, ...]:
    """V4: everybody whom a runner can start, and whoever is late, in the order in which they get a run. A hold of the
    task stops work on it, and nobody who looks (V9).
    """
    now = context.now()
    rows = tx.all("runner.asked", AskedRow, now=now, limit=MOST_OF_A_KIND)
    if not rows:
        return clarifications_due(tx, host)
    past = _past(tx, sorted({row.cycle for row in rows}), host)
    paused = {pause.task for pause in tx.all("run.pauses", PauseView) if pause.made_by == "person"}
    due = tuple(
        ReviewDue(
            cycle=row.cycle,
            task=TaskId(row.task),
            reviewer=row.reviewer,
            look=row.look,
            is_profile=row.kind == "profile",
            late=bool(row.until) and row.until <= now,
            stopped="a person paused it" if row.task in paused else "",
            past=tuple(past.get((row.cycle, row.task, row.reviewer), ())),
        )
        for row in rows
    )
    return (*clarifications_due(tx, host), *due)


def clarifications_due(tx: Tx, host: str) -> tuple[ReviewDue, ...]:
    """V9: the authors who were asked to clarify and whose work was a run: each goes on with its conversation, where
    that is on this host.
    """
    rows = tx.all("runner.clarifying", ClarifyRow, limit=MOST_OF_A_KIND)
    past = _past(tx, sorted({row.cycle for row in rows}), host, "runner.clarify_runs") if rows else {}
    due = []
    for row in rows:
        runs = [run for session in row.clarifiers if (run := tx.one("run.of_session", Run, session=session))]
        run = next((run for run in runs if run.task == row.task), None)
        if run is None:
            continue
        due.append(
            ReviewDue(
                cycle=row.cycle,
                task=TaskId(row.task),
                reviewer=run.profile,
                purpose="clarify",
                resumes=conversation_of(run.conversation) if run.host == host else "",
                past=tuple(past.get((row.cycle, row.task, run.profile), ())),
            )
        )
    return tuple(due)


def _past(
    tx: Tx, cycles: Sequence[str], host: str, query: str = "runner.review_runs"
) -> dict[tuple[str, str, str], list[PastRun]]:
    past: dict[tuple[str, str, str], list[PastRun]] = defaultdict(list)
    for row in tx.all(query, ReviewRun, ids=list(cycles)):
        past[row.cycle, row.task, row.profile].append(row.past(host))
    return past


def no_longer_awaited(tx: Tx, runs: Iterable[Run]) -> tuple[set[RunId], dict[str, str]]:
    """Live runs whose answer nobody waits for, and, by its session, when each of the others gave one."""
    asked = [run for run in runs if run.purpose in ("review", "clarify") and run.cycle]
    if not asked:
        return set[RunId](), {}
    cycles = sorted({run.cycle for run in asked})
    awaited = {(row.cycle, row.task, row.reviewer) for row in tx.all("runner.awaited", Awaited, ids=cycles)}
    clarifying = {(row.cycle, row.task) for row in tx.all("runner.unclarified", Awaited, ids=cycles)}
    given = {row.id: row.at for row in tx.all("runner.reviewed", HandedIn, ids=cycles)}
    unwanted = {
        run.id
        for run in asked
        if (run.cycle, run.task, run.profile) not in awaited and (run.cycle, run.task) not in clarifying
    }
    return unwanted, given


def to_decide(context: Context, tx: Tx) -> tuple[CycleId, ...]:
    """V8: cycles in which everybody has answered, or will not. One in which nobody was asked only where somebody can be
    by now (V4): elsewhere whoever looks is waited for, and these keep no other one waiting.
    """
    now = context.now()
    rows = tx.all("runner.to_decide", Cycle, now=now, limit=MOST_OF_A_KIND)
    clarifying = [row.id for row in rows if row.state == "clarifying"]
    open_ = {row.cycle for row in tx.all("runner.unclarified", Awaited, ids=clarifying)} if clarifying else set()
    idle = {
        known.cycle.id
        for known in wholes(tx, rows)
        if known.cycle.state == "open" and not may_be_due(context, tx, known) and not can_ask(context, tx, known)
    }
    due = [row for row in rows if row.id not in idle]
    return tuple(row.id for row in due if row.id not in open_ or "" < answer_by(context, tx, row) <= now)


def waits_for_cooled(context: Context, tx: Tx) -> bool:
    """V4: whether a cycle waits for nobody but a reviewer that is skipped for now: it is asked when that ends."""
    rows = tx.all("runner.to_decide", Cycle, now=context.now(), limit=MOST_OF_A_KIND)
    waiting = [known for known in wholes(tx, rows) if known.cycle.state == "open" and not known.asked]
    return any(is_cooling(context, tx, known) for known in waiting)


def called(context: Context, tx: Tx, desk: RunnerDesk, policy: ReviewPolicy, host: str) -> tuple[Called, ...]:
    """V1: what agents said in the middle of their work, and their silence; where the policy wants peers at all."""
    if not wants_peers(policy):
        return ()
    calls: dict[tuple[str, str], Called] = {}
    for row in tx.all("runner.called", CalledRow, limit=MOST_OF_A_KIND):
        trigger = trigger_of(row.type)
        if trigger is not None:
            key = f"{trigger}:{row.id}:{row.seq}"
            calls[trigger, row.id] = Called(trigger=trigger, tasks=(TaskId(row.id),), key=key, why=row.text)
    return (*calls.values(), *_silence(context, tx, desk, policy.peers.silence_minutes, host))


def _silence(context: Context, tx: Tx, desk: RunnerDesk, minutes: int, host: str) -> Iterable[Called]:
    """V1: nothing was heard of any live run of the project for so many minutes, by whichever runner; once per silence.
    Only what lies on this machine can be looked at here.
    """
    rows = tx.all("runner.heard", HeardRow, now=context.now()) if minutes else []
    if not any(row.purpose in MAKES and row.host == host for row in rows):
        return
    own = heard_by(context, desk)
    heard = [
        RunActivity(
            run=row.id,
            task=row.task,
            at=max(own.get(RunId(row.id)) or row.heard or row.started_at, row.said),
            makes=row.purpose in MAKES and row.host == host,
            fired=row.fired,
        )
        for row in rows
    ]
    agreed = max(row.agreed for row in rows)
    concerned = silent(heard, since=stamp(context.clock.now() - timedelta(seconds=minutes * MINUTE)), agreed=agreed)
    if concerned:
        tasks = tuple(dict.fromkeys(TaskId(each.task) for each in concerned))
        yield Called(
            trigger="TIMEOUT_FALLBACK",
            tasks=tasks,
            key=f"TIMEOUT_FALLBACK:{silence_begins(heard, agreed)}",
            wide=True,
            why=f"nothing was heard of {'it' if len(tasks) == 1 else 'any of them'} for {minutes} minutes",
        )


def heard_by(context: Context, desk: RunnerDesk) -> dict[RunId, str]:
    """When this runner last heard of each program that it has at work."""
    now = context.clock.now()
    at_work = [own for own in desk.in_hand.values() if own.outcome is None]
    return {own.run.id: stamp(now - timedelta(seconds=own.live.quiet_seconds())) for own in at_work}
