"""One merge (Q2, Q3): a candidate on top of the target, checked as what the target would become, then moved there."""

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
from foureyes.app.target import has_newest
from foureyes.app.target_merges import NOT_ARRIVED, Unbrought, built_on, lacking, sent_for
from foureyes.app.tasks.escalation import escalate
from foureyes.app.views.attempt import MergeItem, MergeRow
from foureyes.app.views.journal import JournalHead
from foureyes.app.views.project import News
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
from foureyes.core.words.fence import named
from foureyes.core.words.ids import ANCHOR, Sha, TaskId, seen_name
from foureyes.core.words.refs import DETACHED, attempt_ref, attempt_refs
from foureyes.core.words.text import visible
from foureyes.errors import GitProblem, Reason, Refused, RemoteProblem
from foureyes.steps import NO_STEP

# ---- One merge (Q2, Q3) ----

# `run` tries; each try is `_prepare`, which makes a plan or says what became of the task instead (`merge_ends`), and
# `_move`, which asks P and D once more in one transaction and moves the branch there. Where a remote has the target, that
# transaction records the intent instead (`MergeSent`), `_push` moves the target outside of it, and a second one closes
# the task (decision 10). From the intent until it is known what became of the push, `sent` of the ends holds, and nothing
# ends the approval.

STARTS = 5
"""How often a merge begins again because the target moved meanwhile (Q3)."""
PUSH_SECONDS = 1800
"""How long a lease holds from its intent on: longer than a push and the questions after it may take (J4)."""
CUTS = 2
"""How often a push is tried whose way was cut off, before a person looks."""


