"""`fe plan import|accept|export`."""

from __future__ import annotations

import os

import click

from foureyes.errors import BadInput
from foureyes.steps import by, either, fe, prose
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, verb
from foureyes.ui.cli.files import read_document
from foureyes.ui.steps import next_line

LIMIT = 2_000_000


@click.group("plan")
def plan() -> None:
    """Many tasks at once, from Markdown."""


@verb("import", example="fe plan import plan.md")
@click.argument("file")
@click.option("--group", default="", help="A name for all of them.")
def plan_import(session: Session, file: str, group: str) -> None:
    """Make a task of every section "## Task: …" (Labels, Priority, Depends on, Acceptance); all of them or none. `-`
    reads stdin.

    A task without a review label is planned as auto-approve. Modes count as yours: for what you implement yourself they
    do not (M6).
    """
    rows = session.app.plans.import_(
        session.actor, _read(session, file), os.path.basename(file) if file != "-" else "stdin", group=group
    )
    if session.json:
        output.write_lines(rows)
        return
    cells = [(row.task, row.mode, ", ".join(row.depends_on), row.title) for row in rows]
    output.write_raw(output.table(("ID", "MODE", "WAITS FOR", "TITLE"), cells) + "\n")
    accept = by("person", fe("plan", "accept"), "a person makes the modes their own: ")
    output.write(f"planned {output.count(len(rows), 'task')}\n{next_line(either(fe('ready'), accept, joint='      '))}")


def _read(session: Session, file: str) -> str:
    data = read_document(session, file, command=("plan", "import"), most=LIMIT + 1)
    if len(data) > LIMIT:
        raise BadInput(f"{file} is larger than {LIMIT:,} bytes; that is no plan.", next_step=prose("split it"))
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise BadInput(f"{file} is not valid UTF-8.", next_step=prose("save it as UTF-8")) from None


@verb("accept", example="fe plan accept")
@click.argument("tasks", nargs=-1, metavar="[TASK]...")
def plan_accept(session: Session, tasks: tuple[str, ...]) -> None:
    """A person makes planned modes their own: of these tasks, or of every open one (M7)."""
    rows = session.app.plans.accept(session.actor, tasks)
    if session.json:
        output.write_lines(rows)
        return
    for row in rows:
        output.write(f"{row.task}  {row.mode}")
    output.write(f"the modes of {output.count(len(rows), 'task')} are yours now")


@verb("export", example="fe plan export > plan.md")
def plan_export(session: Session) -> None:
    """The open tasks as a plan."""
    text = session.app.plans.export()
    if session.json:
        output.write_json({"plan": text})
    else:
        output.write_raw(text)


for command in (plan_import, plan_accept, plan_export):
    plan.add_command(command)
