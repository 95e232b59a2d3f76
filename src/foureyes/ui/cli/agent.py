"""`fe agent list`, and the commands for agents and their hooks: `signal`, `emit`, `remind`."""

from __future__ import annotations

import os
import sys
from typing import Any

import click
import msgspec

from foureyes.core.nouns.run import EMIT_TYPES, SIGNALS
from foureyes.errors import FoureyesError
from foureyes.steps import blank, either, fe, phrase
from foureyes.ui.cli import output
from foureyes.ui.cli.agents import agent_list
from foureyes.ui.cli.command import Session, reason_options, say, verb
from foureyes.ui.steps import steps_text

HOOKED = ("claude", "codex", "gemini", "qwen", "cursor", "copilot")
"""Programs whose hooks run `fe agent remind`."""
MOST_INPUT = 8 << 20
PATIENCE = 2
ACTIVE = ("stop_hook_active", "stopHookActive")
"""Fields by which programs report that their agent continues because of a hook."""
TELLS_PEOPLE = "qwen"
"""A program that reports this for every stop, so that a reminder to its agent would repeat forever (qwen 0.15.10). Its
user gets the message instead.
"""


@click.group("agent")
def agent() -> None:
    """List agent programs; and what agents and their hooks report."""


@verb(
    "signal",
    example='fe agent signal BLOCKED -m "the API key is missing"',
    help=f"Report how a run ended. The signal is one of {', '.join(SIGNALS)} (S1). fe submit sends it by itself.",
)
@click.argument("signal", metavar="SIGNAL")
@click.option("--task", default="", metavar="TASK", help="The task; default: the one you work on.")
@reason_options
def signal(session: Session, signal: str, task: str, reason: str) -> None:
    say(session, session.app.runs.signal(session.actor, signal, message=reason, task=task))


@verb(
    "emit",
    example='fe agent emit question "may the old endpoint go?"',
    help=f"Report an event during a run. The types are {', '.join(EMIT_TYPES)}. (S3)",
)
@click.argument("type", metavar="TYPE")
@click.argument("summary")
@click.option("--payload", default="", metavar="JSON", help="Details, as a JSON object.")
@click.option("--task", default="", metavar="TASK", help="The task; default: the one you work on.")
def emit(session: Session, type: str, summary: str, payload: str, task: str) -> None:
    say(session, session.app.runs.emit(session.actor, type, summary, payload=payload, task=task))


@verb("remind", example="fe agent remind")
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
    """Return the hook's answer, which reminds the agent of the tasks it holds. Empty if the agent was reminded already,
    was stopped, or holds none.
    """
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
    """Return the JSON on standard input, waiting a limited time."""
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


for _command in (agent_list, signal, emit, remind):
    agent.add_command(_command)
