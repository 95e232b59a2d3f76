"""Runs: agent programs that work on tasks, their runners, and their messages. (S, J4)

A runner begins, reserves a task, binds a token to the process above the program, renews, submits the work and ends the
run. It is a service, so it decides nothing and is no author (I7). The lease row decides: a runner that lost its lease
is refused and must stop its agents before anything else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec.structs import replace

from foureyes.app.context import IdRow, Work, needed, permit, refuse_task
from foureyes.app.outcome import outcome
from foureyes.app.results.run import BlockedWork, Cooldown, PauseView, StuckView, once
from foureyes.app.results.task_list import Outcome
from foureyes.app.runner.leases import (
    bury,
    event_of_end,
    fence_above,
    get,
    held_runs,
    live_runs,
    refuse_taken,
    runner_views,
    silence,
    stop_targets,
    until,
    with_last_reason,
)
from foureyes.app.runner_registry import check_runner
from foureyes.core import events as e
from foureyes.core.nouns.run import EMIT_TYPES, ROLE_FOR, SIGNALS, EmitType, Run, RunId, Signal
from foureyes.core.nouns.session import Actor, is_oneself
from foureyes.core.words.text import clean_text, is_blank, spaced, visible
from foureyes.errors import BadInput, NotFound, Reason
from foureyes.steps import NO_STEP, Steps, blank, fe, phrase

if TYPE_CHECKING:
    from foureyes.app.context import Context
    from foureyes.app.results.attempt import SubmitOutcome
    from foureyes.app.results.run import Begun, RunnerView, Said
    from foureyes.core.nouns.run import ErrorKind, Purpose, RunEnding, RunOutcome, StuckKind
    from foureyes.core.nouns.task import Task
    from foureyes.core.runner.signals import Spoken
    from foureyes.core.words.ids import Sha
    from foureyes.core.words.lifecycle import RunEnd


TEXT = 2_000
"""Longest text kept from a program's last message."""
MOST_SAID = 200
AGENTS = 3
"""Number of parallel runs of a runner started with launch()."""


