"""Text that people and programs give: what may be in it, and how it is shown."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property

from foureyes.core.words import unseen
from foureyes.errors import BadInput
from foureyes.steps import blank, fe, phrase, prose

NAME_LIMIT = 64
TEXT_LIMIT = 100_000


class Unprintable:
    """A set of characters that cannot be printed. Nearly every text has none, which is known without a pattern."""

    def __init__(self, pattern: str, *, lines: bool = True) -> None:
        self.pattern = pattern
        self._lines = lines

    def search(self, text: str) -> re.Match[str] | None:
        """The first of these characters in a text."""
        return None if self._is_plain(text) else self._compiled.search(text)

    def sub(self, replacement: str | Callable[[re.Match[str]], str], text: str) -> str:
        """A text with each of these characters replaced."""
        return text if self._is_plain(text) else self._compiled.sub(replacement, text)

    def _is_plain(self, text: str) -> bool:
        return (text.replace("\n", "") if self._lines else text).isprintable()

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern)


SURROGATE = Unprintable("[\ud800-\udfff]")
CONTROL = Unprintable(r"[\x00-\x1f\x7f-\x9f]", lines=False)
CONTROL_IN_TEXT = Unprintable(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


# What is typed: refused where it is wrong


def clean_text(text: str, what: str) -> str:
    """A longer text: lines and tabs are fine, other control characters and more than 100,000 characters are not."""
    text = text.replace("\r\n", "\n")
    refuse_control(text, CONTROL_IN_TEXT, what)
    if len(text) > TEXT_LIMIT:
        raise BadInput(
            f"{what} has {len(text):,} characters; at most {TEXT_LIMIT:,} are allowed.",
            next_step=prose("keep long material in a file of the repository and name it here"),
        )
    return text


def refuse_control(text: str, pattern: Unprintable, what: str) -> None:
    """Control characters and halves of characters are an error that says where the first one is."""
    match = pattern.search(text)
    if match is not None:
        raise BadInput(
            f"{what} has a control character (U+{ord(match.group()):04X}) at position {match.start() + 1}.",
            next_step=prose("take it out and try again"),
        )
    if SURROGATE.search(text):
        raise BadInput(f"{what} is not valid UTF-8.", next_step=prose("save it as UTF-8 and try again"))


def is_blank(text: str) -> bool:
    """P9: nothing in it that anybody could see."""
    return not any(
        character.isprintable() and not character.isspace() and not unseen.is_unseen(character) for character in text
    )


def clean_name(text: str) -> str:
    """A name that somebody types: one line of up to 64 characters."""
    name = text.strip()
    if not name or len(name) > NAME_LIMIT:
        raise BadInput(
            f"a name has 1 to {NAME_LIMIT} characters.",
            next_step=fe("log", blank("TASK"), phrase("text"), "--as", blank("NAME")),
        )
    refuse_control(name, CONTROL, "the name")
    return name


# What others wrote: shown so that nothing in it does anything


def visible(text: str) -> str:
    """Untrusted text of lines with everything that nobody sees made visible, and nothing that turns its direction."""
    return unseen.shown(text, keep="\t\n")


def flat(text: str) -> str:
    """Untrusted text as a part of one line: visible, and what would end the line is drawn, too."""
    return unseen.shown(text)


def in_line(text: str, limit: int) -> str:
    """Untrusted text in one line, made visible and cut; half a character is shown as a replacement."""
    text = " ".join(text[: limit * 2].split("\n"))
    return visible(SURROGATE.sub("\ufffd", text))[:limit].strip()


def readable(data: bytes) -> str:
    """Bytes that a program printed, as lines of visible text."""
    return visible(data.decode("utf-8", "replace").replace("\r\n", "\n"))


def spaced(text: str, limit: int) -> str:
    """Untrusted text fit to be stored: control characters and halves of characters are spaces, and it is cut."""
    text = text[: limit * 2].replace("\r\n", "\n")
    return SURROGATE.sub(" ", CONTROL_IN_TEXT.sub(" ", text))[:limit].rstrip()


def lines_of(text: str) -> list[str]:
    """The lines of a text: only a line feed ends one. Python knows ends of lines that nobody sees as such."""
    return text.rstrip("\n").split("\n") if text.strip("\n") else []


def first_line(text: str, limit: int) -> str:
    """The first line that says something, in single spaces."""
    lines = (" ".join(CONTROL.sub(" ", line).split()) for line in spaced(text, TEXT_LIMIT).splitlines())
    return next((line for line in lines if line), "")[:limit].rstrip()


def one_line(text: str, longest: int) -> str:
    """A text without line ends, and not longer than this; what was cut is shown as cut."""
    flat = " ".join(text.split())
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"


def in_encoding(text: str, encoding: str) -> str:
    """Text as far as a stream's encoding can hold it; what it cannot hold is a question mark."""
    return text.encode(encoding, "replace").decode(encoding)
