"""Reads tools' SARIF reports as findings. (L3)"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any
from urllib.parse import quote

import msgspec

from foureyes import __version__
from foureyes.core.documents.json_reader import Wrong, parsed, typed
from foureyes.core.documents.sarif import CRITICAL, HIGH, Reported, is_address, results
from foureyes.core.documents.sarif import OWN as OWN
from foureyes.core.nouns.finding import SEVERITIES, Finding, ReportedFinding, Severity
from foureyes.core.words.paths import Tails
from foureyes.core.words.text import CONTROL, SURROGATE, first_line, in_line, spaced
from foureyes.errors import BadInput
from foureyes.steps import prose

# ---- SARIF reports as findings (L3) ----

LEVELS: dict[str, Severity] = {"error": "HIGH", "warning": "MEDIUM", "note": "LOW"}


def findings(document: Any, places: ReportPaths, most: Mapping[str, Severity]) -> Iterator[ReportedFinding]:
    """Return every failure in a parsed log. `most` is the highest severity that a level alone may give, by tool."""
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
    """Return the severity by the level, or a higher one by the score. Linters report trivial matters as errors, so that
    their levels are limited.
    """
    if result.score >= CRITICAL:
        return "CRITICAL"
    if result.score >= HIGH:
        return "HIGH"
    least = most.get(result.tool.lower(), "CRITICAL")
    return max(LEVELS[result.level], least, key=SEVERITIES.index)


def _fix(result: Reported) -> str:
    """Return the first fix as its author describes it, with the replacement text."""
    replaced = [replacement(each.first, each.last, each.text) for each in result.replaced]
    return "\n\n".join(part for part in (result.fix, *replaced) if part)


# ---- SARIF reports of tools, read as findings (L3) ----

LARGEST_IMPORT = 20_000_000
MAX_FINDINGS = 10_000
BOM = b"\xef\xbb\xbf"
NEXT = prose("write the report as SARIF 2.1.0 and try again")


class _AnyReport(msgspec.Struct, frozen=True):
    """A JSON object with any fields."""


def read(
    document: bytes, name: str, places: ReportPaths | None = None, most: Mapping[str, Severity] | None = None
) -> list[ReportedFinding]:
    """Return the findings of a SARIF log. Raise BadInput if any of it is broken.

    `places` maps its paths to the repository, and `most` limits the severity of a tool's levels.
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
            next_step=prose("let the tool report only the worst ones"),
        )
    return kept


def _named(name: str) -> str:
    return in_line(" ".join(name.split()), 200) or "the report"


def _findings(document: bytes, places: ReportPaths, most: Mapping[str, Severity]) -> Iterator[ReportedFinding]:
    if not document.removeprefix(BOM).strip():
        raise Wrong("it is empty, so it is unknown whether anything was found")
    top = parsed(document)
    typed(top, _AnyReport)
    if top.get("runs") is None and "sarif" not in str(top.get("$schema", "")).lower():
        raise Wrong("it is not a SARIF log: it has no runs")
    return findings(top, places, most)


# ---- Places ----

WORKTREES = ".foureyes/worktrees/"
"""Former place of task worktrees. A deleted one is no directory of the repository."""
OF_OTHERS = frozenset({"site-packages", "dist-packages", "node_modules", "__pypackages__"})
"""Directories with third-party code."""


class ReportPaths:
    """Maps paths in reports to the repository. `roots` are its checkouts, and `paths` lists the files of the tree on
    first use.
    """

    def __init__(self, roots: Sequence[str] = (), paths: Callable[[], Collection[str]] | None = None) -> None:
        self._roots = tuple(roots)
        self._paths = paths

    @cached_property
    def _tails(self) -> Tails:
        return Tails(self._paths() if self._paths is not None else ())

    def path_of(self, place: str, roots: Sequence[str] = ()) -> str:
        """Return the repository path for a place in a report, or "".

        A path below a root is relative to that root. For a path in another clone, the longest end that the tree has
        counts, with at least two parts. A relative path stands for the only one that ends with it.
        """
        path = inside(place, (*self._roots, *roots))
        if self._paths is None or path in self._tails:
            return path
        if path.startswith(WORKTREES):
            return self._tails.longest(path.removeprefix(WORKTREES).partition("/")[2]) or path
        if place.startswith("/"):
            return path or ("" if OF_OTHERS & set(place.split("/")) else self._tails.longest(place, least=2))
        return (self._tails.ending(path) or path) if path else ""


# ---- Normalizing findings for the store ----

MAX_TITLE = 200
MAX_TEXT = 5_000
MAX_PATH = 4_096


