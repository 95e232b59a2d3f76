"""Attention: everything that only a person can resolve (E6), newest first, with reasons and choices.

A few queries find all items. Details are read only for those shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from foureyes.app.context import seconds_since, why_barred
from foureyes.app.pages.active_work import claims_of
from foureyes.app.pages.stopped_work import Stop, StoppedRow, halts, merges_stopped, ruled, unheard_blockers
from foureyes.app.project.accepted_config import Unaccepted, unaccepted
from foureyes.app.results.status import AttentionKind, AttentionRow, AttentionView, Choice
from foureyes.app.target import branch_here
from foureyes.config import FILE
from foureyes.core.rules.claims import lead_step
from foureyes.core.rules.required import all_reviewers
from foureyes.core.words.ids import Sha, TaskId
from foureyes.core.words.text import one_line
from foureyes.core.words.untrusted_text import named
from foureyes.errors import ConfigError, FoureyesError
from foureyes.steps import NO_STEP, Steps, by_person, either, fe, phrase, prose

if TYPE_CHECKING:
    from foureyes.app.case import Case
    from foureyes.app.context import Context
    from foureyes.app.ports import Tx
    from foureyes.app.project.project_settings import Proposal
    from foureyes.app.results.project import ProjectView
    from foureyes.app.results.run import AgentRow
    from foureyes.core.events.loop import LeadOption
    from foureyes.core.nouns.check import CheckResult
    from foureyes.core.nouns.session import Actor
    from foureyes.core.rules.policy import ReviewPolicy


# ---- Choices for items that wait for a person (E6) ----

# The rules are imported only when there is an item to judge. Callers run `fe status` often, and mostly nothing waits.

LEAD: dict[LeadOption, str] = {
    "split": "split into tasks",
    "senior": "give to senior",
    "fresh": "start over from where the task began",
    "ask": "ask a person",
    "continue": "let it continue as it is",
}


class CallerWays:
    """The choices of one caller."""

    def __init__(self, context: Context, tx: Tx, actor: Actor) -> None:
        self._context, self._tx, self._actor = context, tx, actor

    def may(self, verb: str, task: str = "") -> bool:
        """Return True if the caller may use the verb on this task, and can sign if it needs a signature. (I1, I2, I5,
        I9)
        """
        actor = self._actor
        if why_barred(actor, verb) is not None:
            return False
        if actor.task is not None and task and task != actor.task:
            return False
        return self._can_sign(verb)

    def _can_sign(self, verb: str) -> bool:
        try:
            if not self._context.wants_key(self._tx, self._actor, verb):
                return True
        except ConfigError:  # unknown if a signature is needed, and the verb would fail too
            return False
        from foureyes.app.signatures import active_keys, keys_at_hand

        return bool(keys_at_hand(self._context, self._actor, active_keys(self._tx)))

    def resuming(self, task: str) -> tuple[Choice, ...]:
        """Return the choice to lift the hold of a task, or of the project if `task` is empty. (D3)"""
        if not self.may("resume", task):
            return ()
        if task:
            from foureyes.app.blockers import why_not_resumed

            me = self._context.party(self._tx, self._actor)
            if why_not_resumed(self._context, self._tx, me, TaskId(task)) is not None:
                return ()
        step = fe("resume", task or "--project", "-m", WHY)
        text = "resume: let it continue as before"
        return (
            Choice(text=text, noun="stops", verb="resume", values={"task": task or None}, asks="reason", step=step),
        )

    def setting_aside(self, agent: str) -> tuple[Choice, ...]:
        """Return the choice to ignore all blockers of an agent that stopped no task. (R1)"""
        if not self.may("resume"):
            return ()
        step = fe("resume", "--agent", agent, "-m", WHY)
        values: dict[str, object] = {"task": None, "agent": agent}
        text = "dismiss all its blockers"
        return (Choice(text=text, noun="stops", verb="resume", values=values, asks="reason", step=step),)

    def unblocking(self, task: str) -> tuple[Choice, ...]:
        """Return the choice to reopen rejected or blocked work. (T)"""
        if not self.may("unblock", task):
            return ()
        from foureyes.app.facts import facts_of
        from foureyes.core.rules.closing import may_lift_rejection

        facts = facts_of(self._context, self._tx, TaskId(task))
        if not may_lift_rejection(facts, self._context.party(self._tx, self._actor)).allowed:
            return ()
        step = fe("unblock", task, "-m", WHY)
        text = "reopen it"
        return (Choice(text=text, noun="stops", verb="unblock", values={"task": task}, asks="reason", step=step),)

    def leading(self, task: str) -> tuple[Choice, ...]:
        """Return the lead's choices for a loop. (E3)"""
        from foureyes.app.case import case_of
        from foureyes.app.gate.merge_queue import refuse_while_merging

        try:
            case = case_of(self._context, self._tx, self._actor, TaskId(task))
            refuse_while_merging(self._context, self._tx, case.task)
        except FoureyesError:
            return ()
        return tuple(_lead(task, option) for option in LEAD if self._may_lead(case, option))

    def _may_lead(self, case: Case, option: LeadOption) -> bool:
        from foureyes.core.rules.closing import why_not_lead

        may = self.may(f"lead {option}", case.task.id)
        return may and not why_not_lead(case.facts, case.me, case.policy.tiers.lead, self._actor.agent, option)

    def unsticking(self, task: str) -> tuple[Choice, ...]:
        """Return the choices to retry a merge or send the work back. (Q3)"""
        choices = []
        if self.may("merge --retry", task):
            step = fe("merge", "--retry", task)
            choices.append(
                Choice(text="try the merge again", noun="merges", verb="retry", values={"task": task}, step=step)
            )
        if self._may_send_back(task):
            step = fe("redo", task, "-m", WHY)
            text = "send the work back instead (redo)"
            choices.append(
                Choice(text=text, noun="feedback", verb="redo", values={"task": task}, asks="text", step=step)
            )
        return tuple(choices)

    def _may_send_back(self, task: str) -> bool:
        """Return True if a redo would succeed, as the verb itself decides."""
        if not self.may("redo", task):
            return False
        from foureyes.app.review.feedback import judge

        try:
            judge(self._context, self._tx, self._actor, task, "redo", "a reason")
        except FoureyesError:
            return False
        return True

    def sending_back(self, task: str) -> tuple[Choice, ...]:
        """Return the choice to send the work back with feedback. (F1)"""
        if not self._may_send_back(task):
            return ()
        step = fe("redo", task, "-m", WHY)
        text = "send it back with the findings (redo)"
        return (Choice(text=text, noun="feedback", verb="redo", values={"task": task}, asks="text", step=step),)

    def clarifying(self, cycle: str, point: str, task: str) -> tuple[Choice, ...]:
        """Return the choice to answer a concern. After the last answer, the cycle runs again. (R2)"""
        if not self.may("review clarify", task):
            return ()
        step = fe("review", "clarify", cycle, point, "-m", phrase("the answer"))
        values: dict[str, object] = {"cycle": cycle, "point": point}
        return (Choice(text=f"answer {point}", noun="cycles", verb="clarify", values=values, asks="text", step=step),)

    def asking_author(self, cycle: str, task: str, who: str) -> tuple[Choice, ...]:
        """Return the choice to ask the author about the concerns. The reviewers then review again. (R1, R2)"""
        if not self.may("review clarify --ask", task):
            return ()
        step = fe("review", "clarify", cycle, "--ask")
        values: dict[str, object] = {"cycle": cycle}
        return (Choice(text=f"ask {who} to clarify", noun="cycles", verb="ask_author", values=values, step=step),)

    def rerunning(self, task: str) -> tuple[Choice, ...]:
        """Return the choice to request a review now. (V1)"""
        if not self.may("review request --now", task):
            return ()
        step = fe("review", "request", task, "--now")
        text = "ask reviewers for a review now"
        return (Choice(text=text, noun="cycles", verb="now", values={"task": task}, step=step),)

    def releasing(self, task: str) -> tuple[Choice, ...]:
        """Return the choice to release a silent claim. (T1)"""
        if not self.may("unstart", task):
            return ()
        text = "release the claim (its commits stay on the branch)"
        return (Choice(text=text, noun="claims", verb="unstart", values={"task": task}, step=fe("unstart", task)),)

    def launching(self) -> tuple[Choice, ...]:
        """Return the choice to start a runner, which takes over the runs of an ended one. (I5)"""
        if not self.may("run"):
            return ()
        text = "start a runner (it keeps running when this program ends)"
        return (Choice(text=text, noun="runs", verb="launch", step=fe("run", "--detach")),)

    def fixing(self) -> tuple[Choice, ...]:
        """Return the choice to create a task that fixes the target. (X4)"""
        if not self.may("create"):
            return ()
        step = fe("create", phrase("what to fix"), "--type", "bug", "--priority", "0")
        values: dict[str, object] = {"type": "bug", "priority": 0}
        text = "plan a task that fixes it"
        return (Choice(text=text, noun="tasks", verb="create", values=values, asks="title", step=step),)

    def accepting(self, fingerprint: str) -> tuple[Choice, ...]:
        """Return the choice to accept the target's configuration, exactly as shown. (P12)"""
        if not self.may("config accept"):
            return ()
        step = fe("config", "accept")
        text = "accept it, so that it is in force from now on"
        return (Choice(text=text, noun="policy", verb="accept", values={"seen": fingerprint}, step=step),)

    def waiving(self, task: str, finding: str) -> tuple[Choice, ...]:
        """Return the choice to waive a blocking finding again. (E3)"""
        if not self.may("finding waive", task):
            return ()
        from foureyes.app.case import case_of
        from foureyes.app.findings.findings import why_not_waived
        from foureyes.app.findings.raising import finding_named
        from foureyes.core.nouns.finding import WAIVED_DAYS
        from foureyes.core.rules.involvement import made_by

        try:
            case = case_of(self._context, self._tx, self._actor, TaskId(task))
            row = finding_named(self._tx, finding)
        except FoureyesError:
            return ()
        if why_not_waived(case.facts, row, made_by(case.facts, case.me), self._context.now()):
            return ()
        step = fe("finding", "waive", finding, "-m", WHY)
        text = f"waive it for another {WAIVED_DAYS} days"
        values: dict[str, object] = {"finding": finding}
        return (Choice(text=text, noun="findings", verb="waive", values=values, asks="reason", step=step),)


