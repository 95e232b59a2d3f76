"""`fe block`, `unblock`, `defer`, `undefer`, `hold`, `pause`, `resume`."""

from __future__ import annotations

import click

from foureyes.core.nouns.run import Run
from foureyes.core.words.text import visible
from foureyes.errors import BadInput
from foureyes.steps import fe, phrase
from foureyes.ui.cli.command import Session, reason_options, say, say_all, verb
from foureyes.ui.steps import next_line


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
    """Return the named task, or None for the whole project. Refused if neither is given."""
    if task is None and not project:
        raise BadInput("name a task, or --project for all of it.", next_step=fe(verb, "fe-7k2", "-m", phrase("why")))
    return task


@verb("hold", example='fe hold fe-7k2 -m "legal looks at it first"', modes={"project": (), "": ("task",)})
@click.argument("task", required=False)
@click.option("--project", is_flag=True, help="Hold the whole project.")
@reason_options
def hold(session: Session, task: str | None, project: bool, reason: str) -> None:
    """Stop a task, or the project, until a person resumes it. People only."""
    say(session, session.app.stops.hold(session.actor, which(task, project, "hold"), reason))


@verb(
    "pause",
    example='fe pause fe-7k2 -m "the interface is about to change"\nfe pause fe-7k2 --now',
    modes={"project": (), "now": ("task",), "": ("task",)},
)
@click.argument("task", required=False, metavar="[TASK]")
@click.option("--project", is_flag=True, help="No new run of any task.")
@click.option("--now", is_flag=True, help="Stop the current runs too: those of a task, or one run by its id.")
@reason_options
def pause(session: Session, task: str | None, project: bool, now: bool, reason: str) -> None:
    """Start no new agent runs, for one task or for all. Current runs finish, unless --now stops them. Work stays on
    its branch. fe resume lifts it. For people. Services may use --now.
    """
    named = which(task, project, "pause")
    if now:
        stop_runs(session, named or "", reason)
    else:
        say(session, session.app.runs.pause(session.actor, named, reason=reason))


def stop_runs(session: Session, what: str, reason: str) -> None:
    """Ask the runs of a task, or one run, to stop. The task gets no new run until it is resumed."""
    runs = session.app.runs.ask_stop(session.actor, what, reason=reason)
    again = next_line(fe("resume", runs[0].task, "-m", phrase("why"))) if runs else ""
    session.answer(runs, "\n".join([*map(_asked, runs), again]) if runs else f"no agent is working on {visible(what)}")


def _asked(run: Run) -> str:
    return f"asked {run.id} of {run.profile} on {run.task} to stop. No new run of it starts"


@verb(
    "resume",
    example='fe resume fe-7k2 -m "legal is fine with it"',
    modes={"project": (), "agent": (), "": ("task",)},
)
@click.argument("task", required=False)
@click.option("--project", is_flag=True, help="Lift the project's hold or pause.")
@click.option(
    "--agent", default="", metavar="SESSION", help="Ignore this session's blockers that stopped no task. (R1)"
)
@reason_options
def resume(session: Session, task: str | None, project: bool, agent: str, reason: str) -> None:
    """Lift a hold or a pause, or retry a stuck task. People only."""
    named = which(task, project or bool(agent), "resume")
    say(session, session.app.stops.resume(session.actor, named, reason, agent=agent))
