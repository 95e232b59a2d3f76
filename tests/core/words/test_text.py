"""Characters that cannot be printed: the short way past them never misses one."""

from __future__ import annotations

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.words.text import BIDI, CONTROL, CONTROL_IN_TEXT, SURROGATE, Unprintable

sets = pytest.mark.parametrize(
    "unprintable", [BIDI, CONTROL, CONTROL_IN_TEXT, SURROGATE], ids=["bidi", "control", "control in text", "surrogate"]
)
texts = st.text(st.characters() | st.sampled_from("\n\t\r\x00\x85\x9f\u061c\u200e\u202e\u2066\ud800\udfff"))


@sets
def test_every_character_that_is_looked_for_is_found(unprintable: Unprintable) -> None:
    looked_for = re.compile(unprintable.pattern)
    for code in range(sys.maxunicode + 1):
        if looked_for.match(chr(code)):
            assert unprintable.search(chr(code)), hex(code)


@sets
@given(text=texts)
def test_a_text_is_searched_and_cleaned_as_by_the_pattern_itself(unprintable: Unprintable, text: str) -> None:
    looked_for = re.compile(unprintable.pattern)
    found, should = unprintable.search(text), looked_for.search(text)
    assert (found and found.span()) == (should and should.span())
    assert unprintable.sub("?", text) == looked_for.sub("?", text)
