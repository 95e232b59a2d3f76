"""Results about the journal: rows, events in words, recorded exceptions (P8), verification results."""

from __future__ import annotations

from typing import Literal

import msgspec

from foureyes.steps import NO_STEP, Steps

# ---- Rows of the journal, and its end ----


class JournalHead(msgspec.Struct, frozen=True):
    """The end of the journal."""

    seq: int
    hash: str


class JournalRow(msgspec.Struct, frozen=True):
    """A stored journal row, as `fe audit log --export` writes it, one per line."""

    seq: int
    at: str
    project: str
    task: str
    session: str
    kind: str
    payload: str
    prev: str
    hash: str


# ---- Events in words ----

EventKind = Literal["plain", "decision", "stop", "security", "refused"]
"""How an event is highlighted: a decision, a stop that waits for someone, a recorded exception (P8), or a refusal."""


class EventLine(msgspec.Struct, frozen=True, kw_only=True):
    """A journal row as one sentence that begins with `actor`. `task` is empty if it is about none."""

    seq: int
    at: str
    task: str
    actor: str
    text: str
    kind: EventKind = "plain"


# ---- Verification results ----


class Discrepancy(msgspec.Struct, frozen=True):
    """A problem found by an audit: `integrity` (something was altered) or `completeness` (something is missing). `file`
    is the feedback file if it is about one (F2).
    """

    area: Literal["integrity", "completeness"]
    message: str
    seq: int | None = None
    task: str = ""
    file: str = ""


class AuditReport(msgspec.Struct, frozen=True):
    """The result of an audit. (J2)

    - next: how to fix it, if only the store's place is wrong (P12)
    - mirror_behind: number of recorded exceptions missing in the local `security_events.jsonl`, which is normal with
    several machines
    - has_mirror: that file exists, or needs no entries (P8)
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
    """A recorded exception, as in the mirror file. (P8)"""

    seq: int
    at: str
    kind: str
    task: str
    session: str
    rule: str
    reason: str
    detail: str = ""


class SecurityTotal(msgspec.Struct, frozen=True):
    """The number of exceptions of one kind."""

    kind: str
    n: int
    first: str
    last: str
