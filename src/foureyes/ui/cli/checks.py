"""`fe check run|show|detect|complete|environments`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from foureyes.app.results.attempt import CheckReport, CheckRetry, CheckRow, CheckRun, Pending
from foureyes.app.results.project import News
from foureyes.app.results.task import Report
from foureyes.core.nouns.check import WhatRan
from foureyes.core.words.text import flat
from foureyes.errors import BadInput, Reason, VerificationFailed
from foureyes.steps import fe
from foureyes.ui.cli import diagnostics, output
from foureyes.ui.cli.command import Session, end_cleanly, verb
from foureyes.ui.cli.environments import check_environments
from foureyes.ui.steps import next_line, steps_text

if TYPE_CHECKING:
    from foureyes.bootstrap.check_discovery import Detected


# ---- `fe check detect` ----


@verb("detect", example="fe check detect --try")
@click.option("--try", "tries", is_flag=True, help="Try each proposed check once on the committed files.")
def check_detect(session: Session, tries: bool) -> None:
    """Propose checks for this repository. They come from the files and settings of its tools, and are printed as
    lines for foureyes.toml. No file is written. With --try, a check that cannot run is left out, and a failing one
    is not required. In a project the output is kept (fe check show --run N).
    """
    from foureyes.bootstrap.check_trial import propose, try_out

    if not tries:
        _say(session, propose(session.cwd))
        return
    end_cleanly()
    from foureyes.ui.cli.project import teller

    _say(session, try_out(session.cwd, os.environ, session.actor, teller(session)))


def _say(session: Session, detected: Detected) -> None:
    from foureyes.bootstrap.check_trial import as_lines
    from foureyes.ui.cli.project import note_lines, proposals

    lines = as_lines(detected)
    step = fe("config", "accept", before="add these lines to foureyes.toml, commit them, then: ")
    checks = [
        {"rule": each.rule, "source": each.source, "tried": each.tried, "output": each.output, "run": each.run}
        for each in detected.checks
    ]
    fields = {"checks": checks, "prepare": detected.prepare, "notes": detected.notes, "lines": lines}
    shown = proposals(detected.checks) if detected.checks or not detected.notes else []
    text = [*shown, *note_lines(detected.notes)]
    session.answer(fields, "\n".join([*text, *(["", lines.rstrip("\n"), next_line(step)] if lines else [])]))


# ---- `fe check run|show|detect|environments` ----

FAILING_SHOWN = 10


@click.group("check")
def check() -> None:
    """Run the project's checks and show their results. Checks are the [[checks]] of foureyes.toml. They run on exactly
    the submitted tree.
    """


@verb("run", example="fe check run fe-7k2")
@click.argument("task", required=False)
@click.option("--only", multiple=True, metavar="NAME", help="Only this check. Repeatable.")
@click.option("--again", is_flag=True, help="Run again even if this tree has a result.")
@click.option("--target", is_flag=True, help="Check the tip of the target branch, for fe check complete.")
def check_run(session: Session, task: str | None, only: tuple[str, ...], again: bool, target: bool) -> None:
    """Run the checks of a task, or of all tasks in review. They run in a throwaway checkout. Exit code 6 if a
    required one is not green. A run that an agent started is "claimed". It informs people and decides nothing,
    because a person or a service must start it (D5). Without a task, a crashed check runs again, at once for a
    person, else after a growing pause (1 minute to 1 hour). --again or a task runs it at once.
    """
    end_cleanly()
    if target:
        run_on_target(session, task, only, again=again)
        return
    tell = None if session.json else Teller(session)
    pending = Pending(tasks=()) if task else session.app.checks.pending(session.actor, again=again)
    if task:
        reports = [session.app.checks.run(session.actor, task, only=only, again=again, tell=tell)]
    else:
        reports = session.app.checks.run_each(session.actor, pending.tasks, only=only, again=again, tell=tell)
    for later in pending.later if reports else ():
        session.note(later_text(later))
    if not reports:
        lines = [*map(later_text, pending.later)] or ["every attempt in review has its checks"]
        session.answer(
            {"tasks": 0, "later": pending.later, "unaccepted": pending.unaccepted},
            "\n".join([*lines, *_unaccepted(pending.unaccepted, with_step=True)]),
        )
    for number, report in enumerate(reports):
        session.answer(report, report_text(report if number == 0 else replace(report, unaccepted=None)))
    if pending.later or not all(report.is_green for report in reports):
        output.flush()
        raise SystemExit(VerificationFailed.exit_code)


def run_on_target(session: Session, task: str | None, only: tuple[str, ...], *, again: bool) -> None:
    """Run every check on the target branch. (X4)"""
    if task or only:
        raise BadInput(
            "--target runs every check on the target branch, so it takes no task and no --only.",
            next_step=fe("check", "run", "--target"),
        )
    results = session.app.checks.run_target(session.actor, again=again, tell=None if session.json else Teller(session))
    lines = [f"  {result.name:<12} {result.outcome.replace('_', ' '):<10} {flat(result.summary)}" for result in results]
    is_green = all(result.outcome == "passed" for result in results)
    lines += [] if is_green else [next_line(fe("check", "show", "--target"))]
    session.answer(
        results, "\n".join([f"the target branch, tree {results[0].tree[:7]}" if results else "no checks", *lines])
    )
    if not is_green:
        output.flush()
        raise SystemExit(VerificationFailed.exit_code)


def later_text(later: CheckRetry) -> str:
    """Return which check broke and when it is retried."""
    tries = "once" if later.tries == 1 else f"{later.tries} times"
    how = later.outcome.replace("_", " ")
    at = f"{later.at[:10]} {later.at[11:19]} UTC"
    return (
        f"{later.task}  {later.check} ended {tries} as {how}. It runs again at {at}. "
        f"To run it now: {steps_text(later.next)}"
    )


class Teller:
    """Progress on stderr: when each check starts and ends. Its output is shown only on a terminal, each line in place
    of the previous one.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    def __call__(self, news: News) -> None:
        if news.printed:
            diagnostics.pass_by(news.text)
        else:
            self._session.tell(news)


