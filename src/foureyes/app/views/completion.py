"""The completion report."""

from __future__ import annotations

import msgspec

from foureyes.errors import Reason


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """X4: complete or not, every reason, and what is worth knowing in any case."""

    complete: bool
    scope: str
    tasks: int
    reasons: tuple[Reason, ...] = ()
    notes: tuple[str, ...] = ()
    blocking: dict[str, list[str]] = {}