class OneMerge:
    """An item that this process has leased, on its way to the target."""

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
        """Try as often as the target moves under it, but not for ever; somebody may have merged it by hand (Q3).

        What became of the item, and of whatever else turned up on the target meanwhile.
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
                again = self._look_again()
                if again is None:
                    return [self._ends.ended()]
                now = again
            return [self._ends.leave(f"{self._line.name} moved {STARTS} times meanwhile", stuck=False)]
        except RemoteProblem as problem:
            return [self._ends.leave(problem.message, stuck=False).with_next(problem.next_step)]
        except Refused as problem:  # the target is gone from the remote, say
            return [self._ends.leave(problem.in_a_line, stuck=False).with_next(problem.way_on)]
        except GitProblem as problem:
            return [self._ends.leave(f"git: {problem.message}", stuck=True)]

    def _landed(self) -> list[MergeRow]:
        """What is on the target by now, if the item is: somebody merged it, or a push arrived whose answer did not. If
        it is not, what was pushed before cannot arrive any more: the target or the fence is elsewhere.
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

    def _look_again(self) -> Try | None:
        with self._context.store.read() as tx:
            return look_at(self._context, tx, self._item)

    # A plan

    def _prepare(self, now: Try) -> Plan | MergeRow | None:
        """Q2: merge on top of the tip, run the required checks on the result; nothing is moved yet. None when it is on
        the target already.
        """
        context, attempt, target = self._context, now.attempt, now.case.target
        bring(context, self._task)
        tip = self._line.tip(*attempt_refs(self._task, attempt.n, attempt.head))
        if context.repo.is_ancestor(attempt.head, tip):
            return None
        if left := why_left(context, self._task, attempt, tip):
            return self._ends.leave(left.why, stuck=left.stuck)
        where = tip_of(context, self._task, attempt, self._line.at)
        # before anybody waits for checks
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
        """Q5: what begins is told, and what no task brought before anything is built on it."""
        before, self._stray = self._stray, built_on(self._context, tip)
        if self._tell is not None:
            self._tell(News(f"{self._task}  merging attempt {now.attempt.n} into {now.case.target} at {tip[:7]}"))
            if self._stray is not None and self._stray != before:
                self._tell(News(self._stray.text, self._stray.next))

    def _check(self, now: Try, tip: Sha, tree: Sha) -> Sha:
        """Run the required checks on the merge result; the tree of the target's tip, which they are compared with."""
        required = [rule for rule in now.case.policy.checks if rule.required]
        if not required:
            return Sha("")
        tip_tree = self._context.workshop.tree_of(tip) or Sha("")
        run_on(self._context, self._actor, now.facts, required, [tip_tree, tree], tell=self._tell, judged="merge")
        return tip_tree

    def _judge(self, now: Try, tree: Sha, tip_tree: Sha) -> tuple[CheckState, ...] | MergeRow:
        """Q3: red checks bring the task back; checks that broke themselves keep it waiting."""
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
        again = self._beside_target(now, red, tree, tip_tree) if red else ()
        if red and not why_not_checked(facts, given, again, tree):
            return again
        rules = [state.rule for state in red]
        if red and all(state.red_before and not state.gone for state in again if state.rule in rules):
            names = ", ".join(state.rule.name for state in red)
            return self._ends.leave(f"{target} itself fails {names}. Fix that first, then: fe merge", stuck=False)
        if red:
            failing = tuple(name for state in red if state.result for name in [*state.result.failing, *state.gone])
            with self._context.store.read() as tx:
                feedback = red_words(tx, self._task, target, red)
            return self._ends.failed("checks", feedback, failing)
        broke = any(state.word in ("crashed", "timed_out", "unsound") for state in checked)
        return self._ends.leave("; ".join(reason.message for reason in reasons), stuck=broke)

    def _beside_target(self, now: Try, red: list[CheckState], tree: Sha, tip_tree: Sha) -> tuple[CheckState, ...]:
        """The same checks once the red ones ran on the target, too (D5): what is red there as well is nobody's fault
        who waits in the queue.
        """
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
        """P and D once more, and the branch moves: inside one transaction, so that no decision comes between (Q2, Q4).
        Where a remote has the target, the transaction says that it is pushed, and no decision takes the approval back
        until it is known what became of that (Q6).

        None when it was not to be moved from where the plan began: begin again (Q3).
        """
        context, remote, note = self._context, self._line.remote, ""
        tip = tip_of(context, self._task, plan.attempt, self._line.at)
        settings = settings_of(context, plan.attempt, plan.commit)
        with context.writing(self._actor, "merge") as work:
            now = self._asked_again(work, plan, tip)
            if not isinstance(now, Try):
                return now
            self.may_be_there = remote is None  # even if it is not recorded
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
        """What the merge rests on, if that still holds under the lock; else what became of it."""
        lost = self._ends.lost(work)
        if lost is not None:
            return lost
        now = look_at(self._context, work.tx, self._item)
        if now is None:
            return self._ends.ended()
        if (void := self._ends.record_void(work, now, tip, plan.effect)) is not None:
            return void
        if self._wants_more(work.tx, now, plan) or not has_newest(self._context, work.tx, plan.tip):
            return None  # somebody accepted a stricter pipeline meanwhile, or merged something
        if why := "held" if gate.holds(now.facts) or gate.pauses(now.facts) else now.below:
            work.gate.record(self._task, e.MergeLeft(attempt=self._item.attempt, why=why, stuck=False))
            return self._ends.row("waiting", why)
        return now

    def _push(self, plan: Plan, settings: str) -> MergeRow | None:
        """Q6: the target of the remote moves by compare-and-swap, with the attempt, and with the fence."""
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
        """A push that failed, or was cut off: nothing of it arrives any more once the fence has moved; nor where the
        remote answers that it takes none, or not the fence, without which no merge is pushed.
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
        """The task is merged; what to say about its settings."""
        note = accept(self._context, work.gate, self._context.get(work.tx, self._task), settings, plan.commit)
        work.gate.record(self._task, self._event(plan))
        return note

    def _event(self, plan: Plan) -> TaskMerged:
        made, clone = plan.commit, self._context.outside.clone()
        return TaskMerged(sha=made, via=self._actor.session, onto=plan.tip, newest=made, clone=clone)

    def _wants_more(self, tx: Tx, now: Try, plan: Plan) -> bool:
        """D5 by the rules of this very moment."""
        facts = with_trees(tx, now.facts, [plan.tree, plan.tip_tree])
        checked = now.states_on(facts, plan.tree, plan.tip_tree)
        return bool(why_not_checked(facts, now.given, checked, plan.tree))

    def _merged(self, plan: Plan, note: str) -> MergeRow:
        below = (
            f"it was built on commits that no task brought: {self._stray.commits}"
            if self._stray and not self._tell
            else ""
        )
        notes = tuple(text for text in (note, below, self._tidied(plan)) if text)
        green = sum(state.is_green for state in plan.checked)
        checks = f", checks {green}/{len(plan.checked)}" if plan.checked else ""
        return self._ends.row("merged", f"{self._line.name} is at {plan.commit[:7]}{checks}", plan.commit, notes)

    def _tidied(self, plan: Plan) -> str:
        """Q5: what follows a merge; that it did not is no reason to say that there was none."""
        try:
            self._line.follow()
            return tidy(self._context, self._task, plan.attempt, self._line.name)
        except GitProblem as problem:
            return f"git: {problem.message}"


# ---- Merge plan (Q2) ----


class Try(msgspec.Struct, frozen=True):
    """What one try rests on, read in one transaction: the case, the approval that is merged, whether people have keys
    here.
    """

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
        """T `void`: why this approval would not be given now."""
        return why_void(self.facts, self.case.policy, self.given, tip)

    def why_not_there(self, tip: gate.Tip, effect: Effect) -> tuple[Reason, ...]:
        """Q2: why it would not be given for what the merge does to the target."""
        policy, own = self.case.policy, set(self.facts.changed_paths())
        others = [visible(path) for path in effect.paths if path not in own]
        where = f"merged into {self.case.target}" + (f", where it changes {others[0]}" if others else "")
        reasons = why_not_there(self.facts, policy, self.given, tip, effect, keys=self.keys)
        return tuple(replace(reason, message=f"{where}: {reason.message}") for reason in reasons)

    @property
    def below(self) -> str:
        """A7: a task that is merged first, and was submitted meanwhile; empty where there is none."""
        first = waits_for(self.facts, self.given.passed)
        return f"waits for {', '.join(first)}, whose work is inside (A7)" if first else ""

    def states_on(self, facts: Facts, tree: Sha, tip_tree: Sha) -> tuple[CheckState, ...]:
        """D5: where the required checks stand on the merge result."""
        states = check_states_on(facts, self.case.policy, tree, tip_tree, self.given.gone)
        return tuple(state for state in states if state.rule.required)


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """A merge that is about to happen: everything but the move of the branch."""

    attempt: Attempt
    tip: Sha
    tip_tree: Sha
    commit: Sha
    tree: Sha
    checked: tuple[CheckState, ...]
    effect: Effect


class UnmadeMerge(msgspec.Struct, frozen=True):
    """Why a merge is not made onto a tip; `stuck`: until somebody does something about it."""

    why: str
    stuck: bool = False


def why_left(context: Context, task: TaskId, attempt: Attempt, tip: Sha) -> UnmadeMerge | None:
    """Q6: the target lacks the last merge on record by now. Q2: it lacks the commit that the change was counted from,
    so that a merge would bring history that nobody was shown, and not what it holds.
    """
    with context.store.read() as tx:
        is_there, project = has_newest(context, tx, tip), context.project(tx)
        stop = None if is_there else lacking(context, tx, project, tip)
    if stop is not None:
        return UnmadeMerge(stop.text)
    if context.repo.is_ancestor(attempt.base, tip):
        return None
    why = f"attempt {attempt.n} was counted from {attempt.base[:7]}, which {project.target} does not have (Q2)"
    again = f"sent back (fe redo {task}) and submitted again, on {project.target}, it is counted again"
    return UnmadeMerge(f"{why}: {again}", stuck=True)


def look_at(context: Context, tx: Tx, item: MergeItem) -> Try | None:
    """What a try rests on now; None when the approval that was queued has ended."""
    task = TaskId(item.task)
    given = waiting_approval_of(tx, task)
    if given is None or given.seq != item.approval:
        return None
    return Try(case_of(context, tx, context.gate, task), given, context.has_keys(tx))


def tip_of(context: Context, task: TaskId, attempt: Attempt, target: str) -> gate.Tip:
    """D4, A3: where the branch stands; a pure rebase of the approved head counts as it."""
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
"""So many paths of a failed merge are on record."""


class MergeEnds:
    """How an item ends that this process has leased. `sent`: its merge was pushed, and nobody knows whether it arrived;
    until that is known nothing ends the approval.
    """

    def __init__(self, context: Context, actor: Actor, item: MergeItem, process: str) -> None:
        self._context, self._actor, self._item, self._process = context, actor, item, process
        self._task = TaskId(item.task)
        self.sent = False

    def row(self, outcome: str, message: str, sha: str = "", notes: tuple[str, ...] = ()) -> MergeRow:
        """What became of the item."""
        item = self._item
        return MergeRow(task=item.task, attempt=item.attempt, outcome=outcome, message=message, sha=sha, notes=notes)

    def ended(self) -> MergeRow:
        """Somebody else ended its approval."""
        return self.row("waiting", "its approval ended meanwhile")

    def lost(self, work: Work) -> MergeRow | None:
        """A lease that another took over, because this process was silent for too long, is not ours any more."""
        lease = work.tx.one("merge.of", Lease, task=self._task)
        if lease is None or lease.state != "merging" or lease.process != self._process:
            return self.row("waiting", "another fe merge took it over")
        if self._context.get(work.tx, self._task).status != "approved":
            return self.row("waiting", "it is not approved any more")
        return None

    def void(self, tip: gate.Tip, effect: Effect) -> MergeRow | None:
        """T `void`: the approval ends where P or D no longer hold, for the attempt or for what the merge makes of it;
        None when they do after all.
        """
        with self._context.writing(self._actor, "merge") as work:
            lost = self.lost(work)
            if lost is not None:
                return lost
            now = look_at(self._context, work.tx, self._item)
            if now is None:
                return self.ended()
            return self.record_void(work, now, tip, effect)

    def record_void(self, work: Work, now: Try, tip: gate.Tip, effect: Effect) -> MergeRow | None:
        """The same inside of a transaction."""
        by_effect = now.why_not_there(tip, effect)
        texts = tuple(f"{reason.rule} {reason.message}" for reason in [*now.why_void(tip), *by_effect])
        if not texts:
            return None
        marks = marked_by(now.facts, now.case.policy, effect) if by_effect else ()
        self._settle(work)
        event = e.ApprovalVoided(approval=now.given.seq, reasons=texts, attempt=self._item.attempt, marks=marks)
        work.gate.record(self._task, event)
        return self.row("void", "the approval no longer holds: " + "; ".join(texts))

    def _settle(self, work: Work) -> None:
        """Before the approval ends: what was pushed for it did not arrive."""
        assert not self.sent
        if sent_for(work.tx, self._task) is not None:
            work.gate.record(self._task, e.MergeLeft(attempt=self._item.attempt, why=NOT_ARRIVED))

    def failed(self, kind: str, feedback: str, paths: tuple[str, ...]) -> MergeRow:
        """Q3: the target did not move; the task is open, and told why."""
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
        """The lease is given back; the approval stands."""
        why = f"{why}; whether it arrived the next fe merge tells" if self.sent else why
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
    """J3: the merge commit names task, approval and attempt, and anchors the journal."""
    assert facts.attempt is not None
    given = " ".join(facts.attempt.message.split())[:MESSAGE_LIMIT]
    # A line that begins like a comment may be where git takes a message to end, and the trailers come after it; one
    # that begins like an anchor would be one.
    body = f"{'> ' if given.startswith(('#', ANCHOR)) else ''}{given}\n\n" if given else ""
    title = " ".join(facts.task.title.split())
    return (
        f"Merge {item.task}: {title}\n\n{body}"
        f"Task: {item.task}\nApproved-by: {item.approver}\nAttempt: {facts.attempt.n}\n"
        f"{ANCHOR} {head.seq}:{head.hash}\n"
    )


def conflict_words(target: str, tip: str, paths: tuple[str, ...]) -> str:
    """Automatic feedback for a conflict."""
    lines = [f"Merging into {target} at {tip[:7]} conflicts in {len(paths)} {'file' if len(paths) == 1 else 'files'}:"]
    lines += [f"- {named(path)}" for path in paths[:PATHS_SHOWN]]
    return "\n".join([*lines, f"Bring {target} into your branch, resolve, run the checks, and submit again."])


def other_change_words(attempt: Attempt, found: str) -> str:
    """A2: what git has for an attempt is not what was approved."""
    return (
        f"git now reads another change than the one that was submitted as attempt {attempt.n} "
        f"(diff id {attempt.seen}, now {seen_name(attempt.n, found)}): objects of the repository were changed, or another git made the diff. Submit it again for review."
    )


def red_words(tx: Tx, task: str, target: str, red: list[CheckState]) -> str:
    """Automatic feedback for checks that are red on the merge result."""
    names = ", ".join(state.rule.name for state in red)
    words = failures_in_words(tx, task, red)
    return f"On top of {target}, required checks fail ({names}); {target} was not moved.\n{words}"


def checkout_news(checkout: CaughtUp) -> News:
    """Q5: what became of a checkout of the target, as seen from where the caller stands."""
    became = "brought up to date" if checkout.moved else f"skipped: {checkout.why}"
    where = "this checkout" if checkout.here == "." else checkout.here
    return News(f"{where}: {became}", NO_STEP if checkout.moved else checkout.next)
