"""`fe approve`, `fe redo`, `fe reject`."""

from __future__ import annotations

import sys

import click

from foureyes.app.results.review import ApprovalOutcome, Batch, ViewReport
from foureyes.core.nouns.decision import PriorityChange, RedoOption
from foureyes.core.rules.four_eyes import Declaration
from foureyes.core.words.ids import SEEN_FORM, seen_name
from foureyes.core.words.text import flat
from foureyes.errors import BadInput, FoureyesError
from foureyes.steps import blank, fe, phrase
from foureyes.ui.cli import diagnostics, output
from foureyes.ui.cli.command import Session, if_version, reason_options, say, verb

VIEWED = ViewReport("cli")
"""Viewing record of the command line, which does not know how much of the change was on screen. (H4)"""


@verb("approve", example='fe approve fe-7k2 --seen 2.9b20c4d1 -m "read the diff, tried it by hand"')
@click.argument("tasks", nargs=-1, metavar="TASK...")
@click.option(
    "--seen",
    default="",
    metavar=SEEN_FORM,
    help="The change you reviewed, as fe show names it. Agents must give it. (D7)",
)
@click.option(
    "--all-auto", is_flag=True, help="Everything auto-approvable that is not high risk. It is listed first. (M8)"
)
@click.option("--yes", is_flag=True, help="With --all-auto: do not ask.")
@click.option(
    "--break-glass", metavar="WHY", help="Approve in spite of the rules. People only, permanently audited. (N3)"
)
@click.option(
    "--reviewed-by", default="", metavar="NAME", help="Policy trusted: the reviewer of your own work. Audited."
)
@click.option("--self-review", is_flag=True, help="Policy trusted: you reviewed your own work. Needs -m. Audited.")
@click.option(
    "--record-only", is_flag=True, help="Policy delegated or trusted: record it, so that anyone may finish it. (P11)"
)
@click.option("--withdraw", is_flag=True, help="Withdraw your approval, until the merge has begun.")
@reason_options
@if_version
def approve(
    session: Session,
    tasks: tuple[str, ...],
    seen: str,
    all_auto: bool,
    yes: bool,
    break_glass: str | None,
    reviewed_by: str,
    self_review: bool,
    record_only: bool,
    withdraw: bool,
    reason: str,
    if_version: int | None,
) -> None:
    """Approve changes that someone else made. One task, several, or all that are auto-approvable."""
    if break_glass is not None and (not break_glass.strip() or break_glass.startswith("-")):
        raise BadInput(
            "give the reason with --break-glass.",
            next_step=fe("approve", *tasks[:1], "--break-glass", phrase("why")),
        )
    declared = Declaration(
        reason=reason,
        reviewed_by=reviewed_by,
        self_review=self_review,
        break_glass=break_glass or "",
        record_only=record_only,
    )
    plain = not seen and declared == Declaration(reason=reason) and if_version is None and not withdraw
    if all_auto or len(tasks) > 1:
        if not plain or (all_auto and tasks):
            raise BadInput(
                "several tasks at once take only a reason, and each is a separate decision.",
                next_step=fe("approve", blank("TASK"), blank("…")),
            )
        approve_batch(session, tasks, reason, all_auto=all_auto, yes=yes)
        return
    if not tasks or yes:
        raise BadInput(
            "name a task, or --all-auto." if not tasks else "--yes works only with --all-auto.", next_step=fe("queue")
        )
    (task,) = tasks
    if withdraw:
        if seen or declared != Declaration(reason=reason):
            raise BadInput("--withdraw takes only a reason.", next_step=fe("approve", "--withdraw", task))
        say(session, session.app.decisions.withdraw(session.actor, task, reason=reason))
        return
    outcome = session.app.decisions.approve(
        session.actor, task, seen=seen, declaration=declared, if_version=if_version, viewed=VIEWED
    )
    session.answer(output.with_id(outcome), approve_text(outcome))


def approve_batch(session: Session, tasks: tuple[str, ...], reason: str, *, all_auto: bool, yes: bool) -> None:
    """Approve several tasks. Each result is printed as it comes, and the worst exit code is used."""
    chosen: list[tuple[str, int | None]] = [(task, None) for task in tasks]
    if all_auto:
        batch = session.app.queue.batch(session.actor)
        chosen = [(row.task, row.version) for row in batch.tasks]
        if not confirmed(session, batch, yes):
            return
    code = 0
    for answer in session.app.decisions.approve_many(session.actor, chosen, reason=reason, viewed=VIEWED):
        if isinstance(answer, FoureyesError):
            output.flush()
            code = max(code, diagnostics.report(answer, json=session.json))
        else:
            session.answer(output.with_id(answer), approve_text(answer))
    if code:
        raise SystemExit(code)


