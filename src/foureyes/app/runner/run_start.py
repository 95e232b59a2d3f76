"""Start of a run: reservation, worktree, reaper, token, program, in this order. If one step fails, all are undone. (I2,
J4, K1)
"""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

import msgspec

from foureyes.app.agent_ports import Launch
from foureyes.app.review.prompts import Prompts
from foureyes.app.runner.leases import live_runs
from foureyes.app.runner.live_runs import CurrentRun
from foureyes.app.runner.profiles import cools_until
from foureyes.app.runner.review_runs import clarify_prompt, drop_files, review_files, review_prompt
from foureyes.app.runner.rows import PastRow
from foureyes.app.runner.runs import Runs
from foureyes.app.target import current_target
from foureyes.app.work.worktrees import make_worktree
from foureyes.config.effective_policy import agent_profiles
from foureyes.core.documents.answer import answer_schema
from foureyes.core.nouns.run import ASKED, ROLE_FOR, RunOutcome
from foureyes.core.words.ids import token_hash
from foureyes.core.words.text import one_line
from foureyes.core.words.untrusted_text import fenced
from foureyes.errors import AgentMissing, AgentUnavailable, FoureyesError, LostClaim, Refused

if TYPE_CHECKING:
    from foureyes.app.agent_ports import LiveRun, LocalAgents
    from foureyes.app.context import Context
    from foureyes.core.nouns.run import ErrorKind, Run, RunEnding
    from foureyes.core.nouns.session import Actor
    from foureyes.core.rules.policy import Profile
    from foureyes.core.runner.steps import StartRun
    from foureyes.core.words.ids import Sha


# ---- Start of a run ----


class Overdrawn(Refused):
    """Raised if another runner on this host took the last slot first."""


class Unstarted(Exception):
    """Raised if a run did not start. It has ended and its reason is recorded."""


def start(context: Context, runner: Actor, agents: LocalAgents, step: StartRun, heard: Sha | None = None) -> CurrentRun:
    """Start a run, or raise Unstarted. (Q6)

    A failed run ends as `unstarted` and leaves nothing behind. `heard` is the remote's target head if it was fetched
    for this run.
    """
    runs = Runs(context)
    run = runs.reserve(
        runner,
        step.task,
        profile=step.profile,
        purpose=step.purpose,
        resumes=step.resumes,
        cycle=step.cycle,
        early_review=step.early_review,
    )
    live: LiveRun | None = None
    try:
        profile = _profile(context, run)
        _refuse_overdrawn(context, run, profile)
        place = _place(context, runner, agents, run, step, heard)
        secret = f"fe-{context.ids.number():032x}"
        live = agents.prepare(_launch(run, step, profile, place, secret))
        bound = runs.bind(
            runner,
            run.id,
            secret=secret,
            process=live.process,
            program=live.program,
            digest=live.digest,
            worktree=place.path,
            target=current_target(context, asks=False, heard=heard).at,
        )
        assert bound.session is not None
        if run.purpose not in ASKED:
            make_worktree(  # commits name the session that makes them (A1)
                context, run.task, bound.session, asks=False, heard=heard
            )
        if not runs.holds(runner, run.id):  # after a slow start another runner may have it, with its agent at work
            raise LostClaim(f"{run.id} was taken over before it started.")
        live.go()
    except (FoureyesError, OSError) as problem:
        _undo(context, runner, agents, run, live, problem)
        raise Unstarted(str(problem)) from problem
    return CurrentRun(run=bound, live=live, notes=place.notes, token=token_hash(secret))


class RunPlace(msgspec.Struct, frozen=True, kw_only=True):
    """Folder and prompt of a run."""

    path: str
    prompt: str
    schema: str = ""
    notes: tuple[str, ...] = ()


def _place(
    context: Context, runner: Actor, agents: LocalAgents, run: Run, step: StartRun, heard: Sha | None
) -> RunPlace:
    """Return the task's worktree, or a separate checkout for a reviewer. (V2)"""
    if run.purpose == "review":
        files = review_files(context, runner, agents, run)
        return RunPlace(
            path=files.path, prompt=review_prompt(context, runner, run, step, files), schema=answer_schema()
        )
    made = make_worktree(context, run.task, runner.session, asks=False, heard=heard)
    if run.purpose == "clarify":
        return RunPlace(path=made.path, prompt=clarify_prompt(context, runner, run, step))
    return RunPlace(path=made.path, prompt=prompt_for(context, runner, step), notes=made.notes)


def is_full(problem: BaseException | None) -> bool:
    """Return True if the cause is a full disk. (X3)"""
    while problem is not None:
        if isinstance(problem, OSError) and problem.errno in (errno.ENOSPC, errno.EDQUOT):
            return True
        problem = problem.__cause__
    return False


