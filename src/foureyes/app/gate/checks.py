"""Checks: run the quality pipeline on exactly an attempt's tree, or on the target's (D5)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import closing
from datetime import datetime, timedelta

import msgspec

from foureyes.app.call.caller import permit, refuse_other_task
from foureyes.app.call.context import Context, stamp
from foureyes.app.call.facts import facts_of
from foureyes.app.call.noted_target import noted_tip
from foureyes.app.call.outcome import merge_by
from foureyes.app.call.refusals import not_handed_in
from foureyes.app.call.told_target import told_target
from foureyes.app.findings.by_rule import MadeByGate, decide_by_rule, is_sent_back
from foureyes.app.gate.running import CheckRecorder, ShouldStop, Telling, run_on
from foureyes.app.ports import Tx
from foureyes.app.project.acceptance import not_in_force, unaccepted
from foureyes.app.views.check import CheckReport, CheckRetry, CheckRow, Pending
from foureyes.app.views.news import News
from foureyes.app.views.task_list import ListQuery, TaskRow
from foureyes.app.work.branches import tip_of
from foureyes.app.work.other_machines import bring
from foureyes.core.nouns.check import CheckResult, CheckState, moves_on
from foureyes.core.nouns.check_rule import CheckRule
from foureyes.core.nouns.session import Actor
from foureyes.core.rules import gate
from foureyes.core.rules.baseline import on_target
from foureyes.core.rules.check_states import RAN, check_states, seen_on_tip
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.involvement import is_involved
from foureyes.core.rules.modes import mode_of, why_not_by_itself
from foureyes.core.rules.policy import ReviewPolicy
from foureyes.core.rules.retrying import broken_of, lacks_a_run
from foureyes.core.words.ids import Sha, TaskId
from foureyes.core.words.text import visible
from foureyes.errors import BadInput, Conflict, GitProblem, NotFound, Reason
from foureyes.steps import Steps, by, by_person_or_service, either, fe, in_turn, phrase, prose

PAGE = 50
NO_TASK = TaskId("")
"""What a run on the target is for."""


class Checks:
    """Run them, and say which are to be run."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def run(
        self,
        actor: Actor,
        task: str,
        *,
        only: Sequence[str] = (),
        again: bool = False,
        tell: Telling | None = None,
        stop: ShouldStop | None = None,
    ) -> CheckReport:
        """Run what has not run yet on the attempt's tree; then the gate decides what it can (M4, send back). When
        `stop` says so, the check that runs is ended and leaves no result.
        """
        permit(actor, "check run")
        with self._context.store.read() as tx:
            task_id = self._context.find_id(tx, task)
            refuse_other_task(actor, task_id)
            facts, policy = self._look(tx, actor, task_id)
        self._refuse_nothing_to_run(facts, policy, only)
        assert facts.attempt is not None
        self._refuse_unwritable(actor)
        bring(self._context, task_id)
        trees = [tree for tree in (facts.attempt.base_tree, facts.attempt.tree) if tree]
        fresh = run_on(
            self._context, actor, facts, policy.checks, trees,
            only=only, again=again, tell=tell, stop=stop, begins=facts.attempt.base,
        )  # fmt: skip
        return self._decided(actor, task_id, fresh)

    def run_each(
        self,
        actor: Actor,
        tasks: Sequence[str],
        *,
        only: Sequence[str] = (),
        again: bool = False,
        tell: Telling | None = None,
    ) -> list[CheckReport]:
        """The same for several. What cannot be looked at is told, and keeps nobody else from being checked."""
        with self._context.store.read() as tx:
            _refuse_unknown(self._context.policy(tx, actor), only)
        reports = []
        for task in tasks:
            try:
                reports.append(self.run(actor, task, only=only, again=again, tell=tell))
            except (GitProblem, Conflict, NotFound) as problem:
                step = problem.next_step or fe("show", task)
                reports.append(
                    CheckReport(task=task, attempt=0, tree="", status="", problem=problem.message, next=step)
                )
        return reports

    def run_target(self, actor: Actor, *, again: bool = False, tell: Telling | None = None) -> list[CheckResult]:
        """X4: the checks on the tip of the target branch, where none has a result that says something (G1); the latest
        result of each.
        """
        permit(actor, "check run")
        with self._context.store.read() as tx:
            rules = self._context.policy(tx, actor).checks
        if not rules:
            raise self._no_checks()
        if tell is not None and (note := not_in_force(self._context)):
            tell(News(f"{note.message} ({note.rule})", next=note.next))
        tree = target_tree(self._context, _asked_for(self._context, tell))
        known = {rule.name: self._on_tree(tree, rule) for rule in rules}
        due = [rule for rule in rules if again or (last := known[rule.name]) is None or last.outcome not in RAN]
        self._refuse_unwritable(actor)
        with closing(self._context.outside.checks()) as runner:
            run = CheckRecorder(self._context, runner, actor, NO_TASK, tell, "target", base=tree)
            for rule in due:
                run.one(rule, tree, last=rule is due[-1])
        return [on_target(rule, row) for rule in rules if (row := self._on_tree(tree, rule)) is not None]

    def _on_tree(self, tree: Sha, rule: CheckRule) -> CheckResult | None:
        with self._context.store.read() as tx:
            return _latest(tx, tree, rule)

    def pending(self, actor: Actor, *, again: bool = False) -> Pending:
        """The attempts in review that lack a result that says something and counts, and those that nothing stands
        against any more (M4). What broke is taken up after a pause that grows; `again`, or a person: without one.
        """
        permit(actor, "check run")
        waiting: list[str] = []
        later: list[CheckRetry] = []
        with self._context.store.read() as tx:
            after = None
            while rows := tx.tasks(ListQuery(status="reviewing", limit=PAGE, after=after), TaskRow):
                page = self._due(tx, actor, [row.id for row in rows], again=again or actor.kind == "human")
                waiting += page.tasks
                later += page.later
                after = (rows[-1].priority, rows[-1].n)
        return Pending(tasks=tuple(waiting), later=tuple(later), unaccepted=not_in_force(self._context))

    def _due(self, tx: Tx, actor: Actor, tasks: Sequence[str], *, again: bool = False) -> Pending:
        waiting: list[str] = []
        later: list[CheckRetry] = []
        for task in tasks:
            facts, policy = self._look(tx, actor, TaskId(task))
            if facts.task.status != "reviewing":
                continue
            paused = [] if again else self._paused(facts, policy)
            if self._has_to_do(tx, facts, policy, {each.check for each in paused}):
                waiting.append(task)
            else:
                later += paused
        return Pending(tasks=tuple(waiting), later=tuple(later))

    def _paused(self, facts: Facts, policy: ReviewPolicy) -> list[CheckRetry]:
        """The required checks that broke, and are not due again yet."""
        retries, task, now = [], facts.task.id, self._context.now()
        for state in check_states(facts, policy):
            broken = broken_of(facts, state)
            due = stamp(datetime.fromisoformat(broken.last.at) + timedelta(seconds=broken.pause)) if broken else ""
            if broken and due > now:
                name, outcome, step = state.rule.name, broken.last.outcome, fe("check", "run", task)
                retries.append(
                    CheckRetry(task=task, check=name, outcome=outcome, tries=broken.tries, at=due, next=step)
                )
        return retries

    def _has_to_do(self, tx: Tx, facts: Facts, policy: ReviewPolicy, paused: Collection[str]) -> bool:
        """Level-triggered: what a hold or a label kept from being approved is looked at again, and what waited for the
        target to be fixed.
        """
        if facts.attempt is None or not policy.checks:
            return False
        checked, chosen = check_states(facts, policy), mode_of(facts, policy)
        if any(lacks_a_run(state) and state.rule.name not in paused for state in checked):
            return True
        seen = self._on_tip(tx, checked)
        if any(state.fixed for state in seen) and is_sent_back(facts, policy, chosen, seen):
            return True
        tip = gate.Tip(head=facts.attempt.head, on_target=facts.attempt.landed)
        return chosen.mode in ("auto-approve", "skip") and not why_not_by_itself(facts, policy, chosen, checked, tip)

    def _on_tip(self, tx: Tx, checked: tuple[CheckState, ...]) -> tuple[CheckState, ...]:
        """With what the tip of the target is like by now, where they fail as the target did where the change began. A
        clone's own word for it will do: nothing rests on it but whether red work goes back.
        """
        same = [state.rule for state in checked if state.red_before]
        head = noted_tip(self._context, tx, self._context.project(tx)) if same else None
        tree = self._context.workshop.tree_of(head) if head else None
        tips = [_latest(tx, tree, rule) for rule in same] if tree else []
        return seen_on_tip(checked, [tip.name for tip in tips if tip is not None and tip.outcome == "passed"])

    def _look(self, tx: Tx, actor: Actor, task: TaskId) -> tuple[Facts, ReviewPolicy]:
        facts = facts_of(self._context, tx, task, self._context.party(tx, actor))
        return facts, self._context.policy(tx, actor)

    def _refuse_nothing_to_run(self, facts: Facts, policy: ReviewPolicy, only: Sequence[str]) -> None:
        task = facts.task.id
        if facts.attempt is None:
            raise not_handed_in(task, step=fe("submit", task))
        if not policy.checks:
            raise self._no_checks()
        _refuse_unknown(policy, only)

    def _no_checks(self) -> NotFound:
        """Nothing to run; perhaps because what is on the target was not accepted (P12)."""
        with self._context.store.read() as tx:
            left = unaccepted(self._context, self._context.project(tx))
        if left:
            return NotFound(f"no checks are in force: {left.text}.", next_step=left.next)
        return NotFound(
            "no checks are configured.", next_step=prose("add [[checks]] to foureyes.toml on the target branch")
        )

    def _refuse_unwritable(self, actor: Actor) -> None:
        """A result that cannot be recorded takes no run."""
        with self._context.writing(actor, "check run"):
            pass

    def _decided(self, actor: Actor, task: TaskId, fresh: set[int]) -> CheckReport:
        with self._context.store.read() as tx:
            facts = facts_of(self._context, tx, task)
            target, states = self._context.project(tx).target, check_states(facts, self._context.policy(tx, actor))
            fixed = [state.rule.name for state in self._on_tip(tx, states) if state.fixed]
        assert facts.attempt is not None
        tip = tip_of(self._context, task, facts.attempt, target)
        with self._context.writing(actor, "check run") as work:
            made = decide_by_rule(self._context, work, task, tip, fixed)
            now = facts_of(self._context, work.tx, task, self._context.party(work.tx, actor))
        return with_configuration(self._context, report(now, made, fresh, actor))


