"""`fe setup`: instructions and tools for agent programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from foureyes.bootstrap.agent_setup import PROGRAMS
from foureyes.steps import NO_STEP, Steps, prose
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, verb
from foureyes.ui.steps import next_line

if TYPE_CHECKING:
    from foureyes.app.results.settings import FileChange


@verb("setup", example="fe setup claude --dry-run\nfe setup claude")
@click.argument("program", metavar="|".join(PROGRAMS), type=click.Choice(PROGRAMS))
@click.option("--dry-run", is_flag=True, help="Show the change as a diff. Write nothing.")
@click.option("--remove", is_flag=True, help="Remove all of it.")
def setup(session: Session, program: str, dry_run: bool, remove: bool) -> None:
    """Add instructions and tools to an agent program. If the program has hooks, it also adds a reminder of open
    claims. Safe to repeat. Everything else in the program's files stays as it is.
    """
    from foureyes.bootstrap.agent_setup import set_up

    changes, note = set_up(session.cwd, session.actor, program, remove=remove, dry_run=dry_run)
    changed = [change for change in changes if change.before != change.after]
    step = prose("review and commit it") if changed and not dry_run else NO_STEP
    if session.json:
        output.write_json(_fields(changes, dry_run, step))
        return
    lines = [line for change in changes for line in _lines(change, dry_run, remove)]
    lines += [f"  note  {note}"] if note and not remove else []
    lines += ["dry run: nothing was written"] if dry_run else []
    output.write("\n".join(lines + ([next_line(step)] if step else [])))


def _fields(changes: list[FileChange], dry_run: bool, step: Steps) -> dict[str, Any]:
    """Return the JSON answer. `file` and `result` describe the instructions file."""
    files = [
        {"file": each.file, "result": each.result, "why": each.why, "lines": each.lines}
        | ({"diff": _diff(each)} if dry_run else {})
        for each in changes
    ]
    return {"file": changes[0].file, "result": changes[0].result, "files": files, "dry_run": dry_run, "next": step}


def _lines(change: FileChange, dry_run: bool, remove: bool) -> list[str]:
    why = f": {change.why}" if change.why else ""
    is_planned = dry_run and change.before != change.after
    lines = [f"{change.file}: {'would be ' if is_planned else ''}{change.result}{why}"]
    if change.lines:
        lines.append("  take out by hand:" if remove else "  add by hand:")
        lines += [f"    {line}" for line in change.lines.splitlines()]
    return lines + (_diff(change).splitlines() if dry_run else [])


def _diff(change: FileChange) -> str:
    from difflib import unified_diff

    old, new = ("" if text is None else text for text in (change.before, change.after))
    before = "/dev/null" if change.before is None else f"a/{change.file}"
    after = "/dev/null" if change.after is None else f"b/{change.file}"
    return "\n".join(unified_diff(old.splitlines(), new.splitlines(), before, after, lineterm=""))
