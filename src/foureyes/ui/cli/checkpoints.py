"""`fe checkpoint create|list|restore`."""

from __future__ import annotations

import click

from foureyes.core.words.untrusted_text import named
from foureyes.steps import blank, fe
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, verb
from foureyes.ui.steps import next_line

TASK = click.option("--task", default="", help="The task it belongs to.")


@click.group("checkpoint")
def checkpoint() -> None:
    """Save commits under a name and go back to them."""


@verb("create", example="fe checkpoint create before-refactoring --task fe-7k2")
@click.argument("name", required=False, default="")
@TASK
def create(session: Session, name: str, task: str) -> None:
    """Save the current commit as a checkpoint. Without a name it gets the next number. Everything must be committed."""
    made = session.app.checkpoints.create(session.actor, name, task=task)
    back = fe("checkpoint", "restore", made.name, after="   comes back")
    session.answer(made, f"checkpoint {made.name} at {made.sha[:7]}: {made.subject}\n{next_line(back)}")


@verb("list", example="fe checkpoint list\nfe checkpoint list --prune --keep 5", modes={"prune": ("keep", "task")})
@click.option("--prune", is_flag=True, help="Delete old checkpoints. Commits that a branch or an attempt holds stay.")
@click.option(
    "--keep",
    type=click.IntRange(0),
    metavar="N",
    default=20,
    show_default=True,
    help="How many to keep per task, newest first.",
)
@TASK
def list_all(session: Session, prune: bool, keep: int, task: str) -> None:
    """List checkpoints, newest first."""
    if prune:
        gone = session.app.checkpoints.prune(session.actor, keep=keep, task=task)
        if session.json:
            output.write_lines(gone)
        else:
            output.write(f"deleted {output.count(len(gone), 'checkpoint')}")
        return
    rows = session.app.checkpoints.all()
    if session.json:
        output.write_lines(rows)
        return
    if not rows:
        create = fe("checkpoint", "create", blank("NAME"))
        output.write(f"no checkpoints\n{next_line(create)}")
        return
    cells = [(row.name, row.task or "-", row.sha[:7], output.when(row.at), row.subject) for row in rows]
    output.write_raw(output.table(("NAME", "TASK", "COMMIT", "MADE", "SUBJECT"), cells) + "\n")


@verb("restore", example="fe checkpoint restore before-refactoring")
@click.argument("name")
@TASK
def restore(session: Session, name: str, task: str) -> None:
    """Reset the current branch to a checkpoint. Refused with uncommitted changes and on the target branch."""
    done = session.app.checkpoints.restore(session.actor, name, task=task)
    if not done.changed:
        session.answer(done, f"{named(done.branch)} is already at {done.sha[:7]}")
        return
    session.answer(
        done, f"{named(done.branch)} is back at {done.sha[:7]}. Its previous state is kept as checkpoint {done.kept}"
    )


for command in (create, list_all, restore):
    checkpoint.add_command(command)
