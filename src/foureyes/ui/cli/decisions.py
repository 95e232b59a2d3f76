"""`fe approve`, `redo`, `reject`, `merge`, `close`, `cancel`, `delete`, `reopen`."""

from __future__ import annotations

import click

from foureyes.app.views import ApprovalOutcome
from foureyes.core.four_eyes import Said
from foureyes.core.ids import short_diff
from foureyes.errors import BadInput
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, if_version, reason_options, say, verb


@verb("approve", example='fe approve fe-7k2 --seen 9b20c4d1 -m "read the diff, tried it by hand"')
@click.argument("task")
@click.option("--seen", default="", metavar="DIFF_ID", help="The diff you looked at (8 digits suffice); agents must say it.")
@click.option("--break-glass", default="", metavar="WHY", help="A person approves all the same (N3); audited, visible for ever.")
@click.option("--reviewed-by", default="", metavar="NAME", help="Policy trusted: who looked at your own work; audited.")
@click.option("--self-review", is_flag=True, help="Policy trusted: you looked at your own work; with a reason; audited.")
@click.option("--record-only", is_flag=True, help="Policy delegated and trusted: put it on record; anyone may finish it (P11).")
@click.option("--withdraw", is_flag=True, help="Take your approval back, as long as it is not merged.")
@reason_options
@if_version
def approve(
    session: Session,
    task: str,
    seen: str,
    break_glass: str,
    reviewed_by: str,
    self_review: bool,
    record_only: bool,
    withdraw: bool,
    reason: str,
    if_version: int | None,
) -> None:
    """Agree to a change that somebody else made."""
    said = Said(reason=reason, reviewed_by=reviewed_by, self_review=self_review, break_glass=break_glass, record_only=record_only)
    if withdraw:
        if seen or said != Said(reason=reason):
            raise BadInput("--withdraw takes a reason and nothing else.", next_step=f"fe approve --withdraw {task}")
        say(session, session.app.decisions.withdraw(session.actor, task, reason=reason))
        return
    outcome = session.app.decisions.approve(session.actor, task, seen=seen, said=said, if_version=if_version)
    session.answer(outcome, approve_text(outcome))


def approve_text(outcome: ApprovalOutcome) -> str:
    """What an approval says."""
    task = outcome.approved
    if not outcome.changed:
        return f"{task} is {'recorded' if outcome.status == 'reviewing' else 'approved'} already"
    by = f"by exception {outcome.rule}" if outcome.exception else f"({outcome.rule})"
    done = "recorded an approval of" if outcome.status == "reviewing" else "approved"
    lines = [f"{done} {task} {by}: {outcome.message}"]
    seen = f"seen {outcome.seen}" if outcome.seen else "not shown by fe"
    lines.append(f"  attempt {outcome.attempt}, diff sha256:{short_diff(outcome.diff_id)}, {seen}")
    if outcome.security_event:
        lines.append(f"  audited: task log, fe security #{outcome.security_event}")
    if outcome.status == "reviewing":
        lines.append(f'  finish it: fe approve {task} --seen {short_diff(outcome.diff_id)} -m "why"')
    elif outcome.status == "closed":
        lines.append("  closed: there is nothing to merge")
    else:
        back = "" if outcome.rule == "P11" else f"     take it back: fe approve --withdraw {task}"
        lines.append(f"  not merged yet: merge its branch, then fe merge{back}")
    return "\n".join(lines)


@verb("redo", example='fe redo fe-7k2 -m "the token is never rotated; add a test for that"')
@click.argument("task")
@reason_options
def redo(session: Session, task: str, reason: str) -> None:
    """Send a change back with feedback: the task is open again."""
    say(session, session.app.decisions.redo(session.actor, task, reason))


@verb("reject", example='fe reject fe-7k2 -m "we do not want this endpoint at all"')
@click.argument("task")
@reason_options
def reject(session: Session, task: str, reason: str) -> None:
    """Refuse a change with a reason: the task is blocked until you or a person takes it up again."""
    say(session, session.app.decisions.reject(session.actor, task, reason))


@verb("merge", example="git merge --no-ff fe/7k2 && fe merge")
def merge(session: Session) -> None:
    """Close the approved tasks whose approved head has been merged into the target branch by hand."""
    rows = session.app.merges.merge(session.actor)
    if session.json:
        output.write_lines(rows)
        return
    if not rows:
        output.write("nothing is approved and unmerged")
    for row in rows:
        output.write(f"{'closed' if row.merged else 'waits '} {row.task}  {row.message}")


@verb("close", example='fe close fe-7k2 -m "not needed any more"')
@click.argument("task")
@click.option("--self-close-exception", "exception", default="", metavar="WHY", help="Close your own work; audited.")
@reason_options
@if_version
def close(session: Session, task: str, exception: str, reason: str, if_version: int | None) -> None:
    """Close without an approval; never merges anything. Not for whoever did the work (C1)."""
    say(session, session.app.closing.close(session.actor, task, reason=reason, exception=exception, if_version=if_version))


@verb("cancel", example='fe cancel fe-7k2 -m "planned twice"')
@click.argument("task")
@reason_options
def cancel(session: Session, task: str, reason: str) -> None:
    """End a task that nobody began. Its creator, or a person."""
    say(session, session.app.closing.cancel(session.actor, task, reason=reason))


@verb("delete", example="fe delete fe-7k2")
@click.argument("task")
@reason_options
def delete(session: Session, task: str, reason: str) -> None:
    """Cancel, and hide it from lists. The journal keeps everything."""
    say(session, session.app.closing.delete(session.actor, task, reason=reason))


@verb("reopen", example='fe reopen fe-7k2 -m "it came back"')
@click.argument("task")
@reason_options
def reopen(session: Session, task: str, reason: str) -> None:
    """Open a closed or rejected task again. Approvals end; history and author set stay."""
    say(session, session.app.closing.reopen(session.actor, task, reason=reason))
