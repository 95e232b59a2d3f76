"""End of a run: clean up its worktree, settle its work, then end the run itself (S1, S2, S4, L17, K1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from foureyes.app.facts import attempt_of
from foureyes.app.findings.answers import answers_in
from foureyes.app.results.run import Cooldown
from foureyes.app.runner.leases import get
from foureyes.app.runner.profiles import cools_until
from foureyes.app.runner.review_runs import drop_files, take_clarification, take_review, why_refused
from foureyes.app.runner.runs import Runs
from foureyes.app.target import counted_against
from foureyes.app.work.worktrees import branch_of
from foureyes.core.nouns.run import ASKED, MAKES
from foureyes.core.runner.snapshot import Left
from foureyes.core.words.paths import is_likely_secret, matching
from foureyes.core.words.text import one_line
from foureyes.core.words.untrusted_text import some
from foureyes.errors import BadInput, FoureyesError, GitProblem, Refused

if TYPE_CHECKING:
    from foureyes.app.agent_ports import LocalAgents
    from foureyes.app.context import Context
    from foureyes.app.git_ports import Additions, Fence
    from foureyes.app.runner.live_runs import CurrentRun
    from foureyes.core.nouns.attempt import Attempt
    from foureyes.core.nouns.run import Run, RunEnding, RunId, RunOutcome
    from foureyes.core.nouns.session import Actor
    from foureyes.core.nouns.task import Task
    from foureyes.core.runner.steps import AfterRun, FinishRun
    from foureyes.core.words.ids import Sha
    from foureyes.core.words.lifecycle import RunEnd


# ---- The end of a run ----

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
"""How the claim is released after each outcome. (L17)"""
ENDINGS: dict[AfterRun, RunEnding] = {"retry": "failed", "send_back": "failed", "stopped": "stopped", "cool": "failed"}


def finish(context: Context, runner: Actor, agents: LocalAgents, own: CurrentRun, step: FinishRun) -> str:
    """Handle the work of an ended run and return the message to show."""
    assert own.outcome is not None
    runs, run, outcome, then = Runs(context), own.run, own.outcome, step.then
    why = step.why
    if then in ("submit_work", "needs_review"):
        signal = "DONE" if then == "submit_work" else "NEEDS_REVIEW"
        try:
            done = runs.submit_work(runner, run.id, signal=signal, message=_message(outcome))
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


def _answered(context: Context, runner: Actor, agents: LocalAgents, own: CurrentRun) -> str:
    """Record the answer of a review or clarification run. An invalid document ends the run as refused, with the
    problems for a retry. (V3)
    """
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
            f"gave no valid document: {problem}",
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
    """Take over a run of a dead runner and keep its work. (J4)

    Work that its agent called done is submitted. Any other run ends as `lost`. Return None if some process could not be
    ended yet.
    """
    runs = Runs(context)
    with context.store.read() as tx:
        row = get(tx, run)
    here = row.host == runner.host
    if row.runner != runner.session:
        row = runs.take_over(runner, run)
    if here and run not in agents.end_left([row.process] if row.process else [], [run]):
        return None
    if here and row.worktree == context.workshop.worktrees().get(row.task):  # not one of another clone
        left = tidy(context, runner, row)
        if left.changed and not left.problem and _submitted(runs, runner, row):
            return runs.end(runner, run, None, ending="finished")
    if here:
        drop_files(agents, row)
    if row.purpose not in ASKED:
        runs.release(runner, run, how="cancelled", reason="its runner is gone")
    return runs.end(runner, run, None, ending="lost")


def _submitted(runs: Runs, runner: Actor, run: Run) -> bool:
    """Submit the run's work if its agent had signalled that it was done. Return True if that worked. (J4)"""
    if run.signal not in ("DONE", "NEEDS_REVIEW"):
        return False
    try:
        runs.submit_work(runner, run.id, signal=run.signal, message=run.message)
    except FoureyesError:
        if not runs.holds(runner, run.id):
            raise
        return False
    return True


def free_claim(context: Context, runner: Actor, run: RunId) -> bool:
    """Release the claim that a run left. Return True if it had one. (T1)"""
    return Runs(context).release(runner, run, how="cancelled", reason="its run is over").changed


def _message(outcome: RunOutcome) -> str:
    return outcome.message or one_line(outcome.final, WHY_LENGTH)


def _reasons(problem: FoureyesError) -> str:
    """Return the reasons of a refused submission, for the next run."""
    reasons = [f"{reason.message} ({reason.rule})" for reason in problem.reasons]
    return "; ".join(reasons) or problem.message


