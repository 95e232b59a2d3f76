"""Text forms of sprints: plan, progress, and the report as text and Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from foureyes.app.results.sprint import PlannedTaskView, ReportedTask, SprintPlanView, SprintReport, SprintView
from foureyes.core.sprint.selection import DEFAULT_MINUTES, span
from foureyes.core.words.text import flat
from foureyes.ui.cli import output
from foureyes.ui.steps import next_line

TASKS_SHOWN = 30
MICROS = 1_000_000


def plan_text(view: SprintPlanView, *, short: bool = False) -> str:
    """Return the size of a sprint, its estimated duration, and the tasks that will need a person."""
    lines = [headline(view), f"  {estimate_line(view)}"]
    lines += [f"  note  {flat(note)}" for note in view.notes]
    lines += [f"  !     {flat(warning)}" for warning in view.warnings]
    if short:
        return "\n".join(lines)
    rows = [_cells(task) for task in view.tasks[:TASKS_SHOWN]]
    lines += [f"  {line}" for line in output.table(("TASK", "P", "TITLE", "MODE", "EST", "FROM"), rows).splitlines()]
    lines += [f"  and {len(view.tasks) - TASKS_SHOWN} more"] if len(view.tasks) > TASKS_SHOWN else []
    options = [f"checkpoint before start: {'yes' if view.checkpoint else 'no'}"]
    options += [f"pause on any error: {'yes' if view.pause_on_error else 'no'}"]
    lines.append("  " + " · ".join(options))
    return "\n".join([*lines, *([next_line(view.next)] if view.next else [])])


def headline(view: SprintPlanView) -> str:
    """Return a plan in one line: its size and its target."""
    left = f", in {span(view.seconds_left)}" if view.target.kind == "until" and view.seconds_left is not None else ""
    name = f"{view.id} planned: " if view.id else ""
    return f"{name}{output.count(len(view.tasks), 'task')}, {view.target.words}{left}"


def estimate_line(view: SprintPlanView) -> str:
    """Return the estimate, its source, and the number of tasks that need a person."""
    whence = f"medians of {view.past} past tasks" if view.past else f"no past runs: default {DEFAULT_MINUTES} m"
    who = who_words(view) or "none needs you"
    agents = output.count(view.agents, "agent")
    return f"est. ~{span(view.minutes * 60)} with {agents} ({whence}) · {who}"


def who_words(view: SprintPlanView) -> str:
    """Return how many tasks need a person, and how many will wait in the queue. (M)"""
    need = view.need_person
    queued = sum(task.mode == "batch" and not task.person for task in view.tasks)
    parts = [f"{need} will need you"] if need else []
    parts += [f"{queued} {'waits' if queued == 1 else 'wait'} in the queue (batch)"] if queued else []
    return ", ".join(parts)


def _cells(task: PlannedTaskView) -> tuple[str, ...]:
    waits = f" (waits for {', '.join(task.waits_for)})" if task.waits_for else ""
    person = "" if not task.person else " (you)"
    title = output.shorten(task.title, 40) + waits
    return (task.task, f"P{task.priority}", title, f"{task.mode}{person}", f"{task.minutes}m", task.estimate)


def status_json(view: SprintView) -> dict[str, object]:
    """Return the fields for programs, without the texts for people."""
    fields = output.plain(view)
    for name in ("line", "sentence", "compact", "ended", "clock"):
        fields.pop(name, None)
    return fields


def status_text(view: SprintView) -> str:
    """Return the progress, why it is paused, the failures, and why it is incomplete."""
    head = f"{view.id}  {view.sentence}"
    state = {
        "running": f"running since {view.clock}",
        "paused": "PAUSED",
        "planned": "",
        "ended": f"({flat(view.why)})",
    }
    lines = [f"{head}     {state[view.state]}".rstrip()]
    lines += [f"  paused  {flat(view.why)}"] if view.state == "paused" else []
    if view.started_at:
        lines.append(f"  {counts_line(view)}")
        lines += [f"  pace    {view.pace}"] if view.pace else []
        lines += [f"  failed  {row.task} {flat(row.why)}" for row in view.failures]
        lines += [f"  running {', '.join(f'{row.task} {row.why}' for row in view.at_work)}"] if view.at_work else []
        lines += [f"  next    {', '.join(view.upcoming)}"] if view.upcoming and view.state == "running" else []
        if view.incomplete:
            lines.append(f"  not complete: {flat(incomplete_line(view))}   fe check complete --sprint {view.id}")
    return "\n".join([*lines, *([next_line(view.next)] if view.next else [])])


def counts_line(view: SprintView) -> str:
    """Return the number of tasks in each state."""
    parts = [f"merged {view.merged}", f"merging {view.merging}"]
    parts += [f"by rule {view.by_rule}"] if view.by_rule else []
    parts += [f"in review {view.waiting}", f"running {view.running}"]
    parts += [f"begun {view.begun}"] if view.begun else []
    parts += [f"failed {view.failed}"] if view.failed else []
    parts += [f"to do {view.todo}"]
    parts += [f"cancelled {view.out}"] if view.out else []
    return " · ".join(parts)


def incomplete_line(view: SprintView) -> str:
    """Return a short form of why the sprint is incomplete: unreviewed tasks, open findings, other reasons. (X4)"""
    parts = [f"{view.waiting} unreviewed"] if view.waiting else []
    if view.blocking:
        many = len(view.blocking)
        parts.append(f"{many} with open blocking findings ({', '.join(view.blocking)})")
    if not parts:
        parts = [view.incomplete[0]]
        parts += [f"and {len(view.incomplete) - 1} more"] if len(view.incomplete) > 1 else []
    return ", ".join(parts)


def report_text(report: SprintReport) -> str:
    """Return the report as text."""
    lines = [f"{report.id}  {report.sentence}" + (f"   ({flat(report.why)})" if report.why else "")]
    for title, rows in _parts(report):
        if rows:
            lines.append(f"  {title} {len(rows)}")
            lines += [f"    {_row(row)}" for row in rows]
    lines += [f"  {words}" for words in _figures(report)]
    lines += [f"  {words}" for words in report.halts]
    if report.incomplete:
        many = output.count(len(report.incomplete), "reason")
        lines.append(f"  not complete: {many}   fe check complete --sprint {report.id}")
    return "\n".join([*lines, next_line(report.next)])


def _parts(report: SprintReport) -> Sequence[tuple[str, tuple[ReportedTask, ...]]]:
    return (
        ("merged", report.merged),
        ("approved, not merged", report.approved),
        ("waiting for you", report.waiting),
        ("failed", report.failed),
        ("not finished", report.unfinished),
        ("not started", report.untouched),
        ("cancelled", report.out),
    )


def _row(row: ReportedTask) -> str:
    tail = _tail(row)
    return f"{row.task}  {flat(row.title)}" + (f"   {flat(tail)}" if tail else "")


def _figures(report: SprintReport) -> list[str]:
    findings = [f"{n} {severity}" for severity, n in report.findings.items() if severity != "open"]
    still = f", {report.findings['open']} open" if report.findings.get("open") else ""
    where = f", still blocking: {', '.join(report.open_findings)}" if report.open_findings else ""
    time = f"time      {span(report.elapsed_seconds)}, agents worked {span(report.work_seconds)} in {report.runs} runs"
    cost = f"cost      {report.cost_micros / MICROS:.2f}" if report.cost_micros else "cost      not reported"
    tokens = report.input_tokens + report.output_tokens
    return [
        f"findings  {', '.join(findings) or 'none'} raised{still}{where}",
        cost + (f", {tokens:,} tokens" if tokens else ""),
        time,
        *([f"checkpoint {report.checkpoint}"] if report.checkpoint else []),
    ]


def report_markdown(report: SprintReport) -> str:
    """Return the report as Markdown."""
    why = f" ({_md(report.why)})" if report.why else ""
    lines = [f"# Sprint {report.id}", "", f"{_md(report.sentence)}{why}", ""]
    for title, rows in _parts(report):
        if rows:
            lines += [f"## {title[0].upper()}{title[1:]} ({len(rows)})", "", "| task | title | |", "|---|---|---|"]
            lines += [f"| `{row.task}` | {_md(row.title)} | {_md(_tail(row))} |" for row in rows]
            lines.append("")
    lines += ["## Figures", "", *[f"- {_md(' '.join(words.split()))}" for words in _figures(report)], ""]
    if report.halts:
        lines += ["## Pauses", "", *[f"- {_md(words)}" for words in report.halts], ""]
    if report.incomplete:
        lines += ["## Not complete", "", *[f"- {_md(why)}" for why in report.incomplete], ""]
    return "\n".join(lines).rstrip()


def _tail(row: ReportedTask) -> str:
    return row.why or " ".join(part for part in (row.sha[:7], f"by {row.by}" if row.by else "") if part)


def _md(text: str) -> str:
    """Return text escaped for Markdown."""
    plain = flat(text)
    for sign in "\\`*_[]<>|#":
        plain = plain.replace(sign, f"\\{sign}")
    return plain