def inside(path: str, roots: Sequence[str] = ()) -> str:
    """Return a path as git has it, or an empty string if it is outside all roots or contains `..`."""
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
    """Return a finding. A `place` outside the repository is mentioned in its text."""
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
    """Return a sentence with the replacement that a tool suggests for some lines."""
    lines = f"line {first}" if last <= first else f"lines {first} to {last}"
    return f"Replace {lines} by:\n{text}" if text.strip() else f"Remove {lines}, or a part of it."


SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
SARIF_LEVELS: dict[Severity, str] = {"CRITICAL": "error", "HIGH": "error", "MEDIUM": "warning", "LOW": "note"}
RANKS: dict[Severity, float] = {"CRITICAL": 95.0, "HIGH": 75.0, "MEDIUM": 50.0, "LOW": 25.0}
KINDS = {"TL": "Found in review", "QA": "Found in quality assurance", "CK": "Found by a check"}
ROOT = "%SRCROOT%"


def write(findings: Sequence[Finding], now: str = "") -> bytes:
    """Return the log as UTF-8, with one run per tool, Foureyes first. `now` decides which waivers are still valid.
    Without it, all are. (E3)"""
    tools = sorted({finding.tool for finding in findings}) or [""]
    runs = [_run(tool, [finding for finding in findings if finding.tool == tool], now) for tool in tools]
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": runs}
    return msgspec.json.format(msgspec.json.encode(log), indent=2) + b"\n"


def _run(tool: str, findings: Sequence[Finding], now: str) -> dict[str, Any]:
    ids = {rule: number for number, rule in enumerate(dict.fromkeys(_rule(finding) for finding in findings))}
    driver: dict[str, Any] = {"name": tool} if tool else {"name": "foureyes", "version": __version__}
    return {
        "tool": {"driver": driver | {"rules": [_described(rule) for rule in ids]}},
        "columnKind": "utf16CodeUnits",
        "results": [_result(finding, ids, now) for finding in findings],
    }


def _rule(finding: Finding) -> str:
    return first_line(finding.rule, MAX_TITLE) or f"{OWN}{finding.kind}"


def _described(rule: str) -> dict[str, Any]:
    words = KINDS.get(rule.removeprefix(OWN), "") if rule.startswith(OWN) else ""
    return {"id": rule, "shortDescription": {"text": words or rule}}


def _result(finding: Finding, ids: dict[str, int], now: str) -> dict[str, Any]:
    rule = _rule(finding)
    result: dict[str, Any] = {
        "ruleId": rule,
        "ruleIndex": ids[rule],
        "level": SARIF_LEVELS[finding.severity],
        "rank": RANKS[finding.severity],
        "message": {"text": _message(finding)},
        "partialFingerprints": {"foureyes/root/v1": finding.root},
        "properties": {
            "id": finding.id, "root": finding.root, "state": finding.state, "severity": finding.severity,
            "task": finding.task,
        },
    }  # fmt: skip
    if finding.path:
        result["locations"] = [{"physicalLocation": _place(finding)}]
    if why := _settled(finding, now):
        result["suppressions"] = [{"kind": "external", "justification": why}]
    return result


def _message(finding: Finding) -> str:
    """Return the title and the problem, or only the problem if it starts with the title."""
    title, problem = (
        first_line(finding.title, len(finding.title)),
        spaced(finding.problem, max(MAX_TEXT, len(finding.problem))),
    )
    if not problem.strip() or first_line(problem, len(problem)) == title:
        return problem.strip("\n") or title
    return f"{title}\n\n{problem}"


def _place(finding: Finding) -> dict[str, Any]:
    uri = quote(finding.path.encode("utf-8", "surrogateescape"), safe="/")
    place: dict[str, Any] = {"artifactLocation": {"uri": uri, "uriBaseId": ROOT}}
    if finding.line > 0:
        place["region"] = {"startLine": finding.line}
        if finding.quote:
            place["region"]["snippet"] = {"text": spaced(finding.quote, MAX_TEXT)}
    return place


def _settled(finding: Finding, now: str) -> str:
    """Return the reason that a finding needs no action, or an empty string."""
    if finding.state == "waived":
        is_valid = not now or finding.is_waived(now)
        return f"waived until {finding.waived_until or 'further notice'}" if is_valid else ""
    if finding.state == "obsolete":
        return "obsolete: the code that it is about is gone"
    if finding.state != "resolved":
        return ""
    if finding.ruling == "ACCEPTED":
        return "resolved: the reason against it was accepted"
    return "resolved: dismissed" if finding.ruling == "DISMISSED" else "resolved: fixed and verified"
