"""Text from people and programs: validation of input, and safe display of untrusted text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache

from foureyes.errors import BadInput
from foureyes.steps import blank, fe, phrase, prose

# ---- Text that people and programs give ----

NAME_LIMIT = 64
TEXT_LIMIT = 100_000


class Unprintable:
    """A pattern for unprintable characters, used only if the text has any."""

    def __init__(self, pattern: str, *, lines: bool = True) -> None:
        self.pattern = pattern
        self._lines = lines

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match of these characters."""
        return None if self._is_plain(text) else self._compiled.search(text)

    def sub(self, replacement: str | Callable[[re.Match[str]], str], text: str) -> str:
        """Return the text with each of these characters replaced."""
        return text if self._is_plain(text) else self._compiled.sub(replacement, text)

    def _is_plain(self, text: str) -> bool:
        return (text.replace("\n", "") if self._lines else text).isprintable()

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern)


SURROGATE = Unprintable("[\ud800-\udfff]")
CONTROL = Unprintable(r"[\x00-\x1f\x7f-\x9f]", lines=False)
CONTROL_IN_TEXT = Unprintable(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


# Typed input: invalid text is refused


def clean_text(text: str, what: str) -> str:
    """Return a long text with uniform line ends. Lines and tabs are allowed. Raise BadInput for other control
    characters or more than 100,000 characters.
    """
    text = text.replace("\r\n", "\n")
    refuse_control(text, CONTROL_IN_TEXT, what)
    if len(text) > TEXT_LIMIT:
        raise BadInput(
            f"{what} has {len(text):,} characters, but at most {TEXT_LIMIT:,} are allowed.",
            next_step=prose("put long text into a file of the repository and name it here"),
        )
    return text


def refuse_control(text: str, pattern: Unprintable, what: str) -> None:
    """Raise BadInput with the position of the first control character, or for invalid UTF-8."""
    match = pattern.search(text)
    if match is not None:
        raise BadInput(
            f"{what} has a control character (U+{ord(match.group()):04X}) at position {match.start() + 1}.",
            next_step=prose("take it out and try again"),
        )
    if SURROGATE.search(text):
        raise BadInput(f"{what} is not valid UTF-8.", next_step=prose("save it as UTF-8 and try again"))


def is_blank(text: str) -> bool:
    """Return True if the text has no visible character. (P9)"""
    return not any(
        character.isprintable() and not character.isspace() and not is_unseen(character) for character in text
    )


def clean_name(text: str) -> str:
    """Return a typed name: one line of up to 64 characters. Raise BadInput otherwise."""
    name = text.strip()
    if not name or len(name) > NAME_LIMIT:
        raise BadInput(
            f"a name has 1 to {NAME_LIMIT} characters.",
            next_step=fe("log", blank("TASK"), phrase("text"), "--as", blank("NAME")),
        )
    refuse_control(name, CONTROL, "the name")
    return name


# Untrusted text: displayed without any effect


def visible(text: str) -> str:
    """Return untrusted text with invisible and direction-changing characters made visible. Tabs and line ends stay."""
    return shown(text, keep="\t\n")


def flat(text: str) -> str:
    """Return untrusted text for part of a line. Line ends and tabs are made visible too."""
    return shown(text)


def in_line(text: str, limit: int) -> str:
    """Return untrusted text as one visible line, cut to the limit."""
    text = " ".join(text[: limit * 2].split("\n"))
    return visible(SURROGATE.sub("\ufffd", text))[:limit].strip()


def readable(data: bytes) -> str:
    """Return a program's output bytes as lines of visible text."""
    return visible(data.decode("utf-8", "replace").replace("\r\n", "\n"))


def spaced(text: str, limit: int) -> str:
    """Return untrusted text fit for storage: control characters and lone surrogates become spaces, and the length is
    cut.
    """
    text = text[: limit * 2].replace("\r\n", "\n")
    return SURROGATE.sub(" ", CONTROL_IN_TEXT.sub(" ", text))[:limit].rstrip()


def lines_of(text: str) -> list[str]:
    """Return the lines of a text. Only a line feed ends a line, unlike str.splitlines()."""
    return text.rstrip("\n").split("\n") if text.strip("\n") else []


def first_line(text: str, limit: int) -> str:
    """Return the first non-blank line in single spaces, cut to the limit."""
    lines = (" ".join(CONTROL.sub(" ", line).split()) for line in spaced(text, TEXT_LIMIT).splitlines())
    return next((line for line in lines if line), "")[:limit].rstrip()


def one_line(text: str, longest: int) -> str:
    """Return the text in one line of at most this length, with an ellipsis if it was cut."""
    flat = " ".join(text.split())
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"


def in_encoding(text: str, encoding: str) -> str:
    """Return the text with a question mark for each character the encoding cannot represent."""
    return text.encode(encoding, "replace").decode(encoding)


# ---- Unseen characters ----

# One table serves every interface and the risk mark (H1). Each character has a class, written as a letter. Sequences
# that belong together (an emoji, a letter with accents) match a pattern of classes and stay unchanged. Any other
# character of an invisible class is shown as its code.

Ranges = tuple[tuple[int, int], ...]

IGNORED: Ranges = (
    (0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2065, 0x2065), (0x3164, 0x3164),
    (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0xE0000, 0xE0FFF),
)  # fmt: skip
"""Default-ignorable characters that are not format characters: joiners, fillers, variation selectors, tags."""
BLANK: Ranges = ((0x2800, 0x2800), (0xFFFC, 0xFFFC), (0x13441, 0x13442), (0x16FE4, 0x16FE4), (0x1D159, 0x1D159))
"""Letters and signs without a visible form."""
WIDE_SPACE, OGHAM_SPACE = "\u3000", "\u1680"
OGHAM: Ranges = ((0x1681, 0x169C),)
AFTER_SPACE, BEFORE_SPACE = frozenset(":;!?»›%‰€°–—"), frozenset("«‹–—")
"""Marks that French typography, or number notation, separates by a no-break space."""
NEAR = 8
"""Longest run of blanks that still counts as next to a neighbor."""
VISIBLE: Ranges = (
    (0x0600, 0x0605), (0x06DD, 0x06DD), (0x070F, 0x070F), (0x0890, 0x0891), (0x08E2, 0x08E2), (0x110BD, 0x110BD),
    (0x110CD, 0x110CD),
)  # fmt: skip
"""Visible format characters: signs that enclose the following number (Prepended_Concatenation_Mark)."""
JOINED: Ranges = (
    (0x0600, 0x07FF), (0x0840, 0x0DFF), (0x1000, 0x109F), (0x1780, 0x18AF), (0x1B00, 0x1B7F), (0xA8E0, 0xA8FF),
    (0xA980, 0xA9DF), (0xABC0, 0xABFF), (0xFB50, 0xFDFF), (0xFE70, 0xFEFE), (0x11000, 0x11FFF),
)  # fmt: skip
"""Scripts in which a joiner between two letters is part of the spelling: Arabic and related, Indic, Mongolian."""
MONGOLIAN: Ranges = ((0x1820, 0x18AA),)
MONGOLIAN_FORMS: Ranges = ((0x180B, 0x180F),)
"""Selectors for the form of the preceding Mongolian letter."""
VIRAMA = 9
"""Combining class of the sign that joins two Indic letters, or before a joiner shows half of one."""
JAMO_FIRST: Ranges = ((0x1100, 0x115E), (0xA960, 0xA97C))
JAMO_REST: Ranges = ((0x1161, 0x11FF), (0xD7B0, 0xD7FB))
"""Parts of a Korean syllable. Only the first has a width of its own."""
NATIONS = frozenset(f"\U0001f3f4{''.join(chr(0xE0000 + ord(c)) for c in name)}\U000e007f"
                    for name in ("gbeng", "gbsct", "gbwls"))  # fmt: skip
"""The flags that are written with tag characters."""

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
"""Classes of characters that are invisible on their own or look unknown (private use, unassigned). The normal blank is
not included. (H1)
"""
CODED = UNSEEN | frozenset("DMHCSv")
"""Classes that are shown as a code on their own, including those of uncertain width."""
OUR_MARKS = "·…"
"""Common non-ASCII characters in our own texts. They are visible, so they need no table lookup."""
MARKS = 6
"""Largest number of marks on one letter. No written language needs more."""

_EMOJI = "(?:[EB]S?[FT]?|KFC|RR)"
_LETTER = f"(?:I|OY?)[MH]{{0,{MARKS}}}(?:[ZN][MH]{{1,{MARKS}}})?"
_WORD = f"{_LETTER}(?:[ZN]{_LETTER})*(?:(?<=H)[ZN])?"
_PIECE = f"(?P<nation>BG{{5}}g)|(?P<whole>{_EMOJI}(?:Z{_EMOJI})*|{_WORD}|L[MH]{{0,{MARKS}}}|jv{{0,2}}|a+)|(?P<alone>.)"
_FLOOD = f"[MH]{{{MARKS + 1}}}"


class _Classes(dict[str, str]):
    """The class of each character, computed on first use."""

    def __missing__(self, character: str) -> str:
        self[character] = name = _class_of(character)
        return name


def _class_of(character: str) -> str:
    from unicodedata import category, combining

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
    """Yield each invisible character that stands alone, with its position. The set of characters shows quickly that
    most texts have none.
    """
    characters = set(text).difference(keep, OUR_MARKS)
    rest = "".join(characters)
    if rest.isascii() and rest.isprintable():
        return
    if not any(_CLASSES[character] in CODED for character in characters):
        return
    for piece in re.finditer(_PIECE, _classes(text)):  # compiled on first use
        start, end = piece.span()
        if piece.lastgroup == "alone" or (piece.lastgroup == "nation" and text[start:end] not in NATIONS):
            for at in range(start, end):
                if _CLASSES[text[at]] in CODED and text[at] not in keep and not _is_set(text, at):
                    yield at, text[at]


def _is_set(text: str, at: int) -> bool:
    """Return True if the blank is where typography expects it.

    That is next to a wide letter, within Ogham, in a number or before its unit, and around French punctuation.
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
    """Return True if the text has characters that are invisible, reorder it, or bury it under marks. Tabs and line ends
    are allowed. (H1)
    """
    text = text.replace("\r\n", "\n")
    odd = {_CLASSES[character] for _, character in _odd(text, "\t\n")}
    return bool(odd & UNSEEN) or ("M" in odd and re.search(_FLOOD, _classes(text)) is not None)


def is_odd_name(name: str) -> bool:
    """Return True if a name has hidden characters, line ends or tabs. (H1)"""
    return has_unseen(name) or "\n" in name or "\t" in name


def is_unseen(character: str) -> bool:
    """Return True if this character is invisible when alone."""
    return _CLASSES[character] in UNSEEN


def code(character: str) -> str:
    """Return the code for an invisible character: `␛`, `⟨U+202E⟩`."""
    number = ord(character)
    return chr(0x2400 + number) if number < 0x20 else "␡" if number == 0x7F else f"⟨U+{number:04X}⟩"


def shown(text: str, keep: str = "", as_code: Callable[[str], str] = code) -> str:
    """Return the text with invisible characters replaced by their code, except those in `keep`."""
    parts, done = [], 0
    for at, character in _odd(text, keep):
        parts += [text[done:at], as_code(character)]
        done = at + 1
    return "".join((*parts, text[done:])) if parts else text


def widest(text: str) -> int:
    """Return the largest number of columns a terminal may need for a text. Terminals draw emoji and marks
    differently.
    """
    if text.isascii():
        return len(text)
    return sum(map(_width, text))


def fitting(text: str, columns: int) -> int:
    """Return how many characters surely fit into this many columns."""
    from bisect import bisect_right
    from itertools import accumulate

    return bisect_right(list(accumulate(map(_width, text))), columns)


@lru_cache(maxsize=1024)
def _width(character: str) -> int:
    from unicodedata import category, east_asian_width

    name = _CLASSES[character]
    if name in "ZNTGgY" or (name in "MH" and category(character) == "Mn"):
        return 0
    if name in "SRB" or (name in "Ea" and ord(character) in FUTURE):
        return 2
    return 1 + (east_asian_width(character) in "WF" and name != "F")


# ---- Emoji ----

_TABLE = """
a9 ae 203c 2049 2122 2139 2194-2199 21a9-21aa 231a-231b 2328 23cf 23e9-23f3 23f8-23fa 24c2 25aa-25ab 25b6 25c0
25fb-25fe 2600-2604 260e 2611 2614-2615 2618 261d 2620 2622-2623 2626 262a 262e-262f 2638-263a 2640 2642
2648-2653 265f-2660 2663 2665-2666 2668 267b 267e-267f 2692-2697 2699 269b-269c 26a0-26a1 26a7 26aa-26ab
26b0-26b1 26bd-26be 26c4-26c5 26c8 26ce-26cf 26d1 26d3-26d4 26e9-26ea 26f0-26f5 26f7-26fa 26fd 2702 2705
2708-270d 270f 2712 2714 2716 271d 2721 2728 2733-2734 2744 2747 274c 274e 2753-2755 2757 2763-2764 2795-2797
27a1 27b0 27bf 2934-2935 2b05-2b07 2b1b-2b1c 2b50 2b55 3030 303d 3297 3299 1f004 1f0cf 1f170-1f171 1f17e-1f17f
1f18e 1f191-1f19a 1f201-1f202 1f21a 1f22f 1f232-1f23a 1f250-1f251 1f300-1f321 1f324-1f393 1f396-1f397
1f399-1f39b 1f39e-1f3f0 1f3f3-1f3f5 1f3f7-1f3fa 1f400-1f4fd 1f4ff-1f53d 1f549-1f54e 1f550-1f567 1f56f-1f570
1f573-1f57a 1f587 1f58a-1f58d 1f590 1f595-1f596 1f5a4-1f5a5 1f5a8 1f5b1-1f5b2 1f5bc 1f5c2-1f5c4 1f5d1-1f5d3
1f5dc-1f5de 1f5e1 1f5e3 1f5e8 1f5ef 1f5f3 1f5fa-1f64f 1f680-1f6c5 1f6cb-1f6d2 1f6d5-1f6d9 1f6dc-1f6e5 1f6e9
1f6eb-1f6ec 1f6f0 1f6f3-1f6fc 1f7e0-1f7eb 1f7f0 1f90c-1f93a 1f93c-1f945 1f947-1f9ff 1fa70-1fa7c 1fa80-1fac6
1fac8 1facc-1fadd 1fadf-1faeb 1faef-1fafa
"""
_EMOJI_RANGES: set[int] = set()
FUTURE = range(0x1F000, 0x1FB00)
"""The code points reserved for future emoji."""


def is_emoji(code: int) -> bool:
    """Return True for an emoji. The table is parsed on first use."""
    if not _EMOJI_RANGES:
        for word in _TABLE.split():
            first, _, last = word.partition("-")
            _EMOJI_RANGES.update(range(int(first, 16), int(last or first, 16) + 1))
    return code in _EMOJI_RANGES
