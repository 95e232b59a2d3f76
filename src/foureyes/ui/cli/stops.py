"""`fe block`, `unblock`, `defer`, `undefer`, `hold`, `resume`."""

from __future__ import annotations

import click

from foureyes.errors import BadInput
from foureyes.steps import fe, phrase
from foureyes.ui.cli.command import Session, reason_options, say, say_all, verb


@verb("block", example='fe block fe-7k2 -m "waiting for the key from the bank"')
@click.argument("task")
@reason_options
def block(session: Session, task: str, reason: str) -> None:
    """Say what a task waits for that is not a task."""
    say(session, session.app.stops.block(session.actor, task, reason))


@verb("unblock", example="fe unblock fe-7k2")
@click.argument("task")
@reason_options
def unblock(session: Session, task: str, reason: str) -> None:
    """Free a blocked task. A rejected one: who rejected it, or a person."""
    say(session, session.app.stops.unblock(session.actor, task, reason))


@verb("defer", example="fe defer fe-7k2 fe-q4d --until 2027-01-31")
@click.argument("tasks", nargs=-1, required=True, metavar="TASK...")
@click.option("--until", metavar="DATE", help="From when on it should be looked at again.")
def defer(session: Session, tasks: tuple[str, ...], until: str | None) -> None:
    """Not now. Several at once: all of them or none."""
    if len(tasks) > 1:
        say_all(session, session.app.stops.defer_several(session.actor, tasks, until))
    else:
        say(session, session.app.stops.defer(session.actor, tasks[0], until))


@verb("undefer", example="fe undefer fe-7k2")
@click.argument("tasks", nargs=-1, required=True, metavar="TASK...")
def undefer(session: Session, tasks: tuple[str, ...]) -> None:
    """Now after all. Several at once: all of them or none."""
    if len(tasks) > 1:
        say_all(session, session.app.stops.undefer_several(session.actor, tasks))
    else:
        say(session, session.app.stops.undefer(session.actor, tasks[0]))


def which(task: str | None, project: bool, verb: str) -> str | None:
    """The task that is meant, or none where it is the whole project."""
    if (task is None) == (not project):
        raise BadInput("name a task, or --project for all of it.", next_step=fe(verb, "fe-7k2", "-m", phrase("why")))
    return task


@verb("hold", example='fe hold fe-7k2 -m "legal looks at it first"')
@click.argument("task", required=False)
@click.option("--project", is_flag=True, help="Hold the whole project.")
@reason_options
def hold(session: Session, task: str | None, project: bool, reason: str) -> None:
    """Stop a task, or the project, until a person lifts it. For people."""
    say(session, session.app.stops.hold(session.actor, which(task, project, "hold"), reason))


@verb("resume", example='fe resume fe-7k2 -m "legal is fine with it"')
@click.argument("task", required=False)
@click.option("--project", is_flag=True, help="Lift what stops the whole project.")
@click.option("--agent", default="", metavar="SESSION", help="Set aside all its blockers that stopped no task (R1).")
@reason_options
def resume(session: Session, task: str | None, project: bool, agent: str, reason: str) -> None:
    """Lift a hold or a pause, or let the runner try a task again that it left to you. For people."""
    named = which(task, project or bool(agent), "resume")
    say(session, session.app.stops.resume(session.actor, named, reason, agent=agent))
