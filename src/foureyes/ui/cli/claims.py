"""`fe start`, `next`, `unstart`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from foureyes.app.results.task_list import ListQuery
from foureyes.app.results.work import ClaimedWorktree
from foureyes.core.words.text import flat
from foureyes.core.words.untrusted_text import named
from foureyes.steps import fe, in_turn, phrase, shell
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, if_version, reason_options, say, verb
from foureyes.ui.steps import next_line, steps_text

if TYPE_CHECKING:
    from foureyes.app.results.task_list import Outcome
    from foureyes.core.words.lifecycle import RunEnd

WORKTREE = click.option(
    "--worktree/--here",
    default=None,
    help="Work in a separate worktree, or here. Default: [work] worktree. (K1)",
)


YES = click.option("--yes", is_flag=True, help="Do not ask a person to confirm becoming an author. (P2)")


@verb("start", example="fe start fe-7k2")
@click.argument("task")
@WORKTREE
@YES
@if_version
def start(session: Session, task: str, worktree: bool | None, yes: bool, if_version: int | None) -> None:
    """Claim a task. If several try at once, one wins and the others get exit code 4."""
    if not yes and session.can_ask:
        row = session.app.lists.show(session.actor, task).task
        if row.status == "open" and not _agrees(session, row.id, row.title):
            output.write("nothing was started")
            return
    _claimed(session, session.app.claims.start(session.actor, task, if_version=if_version, worktree=worktree))


def _agrees(session: Session, task: str, title: str) -> bool:
    """Ask before a person starts a task, because that makes them an author permanently. (P2)"""
    session.note(f"{task}  {flat(title)}")
    session.note(
        f"you become an author of {task} and cannot approve it (P2). Agents start tasks themselves with fe next"
    )
    return click.confirm("start it?", default=False, err=True)


@verb("next", example="fe next")
@WORKTREE
@YES
def next_task(session: Session, worktree: bool | None, yes: bool) -> None:
    """Claim the most urgent ready task. That is the one with the highest priority, then the oldest."""
    best = session.app.lists.listed(ListQuery(ready=True, limit=1)) if not yes and session.can_ask else []
    if not best:
        _claimed(session, session.app.claims.next(session.actor, worktree=worktree))
    elif _agrees(session, best[0].id, best[0].title):  # the task asked about, even if a better one appeared since
        _claimed(session, session.app.claims.start(session.actor, best[0].id, worktree=worktree))
    else:
        output.write("nothing was started")


def _claimed(session: Session, outcome: Outcome | ClaimedWorktree) -> None:
    """Print the result of a claim and the path to its worktree from the current directory."""
    if not isinstance(outcome, ClaimedWorktree):
        say(session, outcome)
        return
    path = os.path.relpath(outcome.worktree, session.cwd)
    is_here = path == os.curdir
    submit = fe("submit", outcome.task, "-m", phrase("what you did"), before=f"work{' here' * is_here}, commit, then: ")
    next_step = submit if is_here else in_turn(shell("cd", path), submit, joint=", ")
    if session.json:
        output.write_json({**output.with_id(outcome), "next": steps_text(next_step)})
        return
    place = f"  worktree  {flat(path)}  on branch {named(outcome.branch)}"
    output.write("\n".join([outcome.message, *[f"  {note}" for note in outcome.notes], place, next_line(next_step)]))


HOW = ("crash", "timeout", "blocked", "cancelled")


@verb("unstart", example='fe unstart fe-7k2 --how blocked -m "waiting for the design"')
@click.argument("task")
@click.option(
    "--how",
    type=click.Choice(HOW),
    help="How the run ended. If there were findings, every end but cancelled is a round without progress. (L17)",
)
@reason_options
def unstart(session: Session, task: str, how: RunEnd | None, reason: str) -> None:
    """Release a claim. A person may release anyone's claim. Anyone may release one that has been silent for long."""
    say(session, session.app.claims.unstart(session.actor, task, reason=reason, how=how or ""))
