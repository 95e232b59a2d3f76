"""`fe loop`, `fe lead split|senior|fresh|ask|continue`."""

from __future__ import annotations

import click

from foureyes.app.views.loop import LoopView
from foureyes.core.loop.engine import Round
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, VerbCommand, reason_options, say, verb
from foureyes.ui.steps import next_line, steps_text


@verb("loop", example="fe loop fe-7k2")
@click.argument("task")
def loop(session: Session, task: str) -> None:
    """Show a task's rounds and what comes next. Each round has its findings, fixes and tier. (L12, E1)"""
    view = session.app.loops.show(task)
    about = {"task": view.task.id, "profile": view.profile, "next": steps_text(view.next)}
    session.answer({**about, **output.plain(view.state)}, loop_text(view))


def loop_text(view: LoopView) -> str:
    """The round table, and where it leads."""
    task, rounds = view.task, view.state.rounds
    if not rounds:
        return f"{task.id}: nothing was submitted yet\n{next_line(view.next)}"
    lines = [output.table(("IT", "FOUND", "FIXED", "NO PROGRESS", "TIER", "ACTION"), [_row(each) for each in rounds])]
    lines += [view.state.outlook] if view.state.outlook and task.status != "closed" else []
    is_free = task.status in ("open", "in_progress")
    lines += [f"the next attempt is for {view.profile} (E4)"] if view.profile and is_free else []
    return "\n".join([*lines, next_line(view.next)])


def _row(round_: Round) -> tuple[str, ...]:
    fixed = str(round_.fixed) if round_.had else "–"
    action = round_.action or ("counted anew" if round_.goes_on else "" if round_.closed else "in review")
    return (
        str(round_.n),
        str(round_.found),
        fixed,
        str(round_.no_progress),
        round_.tier,
        action + (", same tree" if round_.same_tree else ""),
    )


@click.group("lead")
def lead() -> None:
    """Decide what to do with a stuck task. For the lead and for people (E3). Nothing here can force an approval."""


@verb(
    "split",
    example='fe lead split fe-7k2 --into "Read the limit from settings" --into "Count per key" -m "too much at once"',
)
@click.argument("task")
@click.option("--into", multiple=True, metavar="TITLE", help="Title of a new task for a part; repeatable.")
@reason_options
def lead_split(session: Session, task: str, into: tuple[str, ...], reason: str) -> None:
    """Split the task into new tasks and wait for them."""
    say(session, session.app.loops.lead(session.actor, task, "split", reason, into=into))


DECISIONS = {
    "senior": ("Give the task to tier senior.", "needs somebody who knows the counter"),
    "fresh": (
        "Start over from the task's original base. The work so far is kept.",
        "the approach is wrong: count in the database",
    ),
    "ask": ("Ask a person to decide.", "which limit is meant?"),
    "continue": ("Let the task go on as it is.", "the rejections are right"),
}
"""What the lead may say in a word and a reason."""


def decision(option: str) -> VerbCommand:
    """The command of an option."""
    help_text, why = DECISIONS[option]

    @verb(option, example=f'fe lead {option} fe-7k2 -m "{why}"', help=help_text)
    @click.argument("task")
    @reason_options
    def decide(session: Session, task: str, reason: str) -> None:
        say(session, session.app.loops.lead(session.actor, task, option, reason))

    return decide


for command in (lead_split, *[decision(option) for option in DECISIONS]):
    lead.add_command(command)
