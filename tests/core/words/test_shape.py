"""Shapes answer as the pattern would that they stand for."""

from __future__ import annotations

import re

import pytest

from foureyes.core.words.ids import Shape


@pytest.mark.parametrize("text", ["", "ab12", "AB12", "12", "x ab1 y", "ab\n"])
def test_a_shape_is_its_pattern(text: str) -> None:
    pattern, shape = re.compile(r"[a-z]+[0-9]", re.IGNORECASE), Shape(r"[a-z]+[0-9]", re.IGNORECASE)
    for ask in ("match", "fullmatch", "search"):
        expected, found = getattr(pattern, ask)(text), getattr(shape, ask)(text)
        assert (found and found.span()) == (expected and expected.span())
