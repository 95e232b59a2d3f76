"""One merge: a candidate on top of the target, checked, and then the target moves to it. (Q2, Q3)"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from foureyes.app.case import Case, case_of
from foureyes.app.context import Context, Work
from foureyes.app.facts import with_trees
from foureyes.app.findings.auto_decisions import failures_in_words
from foureyes.app.gate.checks import Telling, run_on
from foureyes.app.gate.landing import (
    TargetLine,
    accept,
    note_unapproved,
    recognise,
    settings_of,
    waiting_approval_of,
    what_to_allow,
)
from foureyes.app.gate.merge_queue import Lease
from foureyes.app.gate.submission import with_links
from foureyes.app.git_ports import CaughtUp, Moved
from foureyes.app.ports import Tx
from foureyes.app.results.attempt import MergeItem, MergeRow
from foureyes.app.results.journal import JournalHead
from foureyes.app.results.project import News
from foureyes.app.target import NOT_ARRIVED, has_newest, sent_for
from foureyes.app.target_merges import Unbrought, built_on, lacking
from foureyes.app.tasks.escalation import escalate
from foureyes.app.work.remote_attempts import branch_there, bring, is_elsewhere, machine_of
from foureyes.app.work.worktrees import tidy
from foureyes.core import events as e
from foureyes.core.events.decision import TaskMerged
from foureyes.core.events.gate import MergeSent
from foureyes.core.nouns.attempt import KEEPS_APPROVAL, Attempt, Effect
from foureyes.core.nouns.check import CheckState
from foureyes.core.nouns.session import Actor
from foureyes.core.rules import gate
from foureyes.core.rules.approval_validity import WaitingApproval, marked_by, why_not_checked, why_not_there, why_void
from foureyes.core.rules.check_states import check_states_on
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.stacks import landed_below, waits_for
from foureyes.core.words.ids import ANCHOR, Sha, TaskId, seen_name
from foureyes.core.words.refs import DETACHED, attempt_ref, attempt_refs
from foureyes.core.words.text import visible
from foureyes.core.words.untrusted_text import named
from foureyes.errors import GitProblem, Reason, Refused, RemoteProblem
from foureyes.steps import NO_STEP

# ---- One merge (Q2, Q3) ----

# `run` makes several tries. In each, `_prepare` makes a plan or returns the outcome, and `_move` checks P and D again
# in one transaction and moves the branch there. With a remote, that transaction records the intent (`MergeSent`)
# instead, `_push` moves the target outside of it, and a second transaction closes the task (decision 10). Between the
# intent and the confirmed push, `sent` is set and nothing ends the approval.

STARTS = 5
"""How often a merge is tried, if the target keeps moving. (Q3)"""
PUSH_SECONDS = 1800
"""How long a lease lasts after the intent is recorded: longer than a push, and the queries after it, can take. (J4)"""
CUTS = 2
"""Number of retries of a push whose connection broke, before the merge is stuck."""


class OneMerge:
    """The merge of one item that this process has leased."""

    def __init__(
        self,
        context: Context,
        actor: Actor,
        line: TargetLine,
        item: MergeItem,
        process: str,
        tell: Telling | None,
    ) -> None:
        self._context = context
        self._actor = actor
        self._line = line
        self._cut, self.may_be_there = 0, False
        self._item = item
        self._task = TaskId(item.task)
        self._ends = MergeEnds(context, actor, item, process)
        self._tell = tell
        self._stray: Unbrought | None = None

    def run(self, first: Try) -> list[MergeRow]:
        """Merge the item. If the target moves, start again, a limited number of times. (Q3)

        Return the result for the item and for other merges found on the target meanwhile.
        """
        now = first
        try:
            for _ in range(STARTS):
                plan = self._prepare(now)
                row = self._move(plan) if isinstance(plan, Plan) else plan
                if row is not None:
                    return [row]
                if landed := self._landed():
                    return landed
                again = self._read_again()
                if again is None:
                    return [self._ends.ended()]
                now = again
            return [self._ends.leave(f"{self._line.name} moved {STARTS} times meanwhile", stuck=False)]
        except RemoteProblem as problem:
            return [self._ends.leave(problem.message, stuck=False).with_next(problem.next_step)]
        except Refused as problem:  # for example, the target is gone from the remote
            return [self._ends.leave(problem.in_a_line, stuck=False).with_next(problem.way_on)]
        except GitProblem as problem:
            return [self._ends.leave(f"git: {problem.message}", stuck=True)]

    def _landed(self) -> list[MergeRow]:
        """Return the merges found on the target, if the item is one of them.

        Otherwise return none and clear `sent`: an earlier push can no longer succeed, because the target or the fence
        has moved.
        """
        self._line.tip()
        landed = recognise(self._context, self._actor, self._line, self._context.repo.heads())
        mine = next((other for other in landed if other.task == self._task), None)
        if mine is not None and mine.outcome == "stuck":
            self._ends.sent = False
            return [self._ends.leave(mine.message, stuck=True)]
        if mine is not None:
            return sorted(landed, key=lambda other: other.task != self._task)
        self._ends.sent = self.may_be_there = False
        return []

    def _read_again(self) -> Try | None:
        with self._context.store.read() as tx:
            return read_try(self._context, tx, self._item)

    # A plan

    def _prepare(self, now: Try) -> Plan | MergeRow | None:
        """Merge onto the tip and run the required checks on the result, without moving anything. Return None if the
        target has the work already. (Q2)
        """
        context, attempt, target = self._context, now.attempt, now.case.target
        bring(context, self._task)
        tip = self._line.tip(*attempt_refs(self._task, attempt.n, attempt.head))
        if context.repo.is_ancestor(attempt.head, tip):
            return None
        if left := why_left(context, self._task, attempt, tip):
            return self._ends.leave(left.why, stuck=left.stuck)
        where = tip_of(context, self._task, attempt, self._line.at)
        # before the slow checks
        if now.why_void(where) and (void := self._ends.void(where, Effect())) is not None:
            return void
        self._begin(now, tip)
        merged = context.workshop.merge(base=attempt.base, tip=tip, head=attempt.head, landed=landed_below(now.facts))
        if merged.diff_id != attempt.diff_id:
            return self._ends.leave(other_change_words(attempt, merged.diff_id), stuck=True)
        if merged.tree is None:
            return self._ends.failed("conflict", conflict_words(target, tip, merged.conflicts), merged.conflicts)
        effect = with_links(context, now.case.policy, merged.effect, tip, merged.tree)
        if now.why_not_there(where, effect) and (void := self._ends.void(where, effect)) is not None:
            return void
        tip_tree = self._check(now, tip, merged.tree)
        checked = self._judge(now, merged.tree, tip_tree)
        if isinstance(checked, MergeRow):
            return checked
        message = commit_message(now.facts, self._item, self._journal_head())
        commit = context.workshop.commit(tree=merged.tree, parents=[tip, attempt.head], message=message)
        return Plan(
            attempt=attempt, tip=tip, tip_tree=tip_tree, commit=commit, tree=merged.tree, checked=checked, effect=effect
        )

    def _begin(self, now: Try, tip: Sha) -> None:
        """Report the start of the merge, and commits on the target that no task brought. (Q5)"""
        before, self._stray = self._stray, built_on(self._context, tip)
        if self._tell is not None:
            self._tell(News(f"{self._task}  merging attempt {now.attempt.n} into {now.case.target} at {tip[:7]}"))
            if self._stray is not None and self._stray != before:
                self._tell(News(self._stray.text, self._stray.next))

    def _check(self, now: Try, tip: Sha, tree: Sha) -> Sha:
        """Run the required checks on the merge result. Return the tree of the target's tip, for comparison."""
        required = [rule for rule in now.case.policy.checks if rule.required]
        if not required:
            return Sha("")
        tip_tree = self._context.workshop.tree_of(tip) or Sha("")
        run_on(self._context, self._actor, now.facts, required, [tip_tree, tree], tell=self._tell, judged="merge")
        return tip_tree

    def _judge(self, now: Try, tree: Sha, tip_tree: Sha) -> tuple[CheckState, ...] | MergeRow:
        """Return the check states, or the result if they prevent the merge: a failed check sends the task back, and a
        broken one leaves it waiting. (Q3)
        """
        target = now.case.target
        with self._context.store.read() as tx:
            given, facts = waiting_approval_of(tx, self._task), with_trees(tx, now.facts, [tree, tip_tree])
        if given is None or given.seq != self._item.approval:
            return self._ends.ended()
        checked = now.states_on(facts, tree, tip_tree)
        reasons = why_not_checked(facts, given, checked, tree)
        if not reasons:
            return checked
        red = [state for state in checked if state.word == "failed"]
        again = self._compared_with_target(now, red, tree, tip_tree) if red else ()
        if red and not why_not_checked(facts, given, again, tree):
            return again
        rules = [state.rule for state in red]
        if red and all(state.red_before and not state.gone for state in again if state.rule in rules):
            names = ", ".join(state.rule.name for state in red)
            return self._ends.leave(f"{target} itself fails {names}. Fix {target} first, then: fe merge", stuck=False)
        if red:
            failing = tuple(name for state in red if state.result for name in [*state.result.failing, *state.gone])
            with self._context.store.read() as tx:
                feedback = red_words(tx, self._task, target, red)
            return self._ends.failed("checks", feedback, failing)
        broke = any(state.word in ("crashed", "timed_out", "unsound") for state in checked)
        return self._ends.leave(", and ".join(reason.message for reason in reasons), stuck=broke)

    def _compared_with_target(
        self, now: Try, red: list[CheckState], tree: Sha, tip_tree: Sha
    ) -> tuple[CheckState, ...]:
        """Run the failed checks on the target too. A failure there is not the task's fault. (D5)"""
        run_on(self._context, self._actor, now.facts, [state.rule for state in red], [tip_tree], judged="target")
        with self._context.store.read() as tx:
            facts = with_trees(tx, now.facts, [tree, tip_tree])
        return now.states_on(facts, tree, tip_tree)

    def _journal_head(self) -> JournalHead:
        with self._context.store.read() as tx:
            head = tx.one("journal.head", JournalHead)
        assert head is not None
        return head

    # The move

    def _move(self, plan: Plan) -> MergeRow | None:
        """Evaluate P and D again and move the branch, in one transaction, so that no decision can come in between. (Q2,
        Q4, Q6)

        With a remote, record the intent and push afterwards. Return None if the target has moved and the merge must
        start again (Q3).
        """
        context, remote, note = self._context, self._line.remote, ""
        tip = tip_of(context, self._task, plan.attempt, self._line.at)
        settings = settings_of(context, plan.attempt, plan.commit)
        with context.writing(self._actor, "merge") as work:
            now = self._asked_again(work, plan, tip)
            if not isinstance(now, Try):
                return now
            self.may_be_there = remote is None  # set before the move, in case the recording fails
            if remote is not None:
                work.gate.record(self._task, self._intent(plan, remote.name))
            elif not context.workshop.move(self._line.branch, new=plan.commit, old=plan.tip):
                return None
            else:
                note = self._close(work, plan, settings)
        return self._push(plan, settings) if remote is not None else self._merged(plan, note)

    def _intent(self, plan: Plan, remote: str) -> MergeSent:
        until = self._context.later(PUSH_SECONDS)
        return MergeSent(attempt=plan.attempt.n, made=plan.commit, onto=plan.tip, remote=remote, until=until)

    def _asked_again(self, work: Work, plan: Plan, tip: gate.Tip) -> Try | MergeRow | None:
        """Return the inputs of the merge if they still hold in this transaction, otherwise the result."""
        lost = self._ends.lost(work)
        if lost is not None:
            return lost
        now = read_try(self._context, work.tx, self._item)
        if now is None:
            return self._ends.ended()
        if (void := self._ends.record_void(work, now, tip, plan.effect)) is not None:
            return void
        if self._wants_more(work.tx, now, plan) or not has_newest(self._context, work.tx, plan.tip):
            return None  # the required checks changed meanwhile, or the target did
        if why := "held" if gate.holds(now.facts) or gate.pauses(now.facts) else now.below:
            work.gate.record(self._task, e.MergeLeft(attempt=self._item.attempt, why=why, stuck=False))
            return self._ends.row("waiting", why)
        return now

    def _push(self, plan: Plan, settings: str) -> MergeRow | None:
        """Push the target, only if it is where expected, together with the attempt and the fence. (Q6)"""
        also = [(attempt_ref(self._task, plan.attempt.n), plan.attempt.head)]
        self._ends.sent = self.may_be_there = True
        try:
            if isinstance(self._line.push(plan.commit, onto=plan.tip, also=also), Moved):
                return None
        except RemoteProblem as problem:
            return self._unheard(plan, problem)
        note = ""
        with self._context.writing(self._actor, "merge") as work:
            task = self._context.get(work.tx, self._task)
            if task.status == "approved":
                note = self._close(work, plan, settings)
            elif task.merge is None:
                note = note_unapproved(work.gate, task, plan.commit)
        self._ends.sent = False
        return self._merged(plan, note)

    def _unheard(self, plan: Plan, problem: RemoteProblem) -> MergeRow | None:
        """Handle a push that failed. It can no longer succeed once the fence has moved, or if the remote rejects the
        push or the fence.
        """
        self._cut += 1
        try:
            is_out = problem.kind == "refused" or self._line.shut_out(plan.tip)
        except RemoteProblem as again:
            if again.kind != "refused" or self._line.tip() != plan.tip:
                return self._ends.leave(problem.message, stuck=False)
            is_out, problem = True, again
        if not is_out or (problem.kind != "refused" and self._cut < CUTS):
            return None
        self._ends.sent = self.may_be_there = False
        return self._ends.leave(what_to_allow(problem, self._line), stuck=True)

    def _close(self, work: Work, plan: Plan, settings: str) -> str:
        """Record the merge. Return a message about accepted settings."""
        note = accept(self._context, work.gate, self._context.get(work.tx, self._task), settings, plan.commit)
        work.gate.record(self._task, self._event(plan))
        return note

    def _event(self, plan: Plan) -> TaskMerged:
        made, clone = plan.commit, self._context.outside.clone()
        return TaskMerged(sha=made, via=self._actor.session, onto=plan.tip, newest=made, clone=clone)

    def _wants_more(self, tx: Tx, now: Try, plan: Plan) -> bool:
        """Return True if the checks required right now have not passed. (D5)"""
        facts = with_trees(tx, now.facts, [plan.tree, plan.tip_tree])
        checked = now.states_on(facts, plan.tree, plan.tip_tree)
        return bool(why_not_checked(facts, now.given, checked, plan.tree))

    def _merged(self, plan: Plan, note: str) -> MergeRow:
        below = (
            f"it is based on commits that belong to no task: {self._stray.commits}"
            if self._stray and not self._tell
            else ""
        )
        notes = tuple(text for text in (note, below, self._tidied(plan)) if text)
        green = sum(state.is_green for state in plan.checked)
        checks = f", checks {green}/{len(plan.checked)}" if plan.checked else ""
        return self._ends.row("merged", f"{self._line.name} is at {plan.commit[:7]}{checks}", plan.commit, notes)

    def _tidied(self, plan: Plan) -> str:
        """Clean up after a merge. A git problem here does not undo the merge. (Q5)"""
        try:
            self._line.follow()
            return tidy(self._context, self._task, plan.attempt, self._line.name)
        except GitProblem as problem:
            return f"git: {problem.message}"