def _profile(context: Context, run: Run) -> Profile:
    with context.store.read() as tx:
        profile = agent_profiles(context.layers(tx, context.gate)).get(run.profile)
    if profile is None:
        raise AgentUnavailable(f"there is no agent profile {run.profile} any more.")
    return profile


def _refuse_overdrawn(context: Context, run: Run, profile: Profile) -> None:
    """Refuse the run if the host's runners together exceed the profile's slots. The later reservation is refused."""
    with context.store.read() as tx:
        before = [row.id for row in live_runs(tx, run.host) if row.profile == run.profile]
    if run.id not in before:
        raise LostClaim(f"{run.id} was taken over before it started.")
    if before.index(run.id) >= profile.slots:
        raise Overdrawn(f"all slots of {run.profile} are in use.")


def _launch(run: Run, step: StartRun, profile: Profile, place: RunPlace, secret: str) -> Launch:
    return Launch(
        run=run.id,
        profile_name=run.profile,
        profile=profile,
        role=run.role,
        purpose=run.purpose,
        worktree=place.path,
        prompt=place.prompt,
        schema=place.schema,
        token=secret,
        task=run.task,
        iteration=run.iteration + 1,
        resumes=step.resumes,
    )


def _undo(
    context: Context, runner: Actor, agents: LocalAgents, run: Run, live: LiveRun | None, problem: Exception
) -> None:
    """Undo a failed start, with process, claim and reservation. Only a missing program puts its profile on cooldown."""
    if live is not None:
        live.stop("it did not start")
    drop_files(agents, run)
    missing = isinstance(problem, AgentMissing)
    error: ErrorKind = "missing" if missing else "crash"
    text = problem.message if isinstance(problem, FoureyesError) else str(problem)
    runs = Runs(context)
    if not runs.holds(runner, run.id):
        return
    if run.purpose not in ASKED:
        runs.release(runner, run.id, how="cancelled", reason=text)
    ending: RunEnding = "stopped" if isinstance(problem, Overdrawn) or is_full(problem) else "unstarted"
    runs.end(runner, run.id, RunOutcome(ended=False, error=error, error_text=text), ending=ending)
    if missing:
        runs.cool(runner, run.profile, until=cools_until(context, error, None), error=error, error_text=text)


# ---- Prompts (S1) ----

FAILURE_LENGTH = 2_000

ENDING = """
## How your run ends

No person is at the terminal, so no one answers questions. Commit your work on the branch that is checked out here,
and stay on that branch. When you are finished, end your last message with one line of JSON, outside any code block,
that says how it ended:

{{"type": "signal", "signal": "DONE", "message": "what you did, for the reviewer"}}

DONE: the task is done and everything is committed. NEEDS_REVIEW: it should be reviewed before you continue. BLOCKED:
you cannot continue without a person, and the message says what is missing. FAILED: it did not work. Instead of that line
you can type `fe agent signal DONE -m "…"`, or submit yourself: `fe submit {task} -m "…"`.

To report something while you work, put such a line into a message, or type `fe agent emit`. The types are milestone,
blocker, request_review, progress and question:

{{"type": "milestone", "summary": "the parser reads every sample"}}
"""
LEADING = """
## How your run ends

Decide with exactly one of the commands above. No one answers questions. Without a decision, a person decides.
"""
ASKING = """Your last run on {task} ended without a signal. Is the work done?

Check what you have committed and what is left to do. If something is missing, do it now and commit it.
"""
FAILING = """
## The run before this one

An earlier run on this task failed. Its commits are on this branch. How it ended:

{how}

Do not repeat what did not work. Read the branch first, then continue from there.
"""


def prompt_for(context: Context, runner: Actor, step: StartRun) -> str:
    """Return the prompt of a run. A resumed conversation gets only the new part."""
    ending = LEADING if step.purpose == "lead" else ENDING.format(task=step.task)
    if step.asks == "signal" and step.resumes:
        return ASKING.format(task=step.task) + ending
    before = _before(context, step) if step.asks == "failure" else ""
    if step.resumes and before:
        return before.lstrip() + ending
    return Prompts(context).make(runner, step.task, step.purpose).text + before + ending


def _before(context: Context, step: StartRun) -> str:
    """Return how the previous run ended, in its own words, fenced as data."""
    with context.store.read() as tx:
        past = tx.all("runner.past", PastRow, ids=[step.task])
    rows = [row for row in past if ROLE_FOR[row.purpose] == ROLE_FOR[step.purpose]]
    if not rows:
        return ""
    last = rows[-1]
    how = last.error_text or last.message or last.final or _in_words(last)
    return FAILING.format(how=fenced(one_line(how, FAILURE_LENGTH)))


def _in_words(row: PastRow) -> str:
    if row.ending == "finished":
        return "it signalled DONE, but nothing had changed"
    return {"timeout": "it took too long", "lost": "it was cut off", "stopped": "it was stopped"}.get(
        row.ending, "it failed without a message"
    )