class Runs:
    """Runners, runs, signals and pauses."""

    def __init__(self, context: Context) -> None:
        self._context = context

    # Runners

    def begin(self, actor: Actor, *, agents: int, beacon: str = "") -> Begun:
        """Record a new runner, started by a person or by a service that the accepted policy names. (I5, J4)

        `agents` is its largest number of parallel runs, 0 if it only checks and merges. `beacon` is the lock it holds.
        """
        from foureyes.app.results.run import Begun
        from foureyes.app.runner import admission

        permit(actor, "run")
        with self._context.writing(actor, "run") as work:
            admission.refuse_stranger(self._context, work)
            lost = bury(self._context, work)
            runner, process = admission.runner_for(self._context, actor)
            event = e.RunnerStarted(
                session=runner.session,
                process=process,
                host=runner.host,
                agents=max(0, agents),
                until=until(self._context),
                beacon=beacon,
            )
            work.record("", event)
            admission.introduce(self._context, work, runner)
        return Begun(actor=runner, until=event.until, lost=lost)

    def launch(self, actor: Actor, *, agents: int = AGENTS) -> Outcome:
        """Start a runner in a separate process that outlives the caller. (I5)"""
        permit(actor, "run")
        number = self._context.outside.launch_runner(actor, agents)
        return Outcome(task="", status="", version=0, message=f"a runner is running, process {number}")

    def finish(self, runner: Actor, *, reason: str = "") -> None:
        """Record the end of a runner. Other runners can take over its remaining runs at once."""
        with self._context.writing(runner, "run") as work:
            check_runner(work.tx, runner)
            work.record("", e.RunnerEnded(session=runner.session, reason=spaced(reason, TEXT)))

    def runners(self) -> list[RunnerView]:
        """Return the live runners, and dead ones that left runs behind."""
        with self._context.store.read() as tx:
            return runner_views(self._context, tx)

    # A run and its lease

    def reserve(
        self,
        runner: Actor,
        task: str,
        *,
        profile: str,
        purpose: Purpose,
        resumes: str = "",
        cycle: str = "",
        early_review: int = 0,
    ) -> Run:
        """Reserve a task for a run of this runner, so that no other runner or session can start it. (J4)

        A review run for a `cycle` does not reserve the task.
        """
        from foureyes.app.runner import admission
        from foureyes.app.runner.admission import of_begin, why_not_begin

        with self._context.writing(runner, "run") as work:
            work.tx.ahead(*of_begin(task))
            me = check_runner(work.tx, runner)
            row = self._context.find(work.tx, task)
            admission.profile_named(self._context, work.tx, profile)
            if reasons := why_not_begin(self._context, work, row, purpose, asked=(cycle, profile)):
                refuse_task(row.id, "was not reserved", *reasons)
            event = e.RunReserved(
                run=admission.run_id(self._context),
                profile=profile,
                role=ROLE_FOR[purpose],
                purpose=purpose,
                runner=me.session,
                host=me.host,
                fence=1,
                until=until(self._context),
                iteration=row.iteration,
                resumes=resumes,
                cycle=cycle,
                early_review=early_review,
            )
            work.record(row.id, event)
            return get(work.tx, event.run)

    def bind(
        self,
        runner: Actor,
        run: RunId,
        *,
        secret: str,
        process: str,
        program: str,
        digest: str = "",
        worktree: str = "",
        target: Sha | None = None,
    ) -> Run:
        """Record the run's token, process and claim in one transaction. The caller may start the program only after
        this. `target` is the target's head at that time. (I2, K4)
        """
        from foureyes.app.runner import admission
        from foureyes.app.runner.admission import of_begin, why_not_begin

        with self._context.writing(self._leased(runner, run), "run") as work:
            row = get(work.tx, run)
            work.tx.ahead(*of_begin(row.task), ("session.count_agent", {"agent": row.profile}))
            task = self._context.get(work.tx, row.task)
            reasons = why_not_begin(self._context, work, task, row.purpose, own=row.id, asked=(row.cycle, row.profile))
            if row.state != "reserved" or reasons:
                refuse_task(task.id, f"was not given to {run}", *(reasons or [admission.not_reserved(row)]))
            issued = admission.token_for(self._context, work, row, secret, process)
            admission.give(work, row, task, issued, target)
            event = e.RunBound(
                run=run,
                session=issued.session,
                process=process,
                program=program,
                digest=digest,
                worktree=worktree,
                fence=row.fence,
            )
            work.record(task.id, event)
            return get(work.tx, run)

    def renew(self, runner: Actor, runs: Sequence[RunId], heard: Mapping[RunId, str] | None = None) -> list[RunId]:
        """Renew the leases of this runner and its runs, and return the runs it has lost. (J4, V1)

        Raise Refused if the runner was declared dead. `heard` has the last sign of life of each run.
        """
        from foureyes.app.runner import leases

        with self._context.writing(runner, "run") as work:
            me = check_runner(work.tx, runner)
            mine = held_runs(work.tx, me.session)
            held = [(run, mine[run]) for run in runs if run in mine]
            checks = leases.renewed(work.tx, me.session)
            work.tx.renew([(me.session, 0), *held, *checks], until(self._context))
            for run, fence in held:
                if heard and run in heard:
                    work.tx.renew([(f"heard:{run}", fence)], heard[run])
        return [run for run in runs if run not in mine]

    def holds(self, runner: Actor, run: RunId) -> bool:
        """Return True if this runner still holds the run. Check it before acting outside the store. (J4)"""
        with self._context.store.read() as tx:
            row = get(tx, run)
            return row.state != "ended" and row.runner == runner.session

    def take_over(self, runner: Actor, run: RunId) -> Run:
        """Take over a run whose runner is gone or whose lease has expired. Its token becomes void. (J4)"""
        with self._context.writing(runner, "run") as work:
            me = check_runner(work.tx, runner)
            row = get(work.tx, run)
            why = refuse_taken(self._context, work, row, me)
            event = e.RunTaken(
                run=run,
                runner=me.session,
                host=me.host,
                fence=fence_above(row),
                until=until(self._context),
                why=why,
            )
            work.record(row.task, event)
            silence(work, row, "its runner is gone")
            return get(work.tx, run)

    def end(self, runner: Actor, run: RunId, outcome: RunOutcome | None, *, ending: RunEnding) -> Run:
        """End a run and its token, once all its processes are gone. Its claim stays until it is submitted or released."""
        with self._context.writing(self._leased(runner, run), "run") as work:
            if (row := get(work.tx, run)).state != "ended":
                work.record(row.task, event_of_end(row, outcome, ending))
                silence(work, row, f"its run has ended: {ending}")
            return get(work.tx, run)

    def submit_work(
        self, runner: Actor, run: RunId, *, signal: str, message: str, commit: str | None = None
    ) -> SubmitOutcome:
        """Submit a run's work on behalf of its implementer. `commit` is the message for leftover files, which are committed
        without running programs of the tree. (T)
        """
        from foureyes.app.gate.submission import Wish, submit_work

        permit(runner, "run")
        with self._context.store.read() as tx:
            row = get(tx, run)
        leased = self._leased(runner, run)
        wish = Wish(task=row.task, message=spaced(message, TEXT), commit=commit, signal=signal, elsewhere=True)
        return submit_work(self._context, leased, wish, sends=False)

    def release(self, runner: Actor, run: RunId, *, how: RunEnd = "", reason: str = "") -> Outcome:
        """Release the claim of a run, or one that an earlier run left. A task whose agent is blocked then waits for a
        person. `how` counts the round for the loop. (T, L17)
        """
        from foureyes.app.runner.admission import left_by_a_run
        from foureyes.app.work.claims import release

        with self._context.writing(self._leased(runner, run), "run") as work:
            row = get(work.tx, run)
            task = self._context.get(work.tx, row.task)
            is_its_own = row.session is not None and task.implementer == row.session
            if task.status != "in_progress" or not (is_its_own or left_by_a_run(work.tx, task)):
                return outcome(task, f"{run} has no claim on {task.id}", changed=False)
            words = spaced(reason, TEXT)
            done = release(self._context, work, task, words, how)
            now = self._context.get(work.tx, task.id)
            if how == "blocked" and not now.waiting_for:
                work.record(task.id, e.TaskBlocked(reason=words or "the agent says that it is blocked"))
                done = outcome(self._context.get(work.tx, task.id), f"{task.id} is blocked: {words}")
            return done

    def ask_stop(self, actor: Actor, what: str, *, reason: str = "") -> list[Run]:
        """Ask to stop one run, or all runs of a task. Their runner stops them and keeps the work. (V9)

        A request by a person also pauses the task until `fe resume`.
        """
        from foureyes.app.runner import admission

        reason = clean_text(reason, "the reason")
        with self._context.writing(actor, "pause --now") as work:
            admission.refuse_other_service(work)
            rows = stop_targets(self._context, work.tx, what)
            for row in rows:
                if not row.stop_asked:
                    work.record(row.task, e.RunStopAsked(run=row.id, reason=reason))
            if actor.kind == "human":
                for task in dict.fromkeys(row.task for row in rows):
                    work.record(task, e.RunsPaused(reason=reason or "a person stopped its run"))
            return [get(work.tx, row.id) for row in rows]

    # Messages of agents

    def signal(self, actor: Actor, signal: str, *, message: str = "", task: str = "") -> Outcome:
        """Record an agent's signal that its run is over. (S1)"""
        from foureyes.app.runner import runs

        named, message = runs.signal_named(signal), clean_text(message, "the message")
        with self._context.writing(actor, "agent signal") as work:
            row, run = runs.speaks_of(self._context, work, task)
            work.record(row.id, e.Signalled(signal=named, message=message, run=run.id if run else None))
            step = runs.after_signal(named, row.id, by_run=run is not None)
            return outcome(self._context.get(work.tx, row.id), f"{row.id}: {named}", step)

    def emit(self, actor: Actor, type: str, summary: str, *, payload: str = "", task: str = "") -> Outcome:
        """Record a message that an agent sends during its work. (S3)"""
        from foureyes.app.runner import runs

        named, summary = runs.type_named(type), runs.clean_summary(summary)
        payload = runs.clean_payload(payload)
        with self._context.writing(actor, "agent emit") as work:
            row, run = runs.speaks_of(self._context, work, task)
            work.record(row.id, e.Emitted(type=named, summary=summary, payload=payload, run=run.id if run else None))
            done = outcome(self._context.get(work.tx, row.id), f"{row.id}: recorded {named}")
        return done if run is not None else runs.with_reviewers(self._context, actor, done, named, summary)

    def heard(self, runner: Actor, run: RunId, spoken: Spoken) -> None:
        """Record an event from the run's output as its own. (S3)"""
        event = e.Emitted(type=spoken.type, summary=spoken.summary, payload=spoken.payload, run=run)
        self._speak(runner, run, event)

    def signalled(self, runner: Actor, run: RunId, signal: Signal, message: str) -> None:
        """Record the signal of an ended program before its work is submitted, so that another runner can submit it.
        (S1, J4)
        """
        self._speak(runner, run, e.Signalled(signal=signal, message=spaced(message, TEXT), run=run))

    def _speak(self, runner: Actor, run: RunId, event: e.Emitted | e.Signalled) -> None:
        from foureyes.app.runner import runs

        with self._context.writing(self._leased(runner, run), "run") as work:
            runs.speak(self._context, work, get(work.tx, run), event)

    def said(self, *, after: int = 0, limit: int = MOST_SAID) -> list[Said]:
        """Return agent messages after a journal row, oldest first."""
        from foureyes.app.results.run import Said

        with self._context.store.read() as tx:
            return tx.all("run.said", Said, after=after, limit=limit)

    # Pauses and escalations

    def pause(self, actor: Actor, task: str | None, *, reason: str) -> Outcome:
        """Pause a task, or the project if `task` is None. No new run starts until a person resumes it. Current runs
        finish. (V9)
        """
        reason = needed(reason, "pause", task or "--project")
        with self._context.writing(actor, "pause") as work:
            if task is None:
                work.record("", e.RunsPaused(reason=reason))
                return Outcome(task="", status="paused", version=0, message=f"paused, so no new run starts: {reason}")
            row = self._context.find(work.tx, task)
            work.record(row.id, e.RunsPaused(reason=reason))
            return outcome(row, f"paused {row.id}, so no new runs of its tasks start: {reason}")

    def stuck(self, runner: Actor, task: str, *, kind: StuckKind, why: str) -> str:
        """Escalate a task to a person and return the reason, including the failure of its last run."""
        with self._context.writing(runner, "run") as work:
            check_runner(work.tx, runner)
            row = self._context.find(work.tx, task)
            words = spaced(with_last_reason(work.tx, row.id, kind, why), TEXT)
            work.record(row.id, e.RunStuck(kind=kind, why=words))
            return words

    def blocked_work(self) -> BlockedWork:
        """Return the pauses and the tasks that wait for a person."""
        with self._context.store.read() as tx:
            return BlockedWork(pauses=once(tx.all("run.pauses", PauseView)), stuck=tx.all("run.stuck", StuckView))

    # Profiles

    def cool(self, runner: Actor, profile: str, *, until: str, error: ErrorKind, error_text: str = "") -> None:
        """Skip a profile on this runner's host until the given time, or until it works again if that is empty."""
        with self._context.writing(runner, "run") as work:
            me = check_runner(work.tx, runner)
            text = spaced(error_text, TEXT)
            work.record("", e.ProfileCooled(profile=profile, host=me.host, until=until, error=error, error_text=text))

    def warm(self, actor: Actor, profile: str, *, host: str = "", reason: str = "") -> bool:
        """End the cooldown of a profile. Return True if it had one."""
        from foureyes.app.runner import admission

        with self._context.writing(actor, "run") as work:
            admission.refuse_other_service(work)
            where = host or actor.host
            if not any(row.profile == profile for row in work.tx.all("run.cooled", Cooldown, host=where)):
                return False
            work.record("", e.ProfileWarmed(profile=profile, host=where, reason=spaced(reason, TEXT)))
            return True

    def cooled(self, host: str = "") -> list[Cooldown]:
        """Return the profiles on cooldown, on one host or all."""
        with self._context.store.read() as tx:
            return tx.all("run.cooled", Cooldown, host=host)

    # Reading

    def live(self, host: str = "") -> list[Run]:
        """Return the live runs, oldest first, of one host or all."""
        with self._context.store.read() as tx:
            return live_runs(tx, host)

    def of_task(self, task: str, *, limit: int = 20) -> list[Run]:
        """Return the runs of a task, latest first."""
        with self._context.store.read() as tx:
            return tx.all("run.of_task", Run, task=self._context.find_id(tx, task), limit=limit)

    def _leased(self, runner: Actor, run: RunId) -> Actor:
        """Return the runner with its lease of a run. Each write checks the lease again."""
        with self._context.store.read() as tx:
            return replace(runner, lease=(run, get(tx, run).fence))


