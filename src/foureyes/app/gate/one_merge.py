"""One merge (Q2, Q3): prepared on top of the target, checked as what the target would become, then moved there.

`run` tries; each try is `_prepare`, which makes a plan or says what became of the task instead (`merge_ends`), and
`_move`, which asks P and D once more in one transaction and moves the branch there. Where a remote has the target, that
transaction records the intent instead (`MergeSent`), `_push` moves the target outside of it, and a second one closes
the task (decision 10). From the intent until it is known what became of the push, `sent` of the ends holds, and nothing
ends the approval.
"""

from __future__ import annotations

from foureyes.app.call.context import Context
from foureyes.app.call.facts import with_trees
from foureyes.app.call.recorded_target import has_newest
from foureyes.app.call.unbrought import Unbrought, built_on
from foureyes.app.call.work import Work
from foureyes.app.gate.behind_links import with_links
from foureyes.app.gate.landing import accept, note_unapproved, recognise, settings_of, waiting_approval_of
from foureyes.app.gate.merge_ends import MergeEnds
from foureyes.app.gate.merge_plan import Plan, Try, look_at, tip_of, why_left
from foureyes.app.gate.merge_words import commit_message, conflict_words, other_change_words, red_words
from foureyes.app.gate.running import Telling, run_on
from foureyes.app.gate.target_line import TargetLine, what_to_allow
from foureyes.app.git_ports import Moved
from foureyes.app.ports import Tx
from foureyes.app.views.journal import JournalHead
from foureyes.app.views.merge import MergeItem, MergeRow
from foureyes.app.views.news import News
from foureyes.app.work.other_machines import bring
from foureyes.app.work.worktrees import tidy
from foureyes.core import events as e
from foureyes.core.events.decision import TaskMerged
from foureyes.core.events.gate import MergeSent
from foureyes.core.nouns.attempt import Effect
from foureyes.core.nouns.check import CheckState
from foureyes.core.nouns.session import Actor
from foureyes.core.rules import gate
from foureyes.core.rules.stacks import landed_below
from foureyes.core.rules.still_holds import why_not_checked
from foureyes.core.words.ids import Sha, TaskId
from foureyes.core.words.refs import attempt_ref, attempt_refs
from foureyes.errors import GitProblem, Refused, RemoteProblem

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
        below = f"it was built on commits of no task: {self._stray.commits}" if self._stray and not self._tell else ""
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
