"""Unseen characters: what a program reads and nobody sees, and what no terminal is sure how wide to draw.

There is one table, for every face and for the mark of risk (H1). Each character has a class, a letter; what belongs
together (an emoji, a letter with its accents) is a pattern of classes and stays as it is. Whatever is left over of a
class that does not show is drawn as its code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

Ranges = tuple[tuple[int, int], ...]

IGNORED: Ranges = (
    (0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2065, 0x2065), (0x3164, 0x3164),
    (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0xE0000, 0xE0FFF),
)  # fmt: skip
"""Default-ignorable characters that are no format characters: joiners, fillers, selectors of variants, tags."""
BLANK: Ranges = ((0x2800, 0x2800), (0xFFFC, 0xFFFC), (0x13441, 0x13442), (0x16FE4, 0x16FE4), (0x1D159, 0x1D159))
"""Letters and signs that are drawn as nothing, or stand for something that is not there."""
WIDE_SPACE, OGHAM_SPACE = "\u3000", "\u1680"
OGHAM: Ranges = ((0x1681, 0x169C),)
AFTER_SPACE, BEFORE_SPACE = frozenset(":;!?»›%‰€°–—"), frozenset("«‹–—")
"""Marks that French, and whoever writes numbers, sets off by a blank that breaks no line."""
NEAR = 8
"""So many blanks may stand in a row before nobody knows what they belong to."""
VISIBLE: Ranges = (
    (0x0600, 0x0605), (0x06DD, 0x06DD), (0x070F, 0x070F), (0x0890, 0x0891), (0x08E2, 0x08E2), (0x110BD, 0x110BD),
    (0x110CD, 0x110CD),
)  # fmt: skip
"""Format characters that are drawn: signs that enclose the numbers after them (Prepended_Concatenation_Mark)."""
JOINED: Ranges = (
    (0x0600, 0x07FF), (0x0840, 0x0DFF), (0x1000, 0x109F), (0x1780, 0x18AF), (0x1B00, 0x1B7F), (0xA8E0, 0xA8FF),
    (0xA980, 0xA9DF), (0xABC0, 0xABFF), (0xFB50, 0xFDFF), (0xFE70, 0xFEFE), (0x11000, 0x11FFF),
)  # fmt: skip
"""Scripts in which a joiner between two letters is part of the spelling: Arabic and its kin, Indic ones, Mongolian."""
MONGOLIAN: Ranges = ((0x1820, 0x18AA),)
MONGOLIAN_FORMS: Ranges = ((0x180B, 0x180F),)
"""What chooses the form of the Mongolian letter before it."""
VIRAMA = 9
"""The combining class of the sign that joins two Indic letters, or, before a joiner, shows half of one."""
JAMO_FIRST: Ranges = ((0x1100, 0x115E), (0xA960, 0xA97C))
JAMO_REST: Ranges = ((0x1161, 0x11FF), (0xD7B0, 0xD7FB))
"""Parts of a Korean syllable: only the first has a width of its own."""
NATIONS = frozenset(f"\U0001f3f4{''.join(chr(0xE0000 + ord(c)) for c in name)}\U000e007f"
                    for name in ("gbeng", "gbsct", "gbwls"))  # fmt: skip
"""The only flags that are written with tags."""

_NAMED = {
    "\u200d": "Z", "\u200c": "N", "\ufe0f": "F", "\ufe0e": "T", "\u20e3": "C", "\U0001f3f4": "B",
    "\U000e007f": "g", " ": "a", **dict.fromkeys("0123456789#*", "K"),
}  # fmt: skip
_RANGED: tuple[tuple[str, Ranges], ...] = (
    ("a", VISIBLE), ("Y", MONGOLIAN_FORMS),
    ("S", ((0x1F3FB, 0x1F3FF),)), ("R", ((0x1F1E6, 0x1F1FF),)), ("G", ((0xE0020, 0xE007E),)),
    ("X", IGNORED), ("X", BLANK), ("j", JAMO_FIRST), ("v", JAMO_REST),
)  # fmt: skip
_CATEGORIES = {
    "Cc": "X", "Cf": "X", "Cs": "X", "Zl": "X", "Zp": "X", "Zs": "W", "Co": "P", "Cn": "P", "Me": "D",
    "Mn": "M", "Mc": "M",
}  # fmt: skip
UNSEEN = frozenset("XZNFTGgYPW")
"""Classes that nobody sees where they stand alone (blanks that are not the blank among them), or of which nobody knows
what they look like (private use, not assigned); H1 calls them hidden characters.
"""
CODED = UNSEEN | frozenset("DMHCSv")
"""Classes that are drawn as their code where they stand alone: also what is not sure to be as wide as we think."""
OUR_MARKS = "·…"
"""What we write ourselves beside ASCII in most answers: it shows, and to know that needs no table of all characters."""
MARKS = 6
"""So many marks may stand on a letter: no language that is written has more."""

_EMOJI = "(?:[EB]S?[FT]?|KFC|RR)"
_LETTER = f"(?:I|OY?)[MH]{{0,{MARKS}}}(?:[ZN][MH]{{1,{MARKS}}})?"
_WORD = f"{_LETTER}(?:[ZN]{_LETTER})*(?:(?<=H)[ZN])?"
_PIECE = f"(?P<nation>BG{{5}}g)|(?P<whole>{_EMOJI}(?:Z{_EMOJI})*|{_WORD}|L[MH]{{0,{MARKS}}}|jv{{0,2}}|a+)|(?P<alone>.)"
_FLOOD = f"[MH]{{{MARKS + 1}}}"


class _Classes(dict[str, str]):
    """The class of each character, worked out when it is first met."""

    def __missing__(self, character: str) -> str:
        self[character] = name = _class_of(character)
        return name


def _class_of(character: str) -> str:
    from unicodedata import category, combining

    from foureyes.core.words.emoji import FUTURE, is_emoji

    code = ord(character)
    named = _NAMED.get(character) or next((name for name, ranges in _RANGED if _is_in(code, ranges)), "")
    if named:
        return named
    kind = category(character)
    if is_emoji(code) or (kind == "Cn" and code in FUTURE):
        return "E"
    if combining(character) == VIRAMA:
        return "H"
    if kind in _CATEGORIES:
        return _CATEGORIES[kind]
    if kind[0] == "L":
        return "O" if _is_in(code, MONGOLIAN) else "I" if _is_in(code, JOINED) else "L"
    return "a"


def _is_in(code: int, ranges: Ranges) -> bool:
    return any(first <= code <= last for first, last in ranges)


_CLASSES = _Classes()


def _classes(text: str) -> str:
    return "".join(map(_CLASSES.__getitem__, text))


def _odd(text: str, keep: str = "") -> Iterator[tuple[int, str]]:
    """The characters of a text that stand alone and do not show, each with its place. Nearly every text has none,
    which is known from the set of its characters.
    """
    characters = set(text).difference(keep, OUR_MARKS)
    rest = "".join(characters)
    if rest.isascii() and rest.isprintable():
        return
    if not any(_CLASSES[character] in CODED for character in characters):
        return
    for piece in re.finditer(_PIECE, _classes(text)):  # compiled when it is first needed
        start, end = piece.span()
        if piece.lastgroup == "alone" or (piece.lastgroup == "nation" and text[start:end] not in NATIONS):
            for at in range(start, end):
                if _CLASSES[text[at]] in CODED and text[at] not in keep and not _is_set(text, at):
                    yield at, text[at]


def _is_set(text: str, at: int) -> bool:
    """Whether a blank stands where people who set text put it, so that a reader expects it: beside a wide letter,
    within Ogham, in a number or before its unit, and where French sets off its marks.
    """
    space = text[at]
    if _CLASSES[space] != "W":
        return False
    before, after = text[max(0, at - NEAR) : at].rstrip(space)[-1:], text[at : at + NEAR].lstrip(space)[:1]
    if space == OGHAM_SPACE:
        return any(each and _is_in(ord(each), OGHAM) for each in (before, after))
    if space == WIDE_SPACE:
        return any(each and _width(each) == 2 for each in (before, after))
    return (before.isdecimal() and after.isalnum()) or after in AFTER_SPACE or before in BEFORE_SPACE


def has_unseen(text: str) -> bool:
    """H1: whether something is in a text that nobody sees, that reorders it, or that buries it under marks; tabs and
    ends of lines are ordinary.
    """
    text = text.replace("\r\n", "\n")
    odd = {_CLASSES[character] for _, character in _odd(text, "\t\n")}
    return bool(odd & UNSEEN) or ("M" in odd and re.search(_FLOOD, _classes(text)) is not None)


def is_odd_name(name: str) -> bool:
    """H1: whether a name has something in it that nobody sees in a name, the end of a line and a tab among it."""
    return has_unseen(name) or "\n" in name or "\t" in name


def is_unseen(character: str) -> bool:
    """Whether nobody sees this character where it stands alone."""
    return _CLASSES[character] in UNSEEN


def code(character: str) -> str:
    """A character that does not show, as what it is: `␛`, `⟨U+202E⟩`."""
    number = ord(character)
    return chr(0x2400 + number) if number < 0x20 else "␡" if number == 0x7F else f"⟨U+{number:04X}⟩"


def shown(text: str, keep: str = "", as_code: Callable[[str], str] = code) -> str:
    """A text in which everything can be seen: what does not show is its code, but for the characters of `keep`."""
    parts, done = [], 0
    for at, character in _odd(text, keep):
        parts += [text[done:at], as_code(character)]
        done = at + 1
    return "".join((*parts, text[done:])) if parts else text


def widest(text: str) -> int:
    """The columns that a terminal may need for a text: of the ways to draw an emoji or a letter with marks the widest,
    for terminals do not agree.
    """
    if text.isascii():
        return len(text)
    return sum(map(_width, text))


def fitting(text: str, columns: int) -> int:
    """How many characters of a text are sure to fit so many columns."""
    from bisect import bisect_right
    from itertools import accumulate

    return bisect_right(list(accumulate(map(_width, text))), columns)


@lru_cache(maxsize=1024)
def _width(character: str) -> int:
    from unicodedata import category, east_asian_width

    from foureyes.core.words.emoji import FUTURE

    name = _CLASSES[character]
    if name in "ZNTGgY" or (name in "MH" and category(character) == "Mn"):
        return 0
    if name in "SRB" or (name in "Ea" and ord(character) in FUTURE):
        return 2
    return 1 + (east_asian_width(character) in "WF" and name != "F")