T = TypeVar("T", Signal, EmitType)
SUMMARY_LIMIT = 500
PAYLOAD_LIMIT = 20_000


def signal_named(text: str) -> Signal:
    """Return the typed signal, or raise BadInput. (S1)"""
    return _named(text.strip().upper().replace("-", "_"), SIGNALS, "signal", text, fe("agent", "signal", "DONE"))


def type_named(text: str) -> EmitType:
    """Return the typed event type, or raise BadInput. (S3)"""
    typed = text.strip().lower().replace("-", "_")
    return _named(typed, EMIT_TYPES, "event", text, fe("agent", "emit", "progress", phrase("what happened")))


def _named(word: str, known: tuple[T, ...], what: str, text: str, step: Steps) -> T:
    found = next((each for each in known if each == word), None)
    if found is None:
        raise BadInput(f"there is no {what} {visible(text)[:40]!r}. Allowed: {', '.join(known)}.", next_step=step)
    return found


def clean_summary(text: str) -> str:
    """Return the cleaned summary of an event, or raise BadInput if it is blank or too long. (S3)"""
    summary = " ".join(clean_text(text, "the summary").split())
    again = fe("agent", "emit", blank("TYPE"), phrase("what happened"))
    if is_blank(summary):
        raise BadInput("an event needs a summary of what happened.", next_step=again)
    if len(summary) > SUMMARY_LIMIT:
        raise BadInput(
            f"the summary has {len(summary):,} characters, but at most {SUMMARY_LIMIT} are allowed.", next_step=again
        )
    return summary


