"""Events that give no runner anything to do: nobody is woken for them (S, J4)."""

from __future__ import annotations

from collections.abc import Iterable

UNHEARD = frozenset({
    "ChecksTaken", "HandedOff", "Logged", "MergeLeased", "MergeSent", "RunBound", "RunReserved", "RunTaken",
    "RunnerStarted", "SessionEvidenceAdded", "SessionStarted", "TaskStarted", "TokenIssued",
})  # fmt: skip


def is_unheard(kinds: Iterable[str]) -> bool:
    """Whether no runner has anything to do for these; so for none at all: a lease that is renewed."""
    return UNHEARD.issuperset(kinds)
