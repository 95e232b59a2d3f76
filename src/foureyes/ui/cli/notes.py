"""`fe log` and `fe handoff`."""

from __future__ import annotations

import click

from foureyes.ui.cli.command import Session, say, verb


@verb("log", example='fe log fe-7k2 "the token must be rotated too" --type decision')
@click.argument("task")
@click.argument("text")
@click.option(
    "--type",
    "kind",
    default="progress",
    show_default=True,
    help="progress, blocker, decision, hypothesis, tried, result.",
)
def log(session: Session, task: str, text: str, kind: str) -> None:
    """Add a line to a task's log. `-` as TEXT reads standard input."""
    if text == "-":
        from foureyes.ui.cli.tasks import from_stdin

        text = from_stdin(text) or ""
    say(session, session.app.notes.log(session.actor, task, text, type=kind))


@verb("handoff", example='fe handoff fe-7k2 --done "token store" --remaining "logout" --uncertain "clock skew"')
@click.argument("task")
@click.option("--done", multiple=True, help="What is done. Repeatable.")
@click.option("--remaining", multiple=True, help="What is left.")
@click.option("--decision", "decisions", multiple=True, help="What was decided, and why.")
@click.option("--uncertain", multiple=True, help="What is still unknown.")
def handoff(
    session: Session,
    task: str,
    done: tuple[str, ...],
    remaining: tuple[str, ...],
    decisions: tuple[str, ...],
    uncertain: tuple[str, ...],
) -> None:
    """Leave a note for the next agent or person on the task."""
    outcome = session.app.notes.handoff(
        session.actor, task, done=done, remaining=remaining, decisions=decisions, uncertain=uncertain
    )
    say(session, outcome)
