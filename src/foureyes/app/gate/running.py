"""One run of a check on a tree: whether it is needed, and its record (D5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing

import msgspec

from foureyes.app.call.context import Context
from foureyes.app.call.facts import facts_of, with_trees
from foureyes.app.call.rows import Named
from foureyes.app.call.test_names import pack
from foureyes.app.call.work import Work
from foureyes.app.ports import CheckRunner
from foureyes.app.views.news import News
from foureyes.app.work.tree_files import FilesOfTree
from foureyes.core import events as e
from foureyes.core.loop.failing_checks import failures_told
from foureyes.core.nouns.check import CheckedTree, CheckResult, Judged, Ran, judge
from foureyes.core.nouns.check_rule import CheckRule
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.baseline import listed
from foureyes.core.rules.check_states import RAN, counts
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.involvement import is_involved
from foureyes.core.words.ids import Sha, TaskId
from foureyes.errors import Reason, Refused
from foureyes.steps import fe

Telling = Callable[[News], None]
Stopping = Callable[[], bool]
"""Asked now and then whether a run is to end before its time."""


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
    stop: Stopping | None = None,
    judged: CheckedTree = "attempt",
) -> set[int]:
    """Run each check on each tree where it has no result of use to this caller; the journal rows of new results.

    The last tree is the one that is judged; `judged` says what it is. On the others only tests are run, to know which
    ones the target has, and what found something that the target may have, too. What is stopped is not recorded; what
    ended before is.
    """
    wanted = [rule for rule in rules if not only or rule.name in only]
    fresh: set[int] = set()
    with closing(context.outside.checks()) as runner:
        for tree in trees:
            is_judged = tree == trees[-1]
            due = [
                rule
                for rule in wanted
                if (is_judged or rule.report == "junit")
                and ((again and is_judged) or not _is_known(context, runner, actor, facts, rule, tree))
            ]
            run = Run(context, runner, actor, facts.task.id, tell, judged if is_judged else "target", stop)
            fresh |= {run.one(rule, Sha(tree), last=rule is due[-1]) for rule in due}
        run = Run(context, runner, actor, facts.task.id, tell, "target", stop)
        for tree in trees[:-1]:
            due = _due_for_baseline(context, runner, actor, facts, wanted, (tree, trees[-1]))
            fresh |= {run.one(rule, Sha(tree), last=rule is due[-1]) for rule in due}
    return fresh


def _due_for_baseline(
    context: Context,
    runner: CheckRunner,
    actor: Actor,
    facts: Facts,
    rules: Sequence[CheckRule],
    trees: tuple[Sha | str, Sha | str],
) -> list[CheckRule]:
    """The tools that found something on the second tree, and have nothing to compare it with on the first."""
    with_one = [rule for rule in rules if rule.report == "sarif" and rule.has_baseline]
    if not with_one:
        return []
    before, now = trees
    with context.store.read() as tx:
        results = with_trees(tx, facts_of(context, tx, facts.task.id), [now]).results
    found = {(row.name, row.digest) for row in results if row.tree == now and row.outcome == "failed" and row.failing}
    return [
        rule
        for rule in with_one
        if (rule.name, rule.digest) in found and not _is_known(context, runner, actor, facts, rule, before)
    ]


def _is_known(context: Context, runner: CheckRunner, actor: Actor, facts: Facts, rule: CheckRule, tree: str) -> bool:
    """Equal tree, equal check: the result is used again, if it was one, and if it counts where the caller's
    would.
    """
    with context.store.read() as tx:
        now = with_trees(tx, facts_of(context, tx, facts.task.id), [tree])
        mine = context.party(tx, actor)
    program = runner.program(rule)  # what another program said is not what this one would say
    mine_counts = actor.kind != "agent" and not is_involved(now, mine)
    for result in now.results:
        same = (result.tree, result.name, result.digest) == (tree, rule.name, rule.digest)
        other = program and result.program and program != result.program
        if same and not other and _says(rule, result) and (counts(now, result) or not mine_counts):
            return True
    return False


def _says(rule: CheckRule, result: CheckResult) -> bool:
    """Whether it ran to its end; and what it found can be compared, where that is wanted."""
    unlisted = rule.report == "sarif" and rule.has_baseline and result.failing and not result.tests
    return result.outcome in RAN and not unlisted


class Run(msgspec.Struct, frozen=True):
    """Runs of checks for one task on trees of one kind (`on`), each recorded."""

    context: Context
    runner: CheckRunner
    actor: Actor
    task: TaskId
    tell: Telling | None
    on: CheckedTree
    stop: Stopping | None = None

    def one(self, rule: CheckRule, tree: Sha, *, last: bool) -> int:
        """Run a check on a tree and record what came of it; the journal row. `last`: no other one runs on it here."""
        tell, task = self.tell, self.task
        _refuse_stopped(self.stop, task, rule)
        where = {"target": "the target", "merge": f"the merge result {tree[:7]}"}.get(self.on, tree[:7])
        if tell is not None:
            tell(News(f"{task}  {rule.name} on {where} …"))
        workshop = self.context.workshop
        ran = self.runner.run(
            rule,
            lambda path: workshop.export(tree, path),
            _under(tell, f"{task}  {rule.name}"),
            self.stop,
            tree=FilesOfTree(self.context, tree),
            last=last,
        )
        _refuse_stopped(self.stop, task, rule)
        verdict = judge(rule, ran)
        if tell is not None:
            tell(News(f"{task}  {rule.name} {verdict.outcome.replace('_', ' ')}: {verdict.summary}"))
        with self.context.writing(self.actor, "check run") as work:
            return record_run(work, task, rule, tree, ran, self.on)


def _refuse_stopped(stop: Stopping | None, task: TaskId, rule: CheckRule) -> None:
    """D5: a check that did not run to its end has no result."""
    if stop is not None and stop():
        reason = Reason("D5", f"{rule.name} did not run to its end", fe("check", "run", task))
        raise Refused(f"stopped; {rule.name} has no new result.", reasons=(reason,), task=task)


def record_run(work: Work, task: TaskId, rule: CheckRule, tree: Sha, ran: Ran, on: CheckedTree) -> int:
    """A run, with all that is kept of it; the journal row."""
    verdict = judge(rule, ran)
    digest = ""
    names = _named(ran, verdict)
    if names is not None:
        digest, packed = pack(names)
        if work.tx.one("check.has_tests", Named, digest=digest) is None:
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
            found=failures_told(ran) if verdict.outcome != "unsound" else (),
            on=on,
            failed=verdict.failed,
        ),
    )
    return seq


def _named(ran: Ran, verdict: Judged) -> list[str] | None:
    """All that a run names: tests, or what a tool found where that is why it failed. Skipped now is gone (D5)."""
    if ran.tests and verdict.outcome != "unsound":
        return [test.id for test in ran.tests if test.state != "skipped"]
    is_why = ran.findings and verdict.outcome == "failed" and verdict.failing
    return (list(listed(ran.findings or ())) or None) if is_why else None


def _under(tell: Telling | None, heading: str) -> Callable[[str], None] | None:
    return None if tell is None else lambda line: tell(News(f"{heading}: {line}", printed=True))
