"""SARIF reports as findings (L3): what a level or a score is worth, and where in the repository it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from foureyes.adapters.exchange.cleaning import finding_of, replacement
from foureyes.adapters.exchange.places import ReportPaths
from foureyes.core.documents.sarif import CRITICAL, HIGH, Reported, is_address, results
from foureyes.core.documents.sarif import OWN as OWN
from foureyes.core.nouns.finding import SEVERITIES, ReportedFinding, Severity

LEVELS: dict[str, Severity] = {"error": "HIGH", "warning": "MEDIUM", "note": "LOW"}


def findings(document: Any, places: ReportPaths, most: Mapping[str, Severity]) -> Iterator[ReportedFinding]:
    """Every result of a parsed log that is a failure. `most`: what a level alone is worth at most, by tool."""
    return (_finding(result, places, most) for result in results(document) if result.level != "none")


def _finding(result: Reported, places: ReportPaths, most: Mapping[str, Severity]) -> ReportedFinding:
    return finding_of(
        _severity(result, most),
        result.message,
        place=result.place,
        path=places.path_of(result.place, result.roots) if not is_address(result.place) else "",
        line=result.line,
        rule="" if result.rule.startswith(OWN) else result.rule,
        fix=_fix(result),
        quote=result.quote,
        otherwise=result.about,
        tool="" if result.tool == OWN.rstrip("/") else result.tool,
        mark=result.mark,
    )


def _severity(result: Reported, most: Mapping[str, Severity]) -> Severity:
    """That of the level, or the higher one that a score gives. Linters call an unsorted import an error: of theirs a
    level alone is worth less.
    """
    if result.score >= CRITICAL:
        return "CRITICAL"
    if result.score >= HIGH:
        return "HIGH"
    least = most.get(result.tool.lower(), "CRITICAL")
    return max(LEVELS[result.level], least, key=SEVERITIES.index)


def _fix(result: Reported) -> str:
    """The first way to fix it, as its author describes it, and what would be written."""
    replaced = [replacement(each.first, each.last, each.text) for each in result.replaced]
    return "\n\n".join(part for part in (result.fix, *replaced) if part)
