"""SARIF reports of tools, read as findings (L3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

import msgspec

from foureyes.adapters.exchange import sarif_report
from foureyes.adapters.exchange.places import ReportPaths
from foureyes.core.documents.json_reader import Wrong, parsed, typed
from foureyes.core.nouns.finding import ReportedFinding, Severity
from foureyes.core.words.text import in_line
from foureyes.errors import BadInput
from foureyes.steps import prose

LARGEST_IMPORT = 20_000_000
MAX_FINDINGS = 10_000
BOM = b"\xef\xbb\xbf"
NEXT = prose("write the report as SARIF 2.1.0 and try again")


class _AnyReport(msgspec.Struct, frozen=True):
    """A JSON object with any fields."""


def read(
    document: bytes, name: str, places: ReportPaths | None = None, most: Mapping[str, Severity] | None = None
) -> list[ReportedFinding]:
    """The findings of a SARIF log. A broken log is refused as a whole (`BadInput`).

    `places` says what its paths are in the repository, `most` what the levels of a tool are worth at most.
    """
    if len(document) > LARGEST_IMPORT:
        raise BadInput(
            f"{_named(name)} is larger than {LARGEST_IMPORT // 1_000_000} MB.",
            next_step=prose("leave out results that are not findings, or split it"),
        )
    try:
        kept = list(islice(_findings(document, places or ReportPaths(), most or {}), MAX_FINDINGS + 1))
    except ValueError as problem:
        raise BadInput(f"{_named(name)} cannot be read: {problem}.", next_step=NEXT) from None
    if len(kept) > MAX_FINDINGS:
        raise BadInput(
            f"{_named(name)} has more than {MAX_FINDINGS:,} findings.",
            next_step=prose("let the tool report the worst ones alone"),
        )
    return kept


def _named(name: str) -> str:
    return in_line(" ".join(name.split()), 200) or "the report"


def _findings(document: bytes, places: ReportPaths, most: Mapping[str, Severity]) -> Iterator[ReportedFinding]:
    if not document.removeprefix(BOM).strip():
        raise Wrong("it is empty, which says neither that something was found nor that nothing was")
    top = parsed(document)
    typed(top, _AnyReport)
    if top.get("runs") is None and "sarif" not in str(top.get("$schema", "")).lower():
        raise Wrong("it is not a SARIF log: it has no runs")
    return sarif_report.findings(top, places, most)