def _lead(task: str, option: LeadOption) -> Choice:
    split = fe("lead", "split", task, "--into", phrase("…"), "--into", phrase("…"), "-m", WHY)
    return Choice(
        text=LEAD[option],
        noun="loops",
        verb="lead",
        values={"task": task, "option": option},
        asks="reason",
        lists="into" if option == "split" else "",
        step=split if option == "split" else fe("lead", option, task, "-m", WHY),
    )


# ---- Attention ----

MOST_ROWS = 50
"""Largest number of rows."""
CLAIMS = 1_000
"""Number of claims to search for silent ones."""
LINE = 200
"""Length of the longest line."""
UNDATED = "~"
"""A text that sorts after every date, so that items without a date come first."""
WHY = phrase("why")


class TargetState(msgspec.Struct, frozen=True, kw_only=True):
    """The target in git: its tree, and its configuration if that is not accepted."""

    tree: Sha | None = None
    left: Unaccepted | None = None
    offered: Proposal | None = None
    against: str = ""


class AttentionQuery(msgspec.Struct, kw_only=True):
    """Inputs of one query: caller, policy and target state."""

    tx: Tx
    ways: CallerWays
    project: ProjectView
    policy: ReviewPolicy | None
    broken: ConfigError | None
    seen: TargetState
    most: int