# ---- Merge plan (Q2) ----


class Try(msgspec.Struct, frozen=True):
    """Inputs of one try, read in one transaction: the case, the approval, and True if people have keys."""

    case: Case
    given: WaitingApproval
    keys: bool = False

    @property
    def facts(self) -> Facts:
        return self.case.facts

    @property
    def attempt(self) -> Attempt:
        assert self.case.attempt is not None
        return self.case.attempt

    def why_void(self, tip: gate.Tip) -> tuple[Reason, ...]:
        """Return why this approval would not be given now. (T `void`)"""
        return why_void(self.facts, self.case.policy, self.given, tip)

    def why_not_there(self, tip: gate.Tip, effect: Effect) -> tuple[Reason, ...]:
        """Return why it would not be given for the merge's effect on the target. (Q2)"""
        policy, own = self.case.policy, set(self.facts.changed_paths())
        others = [visible(path) for path in effect.paths if path not in own]
        where = f"merged into {self.case.target}" + (f", where it changes {others[0]}" if others else "")
        reasons = why_not_there(self.facts, policy, self.given, tip, effect, keys=self.keys)
        return tuple(replace(reason, message=f"{where}: {reason.message}") for reason in reasons)

    @property
    def below(self) -> str:
        """Why it has to wait for a task inside that was submitted meanwhile, "" if there is none. (A7)"""
        first = waits_for(self.facts, self.given.passed)
        return f"waits for {', '.join(first)}, whose work it contains (A7)" if first else ""

    def states_on(self, facts: Facts, tree: Sha, tip_tree: Sha) -> tuple[CheckState, ...]:
        """Return the states of the required checks on the merge result. (D5)"""
        states = check_states_on(facts, self.case.policy, tree, tip_tree, self.given.gone)
        return tuple(state for state in states if state.rule.required)


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """A merge that is ready except for moving the branch."""

    attempt: Attempt
    tip: Sha
    tip_tree: Sha
    commit: Sha
    tree: Sha
    checked: tuple[CheckState, ...]
    effect: Effect


