"""`fe merge`, and `fe target accept|here` for several machines."""

from __future__ import annotations

import click

from foureyes.app.results.attempt import MergeRow, MergesGoOn, what_brings_it_on
from foureyes.core.words.text import flat
from foureyes.errors import BadInput, CutOff, VerificationFailed
from foureyes.steps import fe
from foureyes.ui.cli import output
from foureyes.ui.cli.checks import Teller
from foureyes.ui.cli.command import Session, end_cleanly, reason_options, say, verb
from foureyes.ui.steps import next_line

WORDS = {
    "merged": "merged",
    "found": "closed",
    "conflict": "CONFLICT",
    "checks": "RED",
    "void": "VOID",
    "stuck": "STUCK",
    "cut": "CUT OFF",
}


@verb(
    "merge",
    example="fe merge --wait\nfe merge fe-7k2\nfe merge --list",
    modes={"lists": (), "retry": ("task",), "": ("task", "wait")},
)
@click.argument("task", required=False)
@click.option("--list", "lists", is_flag=True, help="List approved tasks in merge order. Merge nothing.")
@click.option("--retry", is_flag=True, help="Put a stuck task back into the queue. Merge nothing.")
@click.option("--wait", is_flag=True, help="Wait for approvals that can still be withdrawn. (Q0)")
def merge(session: Session, task: str | None, lists: bool, retry: bool, wait: bool) -> None:
    """Merge approved tasks, in queue order. Each is merged into a candidate, the checks run on it, and the target
    branch moves if they pass. Tasks merge one at a time, never in your checkout. With a task, only that one, if it
    is its turn. Exit code 6 if a merge was sent back or is stuck.
    """
    if lists:
        show_waiting(session)
        return
    if retry:
        if not task:
            raise BadInput("--retry needs a task.", next_step=fe("merge", "--list"))
        say(session, session.app.merges.retry(session.actor, task))
        return
    end_cleanly()
    tell = None if session.json else Teller(session)
    try:
        rows = session.app.merges.process(session.actor, tell, task=task or "", wait=wait)
    except CutOff as cut:
        show(session, [row for row in cut.done if isinstance(row, MergeRow)])
        raise
    show(session, rows)
    if any(row.is_trouble for row in rows):
        output.flush()
        raise SystemExit(VerificationFailed.exit_code)


def show(session: Session, rows: list[MergeRow]) -> None:
    """Print the result of the merge queue."""
    if session.json:
        output.write_lines(map(output.with_id, rows))
    elif not rows:
        output.write("nothing to merge")
    else:
        output.write("\n".join(map(row_text, rows)))


def row_text(row: MergeRow) -> str:
    """Return the result of one task."""
    lines = [
        f"{WORDS.get(row.outcome, 'waits'):<8} {row.task}  {flat(row.message)}",
        *[f"         {note}" for note in row.notes],
    ]
    if row.next:
        lines.append(f"         {next_line(row.next)}")
    if row.outcome in ("conflict", "checks"):
        lines.append(f"         {row.task} is open again, with this as feedback: fe show {row.task} --context")
    if row.outcome == "checks":
        lines.append(f"         the full output: fe check show {row.task}")
    if row.outcome == "stuck":
        lines.append(f"         when that is fixed: fe merge {row.task}   or send it back: fe redo {row.task}")
    return "\n".join(lines)


def show_waiting(session: Session) -> None:
    """Print the approved tasks in merge order with the reason each one waits."""
    items = session.app.merges.all(session.actor)
    if session.json:
        output.write_lines(map(output.with_id, items))
        return
    if not items:
        output.write("nothing to merge")
        return
    cells = [
        (str(item.n), item.task, f"P{item.priority}", item.state, item.why or "ready", output.shorten(item.title, 50))
        for item in items
    ]
    output.write_raw(output.table(("#", "ID", "P", "STATE", "WAITS FOR", "TITLE"), cells) + "\n")
    for item in items:
        for row in item.inside:
            output.write(f"{item.task}: {row.sentence}")
    output.write(next_line(what_brings_it_on(items)))


@click.group("target")
def target() -> None:
    """Settle where the target branch is, with several machines."""


@verb("here", example='fe target here -m "the old machine is gone"')
@reason_options
def target_here(session: Session, reason: str) -> None:
    """Merge in this clone from now on. For several clones that share a store without a remote target. People only.
    This clone must have everything merged so far.
    """
    go_on(session, session.app.merges.here(session.actor, reason))


@verb("accept", example='fe target accept --seen COMMIT -m "a secret was taken out of the history"')
@click.option(
    "--seen", default="", metavar="COMMIT|ADDRESS", help="The full commit or address that you saw. fe merge names it."
)
@click.option("--address", is_flag=True, help="Accept a new address of the project's remote instead.")
@reason_options
def target_accept(session: Session, seen: str, address: bool, reason: str) -> None:
    """Accept that someone set the target branch back. Merging then continues on a target without the last recorded
    merge. People only. If that was not intended, restore the merge first: `fe merge` says how. Only the commit named
    by --seen is accepted. Without --seen it only shows the change.

    Use --address if this clone has another address of the remote than the recorded one. If none of you changed it,
    set it back first, because anyone who can write `.git/config` can name their own repository. Without --seen it
    shows both.
    """
    accept = session.app.merges.address if address else session.app.merges.accept
    go_on(session, accept(session.actor, reason, seen))


def go_on(session: Session, result: MergesGoOn) -> None:
    """Print where merging continues."""
    lines = [result.message, *[f"  {note}" for note in result.notes], next_line(result.next)]
    session.answer(result, "\n".join(lines))


for command in (target_here, target_accept):
    target.add_command(command)
