"""The completion gate: why a scope is not complete, and notes for the report. (X4, L15, L16)"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import msgspec

from foureyes.app.context import Context, IdRow
from foureyes.app.facts import HoldingRow, holding_of
from foureyes.app.findings.raising import waivers_in_words
from foureyes.app.ports import Tx
from foureyes.app.results.finding import ALERT_AFTER, NoteRow
from foureyes.app.results.project import CounterRow
from foureyes.app.results.task import Report
from foureyes.app.target import noted_target, tip_there
from foureyes.app.target_merges import unbrought
from foureyes.core.nouns.check import CheckResult
from foureyes.core.nouns.check_config import CheckRule
from foureyes.core.nouns.session import Actor
from foureyes.core.nouns.task import clean_word
from foureyes.core.rules.check_states import on_target
from foureyes.core.words.text import visible
from foureyes.errors import GitProblem, NotFound, Reason
from foureyes.steps import by_person_or_service, fe

IDS_SHOWN = 10
UNSUBMITTED = ("open", "in_progress", "blocked", "deferred")


class CompletionTask(msgspec.Struct, frozen=True, kw_only=True):
    """A task that may keep a scope from being complete."""

    id: str
    status: str
    landed: bool = False
    labels: list[str] = []
    group: str = ""

    @property
    def is_merged(self) -> bool:
        return self.status == "closed"


def _of_sprint(tx: Tx, name: str) -> tuple[str, frozenset[str], tuple[str, ...]]:
    """Return a sprint's id, its tasks, and notes about those without a submission, which do not keep it from being
    complete.
    """
    from foureyes.app.tasks.sprint_records import find, tasks_of
    from foureyes.core.sprint.progress import stage_of

    sprint = find(tx, name)
    rows = tasks_of(tx, sprint.id)
    begun = [row.id for row in rows if stage_of(row) in ("running", "begun", "failed") and not row.iteration]
    todo = [row.id for row in rows if stage_of(row) == "todo"]
    groups = [(begun, "started but not submitted"), (todo, "not started")]
    notes = tuple(f"{len(ids)} of {sprint.id} {words}: {' '.join(ids[:IDS_SHOWN])}" for ids, words in groups if ids)
    return sprint.id, frozenset(row.id for row in rows), notes


class Validation:
    """The completion check. `asks`: ask the remote too, for the notes."""

    def __init__(self, context: Context, *, asks: bool = True) -> None:
        self._context, self._asks = context, asks

    def validate(
        self, actor: Actor, *, tasks: Sequence[str] = (), label: str = "", group: str = "", sprint: str = ""
    ) -> Report:
        """Return every reason why the scope is not complete."""
        label = clean_word(label, "label") if label else ""
        with self._context.store.read() as tx:
            chosen = {self._context.find_id(tx, task) for task in tasks}
            _refuse_nothing(tx, label, group)
            rows = [row for row in tx.all("task.to_validate", CompletionTask) if _is_in(row, chosen, label, group)]
            sprint_notes: tuple[str, ...] = ()
            if sprint:
                sprint, members, sprint_notes = _of_sprint(tx, sprint)
                rows = [row for row in rows if row.id in members]
            holding = holding_of(self._context, tx, [row.id for row in rows])
            notes = (*self._notes(tx, {row.id for row in rows}), *sprint_notes)
            counts = {row.name.removeprefix("status:"): row.n for row in tx.all("project.counters", CounterRow)}
        reasons = [reason for row in rows for reason in _why_not(row, holding[row.id])]
        reasons += red_on_target(self._context)
        stray = unbrought(self._context, asked=self._asks and tip_there(self._context) is not None)
        if stray is not None:
            notes = (*notes, f"{stray.text} (Q5)")
        blocking = {row.id: [finding.id for finding in holding[row.id]] for row in rows if holding[row.id]}
        named = {"label": label, "group": group, "sprint": sprint}
        words = [" ".join(sorted(chosen)), *(f"{what} {name}" for what, name in named.items() if name)]
        scope = ", ".join(filter(None, words))
        return Report(
            complete=not reasons,
            scope=scope or "everything submitted",
            tasks=len(rows),
            open=0 if scope else sum(counts.get(status, 0) for status in UNSUBMITTED),
            reasons=tuple(reasons),
            notes=notes,
            blocking=blocking,
        )

    def _notes(self, tx: Tx, ids: set[str]) -> tuple[str, ...]:
        """Return notes that do not block completion. (E3, L15, L16)"""
        wanted = sorted(ids)
        notes = [
            f"{row.task}: all suggestions ({row.n}) were skipped (L15)"
            for row in tx.all("finding.all_skipped", NoteRow, ids=wanted)
        ]
        notes += [
            f"{row.task}: {row.id} was noted in {row.n} attempts. To plan it as tech debt: fe finding answer {row.id} --track (L16)"
            for row in tx.all("finding.debts", NoteRow, ids=wanted, least=ALERT_AFTER)
        ]
        return (*notes, *waivers_in_words(tx, wanted))


def _why_not(row: CompletionTask, holding: Sequence[HoldingRow]) -> Iterator[Reason]:
    """Yield the reasons why a task is not done."""
    unresolved = [each.id for each in holding if each.state != "waived" and not (each.by_check and row.is_merged)]
    expired = [each.id for each in holding if each.state == "waived" and not row.is_merged]
    if unresolved:
        more = f" and {len(unresolved) - IDS_SHOWN} more" if len(unresolved) > IDS_SHOWN else ""
        words = f"Unresolved blocking review issues: {', '.join(unresolved[:IDS_SHOWN])}{more} ({row.id})"
        yield Reason("X4", words, fe("finding", "list", row.id, "--open"))
    if expired:
        words = f"a waiver has expired: {', '.join(expired[:IDS_SHOWN])} ({row.id})"
        yield Reason("X4", words, fe("finding", "show", expired[0]))
    if row.status == "approved":
        yield Reason("X4", f"{row.id} is approved but not merged", by_person_or_service(fe("merge")))
    if row.landed:
        words = f"the work of {row.id} is on the target branch without an approval"
        yield Reason("X4", words, fe("show", row.id, "--diff"))
    elif row.status == "reviewing":
        yield Reason("X4", f"{row.id} is waiting for review", fe("show", row.id, "--diff"))
    elif row.status not in ("approved", "closed"):
        words = f"{row.id} was submitted but is {row.status} again, without a valid approval"
        yield Reason("X4", words, fe("show", row.id))


def red_on_target(context: Context, *, ran: bool = False) -> list[Reason]:
    """Return reasons for required checks that failed on the target or never ran there. `ran`: only for those that ran.
    (G1)
    """
    with context.store.read() as tx:
        project = context.project(tx)
        target, at = project.target, noted_target(context, tx, project)
        rules = [rule for rule in context.gate_policy(tx).checks if rule.required]
    if not rules:
        return []
    try:
        head = context.repo.commit_of(at)
        tree = context.workshop.tree_of(head) if head else None
    except GitProblem as problem:
        return [Reason("X4", f"git could not say where {target} is: {problem.message}", fe("doctor"))]
    if tree is None:
        return [Reason("X4", f"there is no commit on {target}", fe("doctor"))]
    with context.store.read() as tx:
        results = tx.all("check.of_trees", CheckResult, trees=[tree])
    known = {(result.name, result.digest) for result in results}
    rules = [rule for rule in rules if not ran or (rule.name, rule.digest) in known]
    reasons = [_red(rule, results, target) for rule in rules]
    return [reason for reason in reasons if reason is not None]


def _red(rule: CheckRule, results: Sequence[CheckResult], target: str) -> Reason | None:
    name, which = rule.name, (rule.name, rule.digest)
    last = next((on_target(rule, row) for row in reversed(results) if (row.name, row.digest) == which), None)
    if last is None:
        return Reason("X4", f"the required check {name} has not run on {target}", fe("check", "run", "--target"))
    if last.outcome == "passed":
        return None
    return Reason(
        "X4",
        f"required check {name} {last.outcome.replace('_', ' ')} on {target} ({last.summary})",
        fe("check", "run", "--target", "--again"),
    )


def _refuse_nothing(tx: Tx, label: str, group: str) -> None:
    """Refuse a label or group without tasks. It is probably mistyped, and "complete" would mislead. (X4)"""
    for name, scope in (("label", label), ("group", group)):
        asked = {"label": "", "group_name": ""} | {"label" if name == "label" else "group_name": scope}
        if scope and tx.one("task.of_scope", IdRow, **asked) is None:
            step = fe("list", "--all")
            raise NotFound(f"no task has the {name} {visible(scope)[:60]}.", next_step=step)


def _is_in(row: CompletionTask, chosen: Collection[str], label: str, group: str) -> bool:
    return (not chosen or row.id in chosen) and (not label or label in row.labels) and (not group or row.group == group)
