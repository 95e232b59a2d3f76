"""Exceptions on record (P8)."""

from __future__ import annotations

import msgspec


class SecurityRow(msgspec.Struct, frozen=True):
    """One exception on record (P8), as the mirror file has it too."""

    seq: int
    at: str
    kind: str
    task: str
    session: str
    rule: str
    reason: str
    detail: str = ""


class SecurityTotal(msgspec.Struct, frozen=True):
    """How often an exception of one kind was made."""

    kind: str
    n: int
    first: str
    last: str