def clean_payload(text: str) -> str:
    """Return the payload of an event: a JSON object as text, or an empty string. (S3)"""
    text = text.strip()
    if not text:
        return ""
    if len(text) > PAYLOAD_LIMIT:
        raise BadInput(f"the payload has {len(text):,} characters; at most {PAYLOAD_LIMIT:,} are allowed.")
    try:
        payload = msgspec.json.decode(text.encode())
    except (msgspec.DecodeError, UnicodeEncodeError):
        raise BadInput("the payload is not JSON.") from None
    if not isinstance(payload, dict):
        raise BadInput("the payload must be a JSON object.")
    return clean_text(text, "the payload")


def speaks_of(context: Context, work: Work, task: str) -> tuple[Task, Run | None]:
    """Return the task that the caller reports about, and its run if it has a token. Without one, the caller must be the
    session that works on the task.
    """
    actor = work.actor
    row = context.find(work.tx, task or actor.task or _only_claim(work))
    if actor.role is not None:
        return row, work.tx.one("run.of_session", Run, session=actor.session)
    me = context.party(work.tx, actor)
    if row.implementer is None or row.status != "in_progress" or not _is_its_own(context, work, row, me.session):
        why = f"only the session that works on {row.id} can report progress on it"
        refuse_task(row.id, "was not changed", Reason("S1", why, fe("log", row.id, phrase("what you know"))))
    return row, None


