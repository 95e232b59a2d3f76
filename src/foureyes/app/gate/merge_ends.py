"""How a merge ends without one (Q3): the approval is void, the task goes back, or only its lease does.

One stuck item never blocks the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.call.merge_intents import NOT_ARRIVED, sent_for
from foureyes.app.gate.merge_plan import look_at
from foureyes.app.gate.merge_queue import Lease
from foureyes.app.gate.merge_words import PATHS_SHOWN
from foureyes.app.tasks.escalation import escalate
from foureyes.app.views.merge import MergeItem, MergeRow
from foureyes.core import events as e
from foureyes.core.rules.still_holds import marked_by
from foureyes.core.words.fence import named
from foureyes.core.words.ids import TaskId

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.call.work import Work
    from foureyes.app.gate.merge_plan import Try
    from foureyes.core.nouns.attempt import Effect
    from foureyes.core.nouns.session import Actor
    from foureyes.core.rules import gate

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
