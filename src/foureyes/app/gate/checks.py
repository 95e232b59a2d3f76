"""Checks: run the quality commands on exactly an attempt's tree, or on the target's. (D5)"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from datetime import datetime, timedelta

import msgspec

from foureyes.app.compressed_names import pack
from foureyes.app.context import Context, IdRow, Work, not_submitted, permit, refuse_other_task, refuse_verb, stamp
from foureyes.app.facts import facts_of, parties_of, with_trees
from foureyes.app.findings.auto_decisions import MadeByGate, decide_by_rule, is_sent_back
from foureyes.app.gate.merge_queue import next_for
from foureyes.app.outcome import merge_by
from foureyes.app.ports import CheckRunner, Tx
from foureyes.app.project.accepted_config import not_in_force, unaccepted
from foureyes.app.results.attempt import CheckReport, CheckRetry, CheckRow, CheckRun, EnvironmentRow, Pending
from foureyes.app.results.project import News
from foureyes.app.results.task_list import ListQuery, TaskRow
from foureyes.app.target import current_target, noted_tip
from foureyes.app.work.branches import tip_of
from foureyes.app.work.remote_attempts import bring
from foureyes.app.work.worktrees import FilesOfTree
from foureyes.core import events as e
from foureyes.core.events.gate import CheckFinished
from foureyes.core.loop.failures import reported_failures
from foureyes.core.nouns.attempt import Attempt
from foureyes.core.nouns.check import (
    CheckedTree,
    CheckJudgement,
    CheckResult,
    CheckState,
    Ran,
    WhatRan,
    is_another,
    judge,
    last_lines,
    may_have_been_killed,
    moves_on,
)
from foureyes.core.nouns.check_config import CheckRule
from foureyes.core.nouns.session import Actor
from foureyes.core.rules import gate
from foureyes.core.rules.check_states import (
    BROKEN_HERE,
    RAN,
    broken_of,
    check_states,
    counts,
    is_broken_by_change,
    lacks_a_run,
    listed,
    on_target,
    seen_on_tip,
)
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.involvement import is_involved
from foureyes.core.rules.modes import mode_of, why_not_by_itself
from foureyes.core.rules.policy import ReviewPolicy
from foureyes.core.words.check_output import is_tools_own_break
from foureyes.core.words.ids import SessionId, Sha, TaskId
from foureyes.core.words.paths import matching
from foureyes.core.words.text import visible
from foureyes.errors import BadInput, Conflict, GitProblem, NotFound, Reason, Refused
from foureyes.steps import NO_STEP, Steps, by, by_person, by_person_or_service, either, fe, in_turn, phrase, prose

# ---- Checks ----

PAGE = 50
NO_TASK = TaskId("")
"""Stands for the task in runs on the target."""


class Checks:
    """Verbs to run checks and to list those that are due."""

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
        """Run the checks that have not run on the attempt's tree. The gate then decides what it can: approve by rule
        (M4), or send back.

        When `stop` returns True, the running check is ended and leaves no result.
        """
        permit(actor, "check run")
        with self._context.store.read() as tx:
            task_id = self._context.find_id(tx, task)
            refuse_other_task(actor, task_id)
            facts, policy = self._read(tx, actor, task_id)
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
        """Run the checks of several tasks. A task that cannot be checked is reported and does not stop the others."""
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
        """Run the checks on the tip of the target branch, unless they have a conclusive result there (G1). Return the
        latest result of each. (X4)
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
        """Return attempts in review that lack a conclusive result that counts, and those that can be approved by rule
        by now (M4).

        Broken checks are retried after a growing delay. With `again`, or for a person, they are due at once.
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
            facts, policy = self._read(tx, actor, TaskId(task))
            if facts.task.status != "reviewing":
                continue
            paused = [] if again else self._paused(facts, policy)
            if self._has_to_do(tx, facts, policy, {each.check for each in paused}):
                waiting.append(task)
            else:
                later += paused
        return Pending(tasks=tuple(waiting), later=tuple(later))

    def _paused(self, facts: Facts, policy: ReviewPolicy) -> list[CheckRetry]:
        """Return the required checks that broke and are not due again yet."""
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
        """Return True if the attempt lacks a run, or if something that stopped a decision may have gone: a hold, a
        label, a red target.
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
        """Return the states, with checks marked that were red on the target before the change and are green there now.

        This clone's own view of the target is enough, because only sending red work back depends on it.
        """
        same = [state.rule for state in checked if state.red_before]
        head = noted_tip(self._context, tx, self._context.project(tx)) if same else None
        tree = self._context.workshop.tree_of(head) if head else None
        tips = [_latest(tx, tree, rule) for rule in same] if tree else []
        return seen_on_tip(checked, [tip.name for tip in tips if tip is not None and tip.outcome == "passed"])

    def _read(self, tx: Tx, actor: Actor, task: TaskId) -> tuple[Facts, ReviewPolicy]:
        facts = facts_of(self._context, tx, task, self._context.party(tx, actor))
        return facts, self._context.policy(tx, actor)

    def _refuse_nothing_to_run(self, facts: Facts, policy: ReviewPolicy, only: Sequence[str]) -> None:
        task = facts.task.id
        if facts.attempt is None:
            raise not_submitted(task, step=fe("submit", task))
        if not policy.checks:
            raise self._no_checks()
        _refuse_unknown(policy, only)

    def _no_checks(self) -> NotFound:
        """Return the error for a project without checks. Perhaps the configuration on the target is not accepted.
        (P12)
        """
        with self._context.store.read() as tx:
            left = unaccepted(self._context, self._context.project(tx))
        if left:
            return NotFound(f"no checks are in force: {left.text}.", next_step=left.next)
        return NotFound(
            "no checks are configured.", next_step=prose("add [[checks]] to foureyes.toml on the target branch")
        )

    def _refuse_unwritable(self, actor: Actor) -> None:
        """Refuse before any run if its result could not be recorded."""
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
            next_step=prose(f"known checks: {', '.join(sorted(known)) or 'none'}"),
        )


