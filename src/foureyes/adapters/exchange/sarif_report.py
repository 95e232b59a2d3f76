"""SARIF reports as findings (L3): what a level or a score is worth, and where in the repository it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from foureyes.adapters.exchange.cleaning import finding_of, inside, replacement
from foureyes.core.documents.sarif import Reported, is_address, results
from foureyes.core.nouns.finding import Found, Severity

LEVELS: dict[str, Severity] = {"error": "HIGH", "warning": "MEDIUM", "note": "LOW"}
CRITICAL, HIGH = 9.0, 7.0
"""On the scale from 0 to 10 of a score."""
OWN = "foureyes/"
"""Rules that only say that a person or an agent found it; see `sarif_log`."""


def findings(document: Any, roots: Sequence[str]) -> Iterator[Found]:
    """Every result of a parsed log that is a failure."""
    return (_finding(result, roots) for result in results(document) if result.level != "none")


def _finding(result: Reported, roots: Sequence[str]) -> Found:
    return finding_of(
        _severity(result),
        result.message,
        place=result.place,
        path=inside(result.place, (*roots, *result.roots)) if not is_address(result.place) else "",
        line=result.line,
        rule="" if result.rule.startswith(OWN) else result.rule,
        fix=_fix(result),
        quote=result.quote,
        otherwise=result.about,
    )


def _severity(result: Reported) -> Severity:
    """That of the level, or the higher one that a score gives."""
    if result.score >= CRITICAL:
        return "CRITICAL"
    return "HIGH" if result.score >= HIGH else LEVELS[result.level]


def _fix(result: Reported) -> str:
    """The first way to fix it, as its author describes it, and what would be written."""
    replaced = [replacement(each.first, each.last, each.text) for each in result.replaced]
    return "\n\n".join(part for part in (result.fix, *replaced) if part)
