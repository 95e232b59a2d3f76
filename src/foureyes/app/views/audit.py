"""The journal, the record of exceptions, and what a verification found."""

from __future__ import annotations

from typing import Literal

import msgspec

from foureyes.steps import NO_STEP, Steps


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
