"""The diagnostic format of reviewdog: one document (`rdjson`), or one diagnostic per line (`rdjsonl`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec

from foureyes.adapters.exchange.cleaning import finding_of, replacement
from foureyes.adapters.exchange.places import ReportPaths
from foureyes.core.documents.shapes import words
from foureyes.core.documents.typed import typed
from foureyes.core.nouns.finding import ReportedFinding, Severity

SEVERITIES: dict[str, Severity] = {"ERROR": "HIGH", "WARNING": "MEDIUM", "INFO": "LOW"}
UNKNOWN: Severity = "MEDIUM"
NAMES = ("UNKNOWN_SEVERITY", "ERROR", "WARNING", "INFO")
"""As the format numbers them; a number stands for its name."""

SeverityName = Annotated[str, words(NAMES, ["UNKNOWN"], blank=True)]
SeverityNumber = Annotated[int, msgspec.Meta(ge=0, le=len(NAMES) - 1)]
LineNumber = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)] | None


class _Position(msgspec.Struct, frozen=True):
    line: LineNumber = None


class _Range(msgspec.Struct, frozen=True):
    start: _Position | None = None
    end: _Position | None = None


class _Location(msgspec.Struct, frozen=True):
    path: str | None = None
    range: _Range | None = None


class _Code(msgspec.Struct, frozen=True):
    value: str | None = None


class _Suggestion(msgspec.Struct, frozen=True):
    range: _Range | None = None
    text: str | None = None


class _Diagnostic(msgspec.Struct, frozen=True):
    message: str
    location: _Location | None = None
    severity: SeverityName | SeverityNumber | None = None
    code: _Code | None = None
    suggestions: tuple[_Suggestion, ...] | None = None


class _Document(msgspec.Struct, frozen=True):
    diagnostics: tuple[_Diagnostic, ...]
    severity: SeverityName | SeverityNumber | None = None


def diagnostics(document: Any, places: ReportPaths) -> Iterator[ReportedFinding]:
    """The findings of a parsed document; its severity is that of diagnostics that have none."""
    whole = typed(document, _Document)
    otherwise = _severity(whole.severity, UNKNOWN)
    return (_finding(each, places, otherwise) for each in whole.diagnostics)


def diagnostic(line: Any, places: ReportPaths) -> ReportedFinding:
    """The finding of one parsed line."""
    return _finding(typed(line, _Diagnostic), places, UNKNOWN)


def _finding(each: _Diagnostic, places: ReportPaths, otherwise: Severity) -> ReportedFinding:
    location = each.location or _Location()
    place = location.path or ""
    return finding_of(
        _severity(each.severity, otherwise),
        each.message,
        place=place,
        path=places.path_of(place),
        line=_lines(location.range)[0],
        rule=(each.code.value if each.code else None) or "",
        fix="\n\n".join(
            replacement(*_lines(suggestion.range), suggestion.text or "") for suggestion in each.suggestions or ()
        ),
    )


def _lines(span: _Range | None) -> tuple[int, int]:
    first, last = (place.line or 0 if place else 0 for place in (span and span.start, span and span.end))
    return first, last


def _severity(given: str | int | None, otherwise: Severity) -> Severity:
    """The severity that is given; `otherwise` where none is, or an unknown one."""
    name = NAMES[given] if isinstance(given, int) else (given or "").strip().upper()
    return SEVERITIES.get(name, otherwise)
