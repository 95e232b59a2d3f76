"""`fe redo`, `fe reject`."""

from __future__ import annotations

import click

from foureyes.app.results.review import ViewReport
from foureyes.core.nouns.decision import PriorityChange, RedoOption
from foureyes.core.words.ids import SEEN_FORM
from foureyes.errors import BadInput
from foureyes.steps import fe
from foureyes.ui.cli.command import Session, reason_options, say, verb

seen_option = click.option(
    "--seen",
    default="",
    metavar=SEEN_FORM,
    help="The change you reviewed, as fe show names it. Refused if it has moved. (D7)",
)


@verb("redo", example='fe redo fe-7k2 --issue "tests incomplete" -m "the token is never rotated" --bump')
@click.argument("task")
@click.option(
    "--issue", "issues", multiple=True, metavar="ISSUE", help="A quick issue, by number or beginning. Repeatable."
)
@click.option("--keep", is_flag=True, help="Continue on top of the current work (default).")
@click.option("--fresh", is_flag=True, help="Start over from the original base. The old head is kept.")
@click.option("--checkpoint", metavar="NAME", default="", help="Start over from a checkpoint.")
@click.option("--bump", is_flag=True, help="One priority higher.")
@click.option("--lower", is_flag=True, help="One priority lower.")
@seen_option
@reason_options
def redo(
    session: Session,
    task: str,
    seen: str,
    issues: tuple[str, ...],
    keep: bool,
    fresh: bool,
    checkpoint: str,
    bump: bool,
    lower: bool,
    reason: str,
) -> None:
    """Send a change back with feedback. The task is open again, and the next prompt holds your feedback."""
    if keep + fresh + bool(checkpoint) > 1 or (bump and lower):
        options = "--bump and --lower" if bump and lower else "--keep, --fresh and --checkpoint"
        raise BadInput(f"{options} exclude each other.", next_step=fe("redo", task, "--help"))
    chosen: RedoOption = "checkpoint" if checkpoint else "fresh" if fresh else "keep"
    priority: PriorityChange = "bump" if bump else "lower" if lower else "same"
    say(
        session,
        session.app.feedback.redo(
            session.actor,
            task,
            reason,
            issues=issues,
            option=chosen,
            checkpoint=checkpoint,
            priority=priority,
            seen=seen,
            viewed=ViewReport("cli"),
        ),
    )


@verb("reject", example='fe reject fe-7k2 -m "we do not want this endpoint at all"')
@click.argument("task")
@seen_option
@reason_options
def reject(session: Session, task: str, seen: str, reason: str) -> None:
    """Reject a change with a reason. The task is blocked until you or a person takes it up again."""
    say(session, session.app.feedback.reject(session.actor, task, reason, seen=seen, viewed=ViewReport("cli")))
