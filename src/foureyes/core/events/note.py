"""Events of what is only written down: a task's log, and what a session leaves for the next."""

from __future__ import annotations

from foureyes.core.events.event import Event


class Logged(Event, frozen=True, kw_only=True):
    """A line in the task's log."""

    text: str
    type: str = "progress"


class HandedOff(Event, frozen=True, kw_only=True):
    """What a session leaves for the next."""

    done: tuple[str, ...] = ()
    remaining: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    uncertain: tuple[str, ...] = ()
