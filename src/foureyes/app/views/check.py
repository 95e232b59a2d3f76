"""Checks and their results."""

from __future__ import annotations

import msgspec

from foureyes.errors import Reason


class CheckView(msgspec.Struct, frozen=True, kw_only=True):
    """Where a check stands for the latest attempt."""

    check: str
    required: bool
    outcome: str
    summary: str
    claimed: bool = False


class CheckRow(CheckView, frozen=True, kw_only=True):
    """Where a check stands for a task's attempt, with how it came to that."""

    reused: bool = False
    duration_ms: int = 0
    failing: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    flaky: bool = False
    by: str = ""
    at: str = ""
    output: str = ""
    command: str = ""
    program: str = ""


class CheckReport(msgspec.Struct, frozen=True, kw_only=True):
    """The checks of one attempt, and what the gate did about them."""

    task: str
    attempt: int
    tree: str
    status: str
    mode: str = ""
    checks: tuple[CheckRow, ...] = ()
    reasons: tuple[Reason, ...] = ()

    @property
    def is_green(self) -> bool:
        return all(row.outcome == "passed" for row in self.checks if row.required)
