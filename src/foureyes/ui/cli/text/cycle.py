"""Review cycles as text."""

from __future__ import annotations

from collections.abc import Sequence

from foureyes.app.results.review import AskedView, CycleTargetView, CycleView, IssueRow
from foureyes.core.words.text import one_line
from foureyes.core.words.untrusted_text import named
from foureyes.ui.cli import output
from foureyes.ui.steps import next_line

LINE = 100
DIGITS = 16
UNNAMED = ("any reviewer", "a person")


def cycles_text(rows: Sequence[CycleView]) -> str:
    """Return one line per cycle."""
    return "\n".join(_row(row) for row in rows)


def _row(view: CycleView) -> str:
    about = ", ".join(map(_target, view.targets))
    return f"{view.id:<6} {view.trigger:<16} {about:<24} {_state_words(view)}  {output.when(view.at)}"


def _target(target: CycleTargetView) -> str:
    return f"{target.task} {f'attempt {target.attempt}' if target.attempt else f'early review {target.early_review}'}"


def _state_words(view: CycleView) -> str:
    if view.state == "open":
        return f"waits for {_names(view.waits_for)}"
    if view.state == "clarifying":
        return f"waits for answers of {_names(view.waits_for)} (R2)"
    ruled = [f"{view.rule}: {'; '.join(view.reasons)}"] if view.rule else []
    return "; ".join([*ruled, *([f"ended: {view.why}"] if view.state == "ended" else [])])


def _names(names: Sequence[str]) -> str:
    """Return reviewer names. A name that is not a plain word is quoted, except placeholders for an empty list."""
    return ", ".join(name if name in UNNAMED else named(name) for name in names)


def cycle_text(view: CycleView) -> str:
    """Return everything about one cycle."""
    lines = [f"{view.id}  {view.trigger}  {_state_words(view)}"]
    lines += [f"  {view.reason}"] if view.reason else []
    lines += [f"  follows {view.follows}"] if view.follows else []
    lines += [f"  about {_target(each)}{_diff(each)}: {each.summary}{_over(each)}" for each in view.targets]
    lines += [f"  asked {_asked(each)}" for each in view.requested]
    for given in view.reviews:
        stated = "" if given.verdict == given.effective else f" (stated {given.verdict}, V5)"
        counts = ", counts" if given.counts else f", does not count: {given.against}" if given.against else ""
        lines.append(f"  {given.by} about {given.task}: {given.effective}{stated}{counts}")
        lines += [f"      {one_line(given.summary, LINE)}"] if given.summary else []
    for point in view.points:
        lines.append(f"  {point.id} {named(point.reviewer)}: {one_line(point.text, LINE)}")
        lines.append(f"      {point.by}: {one_line(point.answer, LINE)}" if point.answer else "      not answered yet")
    return "\n".join([*lines, *[line for line in (next_line(view.next),) if line]])


def _diff(target: CycleTargetView) -> str:
    """Return the diff id that a review of an early review names. Those of attempts are on the task's page. (D7)"""
    return (
        f" (diff {target.diff_id.removeprefix('sha256:')[:DIGITS]})" if target.early_review and target.diff_id else ""
    )


def _over(target: CycleTargetView) -> str:
    return f" (ended: {target.over})" if target.over else ""


def _asked(asked: AskedView) -> str:
    words = {"asked": f"until {asked.until}" if asked.until else "no answer yet", "answered": "answered"}
    state = words.get(asked.state, f"no review: {asked.why}{f', {asked.text}' if asked.text else ''}")
    return f"{named(asked.reviewer)} about {asked.task}: {state}{', late' if asked.late else ''}"


def issues_text(rows: Sequence[IssueRow]) -> str:
    """Return one line per open concern of a cycle."""
    return "\n".join(
        f"{row.rule}  {row.task}  {row.cycle}  {row.reviewer or 'no reviewer'}: {row.verdict or 'not reviewed'}  "
        f"{one_line(row.text, LINE)}"
        for row in rows
    )
