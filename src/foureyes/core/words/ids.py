"""Ids and other names of a fixed shape."""

from __future__ import annotations

import re
from functools import cached_property
from typing import NewType

from foureyes.core.words.digest import sha256

# ---- The shape of a text, as a pattern that is compiled when first asked ----


class Shape:
    """A regular expression that is compiled on first use."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern = pattern
        self._flags = flags

    def match(self, text: str) -> re.Match[str] | None:
        """Match at the start of the text."""
        return self._compiled.match(text)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Match the whole text."""
        return self._compiled.fullmatch(text)

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match in the text."""
        return self._compiled.search(text)

    def sub(self, replacement: str, text: str) -> str:
        """Replace every match in the text."""
        return self._compiled.sub(replacement, text)

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self._flags)


# ---- Names of things ----

TaskId = NewType("TaskId", str)
SessionId = NewType("SessionId", str)
OriginId = NewType("OriginId", str)
DiffId = NewType("DiffId", str)
Sha = NewType("Sha", str)

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32 in lower case, in which no letter looks like a digit."""

SHORTEST = 3
CROWDING = 20
PREFIX = Shape(r"[a-z][a-z0-9]{0,9}\Z")
TASK_INPUT = Shape(r"[a-z0-9][a-z0-9-]{0,39}\Z")


def length_for(tasks: int, tries: int) -> int:
    """Return the length of a new task id, chosen so that a random id is rarely taken. It grows with each collision."""
    length = SHORTEST
    while len(ALPHABET) ** length < CROWDING * tasks:
        length += 1
    return length + tries // 2


def task_id(prefix: str, number: int, length: int) -> TaskId:
    """Return the task id for a random number."""
    digits = ""
    for _ in range(length):
        number, rest = divmod(number, len(ALPHABET))
        digits += ALPHABET[rest]
    return TaskId(f"{prefix}-{digits}")


def session_id(digest: bytes) -> SessionId:
    """Return the session id for a digest of its evidence. The same evidence gives the same id."""
    number = int.from_bytes(digest[:8], "big")
    return SessionId(task_id("ses", number, 8))


def session_of(*key: str) -> SessionId:
    """Return the id of the session with this evidence."""
    return session_id(sha256("\n".join(key).encode("utf-8", "surrogateescape")).digest())


def token_hash(token: str) -> str:
    """Return the hash that the store keeps of a token. (I2)"""
    return sha256(b"foureyes token\n" + token.encode("utf-8", "surrogateescape")).hexdigest()


SEEN_DIGITS = 8
SEEN_FORM = "ATTEMPT.DIFF"
"""The form of `--seen` in messages. (D7)"""


def seen_name(attempt: int, diff: str) -> str:
    """Return the name of a reviewed change, for example `2.9b20c4d1`. (D7)

    A short prefix of the diff id is safe only together with the attempt's number: an author can create two diffs with
    the same prefix, but an attempt is frozen.
    """
    return f"{attempt}.{diff.removeprefix('sha256:')[:SEEN_DIGITS]}"


ANCHOR = "Journal:"
"""Prefix of the merge commit line that names a journal row: `<row>:<hash>`. (J3)"""
NO_ROW = 2**31
"""A row number above any journal's last row. A server would refuse to look it up."""


def anchored_row(anchor: str) -> int:
    """Return the row number in an anchor, or NO_ROW if the anchor is invalid. (G1)"""
    number = anchor.partition(":")[0]
    return min(int(number), NO_ROW) if number.isascii() and number.isdigit() and len(number) < 18 else NO_ROW
