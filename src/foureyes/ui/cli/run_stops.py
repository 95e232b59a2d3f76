"""`fe pause`, `stop`: how people stop agent runs."""

from __future__ import annotations

import click

from foureyes.core.nouns.run import Run
from foureyes.core.words.text import visible
from foureyes.steps import fe, phrase
from foureyes.ui.cli.command import Session, reason_options, say, verb
from foureyes.ui.cli.stops import which
from foureyes.ui.steps import next_line


@verb("pause", example='fe pause fe-7k2 -m "the interface is about to change"')
@click.argument("task", required=False)
@click.option("--project", is_flag=True, help="No new run of any task.")
@reason_options
def pause(session: Session, task: str | None, project: bool, reason: str) -> None:
    """Start no new agent runs, for one task or for all. Current runs finish. People only. fe resume lifts it."""
    say(session, session.app.runs.pause(session.actor, which(task, project, "pause"), reason=reason))


@verb("stop", example="fe stop fe-7k2")
@click.argument("what", metavar="TASK")
@reason_options
def stop(session: Session, what: str, reason: str) -> None:
    """Stop the agent runs of a task, or one run by its id. The work stays on its branch. The task gets no new run until
    fe resume. People only.
    """
    runs = session.app.runs.ask_stop(session.actor, what, reason=reason)
    again = next_line(fe("resume", runs[0].task, "-m", phrase("why"))) if runs else ""
    session.answer(runs, "\n".join([*map(_asked, runs), again]) if runs else f"no agent is working on {visible(what)}")


def _asked(run: Run) -> str:
    return f"asked {run.id} of {run.profile} on {run.task} to stop. No new run of it starts"
