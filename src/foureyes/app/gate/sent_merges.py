"""Merges that were pushed while nobody heard whether they arrived (Q4, Q6): found on the target, or shut out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.call.merge_intents import NOT_ARRIVED, NOT_KNOWN, sent_merges
from foureyes.app.gate.landing import recognise
from foureyes.app.gate.merge_queue import Lease, is_live
from foureyes.app.gate.target_line import TargetLine, what_to_allow
from foureyes.app.views.merge import MergeRow
from foureyes.core.events.gate import MergeLeft
from foureyes.errors import GitProblem, Refused, RemoteProblem

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.call.merge_intents import SentMerge
    from foureyes.app.ports import Tx
    from foureyes.core.nouns.session import Actor
    from foureyes.core.words.ids import Sha

TRIES = 5


def settle_sent(context: Context, actor: Actor, line: TargetLine, me: str, rows: list[MergeRow]) -> None:
    """What became of pushes whose process is gone, or that heard no answer, asked at the remote that each went to. What
    cannot be found out waits, and nothing else waits for it. What is found is added to the rows at once: nothing that
    goes wrong later takes it back (Q4).
    """
    with context.store.read() as tx:
        names = {sent.remote for sent in _left_behind(context, tx, me).values()}
    for name in sorted(names):
        _Settling(context, actor, line, me, name, rows).run()


class _Settling:
    """The pushes to one remote. Once the fence has moved none of them can arrive any more, however late whoever began
    it wakes up; only then is the task another's.
    """

    def __init__(
        self, context: Context, actor: Actor, line: TargetLine, me: str, remote: str, rows: list[MergeRow]
    ) -> None:
        self._context, self._actor, self._line, self._me, self._remote = context, actor, line, me, remote
        self._rows = rows

    def run(self) -> None:
        why = f"{self._line.name} of {self._remote} moved {TRIES} times meanwhile"
        try:
            line = self._line_there()
            if any(self._is_settled(line) for _ in range(TRIES)):
                return
        except (GitProblem, Refused) as problem:
            why = problem.in_a_line
        self._rows += [self._waits(sent, why) for sent in self._left().values()]

    def _line_there(self) -> TargetLine:
        remote = self._line.remote
        if remote is not None and remote.name == self._remote:
            return self._line
        with self._context.store.read() as tx:
            remote = self._context.remote_named(tx, self._remote)
        return TargetLine(self._context, self._line.name, remote)

    def _is_settled(self, line: TargetLine) -> bool:
        """Whether nothing is left of them; False when something arrived meanwhile, so that it is to be asked again."""
        tip = self._find(line)
        left = self._left()
        if not left:
            return True
        try:
            is_out = line.shut_out(tip)
        except RemoteProblem as problem:
            if problem.kind != "refused" or self._find(line) != tip:
                raise
            self._leave(left, what_to_allow(problem, line), stuck=True)  # no merge is pushed without the fence
            return True
        if is_out:
            self._leave(left, NOT_ARRIVED, stuck=False)
        return is_out

    def _find(self, line: TargetLine) -> Sha:
        """Record what is on the target; where that is."""
        tip = line.tip()
        self._rows += recognise(self._context, self._actor, line, self._context.repo.heads(), only=self._left())
        return tip

    def _left(self) -> dict[str, SentMerge]:
        with self._context.store.read() as tx:
            sent = _left_behind(self._context, tx, self._me)
        return {task: each for task, each in sent.items() if each.remote == self._remote}

    def _leave(self, left: dict[str, SentMerge], why: str, *, stuck: bool) -> None:
        """What was shut out; not what another has settled, and pushed again, while the remote was asked."""
        with self._context.writing(self._actor, "merge") as work:
            still = _left_behind(self._context, work.tx, self._me)
            for task, sent in left.items():
                if still.get(task) == sent:
                    work.gate.record(task, MergeLeft(attempt=sent.attempt, why=why, stuck=stuck))

    def _waits(self, sent: SentMerge, why: str) -> MergeRow:
        message = f"{NOT_KNOWN}: only {self._remote} can tell ({why})"
        return MergeRow(task=sent.task, attempt=sent.attempt, outcome="waiting", message=message)


def _left_behind(context: Context, tx: Tx, me: str) -> dict[str, SentMerge]:
    """Such pushes by task; not those that another process is at."""
    sent = sent_merges(tx)
    leases = tx.all("merge.leases", Lease) if sent else []
    others = {lease.task for lease in leases if is_live(context, lease) and lease.process != me}
    return {task: each for task, each in sent.items() if task not in others}
