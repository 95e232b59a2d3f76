"""H3: which tasks of a large batch somebody looks at all the same; by a hash, so that looking again does not roll
again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from foureyes.core.words.digest import sha256

if TYPE_CHECKING:
    from foureyes.core.rules.policy import HumanRule

MILLION = 1_000_000


def samples(diff_ids: Sequence[str], secret: str, rule: HumanRule) -> frozenset[str]:
    """The diffs of a batch that stay pending until they were looked at; none in a small batch."""
    if len(diff_ids) < rule.sample_from or rule.sample_share <= 0:
        return frozenset()
    ordered = sorted(set(diff_ids), key=lambda diff: sha256(f"{secret}\n{diff}".encode()).digest())
    millionths = round(rule.sample_share * MILLION)  # a tenth of thirty is three, and floats say a little more
    return frozenset(ordered[: max(1, -(-millionths * len(ordered) // MILLION))])