class UnmadeMerge(msgspec.Struct, frozen=True):
    """Why a merge is not made. `stuck`: it waits until someone acts."""

    why: str
    stuck: bool = False


def why_left(context: Context, task: TaskId, attempt: Attempt, tip: Sha) -> UnmadeMerge | None:
    """Return why not to merge onto `tip`, or None.

    The target may lack the last recorded merge (Q6), or the attempt's base, so that a merge would bring history that
    was not reviewed (Q2).
    """
    with context.store.read() as tx:
        is_there, project = has_newest(context, tx, tip), context.project(tx)
        stop = None if is_there else lacking(context, tx, project, tip)
    if stop is not None:
        return UnmadeMerge(stop.text)
    if context.repo.is_ancestor(attempt.base, tip):
        return None
    why = f"attempt {attempt.n} starts at {attempt.base[:7]}, which {project.target} does not contain (Q2)"
    again = f"Send it back (fe redo {task}) and submit it again on top of {project.target}"
    return UnmadeMerge(f"{why}. {again}", stuck=True)


def read_try(context: Context, tx: Tx, item: MergeItem) -> Try | None:
    """Read the inputs of a try. None if the queued approval has ended."""
    task = TaskId(item.task)
    given = waiting_approval_of(tx, task)
    if given is None or given.seq != item.approval:
        return None
    return Try(case_of(context, tx, context.gate, task), given, context.has_keys(tx))


