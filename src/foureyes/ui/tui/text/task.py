"""What the page of a task under review says, section by section; always in the same order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import msgspec
from rich.console import Console
from rich.text import Text

from foureyes.app.results.diff import DiffView
from foureyes.app.results.finding import FindingView
from foureyes.app.results.review import CycleView, QueueRow
from foureyes.app.results.task import TaskDetail
from foureyes.app.results.task_list import Preview
from foureyes.core.documents.unified_diff import FileDiff
from foureyes.core.rules.risk import WORDS
from foureyes.ui.steps import steps_text
from foureyes.ui.tui.marks import CHECK_ROLES, Marks, Palette, visible
from foureyes.ui.tui.text.diff import finding_mark
from foureyes.ui.tui.text.lines import cut
from foureyes.ui.tui.text.reviews import reviews_text
from foureyes.ui.tui.widgets.rows import PaintedLine, plain

INDENT, MOST_LINES = 10, 4


class TaskView(msgspec.Struct, frozen=True, kw_only=True):
    """A task as it was read for one look: itself, its change, its row of the queue. `since`: lines added and removed
    since the person here looked at an earlier attempt, and which that was. `acts`: how much of what they did about it
    themselves it shows.
    """

    detail: TaskDetail
    change: DiffView | None = None
    row: QueueRow | None = None
    since: tuple[int, int, int] | None = None
    problem: str = ""
    """Why the change cannot be shown."""
    acts: int = 0
    cycles: tuple[CycleView, ...] = ()
    """The review cycles about it, the latest first."""


class TaskDrawing(msgspec.Struct, frozen=True, kw_only=True):
    """What sections are drawn with. `unseen`: how many hunks of a file were not shown yet."""

    marks: Marks
    palette: Palette
    console: Console
    width: int
    unseen: Callable[[FileDiff], int]


def head_line(view: TaskView, unseen: int | None, width: int) -> str:
    """Who made it, how long it took, which iteration, from where, what was not shown; where there is no room for all of
    it, not from where and how long it took.
    """
    detail = view.detail
    attempt = detail.attempts[-1] if detail.attempts else None
    if attempt is None:
        return f"{detail.task.status} │ nothing was submitted yet"
    minutes, seconds = divmod(attempt.duration_seconds, 60)
    took = f"{minutes}m {seconds:02}s" if minutes else f"{seconds}s"
    maker = visible(detail.name(attempt.submitted_by)).split(" (")[0]
    parts = [f"{maker} ({detail.task.tier})", f"Duration {took}", f"Iteration {attempt.n}", f"base {attempt.base[:7]}"]
    seen = f" · {count(unseen, 'hunk')} unseen" if unseen else " · all hunks shown" if unseen == 0 else ""
    heads = [" │ ".join(some) + seen for some in (parts, parts[:3], [parts[0], parts[2]])]
    return next((head for head in heads if len(head) <= width), heads[-1])


def count(number: int, noun: str) -> str:
    """`1 hunk`, `2 hunks`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def section_lines(view: TaskView, draw: TaskDrawing) -> list[PaintedLine]:
    """All sections; an empty one is one line."""
    return [
        *_why(view, draw),
        *_risk(view, draw),
        *_inside(view.detail, draw),
        *_words("task", "TASK", view.detail.task.description, draw),
        *_words("acceptance", "DONE IF", view.detail.task.acceptance, draw),
        *_changes(view, draw),
        *_field("quality", "QUALITY", check_marks(view.detail, draw), draw),
        *_findings(view.detail, draw),
        *_field("reviews", "REVIEWS", Text(reviews_text(view.detail, view.cycles)), draw),
        *_field("signal", "SIGNAL", Text(signal_text(view.detail)), draw),
        *_last_run(view.detail, draw),
        *_answer(view, draw),
    ]


def _field(row: str, name: str, text: Text, draw: TaskDrawing) -> list[PaintedLine]:
    """A named field, wrapped below its own beginning. At most four lines: what is cut is said in full elsewhere."""
    rows = list(text.wrap(draw.console, max(20, draw.width - INDENT - 1))) or [Text("")]
    if len(rows) > MOST_LINES:
        rows = rows[:MOST_LINES]
        rows[-1].append(" …")
    start = Text(f" {name:<{INDENT - 1}}", draw.palette["heading"])
    return [plain(Text.assemble(start if number == 0 else " " * INDENT, line), row) for number, line in enumerate(rows)]


def _words(row: str, name: str, text: str, draw: TaskDrawing) -> list[PaintedLine]:
    """What somebody wrote into the task; Enter shows it in full. Nothing where nobody wrote anything."""
    lines = [visible(line) for line in text.strip().split("\n")]
    return _field(row, name, Text("\n".join(lines)), draw) if text.strip() else []