def _is_its_own(context: Context, work: Work, task: Task, session: str) -> bool:
    if task.implementer == session:
        return True
    from foureyes.app.facts import facts_of

    assert task.implementer is not None
    facts = facts_of(context, work.tx, task.id)
    return is_oneself(context.party(work.tx, work.actor), facts.party(task.implementer))


def _only_claim(work: Work) -> str:
    """Return the only task that this session has started, or raise NotFound."""
    tasks = [claim.id for claim in work.tx.all("session.claims", IdRow, session=work.actor.session)]
    if len(tasks) == 1:
        return tasks[0]
    several = f"you work on several tasks: {', '.join(tasks)}." if tasks else "you have started no task."
    raise NotFound(several, next_step=fe("list", "--mine"))


def speak(context: Context, work: Work, run: Run, event: e.Emitted | e.Signalled) -> None:
    """Record an event from a run's stream in the name of its session. (S1, S3)"""
    if run.session is None or run.state != "running":
        return
    speaker = Actor(
        session=run.session,
        kind="agent",
        trust="issued",
        agent=run.profile,
        host=run.host,
        role=run.role,
        task=run.task,
    )
    Work(work.tx, speaker, work.at, context.store.project).record(run.task, event)


def after_signal(signal: Signal, task: str, *, by_run: bool) -> Steps:
    """Return the next step for a caller without a runner. (S1, S2)"""
    if by_run:
        return NO_STEP
    if signal in ("DONE", "NEEDS_REVIEW"):
        return fe("submit", task, *(() if signal == "DONE" else ("--signal", signal)))
    if signal == "BLOCKED":
        return fe("block", task, "-m", phrase("what it waits for"))
    return fe("unstart", task, "-m", phrase("why it failed"))


def with_reviewers(context: Context, actor: Actor, done: Outcome, type_: EmitType, summary: str) -> Outcome:
    """Open a peer review for an agent without a runner, if its event opens one and the policy wants peers. (V1)"""
    from foureyes.core.cycle.decision import trigger_of

    trigger = trigger_of(type_)
    if trigger is None:
        return done
    from foureyes.app.review.cycle_verbs import triggered

    note = triggered(context, actor, done.task, trigger, summary)
    return msgspec.structs.replace(done, notes=(*done.notes, note)) if note else done
