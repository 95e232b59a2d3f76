"""Reports of tools, read as findings (L3). The format is told by what is in it, never by its name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

import msgspec

from foureyes.adapters.exchange import rdjson, sarif_report
from foureyes.adapters.exchange.places import ReportPaths
from foureyes.core.documents.json_text import parsed
from foureyes.core.documents.typed import Wrong, typed
from foureyes.core.nouns.finding import ReportedFinding, Severity
from foureyes.core.words.text import in_line
from foureyes.errors import BadInput
from foureyes.steps import prose

LARGEST_IMPORT = 20_000_000
MAX_FINDINGS = 10_000
BOM = b"\xef\xbb\xbf"
NEXT = prose("write the report as SARIF 2.1.0, rdjson or rdjsonl, and try again")


class _AnyReport(msgspec.Struct, frozen=True):
    """What every report is, whatever its fields."""


def read(
    document: bytes, name: str, places: ReportPaths | None = None, most: Mapping[str, Severity] | None = None
) -> tuple[str, list[ReportedFinding]]:
    """The name of the format and every finding in it. What is none of the formats, or is broken, is refused as a whole
    (`BadInput`).

    `places` says what its paths are in the repository, `most` what the levels of a tool are worth at most.
    """
    if len(document) > LARGEST_IMPORT:
        raise BadInput(
            f"{_named(name)} is larger than {LARGEST_IMPORT // 1_000_000} MB.",
            next_step=prose("leave out what is no finding, or split it"),
        )
    try:
        form, findings = _findings(document, places or ReportPaths(), most or {})
        kept = list(islice(findings, MAX_FINDINGS + 1))
    except ValueError as problem:
        raise BadInput(f"{_named(name)} cannot be read: {problem}.", next_step=NEXT) from None
    if len(kept) > MAX_FINDINGS:
        raise BadInput(
            f"{_named(name)} has more than {MAX_FINDINGS:,} findings.",
            next_step=prose("let the tool report the worst ones alone"),
        )
    return form, kept


def _named(name: str) -> str:
    return in_line(" ".join(name.split()), 200) or "the report"


def _findings(
    document: bytes, places: ReportPaths, most: Mapping[str, Severity]
) -> tuple[str, Iterable[ReportedFinding]]:
    if not document.removeprefix(BOM).strip():
        raise Wrong("it is empty, which says neither that something was found nor that nothing was")
    try:
        top = parsed(document)
    except ValueError:
        if _is_diagnostic(_first_line(document)):
            return "rdjsonl", _lines(document, places)
        raise
    typed(top, _AnyReport)
    if top.get("runs") is not None or "sarif" in str(top.get("$schema", "")).lower():
        return "sarif", sarif_report.findings(top, places, most)
    if top.get("diagnostics") is not None:
        return "rdjson", rdjson.diagnostics(top, places)
    if _is_diagnostic(top):
        return "rdjsonl", [rdjson.diagnostic(top, places)]
    raise Wrong("it is neither SARIF (no runs) nor rdjson (no diagnostics)")


def _first_line(document: bytes) -> Any:
    """The value on the first line, where it is one by itself."""
    try:
        return parsed(document.lstrip().split(b"\n", 1)[0])
    except ValueError:
        return None


def _is_diagnostic(value: Any) -> bool:
    marks = ("location", "severity", "source", "code")
    return (
        isinstance(value, dict)
        and value.get("message") is not None
        and any(value.get(name) is not None for name in marks)
    )


def _lines(document: bytes, places: ReportPaths) -> Iterator[ReportedFinding]:
    """One diagnostic per line; what is wrong with one is told with its number."""
    for number, line in enumerate(document.removeprefix(BOM).split(b"\n"), 1):
        if not line.strip():
            continue
        value = parsed(line, first_line=number)
        try:
            yield rdjson.diagnostic(value, places)
        except Wrong as problem:
            raise Wrong(f"line {number}: {problem}") from None
