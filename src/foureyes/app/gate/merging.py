"""The merge queue (Q): approved attempts reach the target one by one, each checked as what the target would become."""

from __future__ import annotations

import os
from functools import cached_property

import msgspec

from foureyes.app.call.caller import gate_of, permit
from foureyes.app.call.context import Context
from foureyes.app.call.facts import facts_of, with_trees
from foureyes.app.call.outcome import outcome
from foureyes.app.call.work import Work
from foureyes.app.gate.landing import accept, given_of, recognise, refuse_foreign_target, settings_of, tidy, tidy_merged
from foureyes.app.gate.merge_queue import Lease, explain, is_live, items_of, rules_of, seconds_to_next, waits_for
from foureyes.app.gate.running import Telling, run_on
from foureyes.app.gate.settling import in_words
from foureyes.app.ports import Tx
from foureyes.app.tasks.escalation import escalate
from foureyes.app.views.merge import MergeItem, MergeRow
from foureyes.app.views.news import News
from foureyes.app.views.outcome import Outcome
from foureyes.core import events as e
from foureyes.core.events.decision import TaskMerged
from foureyes.core.nouns.attempt import DETACHED, KEEPS_APPROVAL, Attempt
from foureyes.core.nouns.check import CheckState
from foureyes.core.nouns.session import Actor
from foureyes.core.nouns.task import Task
from foureyes.core.rules import gate
from foureyes.core.rules.check_states import check_state, check_states_on
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.policy import ReviewPolicy
from foureyes.core.rules.still_holds import Given, why_not_checked, why_void
from foureyes.core.words.ids import Sha, TaskId
from foureyes.errors import Conflict, GitProblem, Reason, Refused
from foureyes.steps import NO_STEP, by, fe, shell

STARTS = 5
"""How often a merge begins anew because the target moved meanwhile (Q3)."""

UNDECIDED = ("waiting", "stuck")
"""Outcomes that the next look at the queue tells anew."""
SPARE_SECONDS = 300
SHOWN = 20


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """One merge that is about to happen: everything but the move of the branch."""

    tip: Sha
    tip_tree: Sha
    commit: Sha
    tree: Sha
    checked: tuple[CheckState, ...]


class Moved(Exception):
    """The target is not where it was: start over (Q3)."""


class Done(Exception):
    """The merge ended before the branch was moved; what there is to say about it."""

    def __init__(self, row: MergeRow) -> None:
        self.row = row


