"""`fe start`, `next`, `unstart`, `submit`, and td's `review ID`."""

from __future__ import annotations

import click

from foureyes.app.attempts import SubmitOutcome
from foureyes.core.ids import short_diff
from foureyes.errors import BadInput
from foureyes.ui.cli.command import Session, if_version, reason_options, say, verb
from foureyes.ui.cli.output import count


@verb("start", example="fe start fe-7k2")
@click.argument("task")
@if_version
def start(session: Session, task: str, if_version: int | None) -> None:
    """Claim a task. Of several who try, exactly one wins; the others get exit code 4."""
    say(session, session.app.claims.start(session.actor, task, if_version=if_version))


@verb("next", example="fe next")
def next_task(session: Session) -> None:
    """Claim the best ready task: highest priority, then oldest."""
    say(session, session.app.claims.next(session.actor))


@verb("unstart", example='fe unstart fe-7k2 -m "waiting for the design"')
@click.argument("task")
@reason_options
def unstart(session: Session, task: str, reason: str) -> None:
    """Give a claim back. Another's claim: a person may release it, or anyone once it has been silent for long."""
    say(session, session.app.claims.unstart(session.actor, task, reason=reason))


def submit_options(function: click.decorators.FC) -> click.decorators.FC:
    """The options of a hand-in."""
    function = click.option("-m", "--message", default="", help="What you did, for whoever looks.")(function)
    function = click.option("--commit", metavar="MESSAGE", help="Commit everything first, with this message.")(function)
    function = click.option("--no-code", is_flag=True, help="There is no change to merge, and that is right.")(function)
    return click.option("--branch", help="The branch the work is on; default: where you stand.")(function)


@verb("submit", example='fe submit fe-7k2 -m "login with refresh tokens, tests added"')
@click.argument("task")
@submit_options
@if_version
def submit(
    session: Session, task: str, message: str, commit: str | None, no_code: bool, branch: str | None, if_version: int | None
) -> None:
    """Hand in what is committed: it is frozen and waits for a different pair of eyes. You are free."""
    _submit(session, task, message, commit, no_code, branch, if_version)


def _submit(
    session: Session, task: str, message: str, commit: str | None, no_code: bool, branch: str | None, if_version: int | None
) -> None:
    outcome = session.app.attempts.submit(
        session.actor, task, message=message, commit=commit, no_code=no_code, branch=branch, if_version=if_version
    )
    session.answer(outcome, submit_text(outcome))


def submit_text(outcome: SubmitOutcome) -> str:
    """What a hand-in says."""
    if not outcome.changed:
        return f"{outcome.task} is handed in already: attempt {outcome.attempt}, diff {short_diff(outcome.diff_id)}\nnext: fe next"
    size = f"{count(outcome.commits, 'commit')}, {count(outcome.files, 'file')} +{outcome.added} -{outcome.removed}"
    size += f", diff sha256:{short_diff(outcome.diff_id)}"
    lines = [f"handed in {outcome.task}, attempt {outcome.attempt}: {'no code' if outcome.no_code else size}"]
    if outcome.landed:
        lines.append("  landed before review: this work is on the target branch already; it is listed until approved or reverted (K4)")
    lines.append(f"  somebody else looks at it: fe approve {outcome.task} --seen {short_diff(outcome.diff_id)}")
    return "\n".join([*lines, f"you are free. next: {outcome.next}"])


@verb("review", example="fe review fe-7k2 -m done")
@click.argument("task")
@submit_options
def review(session: Session, task: str, message: str, commit: str | None, no_code: bool, branch: str | None) -> None:
    """Hand in your own task in progress (as td says it); to look at a task: fe show."""
    detail = session.app.lists.show(session.actor, task)
    if detail.task.status != "in_progress" or detail.task.implementer != session.actor.session:
        found = detail.task.id
        raise BadInput(
            f"fe review {found} hands in your own task in progress; {found} is {detail.task.status}.",
            next_step=f"to hand in: fe submit {found} · to look at it: fe show {found} --diff",
        )
    _submit(session, task, message, commit, no_code, branch, None)