def _refuse_unknown(policy: ReviewPolicy, only: Sequence[str]) -> None:
    known = {rule.name for rule in policy.checks}
    unknown = [name for name in only if name not in known]
    if unknown:
        raise BadInput(
            f"there is no check {visible(unknown[0])}.",
            next_step=prose(f"checks there are: {', '.join(sorted(known)) or 'none'}"),
        )


def _latest(tx: Tx, tree: Sha, rule: CheckRule) -> CheckResult | None:
    rows = tx.all("check.of_trees", CheckResult, trees=[tree])
    return next((row for row in reversed(rows) if (row.name, row.digest) == (rule.name, rule.digest)), None)


def due_among(context: Context, tx: Tx, actor: Actor, tasks: Sequence[str]) -> Pending:
    """Of these tasks, the attempts in review that checks have something to do for: now, or after a pause."""
    return Checks(context)._due(tx, actor, tasks)


def _asked_for(context: Context, tell: Telling | None) -> Sha | None:
    """Q6: where the target is, as the remote answers; None where it cannot be asked, which is told."""
    told = told_target(context)
    if told.unasked and tell is not None:
        tell(News(f"{told.unasked}. These are the checks of the target as this clone last fetched it"))
    return told.at if told.is_told else None


def target_tree(context: Context, asked: Sha | None = None) -> Sha:
    """The tree of the tip of the target, as it was `asked` for; else as the remote had it when last seen (Q6)."""
    with context.store.read() as tx:
        project = context.project(tx)
        head = asked or noted_tip(context, tx, project)
    tree = context.workshop.tree_of(head) if head else None
    if tree is None:
        raise NotFound(f"there is no commit on {project.target}.", next_step=fe("doctor"))
    return tree


