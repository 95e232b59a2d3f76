"""How often a verb reads what it decides by: every entry of a function counts, by whatever name it was imported."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import unwrap
from types import CodeType, FrameType, FunctionType

from foureyes.app.context import Context
from foureyes.app.facts import facts_for
from foureyes.config.effective_policy import review_policy

READS: dict[str, Callable[..., object]] = {
    "facts": facts_for,
    "policy": review_policy,
    "settings": Context.layers,
}
"""What a decision rests on: the facts of a task; the rules in force, resolved; the rows that they are resolved from."""


@contextmanager
def counting(functions: dict[str, Callable[..., object]] | None = None) -> Iterator[Counter[str]]:
    """Count the entries of some functions (by default `READS`) by this thread; no generator functions."""
    names = {_code(function): name for name, function in (functions or READS).items()}
    counted: Counter[str] = Counter()

    def enter(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code in names:
            counted[names[frame.f_code]] += 1

    before = sys.getprofile()
    sys.setprofile(enter)
    try:
        yield counted
    finally:
        sys.setprofile(before)


def _code(function: Callable[..., object]) -> CodeType:
    plain = unwrap(function)
    assert isinstance(plain, FunctionType)
    return plain.__code__