def _why(view: TaskView, draw: TaskDrawing) -> list[PaintedLine]:
    detail = view.detail
    words = [f"{visible(reason.message)} ({reason.rule})" for reason in detail.mode_reasons]
    text = (
        f"{detail.mode}: {' · '.join(words)}" if detail.mode else f"{detail.task.status}: nothing waits for a decision"
    )
    if detail.task.status == "blocked" and detail.task.blocked_reason:
        by = f"rejected by {visible(detail.name(detail.task.rejected_by))}" if detail.task.rejected_by else "blocked"
        text = f"{by}: {visible(detail.task.blocked_reason)} · to take it up again {visible(steps_text(detail.next))}"
    if detail.escalation:
        text += f" · {visible(detail.escalation)}"
    if detail.task.hold is not None:
        text = f"HELD: {visible(detail.task.hold)} · {text}"
    return _field("why", "WHY YOU", Text(text), draw)


def _last_run(detail: TaskDetail, draw: TaskDrawing) -> list[PaintedLine]:
    """How the last run of an agent ended, where that is not the attempt that waits here."""
    last = detail.runs[-1] if detail.runs else None
    if last is None or (last.state == "finished" and detail.task.status == "reviewing"):
        return []
    return _field("run", "LAST RUN", Text(visible(last.words)), draw)


def _inside(detail: TaskDetail, draw: TaskDrawing) -> list[PaintedLine]:
    """A7: the work of other tasks inside; nothing where there is none."""
    words = " · ".join(visible(row.sentence) for row in detail.inside)
    return _field("inside", "INSIDE", Text(words), draw) if words else []


def _risk(view: TaskView, draw: TaskDrawing) -> list[PaintedLine]:
    if view.row is None:
        return []
    level = view.row.risk.level
    words = " · ".join(visible(reason.message) for reason in view.row.risk.reasons) or WORDS[level]
    return _field("risk", f"RISK {draw.marks.risks[level]}", Text(words, draw.palette[level]), draw)


def _changes(view: TaskView, draw: TaskDrawing) -> list[PaintedLine]:
    attempt = view.detail.attempts[-1] if view.detail.attempts else None
    if attempt is None:
        return _field("changes", "CHANGES", Text("nothing was submitted"), draw)
    if attempt.no_code:
        note = visible(attempt.message.strip() or "(empty)")
        lines = _field("changes", "CHANGES", Text("No code: submitted as a note."), draw)
        return lines + [PaintedLine(lambda width, text=text: cut(Text(f"   {text}"), width), "changes")  # type: ignore[misc]
                        for text in note.split("␊")]  # fmt: skip
    if view.problem:
        return _field("changes", "CHANGES", Text(f"cannot be shown: {visible(view.problem)}"), draw)
    marks = draw.marks
    size = f"{count(len(attempt.files), 'file')}  +{attempt.added} {marks.minus}{attempt.removed}"
    since = ""
    if view.since is not None:
        added, removed, before = view.since
        since = f"since you looked at iteration {before}: +{added} {marks.minus}{removed}"

    left = Text.assemble((f" {'CHANGES':<{INDENT - 1}}", draw.palette["heading"]), size)
    beside = left.cell_len + len(since) + 2 <= draw.width
    below = [] if beside else [plain(Text(" " * INDENT + since), "changes")]

    def head(width: int) -> Text:
        words = since if beside else ""
        return cut(left.copy(), max(1, width - len(words) - 1), pad=True).append(words)

    files = view.change.files if view.change else ()
    rows = [PaintedLine(lambda width, n=n, file=file: _file(n, file, draw, width), f"file:{n - 1}")  # type: ignore[misc]
            for n, file in enumerate(files, 1)]  # fmt: skip
    return [PaintedLine(head, "changes"), *below, *rows]


def _file(n: int, file: FileDiff, draw: TaskDrawing, width: int) -> Text:
    marks, palette = draw.marks, draw.palette
    unseen = draw.unseen(file)
    seen = f"{marks.unseen} {unseen} unseen" if unseen else f"{marks.seen} all shown"
    seen = seen if file.counts else f"{marks.dot} not counted"
    lines = "binary" if file.binary else f"+{file.added:<5} {f'{marks.minus}{file.removed}' if file.removed else ''}"
    if file.folded:
        seen += ", folded"
    right = Text(f" {lines:<12}  ", palette["dim"]).append(f"{seen:<12} ", palette["warn" if unseen else "dim"])
    path = visible(file.path) + (f" (was {visible(file.old_path)})" if file.old_path else "")
    path += f" [{file.kind}]" if file.kind else ""
    left = Text.assemble(f"   {n if n < 10 else ' '} {file.status} ", path)
    return cut(left, max(1, width - right.cell_len), pad=True).append_text(right)


