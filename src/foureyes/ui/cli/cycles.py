"""`fe review now|list|decide|clarify|ask|end`, and cycles in `fe review show`."""

from __future__ import annotations

import click

from foureyes.app.views.review import CycleOutcome
from foureyes.core.words.ids import Shape
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, verb
from foureyes.ui.cli.text.cycle import cycle_text, cycles_text
from foureyes.ui.steps import next_line

CYCLE = Shape(r"c-[0-9]{1,9}\Z")
"""Pattern for a cycle id, where a task id is possible too."""


@verb("now", example='fe review now fe-7k2 -m "it changes the login"')
@click.argument("task", required=False)
@click.option("-m", "--reason", default="", help="The reason, for the reviewers.")
def review_now(session: Session, task: str | None, reason: str) -> None:
    """Ask reviewers for a review now. With a task, they review that task, in review or in progress (V1). Without one,
    they review all work in progress, and what they stop is stopped everywhere (V9).
    """
    answer_cycle(session, session.app.cycles.now(session.actor, task, reason=reason))


def answer_cycle(session: Session, done: CycleOutcome) -> None:
    """Print the result of a cycle command."""
    lines = [done.message]
    lines += [f"  asked: {', '.join(done.asked)}"] if done.asked else []
    lines += [f"  {note}" for note in done.notes]
    session.answer(done, "\n".join([*lines, next_line(done.next)]))


@verb("list", example="fe review list --live")
@click.option("--task", default="", metavar="TASK", help="Only cycles about this task.")
@click.option("--live", is_flag=True, help="Only open ones.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="How many rows to show.")
def review_list(session: Session, task: str, live: bool, limit: int) -> None:
    """List review cycles, newest first. Each row has its subject, the reviewers it waits for and the rule that decided."""
    rows = session.app.cycles.listed(task=task, live=live, limit=limit)
    if session.json:
        output.write_lines(rows)
    else:
        output.write(cycles_text(rows) or "no review cycle yet")


def show_cycle(session: Session, cycle: str) -> None:
    """Print one cycle with its reviewers."""
    view = session.app.cycles.show(cycle)
    if session.json:
        output.write_json(view)
    else:
        output.write(cycle_text(view))


@verb("decide", example="fe review decide c-3")
@click.argument("cycle", required=False, default="")
@click.option("--now", is_flag=True, help="Do not wait for people, or for reviewers that were not asked.")
def review_decide(session: Session, cycle: str, now: bool) -> None:
    """Decide review cycles that wait for nobody. A late reviewer gives no review: the next one is asked, or a rule
    decides (V8). A runner does this by itself.
    """
    done = session.app.cycles.decide(session.actor, cycle, now=now)
    if session.json:
        output.write_lines(done)
        return
    lines = [line for each in done for line in (each.message, *each.notes, next_line(each.next)) if line]
    output.write("\n".join(lines) or "nothing is due")


@verb("clarify", example='fe review clarify c-3 p1 -m "the salt is in the hash, see hash.py:12"')
@click.argument("cycle")
@click.argument("point")
@click.option("-m", "--message", "text", default="", help="The answer.")
def review_clarify(session: Session, cycle: str, point: str, text: str) -> None:
    """Answer a point that reviewers have concerns about. After the last answer the cycle runs again. (R2)"""
    answer_cycle(session, session.app.cycles.clarify(session.actor, cycle, point, text))


@verb("ask", example="fe review ask c-3")
@click.argument("cycle")
def review_ask(session: Session, cycle: str) -> None:
    """Ask the author about the concerns that stopped a cycle. Adds a point for each concern and blocker (R1, R2). After
    the last answer the reviewers review again. A hold stays until fe resume.
    """
    answer_cycle(session, session.app.cycles.ask_author(session.actor, cycle))


@verb("end", example='fe review end c-3 -m "it was asked by mistake"')
@click.argument("cycle")
@click.option("-m", "--reason", default="", help="Why.")
def review_end(session: Session, cycle: str, reason: str) -> None:
    """End a review cycle without a decision. Pauses and holds that it caused stay until fe resume."""
    answer_cycle(session, session.app.cycles.end(session.actor, cycle, reason))
