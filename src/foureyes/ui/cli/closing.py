"""`fe close`, `cancel`, `delete`, `reopen`."""

from __future__ import annotations

import click

from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, if_version, reason_options, say, say_all, verb


@verb("close", example='fe close fe-7k2 -m "not needed any more"')
@click.argument("task")
@click.option("--self-close-exception", "exception", default="", metavar="WHY", help="Close your own work; audited.")
@reason_options
@if_version
def close(session: Session, task: str, exception: str, reason: str, if_version: int | None) -> None:
    """Close without an approval; never merges anything. Not for whoever did the work (C1). A person at a terminal who
    gives no reason for closing what was begun is asked for one.
    """
    if not reason.strip() and not exception and session.can_ask and _is_begun(session, task):
        session.note("what was made is not merged by this; whoever made it is told why:")
        reason = click.prompt("why is it closed?", default="", show_default=False, err=True).strip()
        if not reason:
            output.write("nothing was closed")
            return
    say(
        session,
        session.app.closing.close(session.actor, task, reason=reason, exception=exception, if_version=if_version),
    )


def _is_begun(session: Session, task: str) -> bool:
    return session.app.lists.show(session.actor, task).task.status in ("in_progress", "reviewing")


@verb("cancel", example='fe cancel fe-7k2 -m "planned twice"')
@click.argument("task")
@reason_options
def cancel(session: Session, task: str, reason: str) -> None:
    """End a task that nobody began. Its creator, or a person."""
    say(session, session.app.closing.cancel(session.actor, task, reason=reason))


@verb("delete", example="fe delete fe-7k2 fe-q4d")
@click.argument("tasks", nargs=-1, required=True, metavar="TASK...")
@reason_options
def delete(session: Session, tasks: tuple[str, ...], reason: str) -> None:
    """Cancel, and hide it from lists. Several at once: all of them or none. The journal keeps everything."""
    if len(tasks) > 1:
        say_all(session, session.app.closing.delete_several(session.actor, tasks, reason=reason))
    else:
        say(session, session.app.closing.delete(session.actor, tasks[0], reason=reason))


@verb("reopen", example='fe reopen fe-7k2 -m "it came back"')
@click.argument("task")
@reason_options
def reopen(session: Session, task: str, reason: str) -> None:
    """Open a closed or rejected task again. Approvals end; history and author set stay."""
    say(session, session.app.closing.reopen(session.actor, task, reason=reason))
