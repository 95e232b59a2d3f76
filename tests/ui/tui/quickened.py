"""Textual without what no test looks at, and without what it works out anew for every app."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from textual._compositor import Compositor
from textual.css.stylesheet import Stylesheet
from textual.message import Message
from textual.message_pump import MessagePump

PAINT = Compositor.render_update


def _unsent(self: Compositor, full: bool = False, **options: Any) -> Any:
    """What would go to a terminal is not made: there is none, and tests look at the screen itself. A picture of the
    whole is.
    """
    if full:
        return PAINT(self, full=True, **options)
    self._dirty_regions.clear()
    return None


PARSE = Stylesheet._parse_rules
PARSED: dict[tuple[object, ...], Any] = {}


def _parsed_once(self: Stylesheet, *source: Any, **options: Any) -> Any:
    """The same rules for every app of the process: reading them takes a tenth of a second an app."""
    key = (*source, *options.values(), *self._variables.items())
    if key not in PARSED:
        PARSED[key] = PARSE(self, *source, **options)
    return PARSED[key]


HANDLERS = MessagePump._get_dispatch_methods
HANDLED: dict[tuple[type, type, str], list[tuple[type, Any]] | None] = {}


def _looked_up_once(self: MessagePump, method_name: str, message: Message) -> Any:
    """Who handles a message: the same for every widget of a class, unless it says so by a decorator."""
    key = (type(self), type(message), method_name)
    if key not in HANDLED:
        HANDLED[key] = _handlers(*key)
    handlers = HANDLED[key]
    return HANDLERS(self, method_name, message) if handlers is None else _bound(self, message, handlers)


def _handlers(kind: type, message: type, method_name: str) -> list[tuple[type, Any]] | None:
    decorated = {each for part in kind.__mro__ for each in vars(part).get("_decorated_handlers") or ()}
    if decorated & set(message.__mro__):
        return None
    found = ((each, vars(each).get(f"_{method_name}") or vars(each).get(method_name)) for each in kind.__mro__)
    return [(each, method) for each, method in found if method is not None and not hasattr(method, "_textual_on")]


def _bound(self: MessagePump, message: Message, handlers: list[tuple[type, Any]]) -> Iterator[tuple[type, Any]]:
    for kind, method in handlers:
        if message._no_default_action:
            return
        yield kind, method.__get__(self, kind)


@contextmanager
def quickened(*, paints: bool) -> Iterator[None]:
    """Apps that run inside; with `paints` they paint as if there were a terminal."""
    with (
        patch.object(Compositor, "render_update", PAINT if paints else _unsent),
        patch.object(Stylesheet, "_parse_rules", _parsed_once),
        patch.object(MessagePump, "_get_dispatch_methods", _looked_up_once),
    ):
        yield