def report_text(report: CheckReport, *, whole: bool = False) -> str:
    """Return the checks of an attempt and the gate's result."""
    if report.problem:
        steps = [next_line(report.next)] if report.next else []
        return "\n".join([f"{report.task}  not checked: {flat(report.problem)}", *steps])
    lines = [f"{report.task}  attempt {report.attempt}, tree {report.tree[:7]}"]
    lines += [
        line for row in report.checks for line in _row(row, len(row.gone) + FAILING_SHOWN if whole else FAILING_SHOWN)
    ]
    lines += _unaccepted(report.unaccepted, with_step=report.is_green)
    if report.own:
        lines.append(
            "  your own run does not count, because you started or made this work. Another person or CI must run it. (D5)"
        )
    if report.status == "approved" and report.mode in ("auto-approve", "skip"):
        lines.append(f"  approved automatically, in mode {report.mode} (M4)")
    elif report.sent_back:
        lines.append("  sent back with the failures")
    elif report.mode == "auto-approve":
        lines += [f"  not auto-approved: {flat(reason.message)} ({reason.rule})" for reason in report.reasons]
    return "\n".join([*lines, *([next_line(report.next)] if report.next else [])])


def _unaccepted(note: Reason | None, *, with_step: bool) -> list[str]:
    """Return a note if the target's foureyes.toml is not the accepted one. (P12)"""
    step = f": {steps_text(note.next)}" if note and with_step else ""
    return [f"  note: {flat(note.message)} ({note.rule}){step}"] if note else []


def _row(row: CheckRow, shown: int) -> list[str]:
    marks = [
        *(["claimed"] if row.claimed else []),
        *(["optional"] if not row.required else []),
        *(["red and green before"] if row.flaky else []),
    ]
    took = f"{row.duration_ms / 1000:.1f} s" if row.duration_ms else ""
    reused = "reused: ran on this tree" if row.reused and row.at else took
    tail = "   ".join(part for part in (reused, ", ".join(marks)) if part)
    lines = [
        f"  {row.check:<12} {row.outcome.replace('_', ' '):<10} {flat(row.summary)}" + (f"   {tail}" if tail else "")
    ]
    names = [*row.failing, *[f"gone: {name}" for name in row.gone]]
    lines += [f"    - {flat(name)}" for name in names[:shown]]
    more = row.failed + len(row.gone) - len(names[:shown])
    return lines + ([f"    - and {more} more"] if more > 0 else [])


