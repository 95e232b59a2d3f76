"""What a title, a text, a label and a priority may be; and how untrusted text is made visible."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.nouns.task import TITLE_LIMIT, TYPES, clean_label, clean_priority, clean_title
from foureyes.core.words.text import TEXT_LIMIT, clean_text, visible
from foureyes.errors import BadInput
from foureyes.ui.steps import steps_text

from tests.core.samples import quick

ODD = {
    *map(chr, (0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800, 0x13441, 0x13442, 0x1D159)),
    *map(chr, (*range(0x1161, 0x1200), *range(0xD7B0, 0xD7FC), *range(0x1F3FB, 0x1F400))),
}
"""Letters and signs that are drawn as nothing, or have no width of their own."""
BIDI_CONTROLS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
CONTROLS = [chr(code) for code in [*range(0x20), *range(0x7F, 0xA0)]]
anything = st.text(st.characters(), max_size=40)


def test_the_types_are_those_of_the_rules_T() -> None:
    assert TYPES == ("task", "bug", "feature", "chore", "docs", "epic")


def test_a_title_loses_the_white_space_around_it_T() -> None:
    assert clean_title("  Mend the gate \n") == "Mend the gate"


@pytest.mark.parametrize("text", ["", " ", "\t\n ", "\u2003"])
def test_an_empty_title_is_refused_with_a_next_step_T(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        clean_title(text)
    assert "in quotation marks" in steps_text(caught.value.next_step)


def accepted(clean: Callable[[str], str], characters: Iterable[str]) -> list[str]:
    """The characters that may stand in the middle of something."""
    found = []
    for character in characters:
        try:
            clean(f"a{character}b")
        except BadInput:
            continue
        found.append(f"U+{ord(character):04X}")
    return found


def test_a_title_has_no_control_characters_T() -> None:
    assert accepted(clean_title, CONTROLS) == []
    with pytest.raises(BadInput, match=r"U\+001B\) at position 2"):
        clean_title("a\x1bb")


def test_a_title_has_a_limit_T() -> None:
    assert len(clean_title("x" * TITLE_LIMIT)) == TITLE_LIMIT
    with pytest.raises(BadInput, match="501 characters"):
        clean_title("x" * (TITLE_LIMIT + 1))


@pytest.mark.parametrize("clean", [clean_title, lambda text: clean_text(text, "it"), clean_label])
def test_half_a_character_is_refused(clean: object) -> None:
    assert callable(clean)
    with pytest.raises(BadInput):
        clean("a\ud800b")


def test_a_text_keeps_lines_and_tabs_and_reads_windows_lines() -> None:
    assert clean_text("one\r\n\ttwo\n", "it") == "one\n\ttwo\n"


def test_a_text_has_no_other_control_characters() -> None:
    assert accepted(lambda text: clean_text(text, "the description"), CONTROLS) == ["U+0009", "U+000A"]


def test_a_text_has_a_limit_that_is_named() -> None:
    assert len(clean_text("x" * TEXT_LIMIT, "it")) == TEXT_LIMIT
    with pytest.raises(BadInput, match=r"it has 1,000,000 characters, but at most 100,000"):
        clean_text("x" * 1_000_000, "it")


@pytest.mark.parametrize("label", ["security", "review:auto", "größe", "x" * 64, " trimmed "])
def test_a_label_is_one_word(label: str) -> None:
    assert clean_label(label) == label.strip()


@pytest.mark.parametrize("label", ["", "  ", "two words", "a,b", "x" * 65, "a\nb"], ids=ascii)
def test_other_labels_are_refused(label: str) -> None:
    with pytest.raises(BadInput):
        clean_label(label)


def test_a_label_has_no_control_characters() -> None:
    assert accepted(clean_label, CONTROLS) == []


@pytest.mark.parametrize(("text", "priority"), [("0", 0), ("4", 4), ("P0", 0), ("p3", 3), (" P2 ", 2)])
def test_priorities_are_0_to_4_or_P0_to_P4_T(text: str, priority: int) -> None:
    assert clean_priority(text) == priority


@pytest.mark.parametrize("text", ["", "5", "-1", "P", "PP1", "1.0", "high", "٣"])
def test_other_priorities_are_refused_T(text: str) -> None:
    with pytest.raises(BadInput, match="allowed are 0"):
        clean_priority(text)


def test_escape_sequences_are_made_visible() -> None:
    assert visible("\x1b[31mred\x1b[0m") == "␛[31mred␛[0m"
    assert visible("\x9b31m") == "⟨U+009B⟩31m"
    assert visible("del\x7f") == "del␡"


@pytest.mark.parametrize("mark", BIDI_CONTROLS, ids=lambda c: f"U+{ord(c):04X}")
def test_what_turns_the_direction_of_text_is_made_visible(mark: str) -> None:
    assert mark not in visible(f"a{mark}b")


@quick
@given(anything)
def test_nothing_visible_controls_a_terminal(text: str) -> None:
    shown = visible(text)
    assert not [c for c in shown if unicodedata.category(c) == "Cc" and c not in "\t\n"]


@quick
@given(anything)
def test_making_visible_twice_changes_nothing(text: str) -> None:
    assert visible(visible(text)) == visible(text)


@quick
@given(
    st.text(st.characters(categories=["L", "N", "P", "S"]).filter(lambda c: c not in ODD) | st.just(" "), max_size=40)
)
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


@quick
@given(anything)
def test_a_clean_title_is_clean_and_stays_so(text: str) -> None:
    try:
        title = clean_title(text)
    except BadInput:
        return
    assert title
    assert clean_title(title) == title
    assert not [c for c in title if unicodedata.category(c) in ("Cc", "Cs")]
