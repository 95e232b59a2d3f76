"""`fe close`, `cancel`, `delete`, `reopen`."""

from __future__ import annotations

import click

from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, if_version, reason_options, say, say_all, verb


@verb("close", example='fe close fe-7k2 -m "not needed any more"')
@click.argument("task")
@click.option("--self-close-exception", "exception", default="", metavar="WHY", help="Close your own work. Audited.")
@reason_options
@if_version
def close(session: Session, task: str, exception: str, reason: str, if_version: int | None) -> None:
    """Close a task without an approval. Nothing is merged. Authors of the work cannot close it (C1). A person at a
    terminal who closes started work is asked for a reason.
    """
    if not reason.strip() and not exception and session.can_ask and _is_begun(session, task):
        session.note("this does not merge the work. The author reads the reason:")
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
    """Cancel a task that nobody has started. For its creator and for people."""
    say(session, session.app.closing.cancel(session.actor, task, reason=reason))


@verb("delete", example="fe delete fe-7k2 fe-q4d")
@click.argument("tasks", nargs=-1, required=True, metavar="TASK...")
@reason_options
def delete(session: Session, tasks: tuple[str, ...], reason: str) -> None:
    """Cancel tasks and hide them from lists. All of them change or none does. The journal keeps everything."""
    if len(tasks) > 1:
        say_all(session, session.app.closing.delete_several(session.actor, tasks, reason=reason))
    else:
        say(session, session.app.closing.delete(session.actor, tasks[0], reason=reason))


@verb("reopen", example='fe reopen fe-7k2 -m "it came back"')
@click.argument("task")
@reason_options
def reopen(session: Session, task: str, reason: str) -> None:
    """Reopen a closed or rejected task. Its approvals end. Its history and authors stay."""
    say(session, session.app.closing.reopen(session.actor, task, reason=reason))
