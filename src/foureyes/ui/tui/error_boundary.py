"""Handlers that cannot end the app: what breaks in one is written down and said, and the app goes on."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Protocol, TypeVar

from textual.strip import Strip

if TYPE_CHECKING:
    from textual.widget import Widget

    from foureyes.ui.tui.app import FoureyesApp

    class InApp(Protocol):
        """A part of the app."""

        _pruning: bool

        @property
        def is_attached(self) -> bool: ...

        @property
        def app(self) -> FoureyesApp: ...


S = TypeVar("S", bound="InApp")
P = ParamSpec("P")


def is_there(part: Widget | InApp) -> bool:
    """Whether a part of the app stays. One that is taken away, or whose app is left, loses its own parts one by one:
    what a late paint misses of it then is no defect. Textual asks the same before it tells a part something.
    """
    return part.is_attached and not part._pruning


def guarded(method: Callable[Concatenate[S, P], None]) -> Callable[Concatenate[S, P], None]:
    """A handler of a page, a sheet or a timer: a defect in it is the app's to say."""

    @wraps(method)
    def run(self: S, /, *args: P.args, **kwargs: P.kwargs) -> None:
        try:
            method(self, *args, **kwargs)
        except Exception as problem:  # whatever it is, the app goes on and says so
            if is_there(self):
                self.app.broke(problem)

    return run


def painted(method: Callable[[S, int], Strip]) -> Callable[[S, int], Strip]:
    """A line of a canvas: one that cannot be painted is left empty, and that is said."""

    @wraps(method)
    def run(self: S, y: int) -> Strip:
        try:
            return method(self, y)
        except Exception as problem:
            if is_there(self):
                self.app.broke(problem)
            return Strip.blank(self.app.size.width)

    return run
