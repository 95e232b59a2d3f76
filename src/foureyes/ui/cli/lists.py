"""`fe list` and `show`."""

from __future__ import annotations

import os

import click
import msgspec

from foureyes.app.results.task_list import ListedTask, ListQuery, ReviewablePage, ReviewableRow
from foureyes.core.nouns.task import TYPES, task_type
from foureyes.core.words.lifecycle import STATUSES, parse_status
from foureyes.core.words.text import flat
from foureyes.errors import BadInput
from foureyes.steps import by, fe
from foureyes.ui.cli import output
from foureyes.ui.cli.command import PAGER, Priority, Session, verb
from foureyes.ui.steps import next_line

LIMIT = click.option(
    "--limit", type=click.IntRange(1, 1000), default=50, show_default=True, metavar="N", help="Maximum number of rows."
)


@verb("list", example="fe list --status reviewing --label security --limit 10")
@click.option("--status", help=f"One of {', '.join(STATUSES)}.")
@click.option("--all", "everything", is_flag=True, help="Closed tasks too.")
@click.option("--label", help="Tasks with this label.")
@click.option("--priority", type=Priority(), help="Tasks of this priority.")
@click.option("--type", "kind", metavar="TYPE", help=f"One of {', '.join(TYPES)}.")
@click.option("--parent", help="Children of this task.")
@click.option("--mine", is_flag=True, help="Tasks this session works on.")
@click.option("--ready", is_flag=True, help="Tasks that can be started now.")
@click.option("--reviewable", is_flag=True, help="Tasks you may approve.")
@click.option("--blocked", is_flag=True, help="Blocked, or waiting for a dependency.")
@click.option("--unmerged", is_flag=True, help="Closed without a merge.")
@click.option("--landed", is_flag=True, help="On the target branch before it was reviewed.")
@click.option("--text", help="Words in title, description or acceptance. Newest first.")
@click.option(
    "--sort",
    type=click.Choice(["priority", "newest", "oldest"]),
    default="priority",
    show_default=True,
    help="The order.",
)
@click.option("--after", metavar="ID", help="Continue after this task, the last one of the previous page.")
@LIMIT
def list_tasks(
    session: Session,
    status: str | None,
    everything: bool,
    label: str | None,
    priority: int | None,
    kind: str | None,
    parent: str | None,
    mine: bool,
    ready: bool,
    reviewable: bool,
    blocked: bool,
    unmerged: bool,
    landed: bool,
    text: str | None,
    sort: str,
    after: str | None,
    limit: int,
) -> None:
    """List tasks by priority, then age. Closed tasks are listed only on request."""
    wanted = None
    if status is not None:
        wanted = parse_status(status)
        if wanted is None:
            raise BadInput(f"status {status!r}: allowed are {', '.join(STATUSES)}.")
    if kind is not None:
        kind = task_type(kind)
    narrowed = status is not None or everything or unmerged or landed
    query = ListQuery(
        status=wanted,
        live=not narrowed,
        label=label,
        priority=priority,
        type=kind,
        parent=parent,
        mine=session.actor.session if mine else None,
        text=text,
        ready=ready,
        blocked=blocked,
        unmerged=unmerged,
        landed=landed,
        sort=sort,  # type: ignore[arg-type]
        limit=limit + 1,
        after=session.app.lists.place(after) if after else None,
    )
    if reviewable:
        show_reviewable(
            session, session.app.lists.reviewable(session.actor, msgspec.structs.replace(query, live=False)), limit
        )
    else:
        rows = session.app.lists.listed(query)
        show_tasks(session, rows, limit)
        if ready and rows and not session.json:
            claim = fe("next")
            output.write(next_line(claim if session.actor.kind == "agent" else by("other", claim, "an agent runs: ")))


def show_tasks(session: Session, rows: list[ListedTask], limit: int) -> None:
    """Print a page of tasks. A row beyond the limit means that there is a next page."""
    page = rows[:limit]
    if session.json:
        output.write_lines(page)
        return
    if not page:
        output.write("no tasks")
        return
    output.write_raw(output.fitted(HEADING, [_cells(row) for row in page], wide="TITLE", last="LABELS") + "\n")
    if len(rows) > limit:
        output.write(f"there are more than {limit} tasks: --after {rows[limit - 1].id}")
    else:
        output.write(output.count(len(page), "task"))


HEADING = ("ID", "P", "STATUS", "IT", "WHO", "MODE", "WAITS FOR", "TITLE", "LABELS")


def _cells(row: ListedTask) -> tuple[str, ...]:
    return (
        row.id,
        f"P{row.priority}",
        _standing(row),
        str(row.iteration or ""),
        row.owner,
        row.mode,
        ", ".join([*row.waits, *([DECIDES[row.waiting_for]] if row.waiting_for else [])]),
        row.title,
        " ".join(row.labels),
    )


DECIDES = {"lead": "the lead", "user": "a person"}
"""Who decides about a loop before it continues. (E2)"""


