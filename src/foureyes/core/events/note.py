"""Journal events that only record text: a task's log, and handoffs between sessions."""

from __future__ import annotations

from foureyes.core.events.event import Event


class Logged(Event, frozen=True, kw_only=True):
    """A line in the task's log."""

    text: str
    type: str = "progress"


class HandedOff(Event, frozen=True, kw_only=True):
    """A session's handoff to the next session."""

    done: tuple[str, ...] = ()
    remaining: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    uncertain: tuple[str, ...] = ()
