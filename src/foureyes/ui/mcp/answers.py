"""Answers of tools: ids, what changed and what comes next. They are short, because a model reads all of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from foureyes.app.results.finding import FindingView
from foureyes.app.results.task import TaskDetail
from foureyes.app.results.task_list import ReviewablePage
from foureyes.core.nouns.attempt import Attempt
from foureyes.core.words.ids import seen_name
from foureyes.errors import FoureyesError
from foureyes.ui.steps import for_json
from foureyes.ui.values import error_of, storable

ToolAnswer = dict[str, Any]

MOST_TEXT = 100_000
"""Longest text in an answer, such as a diff, in characters. The rest can be read with git."""
LATEST = 10
"""Number of lines of a task's log in an answer."""


def answer_of(value: object) -> ToolAnswer:
    """Return a verb's answer as an object without empty fields."""
    if isinstance(value, bytes | str):
        return cut(value if isinstance(value, str) else value.decode("utf-8", "backslashreplace"))
    if value is None:
        return {"done": True}
    if isinstance(value, FindingView):
        return finding_row(value) | {"moves": small(value.moves)}
    if isinstance(value, Iterable) and not isinstance(value, msgspec.Struct | dict):
        return {"rows": [answer_of(row) if isinstance(row, FindingView) else small(row) for row in value]}
    made = small(value)
    return made if isinstance(made, dict) else {"value": made}


def small(value: object) -> Any:
    """Return a view as JSON values, without empty texts, lists and nulls."""
    return _full(storable(msgspec.to_builtins(value, enc_hook=for_json)))


def row_of(fields: ToolAnswer) -> ToolAnswer:
    """Return the fields of a row that are not empty."""
    made: ToolAnswer = small(fields)
    return made


def _full(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: kept for key, each in value.items() if (kept := _full(each)) not in ("", None, [], {})}
    return [_full(each) for each in value] if isinstance(value, list) else value


def error(problem: FoureyesError) -> ToolAnswer:
    """Return a refusal exactly as the command line prints it with `--json`."""
    made: ToolAnswer = storable(msgspec.to_builtins(error_of(problem), enc_hook=for_json))
    return made


def cut(text: str) -> ToolAnswer:
    """Return a text, or its beginning and how much is missing."""
    whole = {"text": storable(text[:MOST_TEXT])}
    return whole | ({"cut": f"{len(text) - MOST_TEXT} more characters. Read them with git"} if text[MOST_TEXT:] else {})


def rows(page: Sequence[msgspec.Struct]) -> ToolAnswer:
    """Return the tasks of a list."""
    left_out = ("n", "created_at", "updated_at", "version")
    return {"rows": [{k: v for k, v in small(row).items() if k not in left_out and v is not False} for row in page]}


def reviewable(page: ReviewablePage) -> ToolAnswer:
    """Return the tasks that the caller may approve, each with the value for `seen`. (D7)"""
    listed = [
        {"task": row.task.id, "title": row.task.title, "priority": row.task.priority, "seen": row.seen}
        | small(msgspec.structs.replace(row.you, reasons=()))
        for row in page.rows
    ]
    return {"rows": listed} | ({"after": page.after} if page.after else {})


def shown(detail: TaskDetail) -> ToolAnswer:
    """Return a task in short: its state, what was submitted, and what the caller may do."""
    task = detail.task
    head = {
        "task": task.id,
        "title": task.title,
        "status": task.status,
        "priority": task.priority,
        "labels": task.labels,
        "version": task.version,
        "implementer": detail.name(task.implementer) if task.implementer else "",
        "hold": task.hold,
        "waits_for": [link.id for link in detail.depends_on if link.status != "closed"],
        "worktree": detail.worktree,
        "attempt": attempt_row(detail.attempts[-1]) if detail.attempts else None,
        "checks": detail.checks,
        "blocking": [finding.id for finding in detail.findings if finding.holds],
        "you": detail.you,
        "next": detail.next,
    }
    return row_of(head)


def context(detail: TaskDetail) -> ToolAnswer:
    """Return everything that an agent needs to work on a task or to review it."""
    task = detail.task
    more = {
        "description": task.description,
        "acceptance": task.acceptance,
        "escalation": detail.escalation,
        "feedback": [
            {"iteration": row.iteration, "decision": row.decision, "issues": row.quick_issues, "text": row.text}
            for row in detail.feedback
        ],
        "findings": [finding_row(each) for each in detail.findings if each.state not in ("resolved", "obsolete")],
        "files": [file.path for file in detail.attempts[-1].files] if detail.attempts else [],
        "handoff": detail.handoff,
        "log": [{"by": detail.name(row.session), "type": row.type, "text": row.text} for row in detail.logs[-LATEST:]],
    }
    return shown(detail) | row_of(more)


def attempt_row(attempt: Attempt) -> ToolAnswer:
    """Return the latest attempt. A decision names it by `seen`. (D7)"""
    return {
        "n": attempt.n,
        "seen": seen_name(attempt.n, attempt.diff_id),
        "base": attempt.base,
        "head": attempt.head,
        "branch": attempt.ref.removeprefix("refs/heads/"),
        "files": len(attempt.files),
        "added": attempt.added,
        "removed": attempt.removed,
        "message": attempt.message,
    }


def finding_row(finding: FindingView) -> ToolAnswer:
    """Return a finding without its history."""
    latest = finding.latest_answer
    row = {
        "id": finding.id,
        "severity": finding.severity,
        "blocks": finding.holds,
        "state": finding.state,
        "title": finding.title,
        "place": finding.place,
        "problem": finding.problem,
        "fix": finding.fix,
        "why": finding.why,
        "quote": finding.quote,
        "by": finding.by,
        "answer": finding.answer,
        "answer_text": latest.words if latest else "",
        "task": finding.task,
    }
    return row_of(row)
