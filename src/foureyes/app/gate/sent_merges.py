"""Merges that were pushed while nobody heard whether they arrived (Q4, Q6): found on the target, or shut out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.call.one_target import sent_merges
from foureyes.app.gate.landing import recognise
from foureyes.app.gate.merge_queue import Lease, is_live
from foureyes.core.events.gate import MergeLeft

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.gate.target_line import TargetLine
    from foureyes.app.views.merge import MergeRow
    from foureyes.core.nouns.session import Actor

TRIES = 5
NOT_ARRIVED = "its merge was pushed and did not arrive"


def settle_sent(context: Context, actor: Actor, line: TargetLine, me: str) -> list[MergeRow]:
    """What became of pushes whose process is gone, or that heard no answer. Once the fence has moved none of them can
    arrive any more, however late whoever began it wakes up; only then is the task another's.
    """
    rows: list[MergeRow] = []
    for _ in range(TRIES):
        if not _left_behind(context, me):
            break
        tip = line.tip()
        rows += recognise(context, actor, line, context.repo.heads())
        left = _left_behind(context, me)
        if left and (line.remote is None or line.shut_out(tip)):
            with context.writing(actor, "merge") as work:
                for task in left:
                    attempt = context.find(work.tx, task).iteration
                    work.gate.record(task, MergeLeft(attempt=attempt, why=NOT_ARRIVED))
    return rows


def _left_behind(context: Context, me: str) -> list[str]:
    """The tasks of such pushes; not those that another process is at."""
    with context.store.read() as tx:
        sent = sent_merges(tx)
        leases = tx.all("merge.leases", Lease) if sent else []
    others = {lease.task for lease in leases if is_live(context, lease) and lease.process != me}
    return [task for task in sent if task not in others]
