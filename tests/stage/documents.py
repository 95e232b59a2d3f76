"""Documents that agents send, as the rules want them."""

from __future__ import annotations

import json
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


def sarif(*results: tuple[str, int, str], level: str = "error", rule_id: str = "S307") -> bytes:
    """A SARIF log with one run; each result is a path (or none), a line and a message."""
    rows = [
        {
            "ruleId": rule_id,
            "level": level,
            "message": {"text": message},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": path}, "region": {"startLine": line}}}],
        }
        for path, line, message in results
    ]
    return json.dumps({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "scan"}}, "results": rows}]}).encode()
