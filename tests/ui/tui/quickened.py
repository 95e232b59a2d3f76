"""Textual without what no test looks at, and without what it works out again for every app."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from textual import _callback
from textual._compositor import Compositor
from textual.css.model import RuleSet
from textual.css.styles import RenderStyles
from textual.css.stylesheet import Stylesheet
from textual.message import Message
from textual.message_pump import MessagePump
from textual.reactive import Reactive

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


COUNT = _callback._count_parameters
COUNTED: dict[object, int] = {}


def _counted_once(func: Any) -> int:
    """How many parameters a callback has: the same for every function of the same text."""
    code = None if hasattr(func, "__wrapped__") else getattr(func, "__code__", None)
    if code is None:
        return COUNT(func)
    if code not in COUNTED:
        COUNTED[code] = COUNT(func)
    return COUNTED[code]


GET = Reactive.__get__
COMPUTED: dict[tuple[type, str], bool] = {}
MISSING = object()


def _got(self: Reactive[Any], obj: Any, kind: type) -> Any:
    """An attribute that is there, and that nothing computes."""
    found = MISSING if obj is None else obj.__dict__.get(self.internal_name, MISSING)
    if found is MISSING:
        return GET(self, obj, kind)
    key = (type(obj), self.compute_name)
    if key not in COMPUTED:
        COMPUTED[key] = hasattr(*key)
    return GET(self, obj, kind) if COMPUTED[key] else found


def _rule(self: RenderStyles, rule_name: str, default: object = None) -> object:
    """A widget's own style before that of the sheet."""
    own: Any = self._inline_styles._rules
    of_the_sheet: Any = self._base_styles._rules
    return own[rule_name] if rule_name in own else of_the_sheet.get(rule_name, default)


for _what in (
    patch.object(_callback, "_count_parameters", _counted_once),
    patch.object(Reactive, "__get__", _got),
    patch.object(RenderStyles, "get_rule", _rule),
    patch.object(RuleSet, "__hash__", object.__hash__),
):
    _what.start()  # for good: a class that changes is looked up again, and that takes longer than all of this saves


@contextmanager
def quickened(*, paints: bool) -> Iterator[None]:
    """Apps that run inside; with `paints` they paint as if there were a terminal."""
    with (
        patch.object(Compositor, "render_update", PAINT if paints else _unsent),
        patch.object(Stylesheet, "_parse_rules", _parsed_once),
        patch.object(MessagePump, "_get_dispatch_methods", _looked_up_once),
    ):
        yield
