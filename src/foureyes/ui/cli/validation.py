"""`fe validate`."""

from __future__ import annotations

import click

from foureyes.app.views.task import Report
from foureyes.core.words.text import flat
from foureyes.errors import VerificationFailed
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, verb
from foureyes.ui.steps import next_line


@verb("validate", example="fe validate --label sprint-4")
@click.argument("tasks", nargs=-1, metavar="[TASK]...")
@click.option("--label", default="", help="Only tasks with this label.")
@click.option("--group", default="", help="Only tasks of this group.")
@click.option("--sprint", default="", metavar="SPRINT", help="Only tasks of this sprint.")
def validate(session: Session, tasks: tuple[str, ...], label: str, group: str, sprint: str) -> None:
    """Check that all submitted work is done. Done is reviewed, approved, merged and green. Exit code 6 if not, with
    every reason. Without a scope it checks the whole project. Cancelled tasks and work closed unmerged do not count.
    """
    report = session.app.validation.validate(session.actor, tasks=tasks, label=label, group=group, sprint=sprint)
    session.answer(report, report_text(report))
    if not report.complete:
        output.flush()
        raise SystemExit(VerificationFailed.exit_code)


def report_text(report: Report) -> str:
    """Return the verdict on the scope, with every reason, its next step, and notes."""
    if report.complete:
        are = "task is" if report.open == 1 else "tasks are"
        lines = [f"complete: {report.scope}" + (f"; {report.open} {are} open" if report.open else "")]
    else:
        lines = [f"not complete: {report.scope}. {output.count(len(report.reasons), 'reason')}:"]
    for reason in report.reasons:
        lines.append(f"  {reason.rule}  {flat(reason.message)}")
        lines += [f"      {next_line(reason.next)}"] if reason.next else []
    return "\n".join(lines + [f"  note  {note}" for note in report.notes])
