"""`fe lead`, and `fe show --rounds`."""

from __future__ import annotations

import click

from foureyes.app.results.finding import LoopView
from foureyes.core.loop.rounds import Round
from foureyes.errors import BadInput
from foureyes.steps import fe, phrase
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, reason_options, say, verb
from foureyes.ui.steps import next_line, steps_text


def show_rounds(session: Session, task: str) -> None:
    """Print the rounds of a task with findings, fixes and tier, and the next step."""
    view = session.app.loops.show(task)
    about = {"task": view.task.id, "profile": view.profile, "next": steps_text(view.next)}
    session.answer({**about, **output.plain(view.state)}, loop_text(view))


def loop_text(view: LoopView) -> str:
    """Return the table of rounds and the next step."""
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
    action = round_.action or ("counted again" if round_.goes_on else "" if round_.closed else "in review")
    return (
        str(round_.n),
        str(round_.raised),
        fixed,
        str(round_.no_progress),
        round_.tier,
        action + (", same tree" if round_.same_tree else ""),
    )


DECISIONS = {
    "split": "create new tasks from it (--into) and wait for them",
    "senior": "give it to the senior tier",
    "fresh": "start over from its original base, and keep the old work",
    "ask": "ask a person to decide",
    "continue": "let it continue as it is",
}


@verb(
    "lead",
    example='fe lead senior fe-7k2 -m "needs somebody who knows the counter"\n'
    'fe lead split fe-7k2 --into "Read the limit from settings" --into "Count per key" -m "too much at once"',
    help="Decide what to do with a stuck task. For the lead and for people. No decision forces an approval. (E3)\n\n\b\n"
    + "\n".join(f"{word:<10}{what}" for word, what in DECISIONS.items()),
)
@click.argument("decision", type=click.Choice(tuple(DECISIONS)))
@click.argument("task")
@click.option("--into", multiple=True, metavar="TITLE", help="With split: the title of a new task. Repeatable.")
@reason_options
def lead(session: Session, decision: str, task: str, into: tuple[str, ...], reason: str) -> None:
    if into and decision != "split":
        raise BadInput("--into works only with split.", next_step=fe("lead", "split", task, "--into", phrase("title")))
    say(session, session.app.loops.lead(session.actor, task, decision, reason, into=into))