def confirmed(session: Session, batch: Batch, yes: bool) -> bool:
    """List the tasks first. On a terminal ask, otherwise require `--yes`."""
    names = " ".join(row.task for row in batch.tasks)
    head = (
        f"{output.count(len(batch.tasks), 'task')} would be approved: {names}"
        if batch.tasks
        else "nothing can be approved automatically"
    )
    lines = [
        head,
        *[f"  {row.task}  +{row.added} -{row.removed}  {row.risk.level}  {flat(row.title)}" for row in batch.tasks],
    ]
    lines += [f"  high risk, not in a batch: {row.task}  {flat(row.risk.reasons[0].message)}" for row in batch.high]
    lines += [f"  {batch.left_off} more"] if batch.left_off else []
    if yes or not batch.tasks:
        session.note("\n".join(lines))
        return bool(batch.tasks)
    if not (sys.stdin.isatty() and sys.stderr.isatty()) or session.json:
        step = fe("approve", "--all-auto", "--yes")
        if session.json:
            raise BadInput("\n".join([*lines, "nothing was done."]), next_step=step)
        session.note("\n".join(lines))
        raise BadInput("nothing was done.", next_step=step)
    session.note("\n".join(lines))
    return click.confirm("approve them?", default=False, err=True)


def approve_text(outcome: ApprovalOutcome) -> str:
    """Return the text for an approval's result."""
    task = outcome.approved
    if not outcome.changed:
        word = {"reviewing": "recorded", "closed": outcome.resolution or "closed"}.get(outcome.status, "approved")
        return f"{task} is already {word}"
    by = " by exception" if outcome.exception else ""
    done = "recorded an approval of" if outcome.status == "reviewing" else "approved"
    lines = [f"{done} {task}{by}: {outcome.message} ({outcome.rule})"]
    seen = f"seen {outcome.seen}" if outcome.seen else "approved without --seen"
    lines.append(f"  attempt {outcome.attempt}, diff {seen_name(outcome.attempt, outcome.diff_id)}, {seen}")
    if outcome.security_event:
        lines.append(f"  recorded as an exception: fe audit log --exceptions #{outcome.security_event}")
    if outcome.status == "reviewing":
        lines.append(
            f'  to complete it: fe approve {task} --seen {seen_name(outcome.attempt, outcome.diff_id)} -m "why"'
        )
    elif outcome.status == "closed":
        lines.append("  closed, because there is nothing to merge")
    else:
        back = "" if outcome.rule == "P11" else f"     to withdraw: fe approve --withdraw {task}"
        place = f"number {outcome.position} in the merge queue" if outcome.position else "in the merge queue"
        lines.append(f"  {place}: fe merge{back}")
    lines += [f"  {note}" for note in outcome.notes]
    return "\n".join(lines)


reviewed_option = click.option(
    "--seen",
    default="",
    metavar=SEEN_FORM,
    help="The change you reviewed, as fe show names it. Refused if it has moved. (D7)",
)


@verb("redo", example='fe redo fe-7k2 --issue "tests incomplete" -m "the token is never rotated" --bump')
@click.argument("task")
@click.option(
    "--issue", "issues", multiple=True, metavar="ISSUE", help="A quick issue, by number or beginning. Repeatable."
)
@click.option("--keep", is_flag=True, help="Continue on top of the current work (default).")
@click.option("--fresh", is_flag=True, help="Start over from the original base. The old head is kept.")
@click.option("--checkpoint", metavar="NAME", default="", help="Start over from a checkpoint.")
@click.option("--bump", is_flag=True, help="One priority higher.")
@click.option("--lower", is_flag=True, help="One priority lower.")
@reviewed_option
@reason_options
def redo(
    session: Session,
    task: str,
    seen: str,
    issues: tuple[str, ...],
    keep: bool,
    fresh: bool,
    checkpoint: str,
    bump: bool,
    lower: bool,
    reason: str,
) -> None:
    """Send a change back with feedback. The task is open again, and the next prompt holds your feedback."""
    if keep + fresh + bool(checkpoint) > 1 or (bump and lower):
        options = "--bump and --lower" if bump and lower else "--keep, --fresh and --checkpoint"
        raise BadInput(f"{options} exclude each other.", next_step=fe("redo", task, "--help"))
    chosen: RedoOption = "checkpoint" if checkpoint else "fresh" if fresh else "keep"
    priority: PriorityChange = "bump" if bump else "lower" if lower else "same"
    say(
        session,
        session.app.feedback.redo(
            session.actor,
            task,
            reason,
            issues=issues,
            option=chosen,
            checkpoint=checkpoint,
            priority=priority,
            seen=seen,
            viewed=VIEWED,
        ),
    )


@verb("reject", example='fe reject fe-7k2 -m "we do not want this endpoint at all"')
@click.argument("task")
@reviewed_option
@reason_options
def reject(session: Session, task: str, seen: str, reason: str) -> None:
    """Reject a change with a reason. The task is blocked until you or a person takes it up again."""
    say(session, session.app.feedback.reject(session.actor, task, reason, seen=seen, viewed=VIEWED))