SAYS: dict[AfterRun, str] = {
    "submit_work": "submitted",
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


# ---- Cleaning up after a run ----

# It runs no program of the tree and touches nothing outside the task's own worktree.

PATHS_SHOWN = 5
MIB = 1 << 20
COMMIT_MAX_FILES = 200
COMMIT_MAX_MB = 20
"""Limits for files that a runner commits for an agent. (S4)"""


class Yardstick(msgspec.Struct, frozen=True):
    """The baseline that a run's work is compared with."""

    task: Task
    attempt: Attempt | None
    target: str
    copies: tuple[str, ...]
    answered: bool
    """True if findings were answered since the last submission."""


def tidy(context: Context, runner: Actor, run: Run) -> Left:
    """Commit the leftover files of a dead run and return the result. (J4, S4)

    Files that cannot be committed are named, never deleted. Only the holder of the run's lease may move its branch.
    """
    if run.purpose not in MAKES or run.session is None:
        return Left()
    with context.store.read() as tx:
        task, policy, attempt = context.get(tx, run.task), context.gate_policy(tx), attempt_of(tx, run.task)
        answered = bool(answers_in(tx, run.task, task.iteration + 1))
    fence: Fence = lambda: context.writing(replace(runner, lease=(run.id, run.fence)), "run")  # noqa: E731
    with fence():
        pass  # another runner that took the run over may be using this worktree
    try:
        target = counted_against(context, task.start_target, asks=False).at
        yardstick = Yardstick(task, attempt, target, policy.copies, answered)
        return _checked_work(context, run, yardstick, fence)
    except FoureyesError as problem:
        return Left(problem=problem.message)


def _checked_work(context: Context, run: Run, yardstick: Yardstick, fence: Fence) -> Left:
    if run.task not in context.workshop.worktrees():
        return Left(problem="its worktree is gone")
    checked_out = context.workshop.unlock_worktree(run.task)
    ref = branch_of(context, run.task)
    problem = _elsewhere(checked_out, ref) or _commit_rest(context, run, ref, yardstick, fence)
    head = context.repo.commit_of(ref)
    if head is None:
        return Left(problem=f"its branch {ref} is gone")
    problem = problem or _from_elsewhere(context, yardstick, ref, head)
    return Left(changed=_is_new(context, yardstick, head) or yardstick.answered, problem=problem)


def _from_elsewhere(context: Context, yardstick: Yardstick, ref: str, head: Sha) -> str:
    """Return a problem if the branch does not start where the task did. Before the first submission, any target commit
    is allowed, because the target may have moved since the claim or an earlier run. (S4)
    """
    began = yardstick.attempt.base if yardstick.attempt is not None else yardstick.task.start_target
    if began is None or context.repo.is_ancestor(began, head):
        return ""
    base = context.repo.change(target=yardstick.target, ref=ref, since=None).base if yardstick.attempt is None else None
    if base is not None and context.repo.is_ancestor(base, began):
        return ""
    return f"{ref.removeprefix('refs/heads/')} is not based on {began[:7]}, where the task began"


def _elsewhere(checked_out: str, ref: str) -> str:
    """Return a problem if the worktree has another branch checked out than the task's. (S4)"""
    stood, wanted = checked_out.removeprefix("refs/heads/"), ref.removeprefix("refs/heads/")
    return "" if checked_out == ref else f"its worktree is on {stood or 'no branch'}, not on {wanted}"


def _is_new(context: Context, yardstick: Yardstick, head: str) -> bool:
    """Return True if the branch has commits that are neither merged nor submitted."""
    if yardstick.attempt is not None and yardstick.attempt.head == head:
        return False
    tip = context.repo.commit_of(yardstick.target)
    return tip is None or not context.repo.is_ancestor(context.repo.commit_of(head) or tip, tip)


def _commit_rest(context: Context, run: Run, ref: str, yardstick: Yardstick, fence: Fence) -> str:
    """Commit the leftover files in the name of the run's session. Return the problem, or an empty string. (S4)"""
    paths = context.repo.uncommitted(ref)
    if not paths:
        return ""
    if problem := _too_much(paths, context.repo.additions(ref), yardstick):
        return problem
    trailers = [("Task", str(run.task)), ("Foureyes-Session", str(run.session))]
    message = f"{yardstick.task.title}\n\nWhat {run.profile} left uncommitted at the end of {run.id}."
    try:
        context.workshop.commit_all(message, trailers, worktree_of=run.task, fence=fence)
    except GitProblem as refusal:
        return refusal.message
    return ""


def _too_much(paths: list[str], additions: Additions, yardstick: Yardstick) -> str:
    """Return why a runner must not commit these files: too many, too large, likely secrets, or files copied in by
    work.copy. (S4)
    """
    secret = sorted(path for path in additions.new if is_likely_secret(path))
    if secret:
        names = some(secret, PATHS_SHOWN)
        if len(secret) == 1:
            return f"{names} looks like a secret and was not committed: add it to .gitignore, or remove it"
        return f"{names} look like secrets and were not committed: add them to .gitignore, or remove them"
    if copied := matching(sorted(additions.new), yardstick.copies):
        was, them = ("was", "it") if len(copied) == 1 else ("were", "them")
        return f"{some(copied, PATHS_SHOWN)} {was} copied here (work.copy) and not committed: add {them} to .gitignore"
    if len(paths) > COMMIT_MAX_FILES:
        return (
            f"{len(paths)} files are not committed, and a runner commits at most {COMMIT_MAX_FILES}: "
            f"{some(sorted(paths), PATHS_SHOWN)}"
        )
    added = {**additions.grown, **additions.new}
    size = sum(added.values())
    if size > COMMIT_MAX_MB * MIB:
        large = sorted(added, key=lambda path: -added[path])
        return (
            f"{size // MIB} MB are not committed, and a runner commits at most {COMMIT_MAX_MB} MB: "
            f"{some(large, PATHS_SHOWN)}"
        )
    return ""
