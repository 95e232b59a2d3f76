"""Attempts whose checks are due, found little by little: what the journal touched, and a page of the rest (D5, M4).

Level-triggered: every attempt in review is looked at once after the start, and again when its rows, the policy or a
hold changed. No look goes through all of them.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from foureyes.app.gate.checks import due_among
from foureyes.app.run.rows import TaskPlace, Touched
from foureyes.app.views.journal import JournalHead
from foureyes.core.rules.retrying import pause_after
from foureyes.core.run.snapshot import PutOff
from foureyes.core.words.ids import TaskId

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx
    from foureyes.core.nouns.session import Actor
    from foureyes.core.rules.policy import ReviewPolicy

PAGE = 20
"""How many attempts one look goes into."""
FIRST = (-1, -1)


class WaitingChecks:
    """`due` are the tasks whose checks can run now, `put_off` those whose checks broke and are tried again; `more`: not
    everything was looked at yet.
    """

    def __init__(self, context: Context, runner: Actor) -> None:
        self._context = context
        self._runner = runner
        self._due: dict[TaskId, None] = {}
        self.put_off: dict[TaskId, PutOff] = {}
        self._touched: dict[str, None] = {}
        self._after = -1
        self._place: tuple[int, int] | None = FIRST
        self._rules: object = None
        self.more = False

    @property
    def due(self) -> list[TaskId]:
        return list(self._due)

    def look(self, tx: Tx, policy: ReviewPolicy, running: Collection[str]) -> None:
        """See what has become due."""
        if not policy.checks:
            self._due, self.put_off, self.more = {}, {}, False
            return
        self._notice(tx, policy)
        now = self._context.now()
        self._touched.update((task, None) for task, off in self.put_off.items() if off.until <= now)
        names = [name for name in self._touched if name not in running][:PAGE]
        names += self._next_page(tx, PAGE - len(names))
        names += self._known(names, running)[: PAGE - len(names)]
        self._judge(tx, names)
        for name in running:
            self._due.pop(TaskId(name), None)
        self.more = bool(set(self._touched) - set(running)) or self._place is not None

    def _notice(self, tx: Tx, policy: ReviewPolicy) -> None:
        """What the journal says since the last look; another policy or hold puts everything in question."""
        head = tx.one("journal.head", JournalHead)
        upto = head.seq if head else 0
        rules = (policy, self._context.project(tx).hold)
        if rules != self._rules:
            self._rules, self._place = rules, FIRST
        elif upto > self._after:
            for row in tx.all("runner.touched", Touched, after=self._after, upto=upto):
                self._forget(row.id)
                if row.status == "reviewing":
                    self._touched[row.id] = None
        self._after = upto

    def _known(self, names: Collection[str], running: Collection[str]) -> list[str]:
        """What was due at the last look, and may be no more: looked at only where there is room, or many that are due
        would keep the rest from being found. Who was looked at comes last the next time.
        """
        return [str(task) for task in self._due if task not in names and task not in running]

    def _next_page(self, tx: Tx, limit: int) -> list[str]:
        if self._place is None or limit <= 0:
            return []
        rows = tx.all("runner.reviewing", TaskPlace, priority=self._place[0], n=self._place[1], limit=limit)
        self._place = (rows[-1].priority, rows[-1].n) if len(rows) == limit else None
        return [row.id for row in rows]

    def _forget(self, name: str) -> None:
        self._touched.pop(name, None)
        self.put_off.pop(TaskId(name), None)
        self._due.pop(TaskId(name), None)

    def _judge(self, tx: Tx, names: list[str]) -> None:
        for name in names:
            self._forget(name)
        due = due_among(self._context, tx, self._runner, names)
        self._due.update(dict.fromkeys(TaskId(task) for task in due.tasks))
        for later in due.later:
            task, broke = TaskId(later.task), later.outcome.replace("_", " ")
            off = PutOff(
                until=later.at,
                pause=pause_after(later.tries),
                task=task,
                state="not checked",
                why=f"{later.check} {broke}: fe check show {later.task}",
            )
            if task not in self.put_off or off.until < self.put_off[task].until:
                self.put_off[task] = off
