"""Text that people and programs give: what may be in it, and how it is shown."""

from __future__ import annotations

import re

from foureyes.errors import BadInput
from foureyes.steps import blank, fe, phrase, prose

NAME_LIMIT = 64


TEXT_LIMIT = 100_000


SURROGATE = re.compile("[\ud800-\udfff]")


CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


CONTROL_IN_TEXT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def clean_text(text: str, what: str) -> str:
    """A longer text: lines and tabs are fine, other control characters and more than 100,000 characters are not."""
    text = text.replace("\r\n", "\n")
    _refuse_control(text, CONTROL_IN_TEXT, what)
    if len(text) > TEXT_LIMIT:
        raise BadInput(
            f"{what} has {len(text):,} characters; at most {TEXT_LIMIT:,} are allowed.",
            next_step=prose("keep long material in a file of the repository and name it here"),
        )
    return text


def _refuse_control(text: str, pattern: re.Pattern[str], what: str) -> None:
    found = pattern.search(text)
    if found is not None:
        raise BadInput(
            f"{what} has a control character (U+{ord(found.group()):04X}) at position {found.start() + 1}.",
            next_step=prose("take it out and try again"),
        )
    if SURROGATE.search(text):
        raise BadInput(f"{what} is not valid UTF-8.", next_step=prose("save it as UTF-8 and try again"))


def is_blank(text: str) -> bool:
    """P9: nothing in it that anybody could see."""
    return not any(character.isprintable() and not character.isspace() for character in text)


def clean_name(text: str) -> str:
    """A name that somebody types: one line of up to 64 characters."""
    name = text.strip()
    if not name or len(name) > NAME_LIMIT:
        raise BadInput(
            f"a name has 1 to {NAME_LIMIT} characters.",
            next_step=fe("log", blank("TASK"), phrase("text"), "--as", blank("NAME")),
        )
    _refuse_control(name, CONTROL, "the name")
    return name


BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """Untrusted text with control, escape and bidirectional characters made visible."""

    def show(found: re.Match[str]) -> str:
        code = ord(found.group())
        return chr(0x2400 + code) if code < 0x20 else f"⟨U+{code:04X}⟩"

    return BIDI.sub(show, CONTROL_IN_TEXT.sub(show, text))
