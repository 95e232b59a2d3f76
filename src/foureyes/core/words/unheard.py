"""What is written that gives no runner anything to do: nobody is woken for it (S, J4).

A runner decides by a look and never by what woke it. What stands here only takes something away that another one might
have begun, or tells people how far somebody is; with it a hundred runners would look for every line that an agent logs.
"""

from __future__ import annotations

from collections.abc import Iterable

UNHEARD = frozenset({
    "ChecksTaken", "HandedOff", "Logged", "MergeLeased", "MergeSent", "RunBound", "RunReserved", "RunTaken",
    "RunnerStarted", "SessionEvidenceAdded", "SessionStarted", "TaskStarted", "TokenIssued",
})  # fmt: skip


def is_unheard(kinds: Iterable[str]) -> bool:
    """Whether no runner has anything to do for these; so for none at all: a lease that is renewed."""
    return UNHEARD.issuperset(kinds)
