"""`fe setup`: what agent programs read of this checkout; and `fe remind`, which their hooks run."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click
import msgspec

from foureyes.bootstrap.instructing import PROGRAMS
from foureyes.errors import FoureyesError
from foureyes.steps import NO_STEP, Steps, blank, either, fe, phrase, prose
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, verb
from foureyes.ui.steps import next_line, steps_text

if TYPE_CHECKING:
    from foureyes.app.views.setup import FileChange

HOOKED = ("claude", "codex", "gemini", "qwen", "cursor", "copilot")
"""Programs whose hooks run `fe remind`."""
MOST_INPUT = 8 << 20
PATIENCE = 2
ACTIVE = ("stop_hook_active", "stopHookActive")
"""How programs say that their agent goes on because a hook wanted it."""
TELLS_PEOPLE = "qwen"
"""It says so of every stop (0.15.10): an agent that was told to go on would be told for ever, so its person is told."""


@verb("setup", example="fe setup claude --dry-run\nfe setup claude")
@click.argument("program", metavar="|".join(PROGRAMS), type=click.Choice(PROGRAMS))
@click.option("--dry-run", is_flag=True, help="Show what would change, as a diff; write nothing.")
@click.option("--remove", is_flag=True, help="Remove all of it.")
def setup(session: Session, program: str, dry_run: bool, remove: bool) -> None:
    """Add instructions and tools to an agent program. Where the program has hooks, it also adds a reminder of open
    claims. Safe to repeat. The rest of the program's files stays as it is.
    """
    from foureyes.bootstrap.instructing import set_up

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
    """`file` and `result` are those of the instructions."""
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
    """What would change, as a diff."""
    from difflib import unified_diff

    old, new = ("" if text is None else text for text in (change.before, change.after))
    before = "/dev/null" if change.before is None else f"a/{change.file}"
    after = "/dev/null" if change.after is None else f"b/{change.file}"
    return "\n".join(unified_diff(old.splitlines(), new.splitlines(), before, after, lineterm=""))


@verb("remind", example="fe remind")
@click.argument("program", metavar="[PROGRAM]", type=click.Choice(HOOKED), required=False)
def remind(session: Session, program: str | None) -> None:
    """List the tasks that this session still holds. With a PROGRAM it answers in the form of that program's hook, once,
    and never fails.
    """
    if program is None:
        held = _held(session)
        session.answer({"tasks": held}, _text(held) if held else "you hold no task")
        return
    try:
        reminder = _said(program, _payload(), session)
    except (FoureyesError, OSError, ValueError, msgspec.DecodeError):
        return
    if reminder:
        output.write_json(reminder)


def _held(session: Session) -> list[str]:
    from foureyes.app.views.task_list import ListQuery

    query = ListQuery(mine=session.actor.session, status="in_progress", limit=5)
    return [row.id for row in session.app.lists.page(query)]


def _said(program: str, payload: Any, session: Session) -> dict[str, str]:
    """What the program's agent is told; nothing where it was told already, was stopped, or holds nothing."""
    if not isinstance(payload, dict) or payload.get("status") in ("aborted", "error"):
        return {}
    if program != TELLS_PEOPLE and (payload.get("loop_count") or any(payload.get(name) for name in ACTIVE)):
        return {}
    held = _held(session)
    text = _text(held) if held else ""
    forms = {"cursor": {"followup_message": text}, TELLS_PEOPLE: {"systemMessage": text}}
    return forms.get(program, {"decision": "block", "reason": text}) if text else {}


def _text(held: list[str]) -> str:
    task = held[0] if len(held) == 1 else blank("ID")
    done = fe("submit", task, "-m", phrase("what you did"), before="Finished: ")
    left = fe("handoff", task, "--done", phrase("…"), "--remaining", phrase("…"), before="Stopping early: ")
    back = fe("unstart", task, before="or give it back: ")
    steps = steps_text(either(done, left, joint=". "))
    return (
        f"Foureyes: this session still holds {', '.join(held)}. {steps}, {steps_text(back)}. "
        "If you wait for an answer of a person, say so and stop."
    )


def _payload() -> Any:
    """What the program says on standard input; it is not waited for without end."""
    from select import select

    parts: list[bytes] = []
    handle, size = sys.stdin.fileno(), 0
    while size < MOST_INPUT and select([handle], [], [], PATIENCE)[0]:
        part = os.read(handle, 1 << 16)
        if not part:
            return msgspec.json.decode(b"".join(parts))
        parts.append(part)
        size += len(part)
    return None