def _latest(tx: Tx, tree: Sha, rule: CheckRule) -> CheckResult | None:
    rows = tx.all("check.of_trees", CheckResult, trees=[tree])
    return next((row for row in reversed(rows) if (row.name, row.digest) == (rule.name, rule.digest)), None)


def due_among(context: Context, tx: Tx, actor: Actor, tasks: Sequence[str]) -> Pending:
    """Return those of the tasks whose attempts need a check run, now or after a delay."""
    return Checks(context)._due(tx, actor, tasks)


def _asked_for(context: Context, tell: Telling | None) -> Sha | None:
    """Ask the remote for the target. If it cannot be asked, report that and return None. (Q6)"""
    current = current_target(context)
    if current.remote_problem and tell is not None:
        tell(News(f"{current.remote_problem}. These are the checks of the target as this clone last fetched it"))
    return current.at if current.is_certain else None


def target_tree(context: Context, asked: Sha | None = None) -> Sha:
    """Return the tree of the target's tip, at the commit that the remote gave, or else as last fetched. (Q6)"""
    with context.store.read() as tx:
        project = context.project(tx)
        head = asked or noted_tip(context, tx, project)
    tree = context.workshop.tree_of(head) if head else None
    if tree is None:
        raise NotFound(f"there is no commit on {project.target}.", next_step=fe("doctor"))
    return tree


def report(facts: Facts, made: MadeByGate, fresh: set[int], actor: Actor) -> CheckReport:
    """Return the report about a run of checks."""
    assert facts.attempt is not None
    return CheckReport(
        task=facts.task.id,
        attempt=facts.attempt.n,
        tree=facts.attempt.tree,
        status=facts.task.status,
        mode=made.mode,
        checks=tuple(row_of(facts, state, fresh) for state in made.check_states),
        reasons=made.reasons if facts.task.status == "reviewing" else _past_reasons(facts.task.id, made.reasons),
        next=_next(facts, made, actor),
        sent_back=made.is_sent_back,
        own=_is_own(facts, made, actor),
    )


