"""Findings of other tools' reports, made fit to be stored: their texts, and where in the repository they are."""

from __future__ import annotations

import re
from collections.abc import Sequence

from foureyes.core.nouns.finding import ReportedFinding, Severity
from foureyes.core.words.text import CONTROL, SURROGATE, first_line, spaced

MAX_TITLE = 200
MAX_TEXT = 5_000
MAX_PATH = 4_096


def inside(path: str, roots: Sequence[str] = ()) -> str:
    """A path of the repository as git has it; empty when it is none: it is absolute and below no root, or climbs."""
    if path.startswith("/"):
        root = next(
            (root for root in sorted(roots, key=len, reverse=True) if root and path.startswith(root.rstrip("/") + "/")),
            None,
        )
        if root is None:
            return ""
        path = path[len(root.rstrip("/")) + 1 :]
    parts = [part for part in path.split("/") if part not in ("", ".")]
    odd = ".." in parts or CONTROL.search(path) or SURROGATE.search(path) or len(path) > MAX_PATH
    return "" if odd or path.endswith("/") else "/".join(parts)


def finding_of(
    severity: Severity,
    message: str,
    *,
    place: str,
    path: str,
    line: int,
    rule: str = "",
    fix: str = "",
    quote: str = "",
    otherwise: str = "",
    tool: str = "",
    mark: str = "",
) -> ReportedFinding:
    """One finding. A place that is not in the repository (`place` without a `path`) is told in its words."""
    problem = spaced(message, MAX_TEXT).strip("\n")
    if place and not path:
        where = first_line(re.sub(r"\s+", " ", place), 300) + (f":{line}" if line else "")
        note = f"The report places it at {where}, which is not a path of the repository."
        problem = f"{spaced(problem, MAX_TEXT - len(note) - 2)}\n\n{note}".lstrip("\n")
    titles = (first_line(text, MAX_TITLE) for text in (message, otherwise, rule))
    return ReportedFinding(
        severity=severity,
        title=next(filter(None, titles), "a finding without a message"),
        path=path,
        line=line if path else 0,
        problem=problem,
        fix=spaced(fix, MAX_TEXT),
        quote=spaced(quote, MAX_TEXT),
        rule=first_line(rule, MAX_TITLE),
        tool=first_line(tool, MAX_TITLE),
        mark=first_line(mark, MAX_TEXT),
    )


def replacement(first: int, last: int, text: str) -> str:
    """What a tool would write in place of some lines, in words."""
    lines = f"line {first}" if last <= first else f"lines {first} to {last}"
    return f"Replace {lines} by:\n{text}" if text.strip() else f"Remove {lines}, or a part of it."
