"""Ids and other names of fixed shape."""

from __future__ import annotations

import re
from functools import cached_property
from typing import NewType

from foureyes.core.words.digest import sha256

# ---- The shape of a text, as a pattern that is compiled when first asked ----


class Shape:
    """A regular expression that costs nothing until it is needed."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern = pattern
        self._flags = flags

    def match(self, text: str) -> re.Match[str] | None:
        """Where a text begins so."""
        return self._compiled.match(text)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """A text that is so as a whole."""
        return self._compiled.fullmatch(text)

    def search(self, text: str) -> re.Match[str] | None:
        """The first place in a text that is so."""
        return self._compiled.search(text)

    def sub(self, replacement: str, text: str) -> str:
        """A text with every such place replaced."""
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
"""Crockford's base 32 in lower case: no letter can be taken for a digit."""

SHORTEST = 3
CROWDING = 20
PREFIX = Shape(r"[a-z][a-z0-9]{0,9}\Z")
TASK_INPUT = Shape(r"[a-z0-9][a-z0-9-]{0,39}\Z")


def length_for(tasks: int, tries: int) -> int:
    """How many characters a new task id gets: enough that a random one is rarely taken, more after each collision."""
    length = SHORTEST
    while len(ALPHABET) ** length < CROWDING * tasks:
        length += 1
    return length + tries // 2


def task_id(prefix: str, number: int, length: int) -> TaskId:
    """The id that a random number means."""
    digits = ""
    for _ in range(length):
        number, rest = divmod(number, len(ALPHABET))
        digits += ALPHABET[rest]
    return TaskId(f"{prefix}-{digits}")


def session_id(digest: bytes) -> SessionId:
    """The id of a session, from the digest of what identifies it: the same evidence gives the same id."""
    number = int.from_bytes(digest[:8], "big")
    return SessionId(task_id("ses", number, 8))


def session_of(*key: str) -> SessionId:
    """The id of the session that this evidence identifies."""
    return session_id(sha256("\n".join(key).encode("utf-8", "surrogateescape")).digest())


def token_hash(token: str) -> str:
    """What the store knows of a token (I2)."""
    return sha256(b"foureyes token\n" + token.encode("utf-8", "surrogateescape")).hexdigest()


SEEN_DIGITS = 8
SEEN_FORM = "ATTEMPT.DIFF"
"""What `--seen` takes, where a text names it (D7)."""


def seen_name(attempt: int, diff: str) -> str:
    """What a change is called where somebody says that they saw it (D7): `2.9b20c4d1`. An attempt is frozen, so with
    its number the first digits of its diff id suffice; without it they would not, for whoever writes a change can find
    two that begin alike.
    """
    return f"{attempt}.{diff.removeprefix('sha256:')[:SEEN_DIGITS]}"


ANCHOR = "Journal:"
"""How the line of a merge commit begins that names a row of the journal: `<row>:<hash>` (J3)."""
NO_ROW = 2**31
"""No journal gets so far, and a server refuses to look for such a row."""


def anchored_row(anchor: str) -> int:
    """The row that an anchor names; of what names none that there can be, a higher one than there are (G1)."""
    number = anchor.partition(":")[0]
    return min(int(number), NO_ROW) if number.isascii() and number.isdigit() and len(number) < 18 else NO_ROW
