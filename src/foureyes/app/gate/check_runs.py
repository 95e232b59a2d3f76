"""Runs of checks on record: of a task, of the target, each with what it printed (D5)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from foureyes.app.call.context import Context
from foureyes.app.call.facts import facts_of, parties_of, with_trees
from foureyes.app.call.refusals import not_handed_in
from foureyes.app.findings.by_rule import MadeByGate
from foureyes.app.gate.checks import NO_TASK, after_red, lacks, report, target_tree, with_configuration
from foureyes.app.gate.merge_queue import next_for
from foureyes.app.ports import Tx
from foureyes.app.views.check import CheckReport, CheckRow, CheckRun
from foureyes.core.events.gate import CheckFinished
from foureyes.core.nouns.attempt import Attempt
from foureyes.core.nouns.check import CheckState
from foureyes.core.nouns.check_rule import CheckRule
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.check_states import BROKEN_HERE, check_states, is_broken_by_change
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.modes import mode_of
from foureyes.core.words.ids import SessionId
from foureyes.errors import NotFound
from foureyes.steps import NO_STEP, by_person, by_person_or_service, either, fe, phrase

KEPT = 50
"""How many runs of a task are listed; all of them are in the journal."""
MEND_TARGET = fe("create", phrase("what is to be fixed"), "--type", "bug", "--priority", "0")


class RunRow(msgspec.Struct, frozen=True, kw_only=True):
    """A run as the journal has it."""

    seq: int
    task: str
    at: str
    session: SessionId
    payload: str


class CheckRuns:
    """Show what ran, and what it printed."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def of_task(self, actor: Actor, task: str) -> CheckReport:
        """Where every check stands for the latest attempt, with what it printed; and the other runs for the task."""
        with self._context.store.read() as tx:
            facts = facts_of(self._context, tx, self._context.find_id(tx, task), self._context.party(tx, actor))
            policy = self._context.policy(tx, actor)
            if facts.attempt is None:
                raise not_handed_in(facts.task.id)
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
        """The latest run of each check on the tip of the target, else on an earlier one, with what it printed."""
        tip = target_tree(self._context)
        with self._context.store.read() as tx:
            rules = self._context.policy(tx, actor).checks
            on_tip = [self._row(tx, row.seq) for row in tx.all("check.on_tree", Numbered, tree=tip)]
            earlier = tx.all("journal.checks", RunRow, task=NO_TASK, limit=KEPT)
            runs = [*self._runs(tx, on_tip), *self._runs(tx, earlier)]
        latest = [
            next((run for run in runs if run.check == rule.name and run.command == rule.run), None) for rule in rules
        ]
        return [run for run in latest if run is not None]

    def one(self, number: int) -> CheckRun:
        """One run, by its number."""
        with self._context.store.read() as tx:
            (run,) = self._runs(tx, [self._row(tx, number)])
            return _placed(run, tx.all("attempt.of_task", Attempt, task=run.task) if run.task else [])

    def _row(self, tx: Tx, number: int) -> RunRow:
        row = tx.one("journal.check", RunRow, seq=number)
        if row is None:
            raise NotFound(f"there is no run {number} of a check.", next_step=fe("check", "show", "--target"))
        return row

    def _runs(self, tx: Tx, rows: Sequence[RunRow]) -> list[CheckRun]:
        names = parties_of(tx, {row.session for row in rows}) if rows else {}
        return [_run(row, names[row.session].name if row.session in names else row.session) for row in rows]


class Numbered(msgspec.Struct, frozen=True):
    """The number of a run."""

    seq: int


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
    """A run with whose tree it was on; that of an attempt by its number."""
    n = next((attempt.n for attempt in reversed(attempts) if attempt.tree == run.tree), 0)
    if run.on in ("attempt", "") and n:
        return msgspec.structs.replace(run, on=f"attempt {n}")
    is_base = any(attempt.base_tree == run.tree for attempt in attempts)
    return msgspec.structs.replace(run, on="target") if not run.on and is_base else run


def _red_by_change(
    tx: Tx, facts: Facts, rules: Sequence[CheckRule], attempts: Sequence[Attempt], runs: Sequence[CheckRun]
) -> dict[int, CheckRun]:
    """D5: of the runs that broke, those that are the change's by what ran on the target, as an attempt shows them."""
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
    """A run in a list: what it printed is kept only where nothing else shows why a merge came back."""
    return run if run.on == "merge" and run.outcome != "passed" else msgspec.structs.replace(run, output="")


def _with_output(state: CheckState, row: CheckRow, runs: dict[int, CheckRun]) -> CheckRow:
    run = runs.get(state.result.seq) if state.result else None
    return msgspec.structs.replace(row, output=run.output, command=run.command, program=run.program) if run else row
