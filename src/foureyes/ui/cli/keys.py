"""`fe key add|retire|list`."""

from __future__ import annotations

import sys

import click

from foureyes.app.results.settings import KeyOutcome, KeyView
from foureyes.errors import BadInput
from foureyes.steps import Arg, blank, fe
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, reason_options, verb
from foureyes.ui.steps import next_line


@click.group("key")
def key() -> None:
    """Manage people's signing keys. With a key a decision is signed, not only observed. (I9)"""


@verb(
    "add",
    example="fe key add --new\nfe key add 'ssh-ed25519 AAAA…' --person bob@desk",
    modes={"new": ("ssh", "key"), "": ("public", "person")},
)
@click.argument("public", required=False, default="", metavar="[LINE]")
@click.option("--person", default="", metavar="USER@HOST", help="Whose key LINE is.")
@click.option("--new", "--human", is_flag=True, help="Create your own key.")
@click.option(
    "--ssh",
    default="",
    metavar="FILE",
    help="With --new: a FIDO key from ssh-keygen (-t ed25519-sk) that needs a touch.",
)
@click.option(
    "--key", default="", metavar="FINGERPRINT", help="With --new: also use an existing key of yours for this project."
)
def key_add(session: Session, public: str, person: str, new: bool, ssh: str, key: str) -> None:
    """Accept another person's key, or create your own. You sign another person's key with yours. A new key asks for
    a passphrase, now and at each use. Someone with a key must accept it, unless it is the project's first.
    """
    if new:
        key_new(session, ssh, key)
        return
    if not public or not person:
        raise BadInput(
            "name the key and its owner, or --new to create your own.",
            next_step=fe("key", "add", Arg("LINE", "'"), "--person", blank("USER@HOST")),
        )
    _say(session, session.app.keys.add(session.actor, public, person))


def key_new(session: Session, ssh: str, key: str) -> None:
    """Create a key for the caller. At a terminal, offer to require signatures."""
    if ssh and key:
        raise BadInput(
            "--ssh and --key are two different keys.",
            next_step=fe("key", "add", "--new", "--key", blank("FINGERPRINT")),
        )
    done = session.app.keys.new(session.actor, ssh=ssh, key=key)
    _say(session, done)
    asks = done.partly and not session.json and sys.stdin.isatty() and sys.stderr.isatty()
    if asks and click.confirm("shall every decision of a person be signed (review.human_proof = key)?", err=True):
        view = session.app.policy.set(session.actor, "review.human_proof", "key")
        output.write(f"{view.key} = {view.value}")


@verb("retire", example='fe key retire SHA256:x3Jd -m "the laptop was stolen"')
@click.argument("fingerprint")
@reason_options
def key_retire(session: Session, fingerprint: str, reason: str) -> None:
    """Retire a key, signed with a key of the project."""
    _say(session, session.app.keys.retire(session.actor, fingerprint, reason))


@verb("list", example="fe key list")
def key_list(session: Session) -> None:
    """List the accepted keys, and which are on this machine."""
    rows = session.app.keys.list()
    if session.json:
        output.write_lines(rows)
    elif not rows:
        output.write("no signing keys; people are identified by user and terminal (fe key add --new)")
    else:
        heading = ("KEY", "PERSON", "STATE", "PRIVATE PART", "SINCE")
        output.write_raw(output.table(heading, [_cells(row) for row in rows]) + "\n")
    for each in session.app.keys.waiting(session.actor):
        session.note(f"{each.message}\n  {next_line(each.next)}")


def _cells(row: KeyView) -> tuple[str, ...]:
    state = f"retired: {row.retired_why}" if row.retired_at else "counts"
    return (row.fingerprint, row.person, state, "here" if row.here else "elsewhere", output.when(row.at))


def _say(session: Session, done: KeyOutcome) -> None:
    lines = [done.message, *[f"  {note}" for note in done.notes], *([next_line(done.next)] if done.next else [])]
    session.answer(done, "\n".join(lines))


for _command in (key_add, key_retire, key_list):
    key.add_command(_command)