def check_marks(detail: TaskDetail, draw: TaskDrawing) -> Text:
    """Every check with its mark and what it said."""
    text = Text()
    for check in detail.checks:
        mark = draw.marks.checks.get(check.outcome, "?")
        shown = mark if check.required or check.outcome == "passed" else f"({mark})"
        text.append(f"{shown} ", draw.palette[CHECK_ROLES.get(check.outcome, "dim")])
        words = f" {visible(check.summary)}" if check.summary and check.outcome != "not_run" else ""
        text.append(f"{visible(check.check)}{words}{' (claimed)' if check.claimed else ''}   ")
    attempt = detail.attempts[-1] if detail.attempts else None
    if attempt is None:
        return Text("nothing to check: nothing was submitted")
    if not detail.checks:
        return Text("no checks: nothing is auto-approved until one exists (M4)")
    return text.append(f"on tree {attempt.tree[:6]}")


def check_text(detail: TaskDetail, marks: Marks) -> str:
    """The checks in one line, without colours."""
    words = [f"{marks.checks.get(check.outcome, '?')} {visible(check.check)}" for check in detail.checks]
    return "  ".join(words) or "no checks: nothing is auto-approved until one exists (M4)"


def finding_counts(detail: TaskDetail) -> str:
    """How many findings there are, by where they stand."""
    if not detail.findings:
        return "none"
    holding = sum(finding.holds for finding in detail.findings)
    words = [f"{holding} open blocking"]
    states: dict[str, int] = {}
    for finding in detail.findings:
        name = "note" if finding.note else finding.state_in_words or finding.state
        if not finding.holds:
            states[name] = states.get(name, 0) + 1
    words += [f"{count} {name}" for name, count in states.items()]
    return " · ".join(words)


def _findings(detail: TaskDetail, draw: TaskDrawing) -> list[PaintedLine]:
    lines = _field("findings", "FINDINGS", Text(finding_counts(detail)), draw)
    for finding in detail.findings:
        paint = partial(_finding, finding, draw)
        lines.append(PaintedLine(paint, f"finding:{finding.id}"))
    return lines


def _finding(finding: FindingView, draw: TaskDrawing, width: int) -> Text:
    mark = finding_mark(finding, draw.marks)
    role = "bad" if finding.holds else "dim"
    right = f" {visible(finding.state_in_words or finding.state)} "
    left = Text.assemble(
        "   ", (f"{mark:<3}", draw.palette[role]), (finding.id, draw.palette["title"]), f" {visible(finding.title)}"
    )
    return cut(left, max(1, width - len(right)), pad=True).append(right, draw.palette["dim"])


def signal_text(detail: TaskDetail) -> str:
    """With what the agent submitted, in its own words."""
    attempt = detail.attempts[-1] if detail.attempts else None
    if attempt is None:
        return "none: nothing was submitted"
    message = " ".join(visible(line) for line in attempt.message.split("\n") if line.strip())
    return f'{attempt.signal}  "{message}"' if message else attempt.signal


def answer_text(you: Preview | None, detail: TaskDetail | None) -> str:
    """What an approval of yours would meet; one of four forms."""
    if you is None:
        return f"nothing: {detail.task.status}" if detail is not None else "nothing"
    leads = "" if detail is None else f" → merge queue, place {detail.place}" if detail.place else " → done"
    if you.may_approve and you.needs_reason:
        return f"allowed with a reason, audited ({you.rule}){leads}"
    if you.may_approve:
        return f"allowed ({you.rule}){leads}"
    if all(reason.rule == "D6" for reason in you.reasons):
        return f"counts as one review: {you.reasons[0].message} (D6)"
    rules = ", ".join(dict.fromkeys(reason.rule for reason in you.reasons))
    return f"refused: {count(len(you.reasons), 'reason')} ({rules})  [W]"


def _answer(view: TaskView, draw: TaskDrawing) -> list[PaintedLine]:
    you = view.detail.you
    role = "ok" if you is not None and you.may_approve else "bad" if you is not None else "dim"
    text = answer_text(you, view.detail)

    def paint(width: int) -> Text:
        line = Text.assemble((" IF YOU APPROVE   ", draw.palette["heading"]), (text, draw.palette[role]))
        return cut(line, width)

    return [PaintedLine(paint, "answer")]


def change_lines(
    row: QueueRow, detail: TaskDetail | None, marks: Marks, palette: Palette, unseen: str, most: int = 6
) -> list[Text]:
    """The change of a queue's row in a few lines: its size and its first files."""
    size = f"{count(row.files, 'file')} +{row.added} {marks.minus}{row.removed}"
    lines = [Text.assemble((f"{'CHANGES':<9} ", palette["heading"]), f"{size}{unseen}")]
    files = detail.attempts[-1].files if detail is not None and detail.attempts else []
    for file in files[:most]:
        size = "binary" if file.added is None else f"+{file.added} {marks.minus}{file.removed}"
        lines.append(Text(f"  {visible(file.path)}  {size}"))
    if len(files) > most:
        lines.append(Text(f"  {marks.more} {len(files) - most} more", palette["dim"]))
    return lines


def sections(lines: Sequence[PaintedLine]) -> list[str]:
    """The first row of every section, in their order: where Tab goes."""
    rows = dict.fromkeys(line.row for line in lines if line.row is not None)
    return [row for row in rows if ":" not in row]
