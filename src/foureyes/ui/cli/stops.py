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
    """Block a task on something outside the task list."""
    say(session, session.app.stops.block(session.actor, task, reason))


@verb("unblock", example="fe unblock fe-7k2")
@click.argument("task")
@reason_options
def unblock(session: Session, task: str, reason: str) -> None:
    """Unblock a task. A rejected task is unblocked by its reviewer or by a person."""
    say(session, session.app.stops.unblock(session.actor, task, reason))


@verb("defer", example="fe defer fe-7k2 fe-q4d --until 2027-01-31")
@click.argument("tasks", nargs=-1, required=True, metavar="TASK...")
@click.option("--until", metavar="DATE", help="The date it becomes due again.")
def defer(session: Session, tasks: tuple[str, ...], until: str | None) -> None:
    """Postpone tasks. All of them change or none does."""
    if len(tasks) > 1:
        say_all(session, session.app.stops.defer_several(session.actor, tasks, until))
    else:
        say(session, session.app.stops.defer(session.actor, tasks[0], until))


@verb("undefer", example="fe undefer fe-7k2")
@click.argument("tasks", nargs=-1, required=True, metavar="TASK...")
def undefer(session: Session, tasks: tuple[str, ...]) -> None:
    """Make deferred tasks ready again. All of them change or none does."""
    if len(tasks) > 1:
        say_all(session, session.app.stops.undefer_several(session.actor, tasks))
    else:
        say(session, session.app.stops.undefer(session.actor, tasks[0]))


def which(task: str | None, project: bool, verb: str) -> str | None:
    """Return the named task, or None for the whole project. Refuse unless exactly one is given."""
    if (task is None) == (not project):
        raise BadInput("name a task, or --project for all of it.", next_step=fe(verb, "fe-7k2", "-m", phrase("why")))
    return task


@verb("hold", example='fe hold fe-7k2 -m "legal looks at it first"')
@click.argument("task", required=False)
@click.option("--project", is_flag=True, help="Hold the whole project.")
@reason_options
def hold(session: Session, task: str | None, project: bool, reason: str) -> None:
    """Stop a task, or the project, until a person resumes it. People only."""
    say(session, session.app.stops.hold(session.actor, which(task, project, "hold"), reason))


@verb("resume", example='fe resume fe-7k2 -m "legal is fine with it"')
@click.argument("task", required=False)
@click.option("--project", is_flag=True, help="Lift the project's hold or pause.")
@click.option("--agent", default="", metavar="SESSION", help="Ignore all its blockers that stopped no task. (R1)")
@reason_options
def resume(session: Session, task: str | None, project: bool, agent: str, reason: str) -> None:
    """Lift a hold or a pause, or retry a stuck task. People only."""
    named = which(task, project or bool(agent), "resume")
    say(session, session.app.stops.resume(session.actor, named, reason, agent=agent))
