"""Notes: the log of a task, and handoffs between sessions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from foureyes.app.outcome import outcome
from foureyes.core.events.note import HandedOff, Logged
from foureyes.core.words.text import clean_text
from foureyes.errors import BadInput
from foureyes.steps import fe, phrase

if TYPE_CHECKING:
    from foureyes.app.context import Context
    from foureyes.app.results.task_list import Outcome
    from foureyes.core.nouns.session import Actor


LOG_TYPES = ("progress", "blocker", "decision", "hypothesis", "tried", "result")


class Notes:
    """Log lines and handoffs."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def log(self, actor: Actor, task: str, text: str, *, type: str = "progress") -> Outcome:
        """Add a line to a task's log. A caller known only by a typed name may do nothing else. (I1)"""
        if not text.strip():
            raise BadInput("the log line is empty.", next_step=fe("log", task, phrase("what happened")))
        if type not in LOG_TYPES:
            raise BadInput(f"there is no log type {type!r}. Types: {', '.join(LOG_TYPES)}.")
        text = clean_text(text, "the log line")
        with self._context.writing(actor, "log") as work:
            task_id = self._context.find_id(work.tx, task)
            (seq,) = work.record(task_id, Logged(text=text, type=type))
            return outcome(self._context.get(work.tx, task_id), f"logged on {task_id} (row {seq})")

    def handoff(
        self,
        actor: Actor,
        task: str,
        *,
        done: Sequence[str],
        remaining: Sequence[str],
        decisions: Sequence[str],
        uncertain: Sequence[str],
    ) -> Outcome:
        """Leave a handoff note for the next session on the task."""
        parts = {"done": done, "remaining": remaining, "decisions": decisions, "uncertain": uncertain}
        lists = {
            name: tuple(clean_text(line, f"--{name}") for line in lines if line.strip())
            for name, lines in parts.items()
        }
        if not any(lists.values()):
            raise BadInput(
                "the handoff is empty.",
                next_step=fe("handoff", task, "--done", phrase("…"), "--remaining", phrase("…")),
            )
        with self._context.writing(actor, "handoff") as work:
            task_id = self._context.find_id(work.tx, task)
            work.record(task_id, HandedOff(**lists))
            return outcome(self._context.get(work.tx, task_id), f"handoff written on {task_id}")
