"""`fe prompt`: what an agent is told about a task."""

from __future__ import annotations

import click

from foureyes.core.documents.prompt_contract import PURPOSES
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, verb


@verb("prompt", example="fe prompt fe-7k2 --for review")
@click.argument("task")
@click.option("--for", "purpose", type=click.Choice(PURPOSES), required=True, help="The agent's role.")
def prompt(session: Session, task: str, purpose: str) -> None:
    """Print the prompt an agent gets for a task. It is built from the journal. (F4)"""
    made = session.app.prompts.make(session.actor, task, purpose)
    if session.json:
        output.write_json({"task": task, "for": purpose, "prompt": made.text, "note": made.note})
        return
    output.write_raw(made.text)
    if made.note:
        session.note(made.note)
