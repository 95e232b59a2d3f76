"""Plans drafted by an agent: a run of role *plan* reads the project and answers with a plan file. (I2, M7)

A person reads and imports that file. Foureyes imports nothing by itself.
"""

from __future__ import annotations

import selectors
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING

from msgspec.structs import replace

from foureyes.app.agent_ports import Launch
from foureyes.app.results.run import Cooldown
from foureyes.app.results.task import Drafted
from foureyes.app.results.task_list import ListQuery, TaskRow
from foureyes.app.review.closing import Closing
from foureyes.app.runner.profiles import order_of
from foureyes.app.runner.runs import Runs
from foureyes.app.tasks.plans import Plans
from foureyes.app.tasks.tasks import Tasks
from foureyes.app.work.remote_attempts import begin_at
from foureyes.config.effective_policy import agent_profiles, listed_profiles
from foureyes.core.documents.plan import in_order, read_plan
from foureyes.core.documents.plan_draft import plan_in, planning_prompt, retrying_prompt
from foureyes.core.nouns.run import RunOutcome
from foureyes.core.runner.plan import how_it_failed
from foureyes.core.words.text import one_line
from foureyes.errors import AgentUnavailable, BadInput, FoureyesError, GitProblem, NotFound
from foureyes.steps import blank, fe, prose

if TYPE_CHECKING:
    from foureyes.app.agent_ports import LiveRun, LocalAgents
    from foureyes.app.context import Context
    from foureyes.core.nouns.run import Run, RunEnding
    from foureyes.core.nouns.session import Actor
    from foureyes.core.rules.policy import Profile
    from foureyes.core.words.ids import TaskId


RENEW_SECONDS = 20.0
TITLE = 100
KNOWN = 50
"""Maximum number of open tasks listed in the prompt."""
ERROR_LENGTH = 500


class Planning:
    """Drafting of plans by agents."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def draft(self, actor: Actor, goal: str, *, profile: str = "") -> Drafted:
        """Draft a plan for a goal, given in words or as a task, and store it as a file. An unreadable answer is retried
        once. Refuse below an agent. (I5)
        """
        runs = Runs(self._context)
        runner = runs.begin(actor, agents=1).actor
        why, made = "it failed", False
        try:
            self._profile(runner, self._context.outside.agents(), profile)
            task, made = self._goal(actor, goal)
            drafted = self._drafted(actor, runner, task, profile)
            why, made = "the plan is drafted", False
            return drafted
        finally:
            if made:  # a goal without a plan is cancelled
                with suppress(FoureyesError):
                    Closing(self._context).cancel(actor, task, reason="no plan was drafted")
            runs.finish(runner, reason=why)

    def _goal(self, actor: Actor, goal: str) -> tuple[TaskId, bool]:
        """Return the goal's task, and True if it was created here."""
        words = goal.strip()
        if not words:
            raise BadInput("a plan needs a goal.", next_step=fe("plan", "draft", blank("GOAL")))
        if len(words.split()) == 1:
            try:
                with self._context.store.read() as tx:
                    return self._context.find_id(tx, words), False
            except NotFound:
                pass
        title = one_line(words, TITLE)
        description = words if title != words else ""
        made = Tasks(self._context).create(actor, f"Goal: {title}", description=description, type="epic")
        with self._context.store.read() as tx:
            return self._context.find_id(tx, made.task), True

    def _drafted(self, actor: Actor, runner: Actor, task: TaskId, profile: str) -> Drafted:
        agents = self._context.outside.agents()
        name, chosen = self._profile(runner, agents, profile)
        prompt, draft = self._prompt(task), Drafted(task=task, profile=name)
        for _ in range(2):
            outcome = _Run(self._context, runner, agents, name, chosen).to_its_end(task, prompt)
            if not outcome.succeeded:
                raise AgentUnavailable(f"{name}: {how_it_failed(outcome)}", next_step=fe("agent", "list"), task=task)
            draft = self._read(actor, draft, plan_in(outcome.answer or outcome.final))
            if not draft.problem:
                break
            prompt = retrying_prompt(draft.problem, self._prompt(task))
        if not draft.text:
            see = fe("logs", task, before="to see its output: ")
            raise BadInput(f"the plan of {name} could not be read: {draft.problem}", next_step=see, task=task)
        path = self._context.outside.keep_plan(task, draft.text)
        step = fe("plan", "import", path, "--parent", task, before="read it, change it if needed, then: ")
        return replace(draft, file=path, next=step)

    def _read(self, actor: Actor, draft: Drafted, text: str) -> Drafted:
        """Return the draft with a preview of its import. `text` is empty if the answer is not a plan."""
        name = f"{draft.task}.md"
        try:
            in_order(read_plan(text, name))
        except FoureyesError as refusal:
            return replace(draft, text="", problem=_reasons(refusal))
        try:
            rows = Plans(self._context).preview(actor, text, name, parent=draft.task)
        except FoureyesError as refusal:
            return replace(draft, text=text, problem=_reasons(refusal))
        return replace(draft, text=text, rows=tuple(rows), problem="")

    def _prompt(self, task: TaskId) -> str:
        with self._context.store.read() as tx:
            row = self._context.get(tx, task)
            rows = tx.tasks(ListQuery(live=True, limit=KNOWN), TaskRow)
        goal = "\n\n".join(filter(None, (row.title, row.description, row.acceptance)))
        return planning_prompt(goal, [f"{each.id}: {each.title}" for each in rows if each.id != task])

    def _profile(self, runner: Actor, agents: LocalAgents, wanted: str) -> tuple[str, Profile]:
        """Return the first planning profile that can be used: the one the caller named, or else lead, senior,
        developer, then the rest.
        """
        with self._context.store.read() as tx:
            policy = self._context.gate_policy(tx)
            layers = self._context.layers(tx, self._context.gate)
            profiles = agent_profiles(layers)
            cooled = tx.all("run.cooled", Cooldown, host=runner.host)
        tiers = policy.tiers
        names = (
            [wanted]
            if wanted
            else [tiers.lead, tiers.senior, tiers.developer, *order_of(policy, listed_profiles(layers))]
        )
        known = [name for name in dict.fromkeys(names) if name in profiles]
        if not known:
            raise BadInput(
                f"there is no agent profile {wanted or tiers.developer!r}.",
                next_step=prose(f"one of: {', '.join(sorted(profiles))}"),
            )
        resting = {row.profile: row.error_text for row in cooled if row.holds(self._context.now()) and not wanted}
        problems = {name: agents.available(name, profiles[name]).problem or resting.get(name, "") for name in known}
        usable = next((name for name in known if not problems[name]), None)
        if usable is None:
            why = "; ".join(f"{name}: {problem}" for name, problem in problems.items())
            raise AgentUnavailable(f"no agent can plan: {why}", next_step=fe("agent", "list"))
        return usable, profiles[usable]


