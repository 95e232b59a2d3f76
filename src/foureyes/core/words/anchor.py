"""Anchors of the journal (J3): `<row>:<hash>`, on a line of a merge commit."""

from __future__ import annotations

ANCHOR = "Journal:"
"""How the line of a merge commit begins that names row and hash of the journal."""
NO_ROW = 2**31
"""No journal gets so far, and a server refuses to look for such a row."""


def anchored_row(anchor: str) -> int:
    """The row that an anchor names; of what names none that there can be, a higher one than there are (G1)."""
    number = anchor.partition(":")[0]
    return min(int(number), NO_ROW) if number.isascii() and number.isdigit() and len(number) < 18 else NO_ROW
