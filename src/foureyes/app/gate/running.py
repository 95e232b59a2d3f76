"""One run of a check on a tree: whether it is needed, and its record (D5)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import closing

import msgspec

from foureyes.app.call.context import Context
from foureyes.app.call.facts import facts_of, with_trees
from foureyes.app.call.rows import IdRow
from foureyes.app.call.test_names import pack
from foureyes.app.call.work import Work
from foureyes.app.ports import CheckRunner
from foureyes.app.views.news import News
from foureyes.app.work.tree_files import FilesOfTree
from foureyes.core import events as e
from foureyes.core.loop.failing_checks import failures_told
from foureyes.core.nouns.check import (
    CheckedTree,
    CheckJudgement,
    CheckResult,
    Ran,
    WhatRan,
    is_another,
    judge,
    last_lines,
    may_have_been_killed,
)
from foureyes.core.nouns.check_rule import CheckRule
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.baseline import listed
from foureyes.core.rules.check_states import RAN, counts
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.involvement import is_involved
from foureyes.core.words.exit_codes import is_tools_own_break
from foureyes.core.words.globs import matching
from foureyes.core.words.ids import Sha, TaskId
from foureyes.errors import Reason, Refused
from foureyes.steps import fe

Telling = Callable[[News], None]
ShouldStop = Callable[[], bool]
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
    stop: ShouldStop | None = None,
    judged: CheckedTree = "attempt",
    begins: Sha | str = "",
) -> set[int]:
    """Run each check on each tree where it has no result of use to this caller; the journal rows of new results.

    The last tree is the one that is judged; `judged` says what it is, `begins` the commit of the target's tree. On the
    others only tests are run, to know which ones the target has, and what failed as the target may, too. What is
    stopped is not recorded; what ended before is.
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
    """What failed on a tree, and has nothing to compare it with on the one before: tools that found something, and
    required checks that say only that they failed. And what broke by its own exit code.
    """
    plain = [rule for rule in rules if rule.report == "none" and rule.required]
    with_one = [rule for rule in rules if rule.report == "sarif"]
    with run.context.store.read() as tx:
        results = with_trees(tx, facts_of(run.context, tx, run.task), [now, before]).results_beside(before)
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
    """D5: whether a run on the target says that the machine is as it was: one of just now, or in an environment that
    is known by its key. What somebody took out of this machine since would be held against a change.
    """
    mine = [row for row in results if (row.tree, row.name, row.digest) == (tree, rule.name, rule.digest)]
    return any(row.seq in fresh or (row.outcome in RAN and WhatRan.read(row.program).environment) for row in mine)


def _says(rule: CheckRule, result: CheckResult) -> bool:
    """Whether it ran to its end; and what it found can be compared, where that is wanted."""
    unlisted = rule.report == "sarif" and result.failing and not result.tests
    return result.outcome in RAN and not unlisted


class CheckRecorder(msgspec.Struct, frozen=True):
    """Runs of checks for one task on trees of one kind (`on`), each recorded. `base`: the tree of the target that they
    are compared with, and `begins` its commit.
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
        """Equal tree, equal check: the result is used again, if it was one, and if it counts where the caller's
        would. What another program said, or the same in another environment, is not what this one would say.
        """
        with self.context.store.read() as tx:
            now = with_trees(tx, facts_of(self.context, tx, self.task), [tree])
            mine = self.context.party(tx, self.actor)
        mine_counts = self.actor.kind != "agent" and not is_involved(now, mine)
        same = [
            result
            for result in now.results_beside(self.base)
            if (result.tree, result.name, result.digest) == (tree, rule.name, rule.digest)
            and _says(rule, result)
            and (counts(now, result) or not mine_counts)
        ]
        program = self.runner.program(rule, self._files(tree)) if same else ""
        return any(not is_another(program, result.program) for result in same)

    def _files(self, tree: str) -> FilesOfTree:
        return FilesOfTree(self.context, Sha(tree), self.base, self.begins, is_asked=self.on == "merge")

    def each(self, rules: Sequence[CheckRule], tree: str) -> set[int]:
        """Run checks on a tree; the journal rows."""
        return {self.one(rule, Sha(tree), last=rule is rules[-1]) for rule in rules}

    def one(self, rule: CheckRule, tree: Sha, *, last: bool) -> int:
        """Run a check on a tree and record what came of it; the journal row. `last`: no other one runs on it here."""
        tell, task = self.tell, self.task
        _refuse_stopped(self.stop, task, rule)
        where = {"target": "the target", "merge": f"the merge result {tree[:7]}"}.get(self.on, tree[:7])
        if tell is not None:
            tell(News(f"{task}  {rule.name} on {where} …"))
        ran = self._run(rule, tree, last=last)
        if may_have_been_killed(ran):
            if tell is not None:
                tell(News(f"{task}  {rule.name} ended with exit code {ran.exit_code}, as if killed: running it again"))
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
        """D5: what a run rewrote of the files that say which packages are needed, where the change touches those."""
        written, inputs = (*ran.rewritten.built, *ran.rewritten.checked), rule.inputs
        if self.on == "target" or not matching(written, inputs):
            return ()
        files = self._files(tree)
        if (own := files.listed(inputs)) in files.of_target(inputs):
            return ()
        return tuple(dict.fromkeys(path for path in written if path in own))

    def _ended(self, rule: CheckRule, verdict: CheckJudgement, code: int | None) -> str:
        """What a run came to, as far as that is known now: what is seen against the target's own is not decided yet."""
        has_findings = verdict.outcome == "failed" and bool(verdict.failing) and rule.report != "none"
        if has_findings and self.on == "target":
            return f"found on the target, so that it is known: {verdict.summary}"
        if has_findings and self.base:
            return f"found something: {verdict.summary}; not compared with the target yet"
        if (
            verdict.outcome == "crashed"
            and self.base
            and self.on != "target"
            and is_tools_own_break(rule.run, code, rule.failed_exit)
        ):
            return f"did not come to its end: {verdict.summary}; not compared with the target yet"
        return f"{verdict.outcome.replace('_', ' ')}: {verdict.summary}"


def _refuse_stopped(stop: ShouldStop | None, task: TaskId, rule: CheckRule) -> None:
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
            found=failures_told(ran) if verdict.outcome != "unsound" else (),
            on=on,
            failed=verdict.failed,
        ),
    )
    return seq


def _named(ran: Ran, verdict: CheckJudgement) -> list[str] | None:
    """All that a run names: tests, or what a tool found where that is why it failed. Skipped now is gone (D5)."""
    if ran.tests and verdict.outcome != "unsound":
        return [test.id for test in ran.tests if test.state != "skipped"]
    is_why = ran.findings and verdict.outcome == "failed" and verdict.failing
    return (list(listed(ran.findings or ())) or None) if is_why else None


def _under(tell: Telling | None, heading: str) -> Callable[[str], None] | None:
    return None if tell is None else lambda line: tell(News(f"{heading}: {line}", printed=True))