def report(facts: Facts, made: MadeByGate, fresh: set[int], actor: Actor) -> CheckReport:
    """What a run of checks gives."""
    assert facts.attempt is not None
    return CheckReport(
        task=facts.task.id,
        attempt=facts.attempt.n,
        tree=facts.attempt.tree,
        status=facts.task.status,
        mode=made.mode,
        checks=tuple(row_of(facts, state, fresh) for state in made.check_states),
        reasons=made.reasons if facts.task.status == "reviewing" else _told(facts.task.id, made.reasons),
        next=_next(facts, made, actor),
        sent_back=made.is_sent_back,
        own=_is_own(facts, made, actor),
    )


def with_configuration(context: Context, page: CheckReport) -> CheckReport:
    """P12: a foureyes.toml on the target that is not in force; where checks are red, accepting it comes first."""
    note = not_in_force(context)
    if note is None:
        return page
    step = page.next if page.is_green else in_turn(note.next, page.next)
    return msgspec.structs.replace(page, unaccepted=note, next=step)


def _told(task: TaskId, reasons: Sequence[Reason]) -> tuple[Reason, ...]:
    """Why it was sent back: what would have brought it on there is not to be typed any more."""
    return tuple(Reason(reason.rule, reason.message, fe("context", task)) for reason in reasons)