def with_configuration(context: Context, page: CheckReport) -> CheckReport:
    """Return the report with a note if the target's foureyes.toml is not in force. If checks are red, accepting it
    comes first. (P12)
    """
    note = not_in_force(context)
    if note is None:
        return page
    step = page.next if page.is_green else in_turn(note.next, page.next)
    return msgspec.structs.replace(page, unaccepted=note, next=step)


def _past_reasons(task: TaskId, reasons: Sequence[Reason]) -> tuple[Reason, ...]:
    """Why it was sent back: what would have brought it on there is not to be typed any more."""
    return tuple(Reason(reason.rule, reason.message, fe("show", task, "--context")) for reason in reasons)


def _is_own(facts: Facts, made: MadeByGate, actor: Actor) -> bool:
    """Return True if a person's run does not count because the work is theirs. (D5)"""
    if actor.kind != "human" or not any(state.rule.required and state.claimed for state in made.check_states):
        return False
    return is_involved(facts, facts.party(actor.session))


def _next(facts: Facts, made: MadeByGate, actor: Actor) -> Steps:
    """Return the caller's next step, never a run that would not count."""
    task = facts.task
    if task.status == "approved":
        return merge_by(actor)
    if task.status == "open":
        return fe("show", task.id, "--context")
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
    """Return the step after a check failed in a run that counts: its author fixes the work, its reviewer sends it
    back.
    """
    task = facts.task.id
    if is_involved(facts, facts.party(actor.session)):
        return fe("submit", task, before="fix it, commit, then: ")
    redo = fe("redo", task, "--issue", "tests", "-m", phrase("…"))
    return redo if actor.kind == "human" else by("other", redo, "its reviewer runs: ")


def lacks(state: CheckState) -> bool:
    """Return True if a required check has not passed in a run that counts."""
    return state.rule.required and (not state.is_green or state.claimed)


def row_of(facts: Facts, state: CheckState, fresh: set[int]) -> CheckRow:
    """Return the state of a check for display."""
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


# ---- One run of a check on a tree ----

Telling = Callable[[News], None]
ShouldStop = Callable[[], bool]
"""Asked from time to time. True ends the run early."""


def run_on(
    context: Context,
    actor: Actor,
    facts: Facts,
    rules: Sequence[CheckRule],
    trees: Sequence[Sha | str],
    *,
    only: Sequence[str] = (),
    again: bool = False,
    tell: Telling | None = None,
    stop: ShouldStop | None = None,
    judged: CheckedTree = "attempt",
    begins: Sha | str = "",
) -> set[int]:
    """Run each check on each tree that has no result this caller can use. Return the journal rows of the new results.

    The last tree is the one to judge. `judged` is its kind, and `begins` the commit of the target's tree. On the other
    trees only tests run, to learn which ones the target has and which fail there too. A stopped run is not recorded,
    but earlier ones are.
    """
    wanted = [rule for rule in rules if not only or rule.name in only]
    base = trees[0] if len(trees) > 1 or judged == "target" else ""
    fresh: set[int] = set()
    with closing(context.outside.checks()) as runner:
        run = CheckRecorder(context, runner, actor, facts.task.id, tell, judged, stop, base, begins)
        before = msgspec.structs.replace(run, on="target")
        for tree in trees:
            is_judged = tree == trees[-1]
            due = [
                rule
                for rule in wanted
                if (is_judged or rule.report == "junit") and ((again and is_judged) or not run.knows(rule, tree))
            ]
            fresh |= (run if is_judged else before).each(due, tree)
        for tree in trees[:-1]:
            fresh |= before.each(_due_for_baseline(before, wanted, tree, trees[-1], fresh), tree)
    return fresh


