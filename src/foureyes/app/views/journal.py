"""The journal: rows, events as people read them, exceptions on record (P8), results of a verification."""

from __future__ import annotations

from typing import Literal

import msgspec

from foureyes.steps import NO_STEP, Steps

# ---- Rows of the journal, and its end ----


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


# ---- Events as people read them ----

EventKind = Literal["plain", "decision", "stop", "security", "refused"]
"""What stands out: a decision, something that stopped and waits for somebody, an exception on record (P8), a
refusal.
"""


class EventLine(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the journal as one sentence, `text`, which begins with `who` did it. `task` is empty where it is about
    none.
    """

    seq: int
    at: str
    task: str
    who: str
    text: str
    kind: EventKind = "plain"


# ---- The journal, the record of exceptions, and what a verification found ----


class Discrepancy(msgspec.Struct, frozen=True):
    """One thing an audit found wrong: `integrity` (something was altered) or `completeness` (something is not
    there). `task`: which task it is about; `file`: the feedback file, if it is about one (F2).
    """

    area: Literal["integrity", "completeness"]
    message: str
    seq: int | None = None
    task: str = ""
    file: str = ""


class AuditReport(msgspec.Struct, frozen=True):
    """What an audit looked at and found (J2). `next`: what helps, where only the store's place is wrong (P12).
    `mirror_behind`: how many exceptions on record `security_events.jsonl` here does not have yet, which is no finding
    where several machines have one each; `has_mirror`: whether it is here at all, or nothing is to stand in it (P8).
    """

    rows: int
    head: str
    findings: tuple[Discrepancy, ...]
    signatures: int = 0
    notes: tuple[str, ...] = ()
    next: Steps = NO_STEP
    has_mirror: bool = True
    mirror_behind: int = 0


# ---- Exceptions on record (P8) ----


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
