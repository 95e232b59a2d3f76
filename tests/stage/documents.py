"""Documents that agents send, as the rules want them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

BLOCKING = ("CRITICAL", "HIGH", "BLOCKER", "IMPORTANT")


def review_result(
    issues: Iterable[Mapping[str, Any]] = (),
    *,
    verdict: str = "",
    rulings: Sequence[Mapping[str, str]] = (),
    **more: Any,
) -> dict[str, Any]:
    """A reviewer's document; its verdict is that of its issues, unless one is given."""
    listed = [dict(issue) for issue in issues]
    blocks = any(str(issue.get("severity")).upper() in BLOCKING for issue in listed)
    payload = {
        "verdict": verdict or ("concerns" if blocks else "approved"),
        "summary": "read all of it",
        "issues": listed,
        "rulings": list(rulings),
    }
    return {"type": "review_result", "version": 1, "payload": payload | more}


def rulings_of(words: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    """Rulings by finding, each with a reason."""
    return [{"finding": name, "ruling": word, "reason": "looked at the code"} for name, word in words]