def _standing(row: ListedTask) -> str:
    marks = [mark for mark, on in (("rejected", row.rejected), ("held", row.held), ("minor", row.minor)) if on]
    return row.status + (f" ({', '.join(marks)})" if marks else "")


def show_reviewable(session: Session, waiting: ReviewablePage, limit: int) -> None:
    """Print the tasks that the caller may approve, and where to continue if some were not read."""
    rows = waiting.rows
    page = rows[:limit]
    if waiting.after:
        session.note(f"checked {waiting.examined} tasks in review. There are more: --after {waiting.after}")
    if session.json:
        if waiting.missing:
            session.note(
                f"{len(waiting.missing)} more in review are not ready for approval: fe list --reviewable, fe queue"
            )
        output.write_lines(
            {**output.plain(row.task), **{name: getattr(row, name) for name in ("attempt", "diff_id", "seen", "you")}}
            for row in page
        )
        return
    if not page:
        now = " now" if waiting.missing else ""
        output.write("\n".join([f"no tasks for you to approve{now}", *_other_waiting(waiting, limit)]))
        return
    cells = [
        (
            row.task.id,
            f"P{row.task.priority}",
            row.seen,
            str(row.attempt),
            _you(row),
            output.shorten(row.task.title, 60),
        )
        for row in page
    ]
    output.write_raw(output.table(("ID", "P", "DIFF", "IT", "FOR YOU", "TITLE"), cells) + "\n")
    if len(rows) > limit:
        output.write(f"there are more than {limit} tasks: --limit {limit * 2}")
    output.write("\n".join([*_other_waiting(waiting, limit), next_line(fe("show", page[0].task.id, "--diff"))]))


def _other_waiting(waiting: ReviewablePage, limit: int) -> list[str]:
    """Return the tasks that lack something or need another approver, each with the next step."""
    return [*_lacking("not yet:", waiting.missing[:limit]), *_lacking("not by you:", waiting.barred[:limit])]


def _lacking(heading: str, rows: list[ReviewableRow]) -> list[str]:
    lines = [heading] if rows else []
    for row in rows:
        lines.append(f"  {row.task.id}  {row.seen}  {output.shorten(row.task.title, 60)}")
        lines += [f"    {reason.rule}  {flat(reason.message)}" for reason in row.you.reasons]
        lines += [f"    {next_line(row.next)}"] if row.next else []
    return lines


def _you(row: ReviewableRow) -> str:
    words = [
        row.you.rule,
        *(["needs -m reason"] if row.you.needs_reason else []),
        *(["STALE"] if row.you.stale else []),
    ]
    return ", ".join(words)


@verb(
    "show",
    example="fe show fe-7k2 --context\nfe show fe-7k2 --diff --since 1",
    modes={"context": (), "diff": ("since",), "rounds": (), "role": ()},
)
@click.argument("task")
@click.option("--context", is_flag=True, help="All you need to work on it or to review it.")
@click.option("--diff", is_flag=True, help="The change itself.")
@click.option("--since", type=int, metavar="N", help="With --diff: only what changed since attempt N.")
@click.option("--rounds", is_flag=True, help="Its rounds: findings, fixes, tier, and what comes next. (L12, E1)")
@click.option("--prompt", "--for", "role", metavar="ROLE", help="The prompt an agent gets for it in this role. (F4)")
@PAGER
def show(
    session: Session,
    task: str,
    context: bool,
    diff: bool,
    since: int | None,
    rounds: bool,
    role: str | None,
    pager: bool,
) -> None:
    """Show a task and what you can do next."""
    if context:
        show_context(session, task)
        return
    if rounds:
        from foureyes.ui.cli.loops import show_rounds

        show_rounds(session, task)
        return
    if role is not None:
        show_prompt(session, task, role)
        return
    detail = session.app.lists.show(session.actor, task, with_diff=diff)
    latest = detail.attempts[-1].n if detail.attempts else None
    text = session.app.attempts.diff(task, attempt=latest, since=since) if diff else None
    from foureyes.ui.cli.text.task import detail_fields, detail_text

    if session.json:
        output.write_json(detail_fields(detail) | ({"diff": text} if text is not None else {}))
        return

    from foureyes.ui.cli import colour, paging

    page = output.painted(detail_text(detail), colour.of_task)
    if text is not None:
        page += "\n" + output.painted(text.rstrip("\n") or "(no difference)", colour.of_diff)
    paging.write(page, wanted=pager and session.actor.kind == "human")


def show_prompt(session: Session, task: str, role: str) -> None:
    """Print the prompt of an agent, made from the journal."""
    made = session.app.prompts.make(session.actor, task, role)
    if session.json:
        output.write_json({"task": task, "for": role, "prompt": made.text, "note": made.note})
        return
    output.write_raw(made.text)
    if made.note:
        session.note(made.note)


def show_context(session: Session, task: str) -> None:
    """Print all that is needed to work on a task or to review it."""
    from foureyes.ui.cli.text.task import context_text, detail_fields

    detail = session.app.lists.show(session.actor, task)
    place = os.path.relpath(detail.worktree, session.cwd) if detail.worktree else ""
    session.answer(detail_fields(detail), context_text(detail, place))