def tip_of(context: Context, task: TaskId, attempt: Attempt, target: str) -> gate.Tip:
    """Return the state of the attempt's branch. A pure rebase of the approved head counts as that head. (A3, D4)"""
    repo, machine = context.repo, ""
    if is_elsewhere(context, attempt.clone):
        head: Sha | None = branch_there(context, task, attempt).head
        machine = machine_of(attempt.clone)
    else:
        head = repo.commit_of(attempt.ref) if attempt.ref != DETACHED else None
    if head is not None and head != attempt.head:
        relation = repo.relation(base=attempt.base, head=attempt.head, new_head=head, target=target)
        head = attempt.head if relation in KEEPS_APPROVAL else head
    return gate.Tip(head=head, machine=machine)


# ---- Merge ends (Q3) ----

# One stuck item never blocks the others.

KEPT_PATHS = 200
"""Number of a failed merge's paths to record."""


class MergeEnds:
    """The possible ends of an item that this process has leased. `sent`: its merge was pushed without confirmation.
    Until that is settled, nothing ends the approval.
    """

    def __init__(self, context: Context, actor: Actor, item: MergeItem, process: str) -> None:
        self._context, self._actor, self._item, self._process = context, actor, item, process
        self._task = TaskId(item.task)
        self.sent = False

    def row(self, outcome: str, message: str, sha: str = "", notes: tuple[str, ...] = ()) -> MergeRow:
        """Return the item's result row."""
        item = self._item
        return MergeRow(task=item.task, attempt=item.attempt, outcome=outcome, message=message, sha=sha, notes=notes)

    def ended(self) -> MergeRow:
        """Return the row for an approval that another session ended."""
        return self.row("waiting", "its approval ended meanwhile")

    def lost(self, work: Work) -> MergeRow | None:
        """Return a row if this process lost the item: another one took the lease after a long silence, or the approval
        ended. Otherwise None.
        """
        lease = work.tx.one("merge.of", Lease, task=self._task)
        if lease is None or lease.state != "merging" or lease.process != self._process:
            return self.row("waiting", "another fe merge took it over")
        if self._context.get(work.tx, self._task).status != "approved":
            return self.row("waiting", "it is not approved any more")
        return None

    def void(self, tip: gate.Tip, effect: Effect) -> MergeRow | None:
        """End the approval if P or D no longer hold for the attempt or for the merge's effect. Return None if they do
        hold. (T `void`)
        """
        with self._context.writing(self._actor, "merge") as work:
            lost = self.lost(work)
            if lost is not None:
                return lost
            now = read_try(self._context, work.tx, self._item)
            if now is None:
                return self.ended()
            return self.record_void(work, now, tip, effect)

    def record_void(self, work: Work, now: Try, tip: gate.Tip, effect: Effect) -> MergeRow | None:
        """Like void(), but within a transaction."""
        by_effect = now.why_not_there(tip, effect)
        texts = tuple(f"{reason.message} ({reason.rule})" for reason in [*now.why_void(tip), *by_effect])
        if not texts:
            return None
        marks = marked_by(now.facts, now.case.policy, effect) if by_effect else ()
        self._settle(work)
        event = e.ApprovalVoided(approval=now.given.seq, reasons=texts, attempt=self._item.attempt, marks=marks)
        work.gate.record(self._task, event)
        return self.row("void", "the approval no longer holds: " + ", and ".join(texts))

    def _settle(self, work: Work) -> None:
        """Record that the pushed merge did not arrive, before the approval ends."""
        assert not self.sent
        if sent_for(work.tx, self._task) is not None:
            work.gate.record(self._task, e.MergeLeft(attempt=self._item.attempt, why=NOT_ARRIVED))

    def failed(self, kind: str, feedback: str, paths: tuple[str, ...]) -> MergeRow:
        """Reopen the task with feedback. The target did not move. (Q3)"""
        with self._context.writing(self._actor, "merge") as work:
            lost = self.lost(work)
            if lost is not None:
                return lost
            self._settle(work)
            event = e.MergeFailed(
                iteration=self._item.attempt,
                kind="conflict" if kind == "conflict" else "checks",
                feedback=feedback,
                paths=paths[:KEPT_PATHS],
            )
            work.gate.record(self._task, event)
            escalate(self._context, work, self._task)
        names = f" {', '.join(map(named, paths[:PATHS_SHOWN]))}" if kind == "conflict" else ""
        return self.row(kind, feedback.split("\n")[0] + names, notes=work.notes)

    def leave(self, why: str, *, stuck: bool) -> MergeRow:
        """Release the lease and keep the approval."""
        why = f"{why}. The next fe merge shows whether it arrived" if self.sent else why
        with self._context.writing(self._actor, "merge") as work:
            lost = self.lost(work)
            if lost is not None:
                return lost
            event = e.MergeLeft(attempt=self._item.attempt, why=why, stuck=stuck, unknown=self.sent)
            work.gate.record(self._task, event)
        return self.row("stuck" if stuck else "waiting", why)