def _due_for_baseline(
    run: CheckRecorder, rules: Sequence[CheckRule], before: str, now: str, fresh: Collection[int]
) -> list[CheckRule]:
    """Return the checks that failed or broke on `now` and still need a run on `before` to compare with.

    These are tools that found something, required checks that give no details, and checks that broke by their own exit
    code.
    """
    plain = [rule for rule in rules if rule.report == "none" and rule.required]
    with_one = [rule for rule in rules if rule.report == "sarif"]
    with run.context.store.read() as tx:
        results = with_trees(tx, facts_of(run.context, tx, run.task), [now, before]).results_for(before)
    broken = [rule for rule in rules if _broke_now(rule, results, now, fresh)]
    if not plain and not with_one and not broken:
        return []
    failed = [row for row in results if row.tree == now and row.outcome == "failed"]
    reported, ended = ({(row.name, row.digest) for row in rows} for rows in ([f for f in failed if f.failing], failed))
    due = [rule for rule in with_one if (rule.name, rule.digest) in reported]
    due += [rule for rule in plain if (rule.name, rule.digest) in ended]
    due = [rule for rule in due if not run.knows(rule, before)]
    return [*due, *[rule for rule in broken if rule not in due and not _ran_lately(rule, results, before, fresh)]]


def _broke_now(rule: CheckRule, results: Sequence[CheckResult], tree: str, fresh: Collection[int]) -> bool:
    mine = [row for row in results if (row.tree, row.name, row.digest) == (tree, rule.name, rule.digest)]
    broke = [row for row in mine if row.seq in fresh and row.outcome == "crashed"]
    return any(is_tools_own_break(rule.run, row.exit_code, rule.failed_exit) for row in broke)


def _ran_lately(rule: CheckRule, results: Sequence[CheckResult], tree: str, fresh: Collection[int]) -> bool:
    """Return True if a run on the target shows that the machine is as it was: a run of just now, or one in an
    environment with a known key. (D5)

    Otherwise a program removed from the machine since then would count against the change.
    """
    mine = [row for row in results if (row.tree, row.name, row.digest) == (tree, rule.name, rule.digest)]
    return any(row.seq in fresh or (row.outcome in RAN and WhatRan.read(row.program).environment) for row in mine)


def _says(rule: CheckRule, result: CheckResult) -> bool:
    """Return True if the check ran to its end and, if it lists findings, these can be compared."""
    unlisted = rule.report == "sarif" and result.failing and not result.tests
    return result.outcome in RAN and not unlisted


