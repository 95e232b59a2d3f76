"""How findings look as text: a table of them, one in full, and what to do about it."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from foureyes.app.views.finding import FindingPage, FindingView, MoveView
from foureyes.ui.cli import output
from foureyes.ui.cli.steps import next_line

MARKS = {"CRITICAL": "◆", "HIGH": "▲", "MEDIUM": "●", "LOW": "○"}


def mark(severity: str) -> str:
    """A sign for a severity where a person looks at a terminal that can show it; else its first letter."""
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    return MARKS[severity] if output.on_terminal() and encoding == "utf8" else severity[0]


def table_text(rows: Sequence[FindingView]) -> str:
    """One line each, and how many of them block."""
    if not rows:
        return "no findings"
    cells = [
        (
            mark(one.severity),
            one.id,
            one.severity,
            one.state_in_words,
            one.place,
            output.shorten(one.title, 60),
            _who(one),
            _rounds(one),
        )
        for one in rows
    ]
    lines = output.table([""] * 8, cells).splitlines()[1:]
    return "\n".join([*lines, f"{sum(one.holds for one in rows)} open blocking of {len(rows)}"])


def _who(one: FindingView) -> str:
    return one.ruling if one.state == "resolved" and one.ruling else f"check {one.check}" if one.check else one.by


def _rounds(one: FindingView) -> str:
    return output.count(one.rounds, "round") if one.rounds > 1 else ""


def finding_text(one: FindingPage) -> str:
    """A finding in full."""
    lines = [f"{one.id}  {one.title}", f"  {_head(one)}"]
    lines += _field(
        "found by",
        f"{_who_found(one)} in attempt {one.raised}"
        + (f", again in {one.flagged}" if one.flagged > one.raised else ""),
    )
    lines += _field("first id", one.root if one.root != one.id else "") + _field("rule", one.rule)
    for name in ("problem", "why", "fix", "quote"):
        lines += _field(name, getattr(one, name))
    lines += _field("not there", "its quote is nowhere in the code" if not one.anchored else "")
    lines += _field("could be", ", ".join(one.alike)) + _field("follow-up", one.tracked)
    lines += _field("file", "is no longer part of the change" if one.left_diff else "")
    lines += _answer(one) + _field("patch", one.fix_patch)
    lines += [line for move in one.moves for line in _field("history", _move(one, move))]
    return "\n".join([*lines, *([next_line(one.next)] if one.next else [])])


def _head(one: FindingView) -> str:
    words = [
        f"{mark(one.severity)} {one.severity}",
        one.state_in_words,
        *([one.place] if one.location.path else []),
        one.task,
    ]
    words += [f"round {one.rounds}"] if one.rounds > 1 else []
    words += [f"claimed fixed and was not: {one.false_fixes}"] if one.false_fixes else []
    return " · ".join(words)


def _who_found(one: FindingView) -> str:
    return f"check {one.check}" if one.check else one.by


def _answer(one: FindingView) -> list[str]:
    """The answer that stands, with its ground and its words."""
    given = one.latest_answer
    if given is None:
        return []
    ground = f" ({given.ground})" if given.ground else ""
    more = "".join(
        f", {name} {value}" for name, value in (("commit", given.commit[:12]), ("task", given.debt)) if value
    )
    return _field(
        "answered",
        f"{given.word}{ground}{more} by {one.names.get(given.session, given.session)}"
        + (f"\n{given.words}" if given.words else ""),
    )


def _move(one: FindingView, move: MoveView) -> str:
    word = move.word if move.kind in ("answered", "ruled") else move.kind.replace("_", " ")
    word += f" as {move.words}" if move.kind in ("raised", "flagged") and move.words != one.id else ""
    said = f': "{move.words}"' if move.words and move.kind not in ("raised", "flagged", "answered") else ""
    undone = " (taken back)" if move.undone else ""
    change = f"{move.was} → {move.now}" if move.was and move.was != move.now else move.now
    who = one.names.get(move.session, move.session)
    return f"it {move.iteration} {word} by {who}, {change}{said}{undone}  {output.when(move.at)}"


def _field(name: str, value: str) -> list[str]:
    return [f"  {name:<11} " + value.strip("\n").replace("\n", "\n              ")] if value.strip() else []
