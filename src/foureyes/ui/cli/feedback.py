"""`fe redo`, `fe reject`."""

from __future__ import annotations

from typing import Literal

import click

from foureyes.core.feedback import PriorityChange, RedoOption
from foureyes.errors import BadInput
from foureyes.ui.cli.command import Session, reason_options, say, verb


@verb("redo", example='fe redo fe-7k2 --issue "tests incomplete" -m "the token is never rotated" --bump')
@click.argument("task")
@click.option("--issue", "issues", multiple=True, metavar="ISSUE", help="A quick issue, by number or beginning; repeatable.")
@click.option("--keep", "option", flag_value="keep", help="Iterate on top of what is there (the default).")
@click.option("--fresh", "option", flag_value="fresh", help="Begin again where the task began; the old head is kept.")
@click.option("--checkpoint", metavar="NAME", default="", help="Begin again at a checkpoint.")
@click.option("--bump", "priority", flag_value="bump", help="One priority higher.")
@click.option("--lower", "priority", flag_value="lower", help="One priority lower.")
@reason_options
def redo(
    session: Session,
    task: str,
    issues: tuple[str, ...],
    option: Literal["keep", "fresh"] | None,
    checkpoint: str,
    priority: PriorityChange | None,
    reason: str,
) -> None:
    """Send a change back with feedback: the task is open again, and the next prompt says what is wrong."""
    if option and checkpoint:
        raise BadInput("--keep, --fresh and --checkpoint exclude each other.", next_step=f"fe redo {task} --help")
    chosen: RedoOption = "checkpoint" if checkpoint else option or "keep"
    say(
        session,
        session.app.feedback.redo(
            session.actor, task, reason, issues=issues, option=chosen, checkpoint=checkpoint, priority=priority or "same"
        ),
    )


@verb("reject", example='fe reject fe-7k2 -m "we do not want this endpoint at all"')
@click.argument("task")
@reason_options
def reject(session: Session, task: str, reason: str) -> None:
    """Refuse a change with a reason: the task is blocked until you or a person takes it up again."""
    say(session, session.app.feedback.reject(session.actor, task, reason))
