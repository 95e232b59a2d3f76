"""What keeps work back beside the tasks that a look shows: configuration that nobody accepted (P12), tasks that are
held or paused (V9), work for agents where there are none.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING

from foureyes.app.call.context import stamp
from foureyes.app.project.acceptance import unaccepted
from foureyes.app.run.rows import Troubled
from foureyes.app.views.project import CounterRow
from foureyes.core.words.text import one_line
from foureyes.errors import FoureyesError

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx

LOOK_SECONDS = 30
"""How long it is believed what git said."""
MOST_OF_A_KIND = 5
LINE_LENGTH = 200


class Aside:
    """Looks, and remembers for a while what git said."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._unaccepted = ""
        self._until = ""
        self._counted: dict[str, int] = {}
        self._held: tuple[str, ...] = ()

    def ask(self) -> None:
        """P12: what is on the target and not in force. Git is asked before the transaction of a look."""
        if self._until > self._context.now():
            return
        self._until = stamp(self._context.clock.now() + timedelta(seconds=LOOK_SECONDS))
        try:
            with self._context.store.read() as tx:
                project = self._context.project(tx)
            left = unaccepted(self._context, project)
        except FoureyesError:
            return
        self._unaccepted = f"{left.text}: fe config accept" if left is not None and left.acceptable else ""

    def look(self, tx: Tx, agents: int) -> tuple[str, ...]:
        """Each in a line."""
        if self._unaccepted:
            self._until = min(self._until, self._context.later(1))  # it is looked for soon whether it was accepted
        texts = [self._unaccepted] if self._unaccepted else []
        return tuple(one_line(text, LINE_LENGTH) for text in (*texts, *self._tasks(tx, agents)))

    def _tasks(self, tx: Tx, agents: int) -> Iterator[str]:
        counted = {row.name: row.n for row in tx.all("project.counters", CounterRow)}
        if not agents:
            if counted.get("ready"):
                yield "tasks are ready, and no agents are started here: fe run"
            return
        yield from self._held_now(tx, counted)
        for row in tx.all("runner.paused", Troubled, limit=MOST_OF_A_KIND):
            yield f"{row.id} is paused: {row.text} (fe resume {row.id} -m …)"

    def _held_now(self, tx: Tx, counted: dict[str, int]) -> tuple[str, ...]:
        """Tasks that are held: to find them, those that are open are gone through, so only where there are any, and
        something about tasks has changed.
        """
        if not counted.get("held"):
            return ()
        if counted != self._counted:
            rows = tx.all("runner.held", Troubled, limit=MOST_OF_A_KIND)
            self._held = tuple(f"{row.id} is held: {row.text} (fe resume {row.id} -m …)" for row in rows)
            self._counted = counted
        return self._held