class Merges:
    """The queue, and the step that works it off."""

    def __init__(self, context: Context) -> None:
        self._context = context

    @cached_property
    def _nameless(self) -> str:
        """What nobody else has, where processes have no names."""
        return f"unknown:{os.urandom(8).hex()}"

    @property
    def _me(self) -> str:
        """What a lease names: this process."""
        return self._context.outside.process() or self._nameless

    def all(self) -> list[MergeItem]:
        """What is approved and not merged, in the order in which it will be tried, each with what it waits for."""
        with self._context.store.read() as tx:
            rules = rules_of(self._context, tx)
            return [explain(self._context, item, rules) for item in items_of(tx)]

    def process(self, actor: Actor, tell: Telling | None = None, *, wait: bool = False) -> list[MergeRow]:
        """Work the queue off: everything that can be merged now is, the rest says why not. One at a time (Q1).

        `wait`: and again for what only has to settle, until nothing is left that does (Q0).
        """
        permit(actor, "merge")
        rows, seconds = self._work_off(actor, tell, [])
        while wait and seconds is not None:
            if seconds and tell is not None:
                tell(News("a person's approval can still be taken back; waiting until it has settled (Q0)"))
            if seconds:
                self._context.clock.wait(seconds)
            later, seconds = self._work_off(actor, tell, rows)
            rows = [row for row in rows if row.outcome not in UNDECIDED] + later
        return rows

    def _work_off(
        self, actor: Actor, tell: Telling | None, before: list[MergeRow]
    ) -> tuple[list[MergeRow], float | None]:
        """Go through the queue once. What became of each item, and after how many seconds to do so again; None when
        nothing is left that only has to settle.
        """
        with self._context.store.read() as tx:
            target = self._context.project(tx).target
            refuse_foreign_target(self._context, tx, target)
        self._refuse_programs()
        rows = recognise(self._context, actor, target)
        tried: set[int] = set()
        while (item := self._next(actor, tried, before + rows)) is not None:
            tried.add(item.approval)
            rows += self._merge(actor, item, target, tell)
        tidy_merged(self._context, target)
        self._catch_up(target, tell)
        left, seconds = self._left(tried)
        return rows + left, seconds

    def _left(self, tried: set[int]) -> tuple[list[MergeRow], float | None]:
        """What was not tried and why, and when to look again: both by one look, so that nothing settles between."""
        with self._context.store.read() as tx:
            rules = rules_of(self._context, tx)
            left = [item for item in items_of(tx) if item.approval not in tried]
            alone = not any(self._is_anothers(lease) for lease in tx.all("merge.leases", Lease))
        shown = [explain(self._context, item, rules) for item in left]
        rows = [
            MergeRow(task=item.task, attempt=item.attempt, outcome=item.state, message=item.why or "waits")
            for item in shown
        ]
        return rows, seconds_to_next(left, rules, alone=alone)

    def _next(self, actor: Actor, tried: set[int], rows: list[MergeRow]) -> MergeItem | None:
        """The next item; if somebody else is at work by now, what was done so far is still told."""
        try:
            return self._lease(actor, tried)
        except Conflict:
            if not rows:
                raise
            return None

    def _is_anothers(self, lease: Lease) -> bool:
        """Q1: whether another process is at work on it; a lease of one that ended is free (Q4)."""
        return is_live(self._context, lease) and lease.process != self._me

    def _refuse_programs(self) -> None:
        """Q2: repository configuration that names a program is an error: what reaches the target is not decided by
        it.
        """
        named = self._context.workshop.programs_named()
        if named:
            step = by(
                "person",
                shell("git", "config", "--show-origin", "--get-all", named[0]),
                "a person looks at it, and takes it out if nobody needs it: ",
            )
            reasons = tuple(
                Reason("Q2", f"the repository's git configuration names a program: {key}", step) for key in named
            )
            raise Refused("nothing was merged.", reasons=reasons, next_step=step)

    def _lease(self, actor: Actor, tried: set[int]) -> MergeItem | None:
        """Q1: take the next item, unless another process is at work."""
        with self._context.writing(actor, "merge") as work:
            for lease in work.tx.all("merge.leases", Lease):
                if self._is_anothers(lease):
                    where = f" on {lease.host}" if lease.host else ""
                    raise Conflict(
                        f"another fe merge is at work{where}: it merges {lease.task}.", next_step=fe("merges", "list")
                    )
            rules = rules_of(self._context, work.tx)
            items = [item for item in items_of(work.tx) if item.approval not in tried and not waits_for(item, rules)]
            if not items:
                return None
            policy = self._context.policy(work.tx, gate_of(self._context.store.project))
            seconds = SPARE_SECONDS + 2 * 60 * sum(rule.timeout_minutes for rule in policy.checks)
            lease_event = e.MergeLeased(
                attempt=items[0].attempt,
                approval=items[0].approval,
                until=self._context.later(seconds),
                process=self._me,
                host=actor.host,
                via=actor.session,
            )
            work.as_gate(self._context.store.project).record(items[0].task, lease_event)
            return items[0]

    def _merge(self, actor: Actor, item: MergeItem, target: str, tell: Telling | None) -> list[MergeRow]:
        """One item, and what else turned up on the target meanwhile."""
        try:
            rows = self._tried(actor, item, target, tell)
        except Done as done:
            rows = [done.row]
        return rows

    def _tried(self, actor: Actor, item: MergeItem, target: str, tell: Telling | None) -> list[MergeRow]:
        """As often as the target moves under it, but not for ever; somebody may have merged it by hand (Q3)."""
        try:
            for _ in range(STARTS):
                try:
                    plan = self._prepare(actor, item, target, tell)
                    return [self._move(actor, item, target, plan)]
                except Moved:
                    found = recognise(self._context, actor, target)
                    if any(row.task == item.task for row in found):
                        return sorted(found, key=lambda row: row.task != item.task)
            return [self._leave(actor, item, f"{target} moved {STARTS} times meanwhile", stuck=False)]
        except GitProblem as problem:
            return [self._leave(actor, item, f"git: {problem.message}", stuck=True)]

    def _prepare(self, actor: Actor, item: MergeItem, target: str, tell: Telling | None) -> Plan:
        """Q2: merge on top of the tip, run the required checks on the result; nothing is moved yet."""
        context, task = self._context, TaskId(item.task)
        with context.store.read() as tx:
            facts, policy = facts_of(context, tx, task), context.policy(tx, gate_of(context.store.project))
        attempt = facts.attempt
        assert attempt is not None
        where = self._tip(attempt, target)
        with context.writing(actor, "merge") as work:
            self._refuse_lost(work, item)
            void = self._void(work, item, facts_of(context, work.tx, task), where)  # before anybody waits for checks
        if void is not None:
            raise Done(void)
        tip = context.repo.commit_of(f"refs/heads/{target}")
        if tip is None:
            raise GitProblem(f"the target branch {target} has no commit", next_step=shell("git", "branch", target))
        if tell is not None:
            tell(News(f"{task}  merging attempt {attempt.n} into {target} at {tip[:7]}"))
        merged = context.workshop.merge(tip=tip, head=attempt.head)
        if merged.tree is None:
            raise Done(
                self._failed(actor, item, "conflict", conflict_words(target, tip, merged.conflicts), merged.conflicts)
            )
        tip_tree = context.workshop.tree_of(tip) or Sha("")
        required = [rule for rule in policy.checks if rule.required]
        run_on(context, actor, facts, required, [tip_tree, merged.tree], tell=tell)
        checked = self._judge(actor, item, facts, policy, merged.tree, tip_tree, target)
        message = self._message(facts, item, target)
        commit = context.workshop.commit(tree=merged.tree, parents=[tip, attempt.head], message=message)
        return Plan(tip=tip, tip_tree=tip_tree, commit=commit, tree=merged.tree, checked=checked)

    def _judge(
        self, actor: Actor, item: MergeItem, facts: Facts, policy: ReviewPolicy, tree: Sha, tip_tree: Sha, target: str
    ) -> tuple[CheckState, ...]:
        """Q3: red checks bring the task back; checks that broke themselves keep it waiting."""
        with self._context.store.read() as tx:
            given = self._given(tx, item)
            facts = with_trees(tx, facts, [tree, tip_tree])
        checked = tuple(one for one in check_states_on(facts, policy, tree, tip_tree, given.gone) if one.rule.required)
        reasons = why_not_checked(facts, given, checked, tree)
        if not reasons:
            return checked
        red = [one for one in checked if one.word == "failed"]
        if red and self._is_targets_own(actor, facts, red, tip_tree):
            names = ", ".join(one.rule.name for one in red)
            raise Done(
                self._leave(actor, item, f"{target} itself fails {names}: mend that first, then fe merge", stuck=False)
            )
        if red:
            failing = tuple(name for one in red if one.result for name in [*one.result.failing, *one.gone])
            with self._context.store.read() as tx:
                feedback = red_words(tx, target, red)
            raise Done(self._failed(actor, item, "checks", feedback, failing))
        broke = any(one.word in ("crashed", "timed_out") for one in checked)
        raise Done(self._leave(actor, item, "; ".join(reason.message for reason in reasons), stuck=broke))

    def _is_targets_own(self, actor: Actor, facts: Facts, red: list[CheckState], tip_tree: Sha) -> bool:
        """Whether everything that is red was red on the target before: then it is nobody's fault who waits in the
        queue.
        """
        run_on(self._context, actor, facts, [one.rule for one in red], [tip_tree])
        with self._context.store.read() as tx:
            known = with_trees(tx, facts, [tip_tree])
        before = [check_state(known, one.rule, tip_tree, "") for one in red]
        return all(
            old.word == "failed"
            and old.result
            and one.result
            and not one.gone
            and set(one.result.failing) <= set(old.result.failing)
            for old, one in zip(before, red, strict=True)
        )

    def _given(self, tx: Tx, item: MergeItem) -> Given:
        given = given_of(tx, TaskId(item.task))
        if given is None or given.seq != item.approval:
            raise Done(
                MergeRow(
                    task=item.task, attempt=item.attempt, outcome="waiting", message="its approval ended meanwhile"
                )
            )
        return given

    def _message(self, facts: Facts, item: MergeItem, target: str) -> str:
        """J3: the merge commit names task, approval and attempt, and anchors the journal."""
        attempt = facts.attempt
        assert attempt is not None
        with self._context.store.read() as tx:
            head = tx.one("journal.head", Head)
        assert head is not None
        said = " ".join(attempt.message.split())
        body = f"{said[:500]}\n\n" if said else ""
        title = " ".join(facts.task.title.split())
        return (
            f"Merge {item.task}: {title}\n\n{body}"
            f"Task: {item.task}\nApproved-by: {item.approver}\nAttempt: {attempt.n}\nJournal: {head.seq}:{head.hash}\n"
        )

    def _move(self, actor: Actor, item: MergeItem, target: str, plan: Plan) -> MergeRow:
        """P and D once more, and the branch moves: inside one transaction, so that no decision comes between (Q2,
        Q4).
        """
        context, task = self._context, TaskId(item.task)
        with context.store.read() as tx:
            attempt = facts_of(context, tx, task).attempt
        assert attempt is not None
        tip, settings = self._tip(attempt, target), settings_of(context, attempt, plan.commit)
        with context.writing(actor, "merge") as work:
            gatekeeper = work.as_gate(context.store.project)
            self._refuse_lost(work, item)
            facts = facts_of(context, work.tx, task)
            void = self._void(work, item, facts, tip)
            if void is not None:
                return void
            if self._wants_more(work.tx, item, facts, plan):
                raise Moved  # somebody accepted a stricter pipeline meanwhile: begin anew with it
            if gate.holds(facts):
                gatekeeper.record(task, e.MergeLeft(attempt=item.attempt, why="held", stuck=False))
                return MergeRow(task=task, attempt=item.attempt, outcome="waiting", message="held")
            if not context.workshop.move(f"refs/heads/{target}", new=plan.commit, old=plan.tip):
                raise Moved
            note = accept(context, gatekeeper, facts.task, settings)
            gatekeeper.record(task, TaskMerged(sha=plan.commit, via=actor.session))
        notes = [text for text in (note, tidy(context, task, attempt, target)) if text]
        green = sum(one.is_green for one in plan.checked)
        message = f"{target} is at {plan.commit[:7]}" + (
            f", checks {green}/{len(plan.checked)}" if plan.checked else ""
        )
        return MergeRow(
            task=task, attempt=item.attempt, outcome="merged", sha=plan.commit, message=message, notes=tuple(notes)
        )

    def _wants_more(self, tx: Tx, item: MergeItem, facts: Facts, plan: Plan) -> bool:
        """D5 by the policy of this very moment."""
        policy, given = self._context.policy(tx, gate_of(self._context.store.project)), self._given(tx, item)
        known = with_trees(tx, facts, [plan.tree, plan.tip_tree])
        checked = tuple(
            one for one in check_states_on(known, policy, plan.tree, plan.tip_tree, given.gone) if one.rule.required
        )
        return bool(why_not_checked(known, given, checked, plan.tree))

    def _void(self, work: Work, item: MergeItem, facts: Facts, tip: gate.Tip) -> MergeRow | None:
        """T `void`: the approval ends where P or D no longer hold."""
        given = self._given(work.tx, item)
        reasons = why_void(facts, self._context.policy(work.tx, gate_of(self._context.store.project)), given, tip)
        if not reasons:
            return None
        said = tuple(f"{reason.rule} {reason.message}" for reason in reasons)
        work.as_gate(self._context.store.project).record(item.task, e.ApprovalVoided(approval=given.seq, reasons=said))
        return MergeRow(
            task=item.task,
            attempt=item.attempt,
            outcome="void",
            message="the approval no longer holds: " + "; ".join(said),
        )

    def _refuse_lost(self, work: Work, item: MergeItem) -> None:
        """A lease that another took over, because this process was silent for too long, is not ours any more."""
        lease = work.tx.one("merge.of", Lease, task=item.task)
        if lease is None or lease.state != "merging" or lease.process != self._me:
            raise Done(
                MergeRow(
                    task=item.task, attempt=item.attempt, outcome="waiting", message="another fe merge took it over"
                )
            )
        if self._context.find(work.tx, item.task).status != "approved":
            raise Done(
                MergeRow(task=item.task, attempt=item.attempt, outcome="waiting", message="it is not approved any more")
            )

    def _tip(self, attempt: Attempt, target: str) -> gate.Tip:
        """D4, A3: where the branch stands; a pure rebase of the approved head counts as it."""
        head = self._context.repo.commit_of(attempt.ref) if attempt.ref != DETACHED else None
        if head is not None and head != attempt.head:
            relation = self._context.repo.relation(base=attempt.base, head=attempt.head, new_head=head, target=target)
            head = attempt.head if relation in KEEPS_APPROVAL else head
        return gate.Tip(head=head)

    def _failed(self, actor: Actor, item: MergeItem, kind: str, feedback: str, paths: tuple[str, ...]) -> MergeRow:
        """Q3: the target did not move; the task is open, and told why."""
        with self._context.writing(actor, "merge") as work:
            self._refuse_lost(work, item)
            event = e.MergeFailed(
                iteration=item.attempt,
                kind="conflict" if kind == "conflict" else "checks",
                feedback=feedback,
                paths=paths[:200],
            )
            work.as_gate(self._context.store.project).record(item.task, event)
            escalate(self._context, work, TaskId(item.task))
        said = feedback.split("\n")[0] + (f" {', '.join(paths[:SHOWN])}" if kind == "conflict" else "")
        return MergeRow(task=item.task, attempt=item.attempt, outcome=kind, message=said, notes=work.notes)

    def _leave(self, actor: Actor, item: MergeItem, why: str, *, stuck: bool) -> MergeRow:
        """The lease is given back; the approval stands. One stuck item never blocks the others (Q3)."""
        with self._context.writing(actor, "merge") as work:
            self._refuse_lost(work, item)
            event = e.MergeLeft(attempt=item.attempt, why=why, stuck=stuck)
            work.as_gate(self._context.store.project).record(item.task, event)
        return MergeRow(task=item.task, attempt=item.attempt, outcome="stuck" if stuck else "waiting", message=why)

    def _catch_up(self, target: str, tell: Telling | None) -> None:
        """Q5: a clean checkout of the target follows it; a dirty one is left alone, and the person told."""
        for one in self._context.workshop.catch_up(target):
            if tell is not None:
                here = os.path.relpath(one.path)
                said = "brought up to date" if one.moved else f"left alone: {one.why}"
                where = "this checkout" if here == "." else here
                tell(News(f"{where}: {said}", NO_STEP if one.moved else one.next))

    def retry(self, actor: Actor, task: str) -> Outcome:
        """Try a stuck merge again."""
        permit(actor, "merges retry")
        with self._context.writing(actor, "merges retry") as work:
            found = self._context.find(work.tx, task)
            lease = work.tx.one("merge.of", Lease, task=found.id)
            refuse_unless_queued(found)
            if lease is None or lease.state != "stuck":
                return outcome(found, f"{found.id} is not stuck", fe("merge"), changed=False)
            work.record(found.id, e.MergeRetried(attempt=found.iteration))
            return outcome(self._context.get(work.tx, found.id), f"{found.id} is tried again", fe("merge"))


class Head(msgspec.Struct, frozen=True):
    """The end of the chain."""

    seq: int
    hash: str


def refuse_unless_queued(task: Task) -> None:
    """Only what is approved waits to be merged."""
    if task.status != "approved":
        reason = Reason(
            "T2", f"{task.id} is {task.status}: only what is approved is in the merge queue", fe("merges", "list")
        )
        raise Refused(f"{task.id} was not changed.", reasons=(reason,), next_step=reason.next, task=task.id)


def conflict_words(target: str, tip: str, paths: tuple[str, ...]) -> str:
    """Automatic feedback for a conflict."""
    lines = [f"Merging into {target} at {tip[:7]} conflicts in {len(paths)} {'file' if len(paths) == 1 else 'files'}:"]
    lines += [f"- {path}" for path in paths[:SHOWN]]
    return "\n".join([*lines, f"Bring {target} into your branch, resolve, run the checks, and hand in again."])


def red_words(tx: Tx, target: str, red: list[CheckState]) -> str:
    """Automatic feedback for checks that are red on the merge result."""
    names = ", ".join(one.rule.name for one in red)
    return f"On top of {target}, required checks fail ({names}); {target} was not moved.\n" + in_words(tx, red)
