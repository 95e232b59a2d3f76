"""The start of a run: reservation, worktree, reaper, token, program, in this order; or none of it (I2, J4, K1)."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

import msgspec

from foureyes.app.agent_ports import Launch
from foureyes.app.call.told_target import told_target
from foureyes.app.run.clarifying import clarify_prompt
from foureyes.app.run.in_hand import InHand
from foureyes.app.run.leases import live_runs
from foureyes.app.run.profiles import cools_until
from foureyes.app.run.prompting import prompt_for
from foureyes.app.run.reviewing import drop_files, review_files, review_prompt
from foureyes.app.run.runs import Runs
from foureyes.app.work.worktrees import make_worktree
from foureyes.config.policy import agent_profiles
from foureyes.core.documents.answer_schema import answer_schema
from foureyes.core.nouns.run import ASKED, RunOutcome
from foureyes.core.words.ids import token_hash
from foureyes.errors import AgentMissing, AgentUnavailable, FoureyesError, LostClaim, Refused

if TYPE_CHECKING:
    from foureyes.app.agent_ports import LiveRun, LocalAgents
    from foureyes.app.call.context import Context
    from foureyes.core.nouns.run import ErrorKind, Run, RunEnding
    from foureyes.core.nouns.session import Actor
    from foureyes.core.rules.policy import Profile
    from foureyes.core.run.step import StartRun
    from foureyes.core.words.ids import Sha


class Overdrawn(Refused):
    """Another runner of this host was sooner; nobody is to blame."""


class Unstarted(Exception):
    """A run did not begin; it is over again, and why is on record."""


def start(context: Context, runner: Actor, agents: LocalAgents, step: StartRun, heard: Sha | None = None) -> InHand:
    """Begin a run. Where anything fails after the reservation, the run ends as `unstarted` and leaves nothing. `heard`:
    where the remote has the target, if it was asked for this run (Q6).
    """
    runs = Runs(context)
    run = runs.reserve(
        runner,
        step.task,
        profile=step.profile,
        purpose=step.purpose,
        resumes=step.resumes,
        cycle=step.cycle,
        look=step.look,
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
            target=told_target(context, asks=False, heard=heard).at,
        )
        assert bound.session is not None
        if run.purpose not in ASKED:
            make_worktree(  # its commits name the session that makes them (A1)
                context, run.task, bound.session, asks=False, heard=heard
            )
        if not runs.holds(runner, run.id):  # it took so long that another runner has it by now: its agent is at work
            raise LostClaim(f"{run.id} was taken over before it began.")
        live.go()
    except (FoureyesError, OSError) as problem:
        _undo(context, runner, agents, run, live, problem)
        raise Unstarted(str(problem)) from problem
    return InHand(run=bound, live=live, notes=place.notes, token=token_hash(secret))


class RunPlace(msgspec.Struct, frozen=True, kw_only=True):
    """Where a run works, and what it is told."""

    path: str
    prompt: str
    schema: str = ""
    notes: tuple[str, ...] = ()


def _place(
    context: Context, runner: Actor, agents: LocalAgents, run: Run, step: StartRun, heard: Sha | None
) -> RunPlace:
    """The task's worktree; who reviews has files of its own (V2)."""
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
    """X3: whether a disk took nothing more; nobody's work is to blame."""
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
    """Slots of a host are shared by its runners: of two that reserve at once the later one gives way."""
    with context.store.read() as tx:
        before = [row.id for row in live_runs(tx, run.host) if row.profile == run.profile]
    if run.id not in before:
        raise LostClaim(f"{run.id} was taken over before it began.")
    if before.index(run.id) >= profile.slots:
        raise Overdrawn(f"every slot of {run.profile} is taken.")


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
    """Nothing stays of a run that did not begin: no process, no claim, no reservation. Only a program that is not there
    at all keeps its profile from other tasks.
    """
    if live is not None:
        live.stop("it did not begin")
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
