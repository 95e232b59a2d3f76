"""How findings look as text: a table of them, one in full, and what to do about it."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from foureyes.app.views.finding import FindingView, MoveView
from foureyes.app.views.task import TaskDetail
from foureyes.core.nouns.finding import UNRESOLVED
from foureyes.core.nouns.session import Actor
from foureyes.ui.cli import output

MARKS = {"CRITICAL": "◆", "HIGH": "▲", "MEDIUM": "●", "LOW": "○"}
STATES = {"claimed": "claimed fixed"}


def mark(severity: str) -> str:
    """A sign for a severity where a person looks at a terminal that can show it; else its first letter."""
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    return MARKS[severity] if output.on_terminal() and encoding == "utf8" else severity[0]


def holds(one: FindingView) -> bool:
    """D2: whether it stands against an approval."""
    return one.blocking and (one.state in UNRESOLVED or one.expired)


def state_of(one: FindingView) -> str:
    """Where a finding stands, in a word or two."""
    if one.state == "waived":
        return "waiver ran out" if one.expired else f"waived until {one.waived_until[:10]}"
    if one.state != "open":
        return STATES.get(one.state, one.state)
    if one.waiting:
        return "to confirm"
    return ("must fix" if one.must_fix else "open") if one.blocking else "note"


def place_of(one: FindingView) -> str:
    """`path:line`, or as much of it as there is."""
    return f"{one.location.path}:{one.location.line}" if one.location.line else one.location.path


def table_text(rows: Sequence[FindingView]) -> str:
    """One line each, and how many of them block."""
    if not rows:
        return "no findings"
    cells = [
        (
            mark(one.severity),
            one.id,
            one.severity,
            state_of(one),
            place_of(one),
            output.shorten(one.title, 60),
            _who(one),
            _rounds(one),
        )
        for one in rows
    ]
    lines = output.table([""] * 8, cells).splitlines()[1:]
    return "\n".join([*lines, f"{sum(holds(one) for one in rows)} open blocking of {len(rows)}"])


def _who(one: FindingView) -> str:
    return one.ruling if one.state == "resolved" and one.ruling else f"check {one.check}" if one.check else one.by


def _rounds(one: FindingView) -> str:
    return output.count(one.rounds, "round") if one.rounds > 1 else ""


def finding_text(one: FindingView, step: str) -> str:
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
    return "\n".join([*lines, *([f"next: {step}"] if step else [])])


def _head(one: FindingView) -> str:
    words = [
        f"{mark(one.severity)} {one.severity}",
        state_of(one),
        *([place_of(one)] if one.location.path else []),
        one.task,
    ]
    words += [f"round {one.rounds}"] if one.rounds > 1 else []
    words += [f"claimed fixed and was not: {one.false_fixes}"] if one.false_fixes else []
    return " · ".join(words)


def _who_found(one: FindingView) -> str:
    return f"check {one.check}" if one.check else one.by


def _answer(one: FindingView) -> list[str]:
    """The answer that stands, with its ground and its words."""
    given = last_answer(one)
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


def last_answer(one: FindingView) -> MoveView | None:
    """The latest answer, if there is one."""
    return next((move for move in reversed(one.moves) if move.kind == "answered" and not move.undone), None)


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


# What to do about one


def next_step(one: FindingView, detail: TaskDetail, actor: Actor) -> str:
    """The next command by the state that a finding is in, and by whether the caller made the work."""
    mine = str(actor.session) in {*detail.authors, detail.task.implementer}
    if one.check and holds(one):
        return f"mend it; the passing check resolves it: fe check run {one.task}"
    if one.state in UNRESOLVED and one.blocking:
        ruling = _ruling(one)
        if ruling:
            return f"somebody else rules: {ruling}" if mine else ruling
        return _answering(one, detail, mine)
    if one.state == "waived":
        return f'a person runs: fe finding waive {one.id} -m "why"' if one.expired else f"fe show {one.task}"
    if one.state in ("open", "deferred", "skipped") and not one.tracked:
        return (
            f"fe finding respond {one.id} --fixed|--deferred|--skipped"
            if mine and one.state == "open"
            else f"fe finding track {one.id}"
        )
    return f"fe show {one.tracked or one.task}"


def _ruling(one: FindingView) -> str:
    """The ruling that a finding waits for, if it does."""
    words = {"claimed": "--verified|--not-fixed", "disputed": "--accepted|--overruled"}.get(one.state, "")
    words = "--confirmed|--dismissed" if one.waiting else words
    words += ("|" if words else "") + "--obsolete" if one.left_diff else ""
    return f"fe finding rule {one.id} {words}" if words else ""


def _answering(one: FindingView, detail: TaskDetail, mine: bool) -> str:
    """An open one is answered by whoever works on the task."""
    answer = f'fe finding respond {one.id} --fixed -m "what you changed"' + (
        "" if one.must_fix else " | --rejected --ground …"
    )
    if detail.task.status == "open":
        return f"fe start {one.task}, then: {answer}"
    return answer if mine else f"its implementer runs: {answer}"
