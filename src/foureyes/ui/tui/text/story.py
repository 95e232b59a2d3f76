"""The story of a task as plain lines: its log, its attempts, what its checks printed, what happened to it."""

from __future__ import annotations

from datetime import datetime

from foureyes.app.results.attempt import CheckReport, CheckRow
from foureyes.app.results.task import TaskDetail
from foureyes.core.nouns.task import Task
from foureyes.ui.tui.text.lines import clock


def moment(at: str) -> str:
    """A moment on record in the reader's own time."""
    return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M") if at else ""


def words_lines(task: Task) -> list[str]:
    """What a task asks for."""
    done = ["", "Done if:", *(f"  {line}" for line in task.acceptance.strip().split("\n"))] if task.acceptance else []
    return [task.title, "", *task.description.strip().split("\n"), *done]


def log_lines(detail: TaskDetail) -> list[str]:
    """The log, the latest line last."""
    lines = [f"{clock(line.at)} {detail.name(line.session)} [{line.type}] {line.text}" for line in detail.logs]
    return [part for line in lines for part in _below(line, 6)] or ["nothing was logged"]


def iteration_lines(detail: TaskDetail) -> list[str]:
    """Every attempt, the latest first, with the feedback that it got."""
    lines: list[str] = []
    for attempt in reversed(detail.attempts):
        size = "no code" if attempt.no_code else f"{len(attempt.files)} files +{attempt.added} -{attempt.removed}"
        relation = f", {attempt.relation.replace('_', ' ')} of the one before" if attempt.relation else ""
        lines.append(f"Iteration {attempt.n}   {moment(attempt.submitted_at)}   by {detail.name(attempt.submitted_by)}")
        lines.append(f"  {size}, diff {attempt.seen}, head {attempt.head[:7]}{relation}")
        lines.append(
            f"  signal {attempt.signal}" + (f': "{attempt.message.strip()}"' if attempt.message.strip() else "")
        )
        for row in detail.feedback:
            if row.iteration == attempt.n:
                words = "; ".join([*row.quick_issues, *([row.text] if row.text else [])])
                lines.append(f"  {row.decision} by {detail.name(row.session)}: {words}")
        for approval in detail.approvals:
            if approval.attempt == attempt.n:
                ended = "" if approval.state == "active" else f" ({approval.state} {approval.ended_why})".rstrip()
                lines.append(f"  approved by {detail.name(approval.session)} ({approval.rule}){ended}")
        lines.append("")
    return [part for line in lines for part in _below(line, 4)] or ["nothing was submitted yet"]


def history_lines(detail: TaskDetail) -> list[str]:
    """What happened, the latest first."""
    rows = [(entry.at, f"{detail.name(entry.session)} {entry.action.replace('_', ' ')}"
             + (f" (attempt {entry.attempt})" if entry.attempt else "")) for entry in detail.history]  # fmt: skip
    rows += [(row.at, f"{detail.name(row.session)} {row.decision}: {row.text or '; '.join(row.quick_issues)}")
             for row in detail.feedback]  # fmt: skip
    rows += [(edit.at, f"{detail.name(edit.session)} {edit.what}"
              + (" (an author, after the start)" if edit.by_author and edit.after_start else ""))
             for edit in detail.edits]  # fmt: skip
    rows += [(review.at, f"{review.by or detail.name(review.session)} reviewed attempt {review.attempt}: "
              f"{review.effective}. {review.summary}") for review in detail.reviews]  # fmt: skip
    rows += [(run.at, run.words) for run in detail.runs]
    lines = [f"{moment(at)}  {words}" for at, words in sorted(rows, reverse=True)]
    return [part for line in lines for part in _below(line, 18)] or ["nothing happened yet"]


def _below(line: str, columns: int) -> list[str]:
    """Words of several lines: what follows the first stands below its beginning, so that nobody takes it for ours."""
    first, *rest = line.rstrip("\n").split("\n")
    return [first, *(" " * columns + part if part else "" for part in rest)]


def check_lines(report: CheckReport) -> list[tuple[str, str]]:
    """Every check with what it printed; each line with its place, which stays when a check is run again."""
    if not report.checks:
        return [("no checks: nothing is auto-approved until one exists (M4)", "none")]
    note = [f"{report.unaccepted.message}. ! shows it and accepts it", ""] if report.unaccepted else []
    parts = {"": [f"attempt {report.attempt}, tree {report.tree[:7]}", "", *note]}
    parts |= {row.check: _check(row) for row in report.checks}
    parts["."] = [f"not auto-approved: {reason.message} ({reason.rule})" for reason in report.reasons]
    return [(line, f"{name} {number}") for name, lines in parts.items() for number, line in enumerate(lines)]


def _check(row: CheckRow) -> list[str]:
    marks = [*(["claimed"] if row.claimed else []), *(["optional"] if not row.required else [])]
    marks += ["red and green before"] if row.flaky else []
    tail = f"   ({', '.join(marks)})" if marks else ""
    lines = [f"{row.check}: {row.outcome.replace('_', ' ')}   {row.summary}{tail}"]
    lines += [f"  failing: {name}" for name in row.failing] + [f"  gone: {name}" for name in row.gone]
    lines += [f"  $ {row.command}"] if row.command else []
    lines += [f"  {line}" for line in row.output.rstrip("\n").split("\n")] if row.output else []
    return [*lines, ""]
