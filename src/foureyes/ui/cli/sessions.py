"""`fe whoami`, `fe session list|spawn|end`."""

from __future__ import annotations

import click

from foureyes.app.results.session import SessionView, Whoami, whoami_alone
from foureyes.core.nouns.session import ROLES
from foureyes.errors import BadInput, EnvironmentProblem
from foureyes.steps import fe
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, reason_options, verb
from foureyes.ui.steps import next_line


@verb("whoami", example="fe whoami")
@click.option(
    "--new", is_flag=True, help="First start a new session of your own in the log. It is no new reviewer. (I4)"
)
def whoami(session: Session, new: bool) -> None:
    """Show who you are to Foureyes, and why."""
    actor = session.actor
    if new:
        me = session.app.sessions.new(actor)
        same = "it has the same origin as before, so it may approve nothing that you could not (I4)"
        session.answer(me, f"{whoami_text(me)}\n{same}")
        return
    try:
        me = session.app.sessions.whoami(actor)
    except EnvironmentProblem:
        me = whoami_alone(actor)
    session.answer(me, whoami_text(me))


def whoami_text(me: Whoami) -> str:
    """Return the caller and the evidence."""
    parts = [me.kind, me.trust, *([f"to {me.role} {me.task}"] if me.role else [])]
    if me.kind != "human":
        parts.append(f"origin {', '.join(me.origins)}")
    why = [*me.why]
    if me.kind == "agent" and len(why) == 1:
        why += [
            "You may plan, work and submit, and review and approve the work of others.",
            "You may not approve what this process or its conversation made.",
        ]
    lines = [f"{me.name} ({me.session}): {', '.join(parts)}", *[f"  {line}" for line in why]]
    return "\n".join([*lines, next_line(me.next)] if me.next else lines)


@click.group("session")
def session() -> None:
    """Manage sessions. A session is one agent or person at work."""


@verb("list", example="fe session list")
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=50, show_default=True, metavar="N", help="Maximum number of rows."
)
def session_list(session: Session, limit: int) -> None:
    """List sessions, latest activity first."""
    rows = session.app.sessions.list(limit)
    if session.json:
        output.write_lines(rows)
        return
    heading = ("ID", "NAME", "KIND", "TRUST", "ORIGIN", "SPAWNED BY", "LAST SEEN")
    output.write_raw(output.table(heading, [_cells(row) for row in rows]) + "\n")


def _cells(row: SessionView) -> tuple[str, ...]:
    trust = f"{row.trust} (ended)" if row.ended else row.trust
    return (row.id, row.name, row.kind, trust, row.origin, row.parent or "", output.when(row.last_seen_at))


@verb("spawn", example="FOUREYES_TOKEN=$(fe session spawn fe-7k2 --role implement) claude -p 'work on fe-7k2'")
@click.argument("task")
@click.option("--role", required=True, metavar="ROLE", help=f"What the sub-agent may do: {' or '.join(ROLES)}.")
@click.option("--agent", default="", metavar="NAME", help="The agent profile it runs as. Default: yours.")
def session_spawn(session: Session, task: str, role: str, agent: str) -> None:
    """Give a sub-agent a session of its own. Its token is for one role on one task, and is valid only below this
    agent or shell.
    """
    made = session.app.sessions.spawn(session.actor, task, role, agent=agent)
    if session.json:
        output.write_json(made)
        return
    output.write(made.token)
    session.note("; ".join([f"{made.name} ({made.session}) may {made.role} {made.task}", *made.notes]))
    session.note("give it the token as FOUREYES_TOKEN. It is shown only once")


@verb("end", example="fe session end claude#3")
@click.argument("name", required=False, metavar="[SESSION]")
@reason_options
def session_end(session: Session, name: str | None, reason: str) -> None:
    """End your session, or one that you spawned. Sessions below it end too. Their tokens become void and their
    claims are released. A person may end any session.
    """
    if name is not None and not name.strip():
        raise BadInput("the session's name is empty.", next_step=fe("session", "list"))
    done = session.app.sessions.end(session.actor, name or "", reason=reason)
    first = f"ended {', '.join(done.ended)}" if done.ended else "it had already ended"
    session.answer(done, "\n".join([first, *[f"  released {task}" for task in done.released]]))


for _command in (session_list, session_spawn, session_end):
    session.add_command(_command)
