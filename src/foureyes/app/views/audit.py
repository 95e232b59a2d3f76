"""The journal, the record of exceptions, and what a verification found."""

from __future__ import annotations

from typing import Literal

import msgspec

from foureyes.steps import NO_STEP, Steps


class JournalHead(msgspec.Struct, frozen=True):
    """The end of the journal's chain."""

    seq: int
    hash: str


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


class Discrepancy(msgspec.Struct, frozen=True):
    """One thing an audit found wrong: `integrity` (something was altered) or `completeness` (something is not
    there).
    """

    area: Literal["integrity", "completeness"]
    message: str
    seq: int | None = None
    task: str = ""


class AuditReport(msgspec.Struct, frozen=True):
    """What an audit looked at and found (J2). `next`: what helps, where only the store's place is wrong (P12)."""

    rows: int
    head: str
    findings: tuple[Discrepancy, ...]
    signatures: int = 0
    notes: tuple[str, ...] = ()
    next: Steps = NO_STEP