class Seed(msgspec.Struct, frozen=True):
    """A row that is built only when shown."""

    since: str
    make: Callable[[], AttentionRow]


class Attention:
    """Items that need a person."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def view(self, actor: Actor, *, limit: int = MOST_ROWS) -> AttentionView:
        """Return everything that only a person can resolve, with this caller's choices. (E6)"""
        limit = min(max(1, limit), MOST_ROWS)
        with self._context.store.read() as tx:
            project, policy = self._context.project(tx), self._policy(tx, actor)[0]
        seen = self._seen(project, with_tree=bool(policy and policy.checks))
        with self._context.store.read() as tx:
            query = self._query(tx, actor, seen, limit + 1)
            seeds = sorted(self._seeds(query), key=lambda seed: seed.since or UNDATED, reverse=True)
            rows = tuple(seed.make() for seed in seeds[:limit])
        return AttentionView(rows=rows, more=len(seeds) > limit)

    def _seen(self, project: ProjectView, *, with_tree: bool) -> TargetState:
        """Read the target from git, before the transaction. Empty if git fails. Its tree is read only if there are
        checks.
        """
        context = self._context
        try:
            head = branch_here(context, project.target) if with_tree else None
            tree = context.workshop.tree_of(head) if head else None
            left = unaccepted(context, project)
        except FoureyesError:
            return TargetState()
        if left is None or not left.acceptable:
            return TargetState(tree=tree, left=left)
        from foureyes.app.project.project_settings import proposal

        try:
            return TargetState(tree=tree, left=left, offered=proposal(context, project))
        except FoureyesError as problem:
            return TargetState(tree=tree, left=left, against=problem.message)

    def _query(self, tx: Tx, actor: Actor, seen: TargetState, most: int) -> AttentionQuery:
        policy, broken = self._policy(tx, actor)
        ways, project = CallerWays(self._context, tx, actor), self._context.project(tx)
        return AttentionQuery(tx=tx, ways=ways, project=project, policy=policy, broken=broken, seen=seen, most=most)

    def _policy(self, tx: Tx, actor: Actor) -> tuple[ReviewPolicy | None, ConfigError | None]:
        """Return the policy, or the problem with the configuration."""
        try:
            return self._context.policy(tx, actor), None
        except ConfigError as problem:
            return None, problem

    def _seeds(self, query: AttentionQuery) -> Iterable[Seed]:
        yield from self._configuration(query)
        yield from self._target(query)
        by_rule = tuple(ruled(self._context, query.tx, query.ways))
        ruled_tasks = {halt.task for halt in by_rule}
        if query.project.hold is not None:
            rows = query.tx.all("board.project_held", Stop)
            yield Seed(rows[0].since if rows else "", partial(self._held_project, query, rows[0] if rows else None))
        for statement, make in (
            ("board.holds", self._held),
            ("board.loops", self._loop),
            ("board.stuck", self._stuck),
            ("board.rejections", self._rejected),
        ):
            for stop in query.tx.all(statement, Stop, limit=query.most):
                if make != self._held or stop.task not in ruled_tasks:
                    yield Seed(stop.since, partial(make, query, stop))
        for stop in query.tx.all("board.waivers", Stop, now=self._context.now(), limit=query.most):
            yield Seed(stop.since, partial(self._waiver, query, stop))
        for claim in claims_of(self._context, query.tx, query.policy, most=CLAIMS):
            if claim.silent:
                yield Seed(self._context.later(-claim.quiet_seconds), partial(self._claim, query, claim))
        unheard = unheard_blockers(self._context, query.tx, query.ways)
        stopped = (*merges_stopped(self._context, query.tx, query.project), *by_rule, *unheard, *self._unchecked(query))
        for halt in (
            *halts(
                self._context, query.tx, query.ways, ruled_tasks, all_reviewers(query.policy) if query.policy else ()
            ),
            *stopped,
        ):
            yield Seed(halt.since, partial(self._halted, halt))

    def _unchecked(self, query: AttentionQuery) -> Iterable[StoppedRow]:
        if query.policy is None or not query.policy.checks:
            return ()
        from foureyes.app.pages.stopped_work import broken_checks

        return broken_checks(self._context, query.tx, query.policy, query.most)

    def _row(
        self,
        kind: AttentionKind,
        text: str,
        *,
        task: str = "",
        of: str = "",
        since: str = "",
        details: Iterable[str] = (),
        choices: tuple[Choice, ...] = (),
        otherwise: Steps = NO_STEP,
    ) -> AttentionRow:
        """Return a row. `otherwise` is the next step if the caller has no choice."""
        return AttentionRow(
            id=" ".join(part for part in (kind, of or task) if part),
            kind=kind,
            task=task,
            text=one_line(text, LINE),
            since=since,
            age_seconds=seconds_since(self._context, since) if since else 0,
            details=tuple(_cut(line) for line in details),
            choices=choices,
            next=choices[0].step if choices else otherwise,
        )

    def _halted(self, halt: StoppedRow) -> AttentionRow:
        return self._row(
            halt.kind, halt.text, task=halt.task, of=halt.of, since=halt.since, details=halt.details,
            choices=halt.choices(), otherwise=halt.otherwise,
        )  # fmt: skip

    # -- holds

    def _held_project(self, query: AttentionQuery, stop: Stop | None) -> AttentionRow:
        who = f"by {stop.who}: " if stop and stop.who else ""
        return self._row(
            "hold",
            f"the project: {query.project.hold}",
            since=stop.since if stop else "",
            details=[f"Held {who}{query.project.hold}", "Nothing is started, approved or merged. Nothing is lost."],
            choices=query.ways.resuming(""),
            otherwise=by_person(fe("resume", "--project", "-m", WHY)),
        )

    def _held(self, query: AttentionQuery, stop: Stop) -> AttentionRow:
        who = f" by {stop.who}" if stop.who else ""
        return self._row(
            "hold", stop.text, task=stop.task, since=stop.since,
            details=[
                f"{stop.title} ({_status(stop)})",
                f"Held{who}: {stop.text}",
                f"Only {stop.task} is held, and other work continues. Nothing is lost.",
            ],
            choices=(*query.ways.resuming(stop.task), *query.ways.sending_back(stop.task)),
            otherwise=by_person(fe("resume", stop.task, "-m", WHY)),
        )  # fmt: skip

    # -- loops

    def _loop(self, query: AttentionQuery, stop: Stop) -> AttentionRow:
        who = "a person" if stop.who == "user" else "the lead"
        return self._row(
            "loop",
            f"stuck, {who} must decide: {stop.text}",
            task=stop.task,
            since=stop.since,
            details=[f"{stop.title} ({_status(stop)})", *self._rounds(query, stop)],
            choices=query.ways.leading(stop.task),
            otherwise=lead_step(stop.task, stop.who),
        )

    def _rounds(self, query: AttentionQuery, stop: Stop) -> list[str]:
        """Return the table of rounds. Empty while the configuration is invalid. (L12)"""
        from foureyes.app.tasks.escalation import loop_state_of, rounds_table

        try:
            state = loop_state_of(self._context, query.tx, self._context.get(query.tx, TaskId(stop.task)))
        except ConfigError:
            return []
        return rounds_table(state)

    def _rejected(self, query: AttentionQuery, stop: Stop) -> AttentionRow:
        """Return the row of a rejected task. The rejecting reviewer or a person decides how it continues. (T)"""
        return self._row(
            "rejected",
            f"rejected: {stop.text}",
            task=stop.task,
            since=stop.since,
            details=[
                f"{stop.title} (rejected by {stop.who or 'an unknown session'})",
                "No one works on it. Nothing is lost.",
            ],
            choices=query.ways.unblocking(stop.task),
            otherwise=by_person(fe("unblock", stop.task, "-m", WHY)),
        )

    # -- merges and the target

    def _stuck(self, query: AttentionQuery, stop: Stop) -> AttentionRow:
        tries = "once" if stop.n == 1 else f"{stop.n} times"
        return self._row(
            "merge",
            f"merge stuck: {stop.text}",
            task=stop.task,
            since=stop.since,
            details=[f"{stop.title} (approved)", f"Tried {tries}: {stop.text}"],
            choices=query.ways.unsticking(stop.task),
            otherwise=by_person(fe("merge", "--retry", stop.task)),
        )

    def _target(self, query: AttentionQuery) -> Iterable[Seed]:
        """Yield required checks that did not pass on the target's tip. (D5)"""
        if query.policy is None or query.seen.tree is None or not query.policy.checks:
            return
        from foureyes.core.nouns.check import CheckResult
        from foureyes.core.rules.check_states import on_target

        latest: dict[tuple[str, str], CheckResult] = {}
        for result in query.tx.all("check.of_trees", CheckResult, trees=[query.seen.tree]):
            latest[result.name, result.digest] = result
        rules = [rule for rule in query.policy.checks if rule.required and (rule.name, rule.digest) in latest]
        results = [on_target(rule, latest[rule.name, rule.digest]) for rule in rules]
        red = [result for result in results if result.outcome != "passed"]
        if red:
            yield Seed(max(result.at for result in red), partial(self._red, query, red))

    def _red(self, query: AttentionQuery, red: list[CheckResult]) -> AttentionRow:
        target = query.project.target
        again = fe("check", "run", "--target", "--again")
        is_known = any(result.outcome != "unsound" for result in red)
        fix = query.ways.fixing() if is_known else ()
        says = "is red" if is_known else "has no sound check result"
        row = self._row(
            "target",
            f"{target} {says}: {', '.join(f'{result.name} ({result.summary})' for result in red)}",
            since=max(result.at for result in red),
            details=[
                *[f"{result.name}: {result.outcome.replace('_', ' ')}, {result.summary}" for result in red],
                f"This is the tip of {target}, and the next merge builds on it.",
            ],
            choices=fix,
        )
        ways = [choice.step for choice in fix]
        return msgspec.structs.replace(row, next=either(*ways, again) if is_known else prose("fix that, then ") + again)

    # -- claims, configuration, waivers

    def _claim(self, query: AttentionQuery, claim: AgentRow) -> AttentionRow:
        return self._row(
            "claim",
            f"{claim.name} is silent",
            task=claim.task,
            since=self._context.later(-claim.quiet_seconds),
            details=[
                f"{claim.title} (iteration {claim.iteration})",
                f"Claimed by {claim.name} at {claim.since}.",
                *([f"Last line: {claim.line}"] if claim.line else []),
            ],
            choices=query.ways.releasing(claim.task),
            otherwise=by_person(fe("unstart", claim.task)),
        )

    def _configuration(self, query: AttentionQuery) -> Iterable[Seed]:
        """Yield an unaccepted or unreadable configuration. (P12)"""
        if query.broken is not None:
            yield Seed("", partial(self._broken, query.broken))
        if query.seen.left is not None:
            yield Seed("", partial(self._unaccepted, query, query.seen.left))

    def _broken(self, problem: ConfigError) -> AttentionRow:
        step = problem.next_step or by_person(fe("config", "show"))
        why = ["Nothing can be approved until it is fixed."]
        return self._row("config", problem.message, of="broken", details=why, otherwise=step)

    def _unaccepted(self, query: AttentionQuery, left: Unaccepted) -> AttentionRow:
        offered = query.seen.offered
        broken = bool(query.seen.against) and left.acceptable
        against = [f"It cannot be accepted: {query.seen.against}"] if broken else []
        fix = prose(f"fix {FILE} and commit it on {query.project.target}, then ")
        return self._row(
            "config",
            left.text,
            of="unaccepted",
            details=[*(_everything(offered) if offered else ()), *against],
            choices=query.ways.accepting(offered.fingerprint) if offered else (),
            otherwise=fix + left.next if broken else left.next,
        )

    def _waiver(self, query: AttentionQuery, stop: Stop) -> AttentionRow:
        place = f"{stop.path}:{stop.n}" if stop.path and stop.n else stop.path
        where = f"   {named(place)}" if place else ""
        return self._row(
            "waiver",
            f"the waiver of {stop.text} has expired: {stop.title}",
            task=stop.task,
            of=stop.text,
            since=stop.since,
            details=[f"{stop.text} {stop.who}{where}", f"It blocks approval again (since {stop.since[:10]})."],
            choices=query.ways.waiving(stop.task, stop.text),
            otherwise=by_person(fe("finding", "waive", stop.text, "-m", WHY)),
        )


def _everything(offered: Proposal) -> Iterable[str]:
    """Yield every line that accepting would put in force. Long lines are split and never cut, because the person must
    be able to read everything.
    """
    for line in offered.lines:
        yield from [line[start : start + LINE] for start in range(0, len(line), LINE)] or [""]


def _cut(line: str) -> str:
    """Return the text in one line, cut to the limit, with its columns kept."""
    flat = line.replace("\n", " ").rstrip()
    return flat if len(flat) <= LINE else flat[: LINE - 1] + "…"


def _status(stop: Stop) -> str:
    return stop.status.replace("_", " ")
