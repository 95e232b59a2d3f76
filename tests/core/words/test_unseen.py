"""Unseen characters: whatever nobody sees is drawn as its code and is a risk; what languages and emoji need is not."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.words.text import VISIBLE, code, fitting, has_unseen, is_blank, is_odd_name, shown, visible, widest
from foureyes.ui.tui import marks as terminal

from tests.core.samples import quick

ORDINARY = {
    "letters": "äöü ñ Ελλάδα Москва 日本語 한국어 ไทย",
    "accents apart": "cafe\u0301 Vie\u0323\u0302t",
    "hebrew with points": "\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd",
    "hindi": "\u0915\u094d\u0937\u093f",
    "hindi with a joiner": "\u0915\u094d\u200d\u0937",
    "persian with a non-joiner": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "bengali ra with ya": "\u09b0\u200d\u09cd\u09af",
    "malayalam chillu at the end": "\u0d28\u0d4d\u200d",
    "sinhala": "\u0dc1\u0dca\u200d\u0dbb\u0dd3",
    "kannada": "\u0cb0\u200d\u0ccd\u0c95",
    "an explicit virama": "\u0915\u094d\u200c \u0937",
    "mongolian with forms": "\u1820\u180b\u182d\u180e\u1820",
    "an arabic year sign": "\u0601\u0662\u0660",
    "end of ayah": "\u0627\u06dd\u0661",
    "korean in parts": "\u1112\u1161\u11ab",
    "japanese in parts": "\u304b\u3099",
    "emoji": "🎉 ☂ ©",
    "heart": "❤\ufe0f",
    "family": "👨\u200d👩\u200d👧",
    "pirates": "🏴\u200d☠\ufe0f",
    "thumb": "👍🏽",
    "runner": "🏃🏽\u200d♂\ufe0f",
    "flag": "🇩🇪",
    "scotland": "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "keycap": "1\ufe0f\u20e3",
    "a hand, toned and drawn": "\u261d\U0001f3fd\ufe0f",
    "rainbow": "\U0001f3f3\ufe0f\u200d\U0001f308",
    "eye in a bubble": "\U0001f441\ufe0f\u200d\U0001f5e8\ufe0f",
    "lines": "a\tb\r\nc\n",
    "japanese with its blank": "今日は\u3000晴れ。\u3000good\n\u3000明日も",
    "french with its blanks": "Non\u00a0! «\u202foui\u202f», 10\u202f000\u00a0€ ou 5\u00a0km\u2009: 3\u00a0%",
    "ogham with its blank": "\u1681\u1680\u1682",
}
UNSEEN = {
    "selectors": "ok" + "".join(chr(0xE0100 + n) for n in range(35)),
    "selectors on an emoji": "😀\ufe0f\ufe0f",
    "selector on a letter": "a\ufe0f",
    "korean filler": "['ls',\u3164]",
    "half filler": "\uffa0",
    "first filler": "\u115f",
    "middle filler": "\u1160",
    "braille blank": "a\u2800b",
    "mongolian": "a\u180eb",
    "grapheme joiner": "a\u034fb",
    "khmer": "a\u17b4b",
    "tags": "title" + "".join(chr(0xE0000 + ord(c)) for c in "run this"),
    "tags on a flag": "🏴" + "".join(chr(0xE0000 + ord(c)) for c in "xxxxx") + "\U000e007f",
    "joiner between latin letters": "ad\u200dmin",
    "joiner behind an arabic letter": "\u0645\u200d",
    "two joiners": "\u0645\u200c\u200c\u062e",
    "c1": "a\x9b31m",
    "line separator": "a\u2028b",
    "return": "safe\revil",
    "right to left": "a\u202eb",
    "null notehead": "a\U0001d159b",
    "many marks": "a" + "\u0301" * 30,
    "marks through joiners": "\u0915" + "\u200d\u0301" * 9,
    "private use": "\ue000",
    "far private use": "\U0010fffd",
    "not assigned": "a\u0378b",
    "no character": "\uffff",
    "selector on a sign that is no emoji": "■\ufe0f",
    "text selector on an arrow": "→\ufe0e",
    "mongolian form on a latin letter": "a\u180b",
    "mongolian form on an arabic letter": "\u0645\u180b",
    "two mongolian forms": "\u1820\u180b\u180b",
    "joiner at the end of a word": "\u0915\u200d",
    "joiner after a latin virama": "a\u094d\u200d",
    "soft hyphen": "pass\u00adword",
    "word joiner": "a\u2060b",
    "invisible times": "a\u2062b",
    "paragraph separator": "a\u2029b",
    "activate symmetric swapping": "a\u206bb",
    "byte order mark": "a\ufeffb",
    "shorthand format": "a\U0001bca0b",
    "music format": "a\U0001d173b",
    "nul": "a\0b",
    "a blank that breaks no line": "x\u00a0= 1",
    "a blank that makes a key a word": "key:\u00a0value",
    "a wide blank in code": "if (x)\u3000return",
    "an ogham blank": "a\u1680b",
    "a thin blank": "rm -rf x\u2009/",
    "many blanks in a row": "a" + "\u00a0" * 9 + "!",
    "an object that is not there": "a\ufffcb",
}
DOUBTFUL = {
    "modifiers alone": "s = '" + "\U0001f3fb" * 34 + "'",
    "modifier on a letter": "a\U0001f3fb",
    "mark on a blank": " \u0301",
    "mark on a sign": "=\u0338",
    "syllable without its first": "a\u1161",
    "ring": "a\u20dd",
}


@pytest.mark.parametrize("text", ORDINARY.values(), ids=ORDINARY.keys())
def test_what_languages_and_emoji_need_is_drawn_and_no_risk_H1(text: str) -> None:
    assert not has_unseen(text)
    assert shown(text, keep="\t\r\n") == text
    assert visible(text.replace("\r", "")) == text.replace("\r", "")


@pytest.mark.parametrize("text", UNSEEN.values(), ids=UNSEEN.keys())
def test_what_nobody_sees_is_a_risk_and_drawn_as_its_code_on_every_face_H1(text: str) -> None:
    assert has_unseen(text)
    for face in (visible, terminal.visible):
        drawn = face(text)
        assert drawn != text
        assert not has_unseen(drawn)


@pytest.mark.parametrize("text", DOUBTFUL.values(), ids=DOUBTFUL.keys())
def test_what_is_not_sure_to_have_a_width_is_drawn_as_its_code_and_is_no_risk(text: str) -> None:
    assert not has_unseen(text)
    assert "⟨U+" in shown(text)
    assert shown(shown(text)) == shown(text)


def test_every_character_that_unicode_calls_control_or_format_is_unseen_alone() -> None:
    kinds = {"Cc", "Cf", "Zl", "Zp", "Cs"}
    drawn = {number for first, last in VISIBLE for number in range(first, last + 1)} | {9, 10}
    missed = [
        hex(number)
        for number in range(sys.maxunicode + 1)
        if unicodedata.category(chr(number)) in kinds and number not in drawn and not has_unseen(chr(number))
    ]
    assert missed == []


def test_every_character_without_a_width_is_its_code_where_it_stands_alone() -> None:
    kinds = {"Mn", "Me", "Mc"}
    missed = [
        hex(number)
        for number in range(sys.maxunicode + 1)
        if unicodedata.category(chr(number)) in kinds and shown(chr(number)) != code(chr(number))
    ]
    assert missed == []


@quick
@given(st.text(st.characters() | st.sampled_from("".join([*ORDINARY.values(), *UNSEEN.values(), *DOUBTFUL.values()]))))
def test_after_it_is_drawn_nothing_is_hidden_and_drawing_it_again_changes_nothing(text: str) -> None:
    drawn = shown(text)
    assert not has_unseen(drawn)
    assert shown(drawn) == drawn
    assert drawn.encode("utf-8").decode() == drawn


@quick
@given(st.text(st.sampled_from("a日é\u0301❤\ufe0f👍🏽\u200d🇩\u0915\u093f1\u20e3")), st.integers(0, 40))
def test_what_fits_is_never_wider_than_there_is_room_and_as_much_as_there_is(text: str, room: int) -> None:
    many = fitting(text, room)
    assert widest(text[:many]) <= room
    assert many == len(text) or widest(text[: many + 1]) > room


@pytest.mark.parametrize(
    ("text", "columns"),
    [("abc", 3), ("日本", 4), ("e\u0301", 1), ("❤\ufe0f", 2), ("👍🏽", 4), ("👨\u200d👩\u200d👧", 6), ("🇩🇪", 4)],
)
def test_of_the_ways_to_draw_a_text_the_widest_counts(text: str, columns: int) -> None:
    assert widest(text) == columns


@pytest.mark.parametrize("text", ["\u3164", "\u2800 \ufe0f", "\U000e0041\u200b"])
def test_a_text_that_nobody_sees_is_blank_P9(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("name", ["a\nb", "a\tb", "a\u200bb", "\x1b[2J", "\u3164"])
def test_a_name_with_the_end_of_a_line_in_it_is_odd_H1(name: str) -> None:
    assert is_odd_name(name)
    assert not is_odd_name("src/a b.py")


def test_beside_plain_text_and_our_own_marks_whatever_nobody_sees_is_drawn_as_its_code_H1() -> None:
    plain = "fe-1 · open …\n"
    assert shown(plain, keep="\n") == plain
    assert shown(plain) == plain.replace("\n", code("\n"))
    assert shown("·\u200d…") == f"·{code(chr(0x200D))}…"