def _is_own(facts: Facts, made: MadeByGate, actor: Actor) -> bool:
    """D5: a person's run does not count either where the work is theirs."""
    if actor.kind != "human" or not any(state.rule.required and state.claimed for state in made.check_states):
        return False
    return is_involved(facts, facts.party(actor.session))


def _next(facts: Facts, made: MadeByGate, actor: Actor) -> Steps:
    """What brings the task on: never a run that would not count."""
    task = facts.task
    if task.status == "approved":
        return merge_by(actor)
    if task.status == "open":
        return fe("context", task.id)
    if task.status != "reviewing":  # what is over needs no check any more
        return fe("show", task.id)
    if any(state.is_own_trouble for state in made.check_states if lacks(state)):
        return either(after_red(facts, actor), by_person_or_service(fe("check", "run", task.id)))
    missing = [moves_on(state, task.id, by_anyone=False) for state in made.check_states if lacks(state)]
    if missing and _is_own(facts, made, actor):
        return by("other", fe("check", "run", task.id), "another person or CI runs: ")
    if missing:
        return missing[0]
    return fe("show", task.id, "--diff")


def after_red(facts: Facts, actor: Actor) -> Steps:
    """What brings work on that is red where it counts: who made it fixes it, who looks at it sends it back."""
    task = facts.task.id
    if is_involved(facts, facts.party(actor.session)):
        return fe("submit", task, before="fix it, commit, then: ")
    redo = fe("redo", task, "--issue", "tests", "-m", phrase("…"))
    return redo if actor.kind == "human" else by("other", redo, "its reviewer runs: ")


def lacks(state: CheckState) -> bool:
    """Whether a required check does not pass where it counts."""
    return state.rule.required and (not state.is_green or state.claimed)


def row_of(facts: Facts, state: CheckState, fresh: set[int]) -> CheckRow:
    """Where a check stands, as faces show it."""
    result = state.result
    return CheckRow(
        check=state.rule.name,
        required=state.rule.required,
        outcome=state.word,
        summary=state.summary,
        claimed=state.claimed,
        reused=result is not None and result.seq not in fresh,
        duration_ms=result.duration_ms if result else 0,
        failing=tuple(result.failing) if result else (),
        failed=result.failures if result else 0,
        gone=state.gone,
        flaky=state.flaky,
        by=facts.party_name(result.session) if result else "",
        at=result.at if result else "",
    )
