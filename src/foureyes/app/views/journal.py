"""Rows of the journal, and its end."""

from __future__ import annotations

import msgspec


class JournalHead(msgspec.Struct, frozen=True):
    """The end of the journal's chain."""

    seq: int
    hash: str


class JournalRow(msgspec.Struct, frozen=True):
    """A journal row as it is stored: what `fe audit export` writes, one per line."""

    seq: int
    at: str
    project: str
    task: str
    session: str
    kind: str
    payload: str
    prev: str
    hash: str
