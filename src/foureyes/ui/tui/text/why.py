"""Why a task stands where it stands, and what an approval would meet: every rule that has a say."""

from __future__ import annotations

from msgspec.structs import replace

from foureyes.app.results.review import QueueRow
from foureyes.app.results.task import TaskDetail
from foureyes.app.results.task_list import Preview
from foureyes.core.rules.risk import WORDS
from foureyes.ui.steps import steps_text


def why_lines(row: QueueRow) -> list[str]:
    """A row of the queue, with every reason."""
    lines = [f"{row.task}  {row.title}", "", f"Reviewed as {row.mode}"]
    lines += [f"  {reason.rule:<4} {reason.message}" for reason in row.mode_reasons] or ["  nothing says otherwise"]
    lines += ["", f"Risk: {WORDS[row.risk.level]} (H1)"]
    lines += [f"  {reason.rule:<4} {reason.message}" for reason in row.risk.reasons] or [
        "  nothing out of the ordinary"
    ]
    lines += ["", "Auto-approvable (M8): " + ("yes" if row.auto_approvable else "no")]
    lines += [f"  {reason.rule:<4} {reason.message}" for reason in row.auto_reasons]
    return [*lines, "", *preview_lines(row.you)]


def detail_lines(detail: TaskDetail, row: QueueRow | None) -> list[str]:
    """A task with every rule that has a say about it, for whoever sits here."""
    if row is not None and detail.you is not None:
        return why_lines(replace(row, you=detail.you, title=detail.task.title))
    lines = [f"{detail.task.id}  {detail.task.title}", ""]
    lines += [f"  {reason.rule:<4} {reason.message}" for reason in detail.mode_reasons]
    if detail.you is None:
        return [*lines, f"It is {detail.task.status}: there is nothing to approve."]
    return [*lines, "", *preview_lines(detail.you)]


def preview_lines(you: Preview) -> list[str]:
    """What an approval of yours would meet."""
    if you.may_approve:
        words = ", with a reason, audited (P8)" if you.needs_reason else ""
        return [f"If you approve: allowed ({you.rule}){words}"]
    lines = [f"If you approve: refused, {len(you.reasons)} reason{'' if len(you.reasons) == 1 else 's'}"]
    for reason in you.reasons:
        lines.append(f"  {reason.rule:<4} {reason.message}")
        lines += [f"       next: {steps_text(reason.next)}"] if reason.next else []
    return lines
