"""Events that need no action by a runner and wake none. (S, J4)"""

from __future__ import annotations

from collections.abc import Iterable

UNHEARD = frozenset({
    "ChecksTaken", "HandedOff", "Logged", "MergeLeased", "MergeSent", "RunBound", "RunReserved", "RunTaken",
    "RunnerStarted", "SessionEvidenceAdded", "SessionStarted", "TaskStarted", "TokenIssued",
})  # fmt: skip


def is_unheard(kinds: Iterable[str]) -> bool:
    """Return True if these events give a runner nothing to do. An empty list is a renewed lease."""
    return UNHEARD.issuperset(kinds)