class CheckRecorder(msgspec.Struct, frozen=True):
    """Runs checks for one task on trees of one kind (`on`) and records each run. `base` is the tree of the target to
    compare with, and `begins` its commit.
    """

    context: Context
    runner: CheckRunner
    actor: Actor
    task: TaskId
    tell: Telling | None
    on: CheckedTree
    stop: ShouldStop | None = None
    base: str = ""
    begins: str = ""

    def knows(self, rule: CheckRule, tree: str) -> bool:
        """Return True if there is a usable result of the same check on the same tree.

        It must count if the caller's own run would. A result of another program or environment is not usable.
        """
        with self.context.store.read() as tx:
            now = with_trees(tx, facts_of(self.context, tx, self.task), [tree])
            mine = self.context.party(tx, self.actor)
        mine_counts = self.actor.kind != "agent" and not is_involved(now, mine)
        same = [
            result
            for result in now.results_for(self.base)
            if (result.tree, result.name, result.digest) == (tree, rule.name, rule.digest)
            and _says(rule, result)
            and (counts(now, result) or not mine_counts)
        ]
        program = self.runner.program(rule, self._files(tree)) if same else ""
        return any(not is_another(program, result.program) for result in same)

    def _files(self, tree: str) -> FilesOfTree:
        return FilesOfTree(self.context, Sha(tree), self.base, self.begins, is_asked=self.on == "merge")

    def each(self, rules: Sequence[CheckRule], tree: str) -> set[int]:
        """Run checks on a tree. Return the journal rows."""
        return {self.one(rule, Sha(tree), last=rule is rules[-1]) for rule in rules}

    def one(self, rule: CheckRule, tree: Sha, *, last: bool) -> int:
        """Run a check on a tree and record the result. Return its journal row. `last`: no other check follows on this
        tree.
        """
        tell, task = self.tell, self.task
        _refuse_stopped(self.stop, task, rule)
        where = {"target": "the target", "merge": f"the merge result {tree[:7]}"}.get(self.on, tree[:7])
        if tell is not None:
            tell(News(f"{task}  {rule.name} on {where} …"))
        ran = self._run(rule, tree, last=last)
        if may_have_been_killed(ran):
            if tell is not None:
                tell(
                    News(
                        f"{task}  {rule.name} ended with exit code {ran.exit_code}, so it was probably killed. Running it again"
                    )
                )
            _refuse_stopped(self.stop, task, rule)
            ran = self._run(rule, tree, last=last)
        ran = msgspec.structs.replace(ran, unfit=self._unfit(rule, ran, tree))
        _refuse_stopped(self.stop, task, rule)
        verdict = judge(rule, ran)
        if tell is not None:
            tell(News(f"{task}  {rule.name} {self._ended(rule, verdict, ran.exit_code)}"))
            for line in last_lines(ran.output) if ran.unprepared else ():
                tell(News(f"  | {line}"))
        with self.context.writing(self.actor, "check run") as work:
            return record_run(work, task, rule, tree, ran, self.on)

    def _run(self, rule: CheckRule, tree: Sha, *, last: bool) -> Ran:
        return self.runner.run(
            rule,
            lambda path: self.context.workshop.export(tree, path),
            _under(self.tell, f"{self.task}  {rule.name}"),
            self.stop,
            tree=self._files(tree),
            last=last,
        )

    def _unfit(self, rule: CheckRule, ran: Ran, tree: Sha) -> tuple[str, ...]:
        """Return files that declare packages and were rewritten by the run, if the change touches such files. (D5)"""
        written, inputs = (*ran.rewritten.built, *ran.rewritten.checked), rule.inputs
        if self.on == "target" or not matching(written, inputs):
            return ()
        files = self._files(tree)
        if (own := files.listed(inputs)) in files.of_target(inputs):
            return ()
        return tuple(dict.fromkeys(path for path in written if path in own))

    def _ended(self, rule: CheckRule, verdict: CheckJudgement, code: int | None) -> str:
        """Return a message about the end of a run. Findings may not be compared with the target's yet."""
        has_findings = verdict.outcome == "failed" and bool(verdict.failing) and rule.report != "none"
        if has_findings and self.on == "target":
            return f"failures recorded for the target: {verdict.summary}"
        if has_findings and self.base:
            return f"failed: {verdict.summary} (not compared with the target yet)"
        if (
            verdict.outcome == "crashed"
            and self.base
            and self.on != "target"
            and is_tools_own_break(rule.run, code, rule.failed_exit)
        ):
            return f"did not finish: {verdict.summary} (not compared with the target yet)"
        return f"{verdict.outcome.replace('_', ' ')}: {verdict.summary}"


def _refuse_stopped(stop: ShouldStop | None, task: TaskId, rule: CheckRule) -> None:
    """Refuse to record a check that was stopped before its end. (D5)"""
    if stop is not None and stop():
        reason = Reason("D5", f"{rule.name} was stopped before it finished", fe("check", "run", task))
        raise Refused(f"stopped, so {rule.name} has no new result.", reasons=(reason,), task=task)


def record_run(work: Work, task: TaskId, rule: CheckRule, tree: Sha, ran: Ran, on: CheckedTree) -> int:
    """Record a run with everything that is kept of it. Return the journal row."""
    verdict = judge(rule, ran)
    digest = ""
    names = _named(ran, verdict)
    if names is not None:
        digest, packed = pack(names)
        if work.tx.one("check.has_tests", IdRow, digest=digest) is None:
            work.record(task, e.TestsListed(digest=digest, packed=packed, count=len(ran.tests or names)))
    (seq,) = work.record(
        task,
        e.CheckFinished(
            tree=tree,
            name=rule.name,
            digest=rule.digest,
            command=rule.run,
            outcome=verdict.outcome,
            summary=verdict.summary,
            exit_code=ran.exit_code,
            duration_ms=ran.duration_ms,
            failing=verdict.failing,
            tests=digest,
            program=ran.program,
            output=ran.output,
            tool_findings=reported_failures(ran) if verdict.outcome != "unsound" else (),
            on=on,
            failed=verdict.failed,
        ),
    )
    return seq


