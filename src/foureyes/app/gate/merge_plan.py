"""What one try of a merge rests on, and the merge that is about to happen (Q2)."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from foureyes.app.call.case import Case, case_of
from foureyes.app.call.context import Context
from foureyes.app.call.merge_stops import lacking
from foureyes.app.call.recorded_target import has_newest
from foureyes.app.gate.landing import waiting_approval_of
from foureyes.app.ports import Tx
from foureyes.app.views.merge import MergeItem
from foureyes.app.work.other_machines import branch_there, is_elsewhere, machine_of
from foureyes.core.nouns.attempt import KEEPS_APPROVAL, Attempt, Effect
from foureyes.core.nouns.check import CheckState
from foureyes.core.rules import gate
from foureyes.core.rules.check_states import check_states_on
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.stacks import waits_for
from foureyes.core.rules.still_holds import WaitingApproval, why_not_there, why_void
from foureyes.core.words.ids import Sha, TaskId
from foureyes.core.words.refs import DETACHED
from foureyes.core.words.text import visible
from foureyes.errors import Reason


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
