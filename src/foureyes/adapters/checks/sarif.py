"""The SARIF report of a check: what a tool found (D5). A scan that broke is not a clean one (G1)."""

from __future__ import annotations

from foureyes.adapters.checks.tree_files import Files
from foureyes.core.documents.json_text import parsed
from foureyes.core.documents.sarif import Broken, Reported, is_address, results
from foureyes.core.nouns.check import ToolFinding
from foureyes.core.words.text import in_line

MAX_BYTES = 50_000_000
MAX_TEXT = 1_000


def read(data: bytes, files: Files | None = None) -> tuple[ToolFinding, ...]:
    """Every result of a report that is not suppressed. A `ValueError` says why it is none, or how the tool broke.

    `files` are those of the checkout: what a tool calls by its whole path, or from a directory, is known by its path
    there.
    """
    if len(data) > MAX_BYTES:
        raise ValueError(f"the report is larger than {MAX_BYTES // 1_000_000} MB")
    try:
        reported = results(parsed(data))
    except Broken as problem:
        raise ValueError(problem.what) from None
    except ValueError as problem:
        raise ValueError(f"the report is no SARIF 2.1.0 report: {in_line(str(problem), MAX_TEXT)}") from None
    return tuple(_finding(result, files or Files()) for result in reported)


def _finding(result: Reported, files: Files) -> ToolFinding:
    """What lies outside of the directory that was checked keeps its whole path."""
    path = "" if is_address(result.place) else files.find(result.place)
    return ToolFinding(
        rule=in_line(result.rule, MAX_TEXT),
        level=result.worth,
        path=in_line(path or files.relative(result.place), MAX_TEXT),
        line=result.line,
        message=in_line(result.message, MAX_TEXT),
    )