def _named(ran: Ran, verdict: CheckJudgement) -> list[str] | None:
    """Return everything that a run names: its tests, or a tool's findings if it failed because of them. A skipped test
    counts as missing. (D5)
    """
    if ran.tests and verdict.outcome != "unsound":
        return [test.id for test in ran.tests if test.state != "skipped"]
    is_why = ran.findings and verdict.outcome == "failed" and verdict.failing
    return (list(listed(ran.findings or ())) or None) if is_why else None


def _under(tell: Telling | None, heading: str) -> Callable[[str], None] | None:
    return None if tell is None else lambda line: tell(News(f"{heading}: {line}", printed=True))


# ---- Runs of checks on record ----

KEPT = 50
"""How many runs of a task are listed; all of them are in the journal."""
MEND_TARGET = fe("create", phrase("what to fix"), "--type", "bug", "--priority", "0")


class RunRow(msgspec.Struct, frozen=True, kw_only=True):
    """A check run in the journal."""

    seq: int
    task: str
    at: str
    session: SessionId
    payload: str


class CheckRuns:
    """Verbs to show check runs and their output."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def of_task(self, actor: Actor, task: str) -> CheckReport:
        """Return the state of every check for the latest attempt, with its output, and the task's other runs."""
        with self._context.store.read() as tx:
            facts = facts_of(self._context, tx, self._context.find_id(tx, task), self._context.party(tx, actor))
            policy = self._context.policy(tx, actor)
            if facts.attempt is None:
                raise not_submitted(facts.task.id)
            attempts = tx.all("attempt.of_task", Attempt, task=facts.task.id)
            states = check_states(facts, policy)
            latest = [state.result.seq for state in states if state.result]
            shown = {row.n: row for row in self._runs(tx, [self._row(tx, seq) for seq in latest])}
            runs = self._runs(tx, tx.all("journal.checks", RunRow, task=facts.task.id, limit=KEPT))
            red_now = _red_by_change(tx, facts, policy.checks, attempts, runs)
            merge = next_for(self._context, tx, facts.task.id, actor) if facts.task.status == "approved" else NO_STEP
        made = MadeByGate(mode=mode_of(facts, policy).mode, status=facts.task.status, check_states=states)
        page = report(facts, made, set(), actor)
        rows = tuple(_with_output(state, row, shown) for state, row in zip(states, page.checks, strict=True))
        others = tuple(_briefly(_placed(red_now.get(run.n, run), attempts)) for run in runs if run.n not in latest)
        red = [state for state in states if lacks(state)]
        step = after_red(facts, actor) if page.next == fe("check", "show", facts.task.id) else page.next
        if red and all(state.red_before for state in red):
            after = by_person_or_service(fe("check", "run", facts.task.id, before="afterwards: "))
            accept = by_person(fe("approve", facts.task.id, "-m", phrase("why it may pass")))
            step = either(MEND_TARGET, after, *[accept] if all(state.may_be_accepted for state in red) else [])
        page = msgspec.structs.replace(page, checks=rows, runs=others, next=merge or step)
        return with_configuration(self._context, page)

    def of_target(self, actor: Actor) -> list[CheckRun]:
        """Return the latest run of each check on the tip of the target, or else on an earlier one, with its output."""
        tip = target_tree(self._context)
        with self._context.store.read() as tx:
            rules = self._context.policy(tx, actor).checks
            on_tip = tx.all("journal.checks_on", RunRow, tree=tip)
            earlier = tx.all("journal.checks", RunRow, task=NO_TASK, limit=KEPT)
            runs = [*self._runs(tx, on_tip), *self._runs(tx, earlier)]
        latest = [
            next((run for run in runs if run.check == rule.name and run.command == rule.run), None) for rule in rules
        ]
        return [run for run in latest if run is not None]

    def one(self, number: int) -> CheckRun:
        """Return the run with this number."""
        with self._context.store.read() as tx:
            (run,) = self._runs(tx, [self._row(tx, number)])
            return _placed(run, tx.all("attempt.of_task", Attempt, task=run.task) if run.task else [])

    def _row(self, tx: Tx, number: int) -> RunRow:
        row = tx.one("journal.check", RunRow, seq=number)
        if row is None:
            raise NotFound(f"there is no check run {number}.", next_step=fe("check", "show", "--target"))
        return row

    def _runs(self, tx: Tx, rows: Sequence[RunRow]) -> list[CheckRun]:
        names = parties_of(tx, {row.session for row in rows}) if rows else {}
        return [_run(row, names[row.session].name if row.session in names else row.session) for row in rows]


