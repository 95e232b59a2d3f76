"""`fe sprint plan|start|status|stop|pause|undo`: unattended work on chosen tasks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from foureyes.app.results.sprint import SPRINT_AGENTS, SprintAsk, SprintBegun
from foureyes.core.nouns.sprint import number_of
from foureyes.errors import BadInput
from foureyes.steps import either, fe
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Priority, Session, reason_options, verb
from foureyes.ui.cli.text import sprint as text
from foureyes.ui.steps import next_line

LOOKED_AT, NAMED = 50, 5
"""Number of latest sprints to search for one to start, and number to name."""
SPRINT = click.argument("sprint", required=False, default="", metavar="[SPRINT]")
TARGETS = (
    click.option("--tasks", "complete", type=int, metavar="N", help="Stop after this many tasks."),
    click.option("--hours", type=float, metavar="H", help="Stop after this time."),
    click.option("--until", default="", metavar="HH:MM", help="Stop at this local time, today or tomorrow."),
    click.option("--until-idle", "idle", is_flag=True, help="Stop when none of its tasks is ready (default)."),
    click.option("--label", "labels", multiple=True, metavar="LABEL", help="Tasks with this label. Repeatable."),
    click.option("--priority", type=Priority(), metavar="P", help="Tasks of this priority or higher."),
    click.option("--without", multiple=True, metavar="LABEL|TASK", help="Leave these out. Repeatable."),
    click.option(
        "--pause-on-error/--no-pause-on-error", default=None, help="Pause on any error. Default: sprint.pause_on_error."
    ),
    click.option(
        "--checkpoint/--no-checkpoint",
        default=None,
        help="Make a checkpoint of the target first. Default: sprint.checkpoint.",
    ),
    click.option(
        "--agents",
        type=click.IntRange(1, 100),
        default=SPRINT_AGENTS,
        show_default=True,
        metavar="N",
        help="Number of concurrent runs.",
    ),
)


def selection(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options for a sprint's target and tasks. The function receives them as `given`."""

    def with_options(session: Session, names: tuple[str, ...], **given: Any) -> None:
        function(session, names, given)

    command: Callable[..., None] = with_options
    command.__doc__, command.__name__ = function.__doc__, function.__name__
    for option in reversed(TARGETS):
        command = option(command)
    return click.argument("names", nargs=-1, metavar="[TASK]...")(command)


def _ask(names: tuple[str, ...], given: dict[str, Any]) -> SprintAsk:
    return SprintAsk(
        tasks=names,
        labels=given["labels"],
        without=given["without"],
        priority=given["priority"],
        complete=given["complete"],
        hours=given["hours"],
        until=given["until"],
        idle=given["idle"],
        pause_on_error=given["pause_on_error"],
        checkpoint=given["checkpoint"],
        agents=given["agents"],
    )


@click.group("sprint")
def sprint() -> None:
    """Let agents work on chosen tasks until a set time. Only people, and services that the policy names, start,
    pause, stop or undo one. (I5)
    """


@verb("plan", example="fe sprint plan --until 08:00 --label api --without docs")
@selection
def plan(session: Session, names: tuple[str, ...], given: dict[str, Any]) -> None:
    """Choose the tasks and the end of a sprint. Ready tasks are chosen by id, label and priority. It shows how long
    they will take and what will need a person. Nothing starts. For people and services.
    """
    view = session.app.sprints.plan(session.actor, _ask(names, given))
    session.answer(view, text.plan_text(view))


@verb("start", example="fe sprint start s-04\nfe sprint start --until 08:00")
@selection
def start(session: Session, names: tuple[str, ...], given: dict[str, Any]) -> None:
    """Start a sprint, or continue a paused one. Name a planned sprint, or choose tasks and an end here. Without
    arguments it takes the planned or paused sprint, else everything that is ready. If no runner is running, it
    starts one in the background. If that fails, nothing starts.
    """
    from foureyes.bootstrap.runner_launcher import prepare

    prepare()
    if len(names) == 1 and names[0].lower().startswith("s") and number_of(names[0]) is not None:
        _refuse_more(names[0], given)
        name = names[0]
    elif name := "" if names or _says_more(given) else _there(session):
        pass
    else:
        plan = session.app.sprints.plan(session.actor, _ask(names, given))
        name = plan.id
        if not session.json:
            session.note(text.plan_text(plan, short=True))
    _say(session, session.app.sprints.start(session.actor, name, agents=given["agents"]))