@verb("show", example="fe check show fe-7k2")
@click.argument("task", required=False)
@click.option("--target", is_flag=True, help="The latest runs on the target branch.")
@click.option("--run", "number", type=int, metavar="N", help="One run, by its number, with all its output.")
def check_show(session: Session, task: str | None, target: bool, number: int | None) -> None:
    """Show check results and output. It shows the latest attempt and every other run for the task: earlier attempts,
    the target and merge results.
    """
    if [task is not None, target, number is not None].count(True) != 1:
        raise BadInput("name a task, --target, or --run N.", next_step=fe("check", "show", "--target"))
    if number is not None:
        run = session.app.check_runs.one(number)
        session.answer(run, "\n".join(run_lines(run)))
    elif target:
        show_target(session, session.app.check_runs.of_target(session.actor))
    else:
        report = session.app.check_runs.of_task(session.actor, task or "")
        session.answer(report, show_text(report))


def show_target(session: Session, runs: list[CheckRun]) -> None:
    """Print the runs on the target with their output."""
    if session.json:
        output.write_lines(runs)
        return
    if not runs:
        output.write(
            f"no check of the accepted configuration has run on it yet\n{next_line(fe('check', 'run', '--target'))}"
        )
    for run in runs:
        output.write("\n".join(run_lines(run)))


def show_text(report: CheckReport) -> str:
    """Return the checks of an attempt with their output, and the task's other runs."""
    lines = [report_text(report, whole=True)]
    for row in report.checks:
        if row.output.strip():
            lines += ["", f"── {row.check}: {row.command}", row.output.rstrip()]
        elif row.command and row.outcome in ("crashed", "timed_out"):
            lines += ["", f"── {row.check}: {row.command}", "   (no output)"]
        if (ran := WhatRan.read(row.program)).program or ran.environment:
            lines.append(f"   {row.check} ran {row.program}")
    if not report.checks:
        lines.append("  no checks are configured: add [[checks]] to foureyes.toml on the target branch")
    for run in report.runs:
        if run.output.strip():
            lines += ["", *run_lines(run)]
    if report.runs:
        lines += ["", "── other runs, each with its full output: fe check show --run N"]
        lines += [f"  {run_line(run)}" for run in report.runs]
    return "\n".join(lines)


WHERE = {"merge": "merge result", "": "tree"}


def run_line(run: CheckRun) -> str:
    """Return a run in one line: number, time, tree, starter and outcome."""
    where = f"{WHERE.get(run.on, run.on)} {run.tree[:7]}"
    how = run.outcome.replace("_", " ")
    return f"{run.n}  {run.at[:10]} {run.at[11:19]}  {run.check} on {where}: {how}, {flat(run.summary)}   by {run.by}"


def run_lines(run: CheckRun) -> list[str]:
    """Return a run with its output."""
    lines = [f"── run {run_line(run)}", f"   {flat(run.command)}"]
    lines += [f"    - {flat(name)}" for name in run.failing[:FAILING_SHOWN]]
    lines += [f"    - and {run.failed - FAILING_SHOWN} more"] if run.failed > FAILING_SHOWN else []
    return [*lines, *([run.output.rstrip()] if run.output.strip() else ["   (no output)"])]


@verb("complete", example="fe check complete --label sprint-4")
@click.argument("tasks", nargs=-1, metavar="[TASK]...")
@click.option("--label", default="", help="Only tasks with this label.")
@click.option("--group", default="", help="Only tasks of this group.")
@click.option("--sprint", default="", metavar="SPRINT", help="Only tasks of this sprint.")
def check_complete(session: Session, tasks: tuple[str, ...], label: str, group: str, sprint: str) -> None:
    """Check that all submitted work is done. Done means reviewed, approved, merged and green. Exit code 6 if not,
    with every reason. Without a scope it checks the whole project. Cancelled tasks and work closed unmerged do not
    count.
    """
    report = session.app.validation.validate(session.actor, tasks=tasks, label=label, group=group, sprint=sprint)
    session.answer(report, completion_text(report))
    if not report.complete:
        output.flush()
        raise SystemExit(VerificationFailed.exit_code)


def completion_text(report: Report) -> str:
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


check.add_command(check_run)
check.add_command(check_show)
check.add_command(check_detect)
check.add_command(check_complete)
check.add_command(check_environments)