def _run(row: RunRow, by: str) -> CheckRun:
    event = msgspec.json.decode(row.payload, type=CheckFinished)
    return CheckRun(
        n=row.seq,
        task=row.task,
        check=event.name,
        on=event.on,
        tree=event.tree,
        outcome=event.outcome,
        summary=event.summary,
        by=by,
        at=row.at,
        duration_ms=event.duration_ms,
        failing=event.failing,
        failed=max(event.failed, len(event.failing)),
        command=event.command,
        program=event.program,
        output=event.output,
    )


def _placed(run: CheckRun, attempts: Sequence[Attempt]) -> CheckRun:
    """Return the run with the kind of its tree. An attempt's tree is shown by the attempt's number."""
    n = next((attempt.n for attempt in reversed(attempts) if attempt.tree == run.tree), 0)
    if run.on in ("attempt", "") and n:
        return msgspec.structs.replace(run, on=f"attempt {n}")
    is_base = any(attempt.base_tree == run.tree for attempt in attempts)
    return msgspec.structs.replace(run, on="target") if not run.on and is_base else run


def _red_by_change(
    tx: Tx, facts: Facts, rules: Sequence[CheckRule], attempts: Sequence[Attempt], runs: Sequence[CheckRun]
) -> dict[int, CheckRun]:
    """Return the broken runs that are the change's fault, because the check finished on the target. They are in the
    form shown for an attempt. (D5)
    """
    broken = {run.n: run for run in runs if run.outcome == "crashed"}
    tried = [attempt for attempt in attempts if any(run.tree == attempt.tree for run in broken.values())]
    if not tried:
        return {}
    known = with_trees(tx, facts, [tree for attempt in tried for tree in (attempt.tree, attempt.base_tree)])
    by_digest, red = {(rule.name, rule.digest): rule for rule in rules}, {}
    for attempt in tried:
        then = msgspec.structs.replace(known, attempt=attempt)
        for result in known.results:
            run, rule = broken.get(result.seq), by_digest.get((result.name, result.digest))
            if run is None or rule is None or result.tree != attempt.tree:
                continue
            if is_broken_by_change(then, rule, result, attempt.base_tree):
                summary = f"{run.summary}{BROKEN_HERE}"
                red[run.n] = msgspec.structs.replace(run, outcome="failed", summary=summary)
    return red


def _briefly(run: CheckRun) -> CheckRun:
    """Return a run for a list. Its output is kept only if it explains why a merge failed."""
    return run if run.on == "merge" and run.outcome != "passed" else msgspec.structs.replace(run, output="")


def _with_output(state: CheckState, row: CheckRow, runs: dict[int, CheckRun]) -> CheckRow:
    run = runs.get(state.result.seq) if state.result else None
    return msgspec.structs.replace(row, output=run.output, command=run.command, program=run.program) if run else row


class Checkouts:
    """Environments on this machine made by `[checkout] prepare`, for all projects of this user."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def listed(self) -> Sequence[EnvironmentRow]:
        """Return every kept environment, last used first."""
        with closing(self._context.outside.checks()) as runner:
            return runner.environments()

    def prune(self, actor: Actor, *, everything: bool = False, only_try: bool = False) -> Sequence[EnvironmentRow]:
        """Delete environments that are old or too many. Only a person may delete `everything` that no check is using.
        `only_try` only lists them.
        """
        permit(actor, "check environments --prune")
        if everything and not only_try and actor.kind != "human":
            step = by("person", fe("check", "environments", "--prune", "--all"), "a person runs it in a terminal: ")
            why = "it removes environments of every project on this machine, so only a person may do it"
            refuse_verb("fe check environments --prune --all is not allowed here", Reason("I5", why, step))
        with closing(self._context.outside.checks()) as runner:
            return runner.prune_environments(everything=everything, only_try=only_try)
