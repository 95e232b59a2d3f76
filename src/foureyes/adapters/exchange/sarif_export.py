"""Writes findings as a SARIF 2.1.0 log. Settled findings stay in it as suppressed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import msgspec

from foureyes import __version__
from foureyes.adapters.exchange.sarif_import import MAX_TEXT, MAX_TITLE, OWN
from foureyes.core.nouns.finding import Finding, Severity
from foureyes.core.words.text import first_line, spaced

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS: dict[Severity, str] = {"CRITICAL": "error", "HIGH": "error", "MEDIUM": "warning", "LOW": "note"}
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
        "level": LEVELS[finding.severity],
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
