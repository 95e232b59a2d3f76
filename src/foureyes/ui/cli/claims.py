"""`fe start`, `next`, `unstart`, `submit`, and td's `review ID`, which `fe review` calls."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from foureyes.core.nouns.attempt import SIGNALS
from foureyes.core.words.ids import short_diff
from foureyes.errors import BadInput
from foureyes.steps import by, either, fe, in_turn, phrase, shell
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, if_version, reason_options, say, verb
from foureyes.ui.cli.output import count
from foureyes.ui.cli.steps import steps_text

if TYPE_CHECKING:
    from foureyes.app.views.attempt import SubmitOutcome
    from foureyes.app.views.outcome import Outcome
    from foureyes.core.words.lifecycle import RunEnd

WORKTREE = click.option("--worktree", is_flag=True, help="Make a checkout of its own for it (K1).")


@verb("start", example="fe start fe-7k2")
@click.argument("task")
@WORKTREE
@if_version
def start(session: Session, task: str, worktree: bool, if_version: int | None) -> None:
    """Claim a task. Of several who try, exactly one wins; the others get exit code 4."""
    _claimed(session, session.app.claims.start(session.actor, task, if_version=if_version), worktree)


@verb("next", example="fe next")
@WORKTREE
def next_task(session: Session, worktree: bool) -> None:
    """Claim the best ready task: highest priority, then oldest."""
    _claimed(session, session.app.claims.next(session.actor), worktree)


def _claimed(session: Session, outcome: Outcome, worktree: bool) -> None:
    if not worktree:
        say(session, outcome)
        return
    place = session.app.worktrees.open(session.actor, outcome.task)
    path = os.path.relpath(place.path, session.cwd)
    submit = fe("submit", outcome.task, "-m", phrase("what you did"), before="work, commit, then: ")
    next_step = in_turn(shell("cd", path), submit, joint=", ")
    if session.json:
        output.write_json(
            {**output.plain(outcome), "worktree": place.path, "branch": place.branch, "next": steps_text(next_step)}
        )
        return
    lines = [outcome.message, *[f"  {note}" for note in outcome.notes], f"  worktree  {path}  on branch {place.branch}"]
    output.write("\n".join([*lines, f"next: {steps_text(next_step)}"]))


HOW = ("crash", "timeout", "blocked", "cancelled")


@verb("unstart", example='fe unstart fe-7k2 --how blocked -m "waiting for the design"')
@click.argument("task")
@click.option(
    "--how",
    type=click.Choice(HOW),
    help="How the run ended; all but cancelled is a round without progress if there were findings (L17).",
)
@reason_options
def unstart(session: Session, task: str, how: RunEnd | None, reason: str) -> None:
    """Give a claim back. Another's claim: a person may release it, or anyone once it has been silent for long."""
    say(session, session.app.claims.unstart(session.actor, task, reason=reason, how=how or ""))


def submit_options(function: click.decorators.FC) -> click.decorators.FC:
    """The options of a hand-in."""
    function = click.option("-m", "--message", default="", help="What you did, for whoever looks.")(function)
    function = click.option("--commit", metavar="MESSAGE", help="Commit everything first, with this message.")(function)
    function = click.option(
        "--signal", default="DONE", show_default=True, metavar="SIGNAL", help=f"{', '.join(SIGNALS)} (S1)."
    )(function)
    function = click.option("--no-code", is_flag=True, help="There is no change to merge, and that is right.")(function)
    return click.option("--branch", help="The branch the work is on; default: where you stand.")(function)


@verb("submit", example='fe submit fe-7k2 -m "login with refresh tokens, tests added"')
@click.argument("task")
@submit_options
@if_version
def submit(
    session: Session,
    task: str,
    message: str,
    commit: str | None,
    no_code: bool,
    signal: str,
    branch: str | None,
    if_version: int | None,
) -> None:
    """Hand in what is committed: it is frozen and waits for a different pair of eyes. You are free."""
    _submit(
        session,
        task,
        message=message,
        commit=commit,
        no_code=no_code,
        signal=signal,
        branch=branch,
        if_version=if_version,
    )


def _submit(session: Session, task: str, **given: Any) -> None:
    outcome = session.app.attempts.submit(session.actor, task, **given)
    session.answer(outcome, submit_text(outcome))


def submit_text(outcome: SubmitOutcome) -> str:
    """What a hand-in says."""
    if not outcome.changed:
        return (
            f"{outcome.task} is handed in already: attempt {outcome.attempt}, diff "
            f"{short_diff(outcome.diff_id)}\nnext: fe next"
        )
    size = f"{count(outcome.commits, 'commit')}, {count(outcome.files, 'file')} +{outcome.added} -{outcome.removed}"
    size += f", diff sha256:{short_diff(outcome.diff_id)}"
    lines = [f"handed in {outcome.task}, attempt {outcome.attempt}: {'no code' if outcome.no_code else size}"]
    if outcome.landed:
        lines.append(
            "  landed before review: this work is on the target branch already; it is listed until approved "
            "or reverted (K4)"
        )
    lines += _mode(outcome)
    return "\n".join([*lines, f"you are free. next: {steps_text(outcome.next)}"])


def _mode(outcome: SubmitOutcome) -> list[str]:
    """What happens to it now (M)."""
    if outcome.status in ("approved", "closed"):
        return [f"  approved by the rule (M4, mode {outcome.mode}); it merges through the queue: fe merge"]
    if outcome.status == "open":
        return [f"  sent back: required checks are red on this tree. fe context {outcome.task}"]
    approve = fe("approve", outcome.task, "--seen", short_diff(outcome.diff_id))
    look = steps_text(by("other", approve, "somebody else looks at it: "))
    if outcome.mode == "auto-approve":
        why = [f"            {reason.message} ({reason.rule})" for reason in outcome.reasons]
        return ["  mode      auto-approve: decided when nothing stands against it any more", *why]
    return [f"  mode      {outcome.mode}: {look}"]


@verb("review", example="fe review fe-7k2 -m done")
@click.argument("task")
@submit_options
def review_own(
    session: Session, task: str, message: str, commit: str | None, no_code: bool, signal: str, branch: str | None
) -> None:
    """Hand in your own task in progress (as td says it); to look at a task: fe show."""
    detail = session.app.lists.show(session.actor, task)
    if detail.task.status != "in_progress" or detail.task.implementer != session.actor.session:
        found = detail.task.id
        raise BadInput(
            f"fe review {found} hands in your own task in progress; {found} is {detail.task.status}.",
            next_step=either(
                fe("submit", found, before="to hand in: "),
                fe("show", found, "--diff", before="to look at it: "),
                fe("review", "show", found, before="what was said: "),
            ),
        )
    _submit(session, task, message=message, commit=commit, no_code=no_code, signal=signal, branch=branch)
