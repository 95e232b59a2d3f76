"""`fe agent list|attach`, `fe mcp`, and the commands for agents and their hooks: `signal`, `emit`, `remind`."""

from __future__ import annotations

import os
import sys
from typing import Any

import click
import msgspec

from foureyes.app.results.run import AgentView
from foureyes.core.nouns.run import EMIT_TYPES, SIGNALS
from foureyes.core.nouns.session import RUN_DIR
from foureyes.errors import BadInput, FoureyesError
from foureyes.steps import blank, either, fe, phrase
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, reason_options, say, verb
from foureyes.ui.cli.run_logs import attach
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
HEAD = ("PROFILE", "PROGRAM", "STATE", "AT WORK", "TIER", "LAST ERROR")
LONGEST_ERROR = 60


@click.group("agent")
def agent() -> None:
    """List and join agent programs, and report what an agent does."""


@verb("list", example="fe agent list")
@click.option("--quick", is_flag=True, help="Do not start programs to ask for their version.")
def agent_list(session: Session, quick: bool) -> None:
    """List agent programs: found, version, login, last error. It also shows the limit of concurrent runs and skipped
    programs. Login is read from files. Errors are in the program's own words.
    """
    rows = session.app.agents.listed(session.actor, ask=not quick)
    if session.json:
        output.write_lines(rows)
        return
    output.write_raw(output.table(HEAD, [_cells(row) for row in rows]) + "\n")


def _cells(row: AgentView) -> tuple[str, ...]:
    program = " ".join(filter(None, (row.program.rpartition("/")[2], row.model)))
    error = f"{row.error}, {output.when(row.error_at)}: {row.error_text}" if row.error != "none" else ""
    left = f", the runner of {row.left} is gone" if row.left else ""
    at_work = f"{row.running} of {row.slots}{left}"
    tiers, trouble = ", ".join(row.tiers), output.shorten(error, LONGEST_ERROR)
    return row.profile, program, _state(row), at_work, tiers, trouble


def _state(row: AgentView) -> str:
    """Return one table cell: if the program can be used, else why not or until when."""
    if row.problem:
        return row.problem
    if row.cooled:
        return f"skipped until {row.until}" if row.until else "skipped until it works again"
    return ", ".join(filter(None, (row.version, row.login))) or "found"


@verb(
    "signal",
    example='fe agent signal BLOCKED -m "the API key is missing"',
    help=f"Report how a run ended. The signal is one of {', '.join(SIGNALS)} (S1). fe submit sends it by itself.",
)
@click.argument("signal", metavar="SIGNAL")
@click.option("--task", default="", metavar="TASK", help="The task. Default: the one you work on.")
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
@click.option("--task", default="", metavar="TASK", help="The task. Default: the one you work on.")
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
    from foureyes.app.results.task_list import ListQuery

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
        "If you are waiting for a person's answer, say so and stop."
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


@verb("mcp", example="fe mcp\nclaude mcp add foureyes -- fe mcp")
@click.option(
    "--run", "directory", default="", metavar="DIR", help="The directory of the agent's run, which identifies it. (I2)"
)
@click.option("--all", "everything", is_flag=True, help="Every tool for agents, not only those of its role.")
def mcp(session: Session, directory: str, everything: bool) -> None:
    """Serve the commands as MCP tools, over stdin and stdout. The agent program starts it."""
    if session.asserted:
        raise BadInput("a server has no typed name.", next_step=fe("mcp"))
    from foureyes.bootstrap.tool_server import Served

    named = {RUN_DIR: os.path.abspath(directory)} if directory else {}
    project = Served(session.cwd, {**os.environ, **named})  # first, so that the caller is identified now (I5)
    from foureyes.ui.mcp.server import serve

    serve(project, everything=everything)


for _command in (agent_list, attach, signal, emit, remind):
    agent.add_command(_command)
