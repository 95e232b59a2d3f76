"""Text of others: shown in a line, kept without control characters; the short way past these never misses one."""

from __future__ import annotations

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.words.text import (
    CONTROL,
    CONTROL_IN_TEXT,
    SURROGATE,
    Unprintable,
    first_line,
    in_encoding,
    in_line,
    readable,
    spaced,
)

from tests.core.samples import quick

sets = pytest.mark.parametrize(
    "unprintable", [CONTROL, CONTROL_IN_TEXT, SURROGATE], ids=["control", "control in text", "surrogate"]
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


ANYTHING = st.text(st.characters(), max_size=80)


@quick
@given(ANYTHING, st.integers(1, 60))
def test_in_a_line_nothing_breaks_the_line_or_cannot_be_printed(text: str, limit: int) -> None:
    line = in_line(text, limit)
    assert len(line) <= limit
    assert "\n" not in line
    assert not SURROGATE.search(line)
    assert not [character for character in line if CONTROL.search(character) and character != "\t"]


def test_in_a_line_what_was_hidden_is_seen() -> None:
    assert in_line("one\ntwo\x1b[31m \u202e\ud800", 100) == "one two␛[31m ⟨U+202E⟩\ufffd"


@quick
@given(ANYTHING, st.integers(1, 60))
def test_what_is_kept_has_lines_and_tabs_and_no_other_control_character(text: str, limit: int) -> None:
    kept = spaced(text, limit)
    assert len(kept) <= limit
    assert not SURROGATE.search(kept)
    assert not CONTROL.search(kept.replace("\n", "").replace("\t", ""))


@pytest.mark.parametrize(
    ("text", "line"),
    [("", ""), ("\n\n  a \t b \nc", "a b"), ("\x00\n\x1bx", "x"), ("x" * 300, "x" * 200), ("a\r\nb", "a")],
)
def test_the_first_line_is_the_first_that_says_something(text: str, line: str) -> None:
    assert first_line(text, 200) == line


def test_bytes_that_are_no_text_are_readable_all_the_same() -> None:
    assert readable(b"a\r\nb\xff\x1b") == "a\nb\ufffd␛"


def test_what_a_stream_cannot_hold_is_a_question_mark() -> None:
    assert in_encoding("grün ✓", "latin-1") == "grün ?"
    assert in_encoding("grün ✓", "utf-8") == "grün ✓"
