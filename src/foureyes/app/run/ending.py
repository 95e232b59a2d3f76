"""The end of a run: what becomes of its work, then the run itself (S1, S2, S4, L17). Work first: what is cut off
between the two is a run that has lost its runner, and no work is lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from foureyes.app.run.clarifying import take_clarification
from foureyes.app.run.leases import get
from foureyes.app.run.profiles import cools_until
from foureyes.app.run.reviewing import drop_files, take_review, why_refused
from foureyes.app.run.runs import Runs
from foureyes.app.run.tidying import tidy
from foureyes.app.views.standstill import Cooldown
from foureyes.core.nouns.run import ASKED
from foureyes.core.words.text import one_line
from foureyes.errors import BadInput, FoureyesError, Refused

if TYPE_CHECKING:
    from foureyes.app.agent_ports import LocalAgents
    from foureyes.app.call.context import Context
    from foureyes.app.run.in_hand import InHand
    from foureyes.core.nouns.run import Run, RunEnding, RunId, RunOutcome
    from foureyes.core.nouns.session import Actor
    from foureyes.core.run.step import AfterRun, FinishRun
    from foureyes.core.words.lifecycle import RunEnd

WHY_LENGTH = 500
HOW: dict[AfterRun, RunEnd] = {
    "ask_signal": "cancelled",
    "no_change": "unchanged",
    "retry": "crash",
    "send_back": "crash",
    "blocked": "blocked",
    "stopped": "cancelled",
    "cool": "cancelled",
}
"""L17: with what a claim is given back."""
ENDINGS: dict[AfterRun, RunEnding] = {"retry": "failed", "send_back": "failed", "stopped": "stopped", "cool": "failed"}


def finish(context: Context, runner: Actor, agents: LocalAgents, own: InHand, step: FinishRun) -> str:
    """What becomes of the work of a run that is over; what to tell people about it."""
    assert own.outcome is not None
    runs, run, outcome, then = Runs(context), own.run, own.outcome, step.then
    why = step.why
    if then in ("hand_in", "needs_review"):
        signal = "DONE" if then == "hand_in" else "NEEDS_REVIEW"
        try:
            done = runs.hand_in(runner, run.id, signal=signal, message=_message(outcome))
            _end(context, runner, run.id, outcome, "finished")
            return f"submitted: {done.status}"
        except FoureyesError as problem:
            if not runs.holds(runner, run.id):
                raise
            then, why = "send_back", f"it ended with {signal}, but {_reasons(problem)}"
    if then == "answer":
        return _answered(context, runner, agents, own)
    if then == "send_back":
        outcome = replace(outcome, error="refused", error_text=why)
    if then in ("retry", "stopped"):
        outcome = replace(outcome, error_text=outcome.error_text or why)
    if then in HOW and run.purpose not in ASKED:
        how = "timeout" if then == "retry" and outcome.timed_out else HOW[then]
        runs.release(runner, run.id, how=how, reason=one_line(why, WHY_LENGTH))
    ending = "timeout" if then == "retry" and outcome.timed_out else ENDINGS.get(then, "finished")
    _end(context, runner, run.id, outcome, ending)
    drop_files(agents, run)
    if then == "cool":
        until = cools_until(context, outcome.error, outcome.retry_after)
        text = one_line(outcome.error_text or outcome.error, WHY_LENGTH)
        runs.cool(runner, run.profile, until=until, error=outcome.error, error_text=text)
    return f"{SAYS[then]}: {one_line(why, WHY_LENGTH)}" if why else SAYS[then]


def _answered(context: Context, runner: Actor, agents: LocalAgents, own: InHand) -> str:
    """V3: the answer of a run, taken in; one that is no valid document is told to who is asked once more."""
    assert own.outcome is not None
    outcome, said = own.outcome, "clarified it"
    try:
        if own.run.purpose == "review":
            taken = take_review(context, agents, own)
            said = f"reviewed it: {taken.verdict}, {len(taken.raised)} finding{'' if len(taken.raised) == 1 else 's'}"
        else:
            take_clarification(context, own)
    except (BadInput, Refused) as refused:
        problem = why_refused(refused)
        outcome, said = (
            replace(outcome, error="refused", error_text=problem),
            f"answered with no valid document: {problem}",
        )
    _end(context, runner, own.run.id, outcome, "finished")
    drop_files(agents, own.run)
    return said


def _end(context: Context, runner: Actor, run: RunId, outcome: RunOutcome, ending: RunEnding) -> None:
    ended = Runs(context).end(runner, run, outcome, ending=ending)
    if outcome.succeeded:
        with context.store.read() as tx:
            cooled = tx.all("run.cooled", Cooldown, host=runner.host)
        if any(row.profile == ended.profile for row in cooled):
            Runs(context).warm(runner, ended.profile, reason="it works again")


def take_over(context: Context, runner: Actor, agents: LocalAgents, run: RunId) -> Run | None:
    """J4: end what a run of a dead runner has left running and keep its work. Work that its agent called done is
    submitted; any other run ends as `lost`. None where something of it could not be ended yet.
    """
    runs = Runs(context)
    with context.store.read() as tx:
        row = get(tx, run)
    here = row.host == runner.host
    if row.runner != runner.session:
        row = runs.take_over(runner, run)
    if here and run not in agents.end_left([row.process] if row.process else [], [run]):
        return None
    if here and row.worktree == context.workshop.worktrees().get(row.task):  # not that of another clone
        left = tidy(context, runner, row)
        if left.changed and not left.problem and _submitted(runs, runner, row):
            return runs.end(runner, run, None, ending="finished")
    if here:
        drop_files(agents, row)
    if row.purpose not in ASKED:
        runs.release(runner, run, how="cancelled", reason="its runner is gone")
    return runs.end(runner, run, None, ending="lost")


def _submitted(runs: Runs, runner: Actor, run: Run) -> bool:
    """J4: whether the work of a run is submitted whose agent had called it done."""
    if run.signal not in ("DONE", "NEEDS_REVIEW"):
        return False
    try:
        runs.hand_in(runner, run.id, signal=run.signal, message=run.message)
    except FoureyesError:
        if not runs.holds(runner, run.id):
            raise
        return False
    return True


def free_claim(context: Context, runner: Actor, run: RunId) -> bool:
    """T1: give back what a run left claimed; whether it was."""
    return Runs(context).release(runner, run, how="cancelled", reason="its run is over").changed


def _message(outcome: RunOutcome) -> str:
    return outcome.message or one_line(outcome.final, WHY_LENGTH)


def _reasons(problem: FoureyesError) -> str:
    """Why a submission was refused, for the next run."""
    reasons = [f"{reason.message} ({reason.rule})" for reason in problem.reasons]
    return "; ".join(reasons) or problem.message


SAYS: dict[AfterRun, str] = {
    "hand_in": "submitted",
    "needs_review": "submitted",
    "ask_signal": "asked how it ended",
    "no_change": "nothing changed",
    "retry": "failed",
    "send_back": "sent back",
    "blocked": "blocked",
    "stopped": "stopped",
    "cool": "skipped for a while",
    "answer": "answered",
    "finished": "done",
}
