"""Text forms of one task: for people (`show`) and for an agent at work (`context`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from foureyes.core.nouns.attempt import Attempt, ChangedFile
from foureyes.core.words.refs import DETACHED
from foureyes.core.words.text import lines_of
from foureyes.core.words.untrusted_text import named
from foureyes.core.words.vocabulary import CLAIMED
from foureyes.ui.cli.output import count, plain, when
from foureyes.ui.cli.text.loop import context_sections, loop_lines
from foureyes.ui.steps import next_line

if TYPE_CHECKING:
    from foureyes.app.results.review import ApprovalView
    from foureyes.app.results.task import TaskDetail
    from foureyes.app.results.task_list import Preview


def detail_text(detail: TaskDetail) -> str:
    """Return the page of a task: facts, then the submission, then the next steps."""
    task = detail.task
    lines = [f"{task.id}  {task.title}", f"  {_head(detail)}"]
    lines += _field("labels", ", ".join(task.labels))
    lines += _field("created", f"{when(task.created_at)} by {detail.name(task.creator)}")
    lines += _field("made by", _makers(detail))
    lines += _field("parent", task.parent or "")
    lines += _field("children", ", ".join(f"{link.id} ({link.status})" for link in detail.children))
    lines += _field("waits for", ", ".join(f"{link.id} ({link.status})" for link in detail.depends_on))
    lines += _field("awaited by", ", ".join(link.id for link in detail.dependents))
    for inside in detail.inside:
        lines += _field("inside", inside.sentence)
    lines += _field("hold", task.hold or "")
    for pause in detail.pauses:
        lines += _field(
            "paused", (pause.reason or "by a person") + ("" if pause.task else "   (all runs of the project)")
        )
    lines += _field("blocked", _blocked(detail))
    lines += _field("merged", task.merge or "")
    for run in detail.runs:
        lines += _field("run", f"{when(run.at)} {run.words}")
    lines += _block("description", task.description) + _block("acceptance", task.acceptance)
    lines += [line for attempt in detail.attempts[-3:] for line in _attempt(attempt)]
    lines += _files(detail) + _checks(detail) + loop_lines(detail)
    for row in detail.approvals:
        lines += _field("recorded" if row.recorded else "approved", _approval(detail, row))
    for sent in detail.feedback:
        text = "; ".join([*sent.quick_issues, *([sent.text] if sent.text else [])])
        how = f" ({sent.viewed.words})" if sent.viewed.hunks is not None else ""
        lines += _field(sent.decision, f'iteration {sent.iteration}, {detail.name(sent.session)}{how}: "{text}"')
    for edit in detail.edits:
        author = " — BY AN AUTHOR, AFTER START" if edit.by_author and edit.after_start else ""
        lines += _field("edited", f"{when(edit.at)} {detail.name(edit.session)}: {edit.what}{author}")
    for entry in detail.logs:
        lines += _field("log", f"{when(entry.at)} {detail.name(entry.session)} [{entry.type}] {entry.text}")
    return "\n".join(lines + _you(detail))


def _approval(detail: TaskDetail, row: ApprovalView) -> str:
    """Return an approval with its approver, rule and proof. (D9, I9)"""
    ended = "" if row.state == "active" else f" ({row.state}{': ' + row.ended_why if row.ended_why else ''})"
    why = f': "{row.reason}"' if row.reason else ""
    rests_on = row.rests_on + (f", {row.batch} in a batch" if row.batch else "")
    rests_on += f", {row.viewed.words}" if row.viewed.hunks is not None else ""
    finished = f', completed by {detail.name(row.finished_by)}: "{row.finished_why}"' if row.finished_by else ""
    return f"attempt {row.attempt} by {detail.name(row.session)}, {row.rule}, {rests_on}{why}{finished}{ended}"


def detail_fields(detail: TaskDetail) -> dict[str, Any]:
    """Return everything about a task for programs. Each attempt has its value for `--seen`. (D7)"""
    fields = {"id": detail.task.id, **plain(detail)}
    for attempt, row in zip(detail.attempts, fields["attempts"], strict=True):
        row["seen"] = attempt.seen
    return fields


def _head(detail: TaskDetail) -> str:
    task = detail.task
    words = [task.status, f"P{task.priority}", task.type, *(["minor"] if task.minor else []), f"version {task.version}"]
    if task.resolution and task.resolution != task.status:
        words[0] += f" ({task.resolution})"
    elif task.status == "blocked" and task.rejected_by:
        words[0] = "rejected"
    elif task.defer_until:
        words[0] += f" until {task.defer_until}"
    return " · ".join(words)


def _makers(detail: TaskDetail) -> str:
    if not detail.authors:
        return detail.name(detail.task.implementer) if detail.task.implementer else ""
    names = ", ".join(detail.name(name) + (" (cleared)" if name in detail.cleared else "") for name in detail.authors)
    return f"{names}   authors: {count(len(detail.authors), 'session')}"


def _blocked(detail: TaskDetail) -> str:
    task = detail.task
    if not task.blocked_reason:
        return ""
    return f"{task.blocked_reason}" + (f" (rejected by {detail.name(task.rejected_by)})" if task.rejected_by else "")


def _attempt(attempt: Attempt) -> list[str]:
    ref = "a detached head" if attempt.ref == DETACHED else named(attempt.ref.removeprefix("refs/heads/"))
    size = "no code" if attempt.no_code else f"{count(len(attempt.files), 'file')} +{attempt.added} -{attempt.removed}"
    words = [
        f"base {attempt.base[:7]}",
        f"head {attempt.head[:7]}",
        f"on {ref}",
        size,
        f"diff {attempt.seen}",
    ]
    if attempt.signal != "DONE":
        words.append(f"signal {attempt.signal}")
    if attempt.landed:
        words.append("LANDED BEFORE REVIEW")
    if attempt.relation:
        words.append(f"{attempt.relation.replace('_', ' ')} of attempt {attempt.n - 1}")
    return _field(f"attempt {attempt.n}", "  ".join([*words, f"submitted {when(attempt.submitted_at)}"])) + _block(
        "", attempt.message
    )


SHOWN_FILES = 12


def _files(detail: TaskDetail) -> list[str]:
    """Return the files of the latest attempt, and how long it took."""
    attempt = detail.attempts[-1] if detail.attempts else None
    if attempt is None:
        return []
    rows = [
        f"{_lines(file)}  {named(file.path)}" + (f" (was {named(file.old_path)})" if file.old_path else "")
        for file in attempt.files[:SHOWN_FILES]
    ]
    rows += [f"and {len(attempt.files) - SHOWN_FILES} more"] if len(attempt.files) > SHOWN_FILES else []
    minutes, seconds = divmod(attempt.duration_seconds, 60)
    took = f"{minutes}m {seconds:02}s of work" if attempt.duration_seconds >= 60 else ""
    return _field("files", "\n".join(rows)) + _field("took", took)


def _lines(file: ChangedFile) -> str:
    return "binary" if file.added is None else f"+{file.added} -{file.removed}"


def _checks(detail: TaskDetail) -> list[str]:
    """Return the state of the checks and the review mode. (D5, M)"""
    states = "   ".join(
        f"{row.check} {row.summary if row.outcome == 'passed' else f'{row.outcome}: {row.summary}'}"
        + (f" ({CLAIMED})" if row.claimed else "")
        for row in detail.checks
    )
    mode = f"{detail.mode}: {'; '.join(reason.message for reason in detail.mode_reasons)}" if detail.mode else ""
    return _field("checks", states) + _field("mode", mode)


def _you(detail: TaskDetail) -> list[str]:
    you = detail.you
    next_lines = [next_line(detail.next)] if detail.next else []
    if you is None:
        return next_lines
    reasons = [line for reason in you.reasons for line in _field("", f"{reason.rule}  {reason.message}")]
    return _field("for you", _answer(you)) + reasons + next_lines


def _answer(you: Preview) -> str:
    if not you.may_approve:
        return f"approve: refused ({', '.join(reason.rule for reason in you.reasons)})"
    return f"approve: allowed ({you.rule})" + (" with a reason" if you.needs_reason else "")


def _field(name: str, value: str) -> list[str]:
    return [f"  {name:<11} " + value.replace("\n", "\n              ")] if value else []


def _block(name: str, text: str) -> list[str]:
    if not text.strip():
        return []
    return ([f"  {name}"] if name else []) + ["    " + line for line in lines_of(text.lstrip("\n"))]


def context_text(detail: TaskDetail, place: str = "") -> str:
    """Return what an agent reads before its work: the task, all earlier feedback, and the last handoff. `place` is the
    command to its worktree.
    """
    task = detail.task
    lines = [f"# {task.id}: {task.title}", f"status {task.status}, priority P{task.priority}, type {task.type}"]
    if task.labels:
        lines.append(f"labels: {', '.join(task.labels)}")
    lines += _section("Description", task.description) + _section("Acceptance", task.acceptance)
    lines += _feedback(detail)
    for title, text in context_sections(detail):
        lines += _section(title, text)
    if detail.handoff is not None:
        parts = {name: getattr(detail.handoff, name) for name in ("done", "remaining", "decisions", "uncertain")}
        notes = "\n".join(
            f"{name}:\n" + "\n".join(f"- {item}" for item in items) for name, items in parts.items() if items
        )
        lines += _section(f"Handoff from {detail.name(detail.handoff.session)}", notes)
    lines += _section("Waits for", "\n".join(f"- {link.id} ({link.status}) {link.title}" for link in detail.depends_on))
    lines += _section("Log", "\n".join(f"- [{entry.type}] {entry.text}" for entry in detail.logs))
    if task.status == "reviewing" and detail.attempts:
        last = detail.attempts[-1]
        text = (
            f"attempt {last.n}, diff {last.seen} ({last.diff_id}), base {last.base}, head {last.head}\n"
            f"to read it: fe show {task.id} --diff\n{next_line(detail.next)}"
        )
        lines += _section("In review", text)
    elif task.status in ("open", "in_progress"):
        here = "Work on your own branch" if not place else "Work here" if place == "." else f"Work in {place}"
        begin = f"fe start {task.id}, work in the place it names" if task.status == "open" else here
        lines += _section("Next", f'{begin}, commit, then: fe submit {task.id} -m "what you did"')
    return "\n".join(lines)


def _feedback(detail: TaskDetail) -> list[str]:
    """Return the feedback of earlier decisions, or nothing. (F3)"""
    from foureyes.core.nouns.decision import section

    entries = [row.entry for row in detail.feedback]
    earlier = section(entries)
    lines = ["", earlier.rstrip("\n")] if earlier else []
    for entry in [entry for entry in entries if entry.decision == "rejected"][-1:]:
        quoted = "\n".join(f"> {line}" for line in lines_of(entry.text))
        lines += _section(f"Rejected (Iteration {entry.iteration})", quoted)
    return lines


def _section(title: str, text: str) -> list[str]:
    return ["", f"## {title}", text.strip("\n")] if text.strip() else []
