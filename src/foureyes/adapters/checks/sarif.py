"""The SARIF report of a check: what a tool found (D5). A scan that broke is not a clean one (G1)."""

from __future__ import annotations

from foureyes.core.documents.json_text import parsed
from foureyes.core.documents.sarif import Broken, Reported, results
from foureyes.core.nouns.check import ToolFinding
from foureyes.core.words.text import in_line

MAX_BYTES = 50_000_000
MAX_TEXT = 1_000


def read(data: bytes, root: str = "") -> tuple[ToolFinding, ...]:
    """Every result of a report that is not suppressed. A `ValueError` says why it is none, or how the tool broke.

    `root` is the directory that was checked: paths below it are made relative to it.
    """
    if len(data) > MAX_BYTES:
        raise ValueError(f"the report is larger than {MAX_BYTES // 1_000_000} MB")
    try:
        reported = results(parsed(data))
    except Broken as problem:
        raise ValueError(problem.what) from None
    except ValueError as problem:
        raise ValueError(f"the report is no SARIF 2.1.0 report: {in_line(str(problem), MAX_TEXT)}") from None
    return tuple(_finding(result, root) for result in reported)


def _finding(result: Reported, root: str) -> ToolFinding:
    """What lies outside of the directory that was checked keeps its whole path."""
    path = result.place.removeprefix(root.rstrip("/") + "/") if root else result.place
    return ToolFinding(
        rule=in_line(result.rule, MAX_TEXT),
        level=result.level,
        path=in_line(path.removeprefix("./"), MAX_TEXT),
        line=result.line,
        message=in_line(result.message, MAX_TEXT),
    )
