"""`fe export handoff` and `fe import handoff`."""

from __future__ import annotations

import click
import msgspec

from foureyes.core.words.ids import SEEN_FORM
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, say, verb
from foureyes.ui.cli.files import read_document

ROLES = ("tech_lead", "developer", "qa")


@click.group("export")
def export_group() -> None:
    """Export records as documents of other tools."""


@click.group("import")
def import_group() -> None:
    """Import documents of other tools. Their counts are not trusted. (G6)"""


@verb("handoff", example="fe export handoff fe-7k2 --role developer")
@click.argument("task")
@click.option(
    "--role", type=click.Choice(ROLES), required=True, help="Whose handoff: open issues, answers, or failing tests."
)
def export_handoff(session: Session, task: str, role: str) -> None:
    """Export the handoff of a tech lead, a developer or QA. It is made from what is on record."""
    document = session.app.handoffs.export(task, role)
    if session.json:
        output.write_json(document)
    else:
        output.write_raw(msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n")


@verb("handoff", example="fe import handoff fe-7k2 handoff.json")
@click.argument("task")
@click.argument("file")
@click.option("--seen", default="", metavar=SEEN_FORM, help="The change that the tech lead reviewed; agents name it.")
def import_handoff(session: Session, task: str, file: str, seen: str) -> None:
    """Import a handoff document. `-` reads stdin. A developer's handoff answers findings. A tech lead's is your review
    of the latest attempt. QA's is compared with the checks. Findings that a tech lead lists in prior_issues_resolved
    are ruled VERIFIED, or ACCEPTED where they were rejected. A finding that is left out stays open.
    """
    document = read_document(session, file, command=("import", "handoff", task))
    say(session, session.app.handoffs.take_in(session.actor, task, document, seen=seen))


export_group.add_command(export_handoff)
import_group.add_command(import_handoff)