class _Run:
    """A run of role plan, from its reservation to the end of its last process."""

    def __init__(self, context: Context, runner: Actor, agents: LocalAgents, name: str, profile: Profile) -> None:
        self._context, self._runner, self._agents = context, runner, agents
        self._name, self._profile = name, profile
        self._runs = Runs(context)

    def to_its_end(self, task: TaskId, prompt: str) -> RunOutcome:
        run = self._runs.reserve(self._runner, task, profile=self._name, purpose="plan")
        outcome: RunOutcome | None = None
        live: LiveRun | None = None
        ending: RunEnding = "unstarted"
        try:
            live = self._prepared(run, prompt)
            live.go()
            outcome = self._watched(run, live)
            ending = "finished" if outcome.succeeded else "timeout" if outcome.timed_out else "failed"
            return outcome
        except BaseException as problem:
            ending = "stopped" if live is not None else "unstarted"
            outcome = RunOutcome(ended=False, error_text=one_line(str(problem), ERROR_LENGTH))
            raise
        finally:
            self._over(run, live, outcome, ending)

    def _prepared(self, run: Run, prompt: str) -> LiveRun:
        secret = f"fe-{self._context.ids.number():032x}"
        place = self._agents.checkout(run.id, self._files, {})
        live = self._agents.prepare(
            Launch(
                run=run.id, profile_name=self._name, profile=self._profile, role="plan", purpose="plan",
                worktree=place.path, prompt=prompt, token=secret, task=run.task,
            )
        )  # fmt: skip
        try:
            self._runs.bind(
                self._runner, run.id, secret=secret, process=live.process, program=live.program, digest=live.digest,
                worktree=place.path,
            )  # fmt: skip
        except BaseException:
            live.stop("it did not begin")
            raise
        return live

    def _files(self, path: str) -> dict[str, str]:
        """Export the target's files without git metadata."""
        with self._context.store.read() as tx:
            target = self._context.project(tx).target
        head, _ = begin_at(self._context)
        if head is None:
            raise GitProblem(f"the target branch {target} has no commit yet")
        self._context.workshop.export(head, path)
        return {}

    def _watched(self, run: Run, live: LiveRun) -> RunOutcome:
        renewed = monotonic()
        while (outcome := live.poll()) is None:
            if monotonic() - renewed > RENEW_SECONDS:
                self._runs.renew(self._runner, [run.id])
                renewed = monotonic()
            with selectors.DefaultSelector() as selector:
                if live.fileno() >= 0:
                    selector.register(live.fileno(), selectors.EVENT_READ)
                selector.select(min(live.due_seconds(), 1.0))
        return outcome

    def _over(self, run: Run, live: LiveRun | None, outcome: RunOutcome | None, ending: RunEnding) -> None:
        """Stop all processes of the run, drop its checkout and record its end."""
        if live is not None and ending == "stopped":
            live.stop("it was stopped")
            end = monotonic() + RENEW_SECONDS
            while live.poll() is None and monotonic() < end:
                with selectors.DefaultSelector() as selector:
                    selector.select(0.05)
        if live is not None:
            self._agents.end_left([live.process], [run.id])
        self._agents.drop_checkout(run.id)
        self._runs.end(self._runner, run.id, replace(outcome, answer="") if outcome else None, ending=ending)


def _reasons(problem: FoureyesError) -> str:
    return "; ".join([problem.message, *[reason.message for reason in problem.reasons]])
