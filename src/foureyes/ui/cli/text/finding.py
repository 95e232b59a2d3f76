"""Formats findings as text: a table of several, or one in full with its next step."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from foureyes.app.results.finding import FindingDetail, FindingView, MoveView
from foureyes.core.words.untrusted_text import named
from foureyes.ui.cli import output
from foureyes.ui.steps import next_line

MARKS = {"CRITICAL": "◆", "HIGH": "▲", "MEDIUM": "●", "LOW": "○"}


def mark(severity: str) -> str:
    """Return a symbol for a severity on a UTF-8 terminal, otherwise its first letter."""
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    return MARKS[severity] if output.on_terminal() and encoding == "utf8" else severity[0]


def table_text(rows: Sequence[FindingView]) -> str:
    """Return one line per finding and the number of blocking ones."""
    if not rows:
        return "no findings"
    cells = [
        (
            mark(finding.severity),
            finding.id,
            finding.severity,
            finding.state_in_words,
            finding.place,
            output.shorten(finding.title, 60),
            _who(finding),
            _rounds(finding),
        )
        for finding in rows
    ]
    lines = output.table([""] * 8, cells).splitlines()[1:]
    return "\n".join([*lines, f"{sum(finding.holds for finding in rows)} open blocking of {len(rows)}"])


def _who(finding: FindingView) -> str:
    return finding.ruling if finding.state == "resolved" and finding.ruling else _who_found(finding)


def _rounds(finding: FindingView) -> str:
    return output.count(finding.rounds, "round") if finding.rounds > 1 else ""


def finding_text(finding: FindingDetail) -> str:
    """Return a finding in full."""
    lines = [f"{finding.id}  {finding.title}", f"  {_head(finding)}"]
    lines += _field(
        "found by",
        f"{_who_found(finding)} in attempt {finding.raised}"
        + (f", again in {finding.flagged}" if finding.flagged > finding.raised else ""),
    )
    lines += _field("first id", finding.root if finding.root != finding.id else "") + _field("rule", finding.rule)
    for name in ("problem", "why", "fix", "quote"):
        lines += _field(name, getattr(finding, name))
    lines += _field("not there", "its quote is nowhere in the code" if not finding.anchored else "")
    lines += _field("could be", ", ".join(finding.alike)) + _field("follow-up", finding.tracked)
    lines += _field("file", "is no longer part of the change" if finding.left_diff else "")
    lines += _answer(finding) + _field("patch", finding.fix_patch)
    lines += [line for move in finding.moves for line in _field("history", _move(finding, move))]
    return "\n".join([*lines, *([next_line(finding.next)] if finding.next else [])])


def _head(finding: FindingView) -> str:
    words = [
        f"{mark(finding.severity)} {finding.severity}",
        finding.state_in_words,
        *([named(finding.place)] if finding.location.path else []),
        finding.task,
    ]
    words += [f"round {finding.rounds}"] if finding.rounds > 1 else []
    words += [f"wrongly claimed as fixed: {finding.false_fixes}×"] if finding.false_fixes else []
    return " · ".join(words)


def _who_found(finding: FindingView) -> str:
    return f"check {finding.check}" if finding.check else finding.by


def _answer(finding: FindingView) -> list[str]:
    """Return the current answer with its reason and text."""
    given = finding.latest_answer
    if given is None:
        return []
    ground = f" ({given.ground})" if given.ground else ""
    more = "".join(
        f", {name} {value}" for name, value in (("commit", given.commit[:12]), ("task", given.debt)) if value
    )
    return _field(
        "answered",
        f"{given.word}{ground}{more} by {finding.names.get(given.session, given.session)}"
        + (f"\n{given.words}" if given.words else ""),
    )


def _move(finding: FindingView, move: MoveView) -> str:
    word = move.word if move.kind in ("answered", "ruled") else move.kind.replace("_", " ")
    word += f" as {move.words}" if move.kind in ("raised", "flagged") and move.words != finding.id else ""
    words = f': "{move.words}"' if move.words and move.kind not in ("raised", "flagged", "answered") else ""
    undone = " (withdrawn)" if move.undone else ""
    change = f"{move.was} → {move.now}" if move.was and move.was != move.now else move.now
    who = finding.names.get(move.session, move.session)
    return f"it {move.iteration} {word} by {who}, {change}{words}{undone}  {output.when(move.at)}"


def _field(name: str, value: str) -> list[str]:
    return [f"  {name:<11} " + value.strip("\n").replace("\n", "\n              ")] if value.strip() else []
