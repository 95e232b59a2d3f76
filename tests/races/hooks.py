"""Standing at a place on the way of a merge: what another does meanwhile happens exactly there."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

from tests.stage.floor import Floor
from tests.stage.fork import Child, Signal


def meanwhile(floor: Floor, place: str, act: Callable[[dict[str, Any]], object]) -> list[str]:
    """In a child: once, just before the workshop's next call of that name, do this; it hears what the call was
    given. The list has the place in it when the call has come.
    """
    came: list[str] = []
    workshop = floor.app.context.workshop
    original = getattr(workshop, place)

    def hooked(*args: Any, **options: Any) -> Any:
        setattr(workshop, place, original)
        came.append(place)
        act(options)
        return original(*args, **options)

    setattr(workshop, place, hooked)
    return came


def elsewhere(floor: Floor) -> Floor:
    """The same floor for another process, with a store of its own."""
    fresh = copy(floor)
    outside = copy(floor.outside)
    outside.__dict__.pop("_own", None)
    fresh.__dict__.update({"_app": None, "outside": outside})
    return fresh


class Paused:
    """A process in the middle of `fe merge`, waiting at a place; the test lets it go on, or ends it."""

    def __init__(self, floor: Floor, work: Callable[[], Any], place: str = "commit") -> None:
        self._there, self._go = Signal(), Signal()

        def waiting(_: object) -> None:
            self._there.give()
            self._go.await_()

        def live() -> Any:
            meanwhile(floor, place, waiting)
            try:
                return work()
            finally:
                floor.close()

        self.child: Child[Any] = Child(live)
        self._there.await_()

    def go_on(self) -> Any:
        """What it returned in the end."""
        self._go.give()
        try:
            return self.child.result()
        finally:
            self.close()

    def close(self) -> None:
        self._there.close()
        self._go.close()