# ---- Merge words ----

PATHS_SHOWN = 20
MESSAGE_LIMIT = 500


def commit_message(facts: Facts, item: MergeItem, head: JournalHead) -> str:
    """Return the merge commit's message. It names task, approver and attempt, and anchors the journal. (J3)"""
    assert facts.attempt is not None
    given = " ".join(facts.attempt.message.split())[:MESSAGE_LIMIT]
    # Git may end a message at a line that starts like a comment, and the trailers follow it. A line that starts like an
    # anchor would count as one.
    body = f"{'> ' if given.startswith(('#', ANCHOR)) else ''}{given}\n\n" if given else ""
    title = " ".join(facts.task.title.split())
    return (
        f"Merge {item.task}: {title}\n\n{body}"
        f"Task: {item.task}\nApproved-by: {item.approver}\nAttempt: {facts.attempt.n}\n"
        f"{ANCHOR} {head.seq}:{head.hash}\n"
    )


def conflict_words(target: str, tip: str, paths: tuple[str, ...]) -> str:
    """Return the feedback for a conflict."""
    lines = [f"Merging into {target} at {tip[:7]} conflicts in {len(paths)} {'file' if len(paths) == 1 else 'files'}:"]
    lines += [f"- {named(path)}" for path in paths[:PATHS_SHOWN]]
    return "\n".join(
        [*lines, f"Bring {target} into your branch, resolve the conflicts, run the checks, and submit again."]
    )


def other_change_words(attempt: Attempt, found: str) -> str:
    """Return the message for an attempt for which git now shows another change than the approved one. (A2)"""
    return (
        f"git now sees a different change than the one submitted as attempt {attempt.n} "
        f"(diff id {attempt.seen}, now {seen_name(attempt.n, found)}): the repository's objects were changed, or another version of git made the diff. Submit it again for review."
    )


def red_words(tx: Tx, task: str, target: str, red: list[CheckState]) -> str:
    """Return the feedback for checks that fail on the merge result."""
    names = ", ".join(state.rule.name for state in red)
    words = failures_in_words(tx, task, red)
    return f"Your change was not merged, because after merging it into {target} these required checks fail: {names}.\nBring {target} into your branch, fix them there, and submit again.\n{words}"


def checkout_news(checkout: CaughtUp) -> News:
    """Report the update of a checkout of the target, relative to the caller's directory. (Q5)"""
    became = "brought up to date" if checkout.moved else f"skipped: {checkout.why}"
    where = "this checkout" if checkout.here == "." else checkout.here
    return News(f"{where}: {became}", NO_STEP if checkout.moved else checkout.next)
