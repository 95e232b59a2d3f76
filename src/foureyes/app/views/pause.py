"""Pauses: what no run begins on, and by whom (V9)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec


class PauseView(msgspec.Struct, frozen=True, kw_only=True):
    """V9: what was paused, and by whom; without a task: everything."""

    task: str
    reason: str
    made_by: Literal["person", "rule"]
    session: str
    at: str
    rule: str = ""
    cycle: str = ""


def once(pauses: Iterable[PauseView]) -> list[PauseView]:
    """V9: of each task the last pause by a rule, and all by people: the rounds of one quarrel stop a task once."""
    return list({(row.task, row.made_by, "" if row.made_by == "rule" else row.at): row for row in pauses}.values())
