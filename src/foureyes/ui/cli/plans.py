"""`fe plan import|draft|accept|export`."""

from __future__ import annotations

import os
from collections.abc import Sequence

import click
import msgspec

from foureyes.app.results.task import PlannedRow, without_reviewer
from foureyes.errors import BadInput
from foureyes.steps import by, either, fe, prose
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, verb
from foureyes.ui.cli.files import read_document
from foureyes.ui.steps import next_line

LIMIT = 2_000_000


@click.group("plan")
def plan() -> None:
    """Import, export and confirm plans of several tasks."""


@verb("import", example="fe plan import plan.md --dry-run")
@click.argument("file")
@click.option("--group", default="", help="The group of the new tasks.")
@click.option("--parent", default="", metavar="TASK", help="The parent of the new tasks.")
@click.option("--dry-run", is_flag=True, help="Show the tasks and their modes. Create nothing.")
@click.option("--again", "--anew", is_flag=True, help="Also create tasks whose title exists already.")
def plan_import(session: Session, file: str, group: str, parent: str, dry_run: bool, again: bool) -> None:
    """Create the tasks of a plan, all or none. A plan is JSON, or Markdown with a "## Task: …" section for each
    task. `-` reads stdin. A section may have Labels, Priority, Depends on and Acceptance. A task that exists
    already, by key or title, does not change. If it has a looser review mode than the plan, nothing is created (M7).
    A task without a review label becomes auto-approve. Your plan's modes do not apply to tasks that you implement
    yourself (M6). A person confirms the modes of an agent's plan with `fe plan accept`.
    """
    name = os.path.basename(file) if file != "-" else "stdin"
    ask = session.app.plans.preview if dry_run else session.app.plans.import_
    rows = ask(session.actor, _read(session, file), name, group=group, again=again, parent=parent)
    if session.json:
        output.write_lines(rows)
        return
    _show(rows)
    output.write(_counted(rows, dry_run=dry_run))
    then = fe("list", "--ready")
    if session.actor.kind != "human":
        then = either(then, by("person", fe("plan", "accept"), "a person confirms the modes: "), joint="      ")
    elif loosened := without_reviewer(rows):
        output.write(loosened)
    if dry_run:
        below = (("--group", group) if group else ()) + (("--parent", parent) if parent else ())
        then = fe("plan", "import", file, *below, *(("--again",) if again else ()))
    output.write(next_line(then))


def _show(rows: Sequence[PlannedRow]) -> None:
    """Print the tasks, then the notes."""
    heading: tuple[str, ...] = ("ID", "MODE", "WAITS FOR", "TITLE")
    cells: list[tuple[str, ...]] = [(row.task or "-", row.mode, ", ".join(row.depends_on), row.title) for row in rows]
    if any(row.state != "new" for row in rows):
        heading = ("PLAN", *heading)
        states = [row.state if row.status == "open" else f"{row.state}, {row.status}" for row in rows]
        cells = [(state, *cell) for state, cell in zip(states, cells, strict=True)]
    output.write_raw(output.table(heading, cells) + "\n")
    for row in rows:
        for note in row.notes:
            output.write(f"  {row.task or row.title}: {note}")


def _counted(rows: Sequence[PlannedRow], *, dry_run: bool) -> str:
    """Return the number of new and existing tasks."""
    new, known = sum(row.state == "new" for row in rows), sum(row.state != "new" for row in rows)
    differ = sum(row.state == "differs" for row in rows)
    words = f"{'would plan' if dry_run else 'planned'} {output.count(new, 'task')}"
    words += f", {known} already exist" if known else ""
    words += f", {differ} of them different from the plan and left unchanged" if differ else ""
    return words


def _read(session: Session, file: str) -> str:
    data = read_document(session, file, command=("plan", "import"), most=LIMIT + 1)
    if len(data) > LIMIT:
        raise BadInput(
            f"{file} is larger than {LIMIT:,} bytes, which is too large for a plan.", next_step=prose("split it")
        )
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise BadInput(f"{file} is not valid UTF-8.", next_step=prose("save it as UTF-8")) from None


@verb("draft", example='fe plan draft "Sign in with a passkey"')
@click.argument("goal")
@click.option("--agent", "profile", default="", help="The agent profile that plans. Default: the lead or the senior.")
def plan_draft(session: Session, goal: str, profile: str) -> None:
    """Let an agent draft a plan for a goal. The goal is a sentence or a task. The plan is printed and saved in a
    file, and nothing is imported. A goal in words becomes an epic. Agents cannot use it. (I5)
    """
    click.echo("an agent reads the project and drafts the plan. Ctrl-C ends it", err=True)
    drafted = session.app.planning.draft(session.actor, goal, profile=profile)
    if session.json:
        output.write_json(drafted)
        return
    output.write_raw(drafted.text + "\n")
    where = os.path.relpath(drafted.file, session.cwd)
    if drafted.problem:
        output.write(f"it cannot be imported as it is: {drafted.problem}")
    else:
        _show(drafted.rows)
    output.write(f"{drafted.profile} drafted a plan for {drafted.task}: {where}. Nothing is imported yet")
    output.write(next_line(drafted.next))


@verb("accept", example="fe plan accept")
@click.argument("tasks", nargs=-1, metavar="[TASK]...")
def plan_accept(session: Session, tasks: tuple[str, ...]) -> None:
    """Confirm the review modes of a plan. People only. Without ids it confirms those of every open task. (M7)"""
    rows = session.app.plans.accept(session.actor, tasks)
    if session.json:
        output.write_lines(rows)
        return
    for row in rows:
        is_planned = row.mode.endswith(row.planned)
        over = "" if is_planned else f"   (planned as {row.planned}, but a stricter rule applies)"
        output.write(f"{row.task}  {row.mode}{over}")
    output.write(f"you confirmed the modes of {output.count(len(rows), 'task')}")


@verb("export", example="fe plan export > plan.json")
def plan_export(session: Session) -> None:
    """Print the open tasks as a plan in JSON. `fe plan import` reads it."""
    document = session.app.plans.export()
    if session.json:
        output.write_json(document)
    else:
        output.write_raw(msgspec.json.format(msgspec.json.encode(document)).decode() + "\n")


for command in (plan_import, plan_draft, plan_accept, plan_export):
    plan.add_command(command)