def _there(session: Session) -> str:
    """Return the planned or paused sprint, or "". Refuse if there are several."""
    ids = [row.id for row in session.app.sprints.listed(limit=LOOKED_AT) if row.state in ("planned", "paused")]
    if len(ids) > 1:
        ways = either(*[fe("sprint", "start", each) for each in ids[:NAMED]], fe("sprint", "start", "--until-idle"))
        raise BadInput(
            f"{', '.join(ids[1:])} and {ids[0]} can start or continue. Which one do you mean?", next_step=ways
        )
    return ids[0] if ids else ""


def _says_more(given: dict[str, Any]) -> bool:
    """Return True if an option for the target, tasks or mode is given."""
    names = ("complete", "hours", "until", "idle", "labels", "priority", "without", "pause_on_error", "checkpoint")
    return any(given[each] not in (None, "", False, ()) for each in names) or given["checkpoint"] is False


def _refuse_more(name: str, given: dict[str, Any]) -> None:
    """Refuse options for a sprint that is already planned."""
    if _says_more(given):
        raise BadInput(f"{name} is already planned. To change it, plan again.", next_step=fe("sprint", "plan"))


def _say(session: Session, done: SprintBegun) -> None:
    lines = [done.message, *[f"  {note}" for note in (*done.notes, done.runner) if note]]
    if done.next:
        lines.append(next_line(done.next))
    session.answer(done, "\n".join(lines))


@verb(
    "status",
    example="fe sprint status\nfe sprint status s-04 --report --markdown > report.md",
    modes={"everything": ("limit",), "reports": ("sprint", "markdown"), "": ("sprint",)},
)
@SPRINT
@click.option("--all", "everything", is_flag=True, help="List all sprints, newest first.")
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=20, show_default=True, metavar="N", help="Maximum number of rows."
)
@click.option("--report", "reports", is_flag=True, help="What it merged, what failed and why, findings, cost and time.")
@click.option("--markdown", is_flag=True, help="The report as Markdown.")
def status(session: Session, sprint: str, everything: bool, limit: int, reports: bool, markdown: bool) -> None:
    """Show a sprint's progress. The default is the current one, else the latest. A report sorts tasks waiting for
    you by risk.
    """
    if everything:
        show_all(session, limit)
    elif reports:
        report = session.app.sprints.report(session.actor, sprint)
        session.answer(report, text.report_markdown(report) if markdown else text.report_text(report))
    else:
        view = session.app.sprints.status(session.actor, sprint)
        session.answer(text.status_json(view), text.status_text(view))


def show_all(session: Session, limit: int) -> None:
    """Print the sprints, newest first."""
    rows = session.app.sprints.listed(limit=limit)
    if session.json:
        output.write_lines(map(text.status_json, rows))
        return
    if not rows:
        output.write(f"no sprints\n{next_line(fe('sprint', 'plan'))}")
        return
    cells = [(row.id, row.state, row.target.words, row.sentence, output.when(row.started_at)) for row in rows]
    output.write_raw(output.table(("ID", "STATE", "TARGET", "PROGRESS", "STARTED"), cells) + "\n")


@verb("stop", example='fe sprint stop s-04 -m "enough for tonight"')
@SPRINT
@reason_options
def stop(session: Session, sprint: str, reason: str) -> None:
    """End the current sprint, or the one you name. Current runs finish, and no other task of it starts. A planned
    sprint is withdrawn.
    """
    _say(session, session.app.sprints.stop(session.actor, sprint, reason=reason))


@verb("pause", example='fe sprint pause -m "the build machine is needed"')
@SPRINT
@reason_options
def pause(session: Session, sprint: str, reason: str) -> None:
    """Start no more tasks of a sprint for now. Current runs finish. fe sprint start continues."""
    _say(session, session.app.sprints.pause(session.actor, sprint, reason=reason))


@verb("undo", example="fe sprint undo s-04")
@click.argument("sprint", metavar="SPRINT")
def undo(session: Session, sprint: str) -> None:
    """Create tasks that revert the merges of a sprint. They are reviewed like any other task."""
    done = session.app.sprints.undo(session.actor, sprint)
    lines = [done.message, *[f"  {revert}  reverts {task}" for task, revert in done.reverts]]
    lines += [f"  {revert}  was already planned for {task}" for task, revert in done.already]
    session.answer(done, "\n".join([*lines, next_line(done.next)]))


for command in (plan, start, status, stop, pause, undo):
    sprint.add_command(command)
