"""`fe status`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from foureyes.app.results.status import StatusView
from foureyes.core.words.text import flat
from foureyes.steps import fe
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, verb
from foureyes.ui.cli.text.attention import FIRST, attention_text, first_lines
from foureyes.ui.steps import next_line, steps_text

if TYPE_CHECKING:
    from foureyes.app.results.run import BlockedWork, RunnerView
    from foureyes.app.results.sprint import SprintSummary
    from foureyes.app.results.status import AttentionView

SHOWN_STUCK = 5
"""Maximum number of stuck tasks in `fe status`. `fe status --attention` lists all."""


def first(session: Session) -> AttentionView:
    """Return the first items for a person, which other pages show at the top. [E6]"""
    return session.app.attention.view(session.actor, limit=FIRST)


@verb("status", example="fe status\nfe status --attention", modes={"attention": ("limit",)})
@click.option("--attention", is_flag=True, help="List everything that only a person can resolve, with your commands.")
@click.option(
    "--limit", type=click.IntRange(1, 50), default=50, show_default=True, metavar="N", help="Maximum number of rows."
)
def status(session: Session, attention: bool, limit: int) -> None:
    """Show the project at a glance. --attention lists what only a person can resolve: holds, stuck tasks and merges,
    a red target, silent claims, an unaccepted configuration, expired waivers and rejected work. Newest first, each
    with its reason.
    """
    if attention:
        every = session.app.attention.view(session.actor, limit=limit)
        if session.json:
            output.write_lines(every.rows)
        else:
            output.write(attention_text(every))
        return
    view, waiting = session.app.status.show(session.actor), first(session)
    runners, still = session.app.runs.runners(), session.app.runs.blocked_work()
    fields = {"attention": waiting.rows, "runners": runners, "pauses": still.pauses, "stuck": still.stuck}
    session.answer(
        output.plain(view) | fields,
        status_text(view, waiting, [*unattended(view.sprint, runners), *running_lines(runners, still)]),
    )


def status_text(view: StatusView, waiting: AttentionView, running: Sequence[str] = ()) -> str:
    """Return the status, after the items that wait for a person. [E6]"""
    count, split = view.counts, _split(view.counts)
    lines = [
        *first_lines(waiting),
        f"{view.project} on {view.target} · policy {view.policy} (from {view.policy_source})",
    ]
    words = [f"open {count['open']}" + (f" ({split})" if split else ""), f"in progress {count['in_progress']}"]
    words += [f"reviewing {count['reviewing']}", f"approved {count['approved']}", f"closed {count['closed']}"]
    words += [f"{name} {count[name]}" for name in ("blocked", "rejected", "deferred", "held") if count[name]]
    lines.append("  " + "   ".join(words))
    if view.hold is not None and not any(row.kind == "hold" and not row.task for row in waiting.rows):
        lines.append(f"  HELD      {flat(view.hold)}")
    lines += [sprint_line(view.sprint)] if view.sprint is not None else []
    lines += running
    waits = "1 submission waits" if view.unchecked == 1 else f"{view.unchecked} submissions wait"
    lines += [f"  checks    {waits} for checks (a person or a service: fe check run)"] if view.unchecked else []
    lines += (
        [f"  not by you {view.barred} of those in review. Why, and who can approve them: fe list --reviewable"]
        if view.barred
        else []
    )
    lines += (
        [f"  by rule   {count['auto_approved']} approved automatically (M4): fe audit log"]
        if count["auto_approved"]
        else []
    )
    lines += (
        [f"  landed    {count['landed']} on {view.target} before review: fe list --landed"] if count["landed"] else []
    )
    lines += (
        [f"  unmerged  {count['unmerged']} closed without merging: fe list --unmerged"] if count["unmerged"] else []
    )
    repeats = [view.unaccepted] if any(row.kind == "config" for row in waiting.rows) else []
    repeats += [view.stopped] if any(row.kind == "merge" and not row.task for row in waiting.rows) else []
    lines += [f"  note      {steps_text(note)}" for note in view.notes if note not in repeats]
    return "\n".join([*lines, next_line(view.next)])


def _split(count: Mapping[str, int]) -> str:
    """Return the open tasks, counted by obstacle. Tasks that need a person count as stopped. [E6]"""
    if not count["open"]:
        return ""
    more = {name: count.get(name, 0) for name in ("stuck", "epics")}
    more["stopped"] = count["open"] - count["ready"] - count["waiting"] - sum(more.values())
    parts = [
        f"{number} {name[:-1] if (name, number) == ('epics', 1) else name}"
        for name, number in more.items()
        if number > 0
    ]
    return ", ".join([f"{count['ready']} ready", f"{count['waiting']} waiting", *parts])


def sprint_line(sprint: SprintSummary) -> str:
    """Return the progress of the active sprint. [X2]"""
    paused = f"   PAUSED: {flat(sprint.why)}" if sprint.state == "paused" else ""
    more = f"   and {sprint.more} more: fe sprint status --all" if sprint.more else ""
    return f"  sprint    {sprint.id}  {sprint.sentence}{paused}{more}"


def unattended(sprint: SprintSummary | None, runners: Sequence[RunnerView]) -> list[str]:
    """Return a warning if no runner works on the running sprint. [X5]"""
    if sprint is None or sprint.state != "running" or any(each.state == "live" and each.agents for each in runners):
        return []
    return [f"  NO RUNNER for the tasks of {sprint.id}. To start one: {steps_text(fe('sprint', 'start', sprint.id))}"]


def running_lines(runners: Sequence[RunnerView], still: BlockedWork) -> list[str]:
    """Return the runners, their runs, and the obstacles to new runs."""
    lines = []
    for runner in runners:
        words = {"live": "", "gone": ", gone", "silent": ", silent", "ended": ", ended"}[runner.state]
        at_work = len(runner.runs) if runner.state == "live" else 0
        what = f"{at_work} of {runner.agents} agents busy" if runner.agents else "watches"
        what += f", for {output.age(runner.started_at)}"
        lines.append(f"  runner    {what}, started by {flat(runner.starter)} on {flat(runner.host)}{words}")
        left = {"live": "", "silent": "its runner is silent"}.get(runner.state, "its runner is gone")
        lines += [
            f"  run       {run.task}  {run.profile}  {left}. fe run continues it"
            if left
            else f"  run       {run.task}  {run.profile}  {run.state}: fe agent attach {run.task}"
            for run in runner.runs
        ]
    lines += [f"  PAUSED    {pause.task or 'everything'}: {flat(pause.reason)}" for pause in still.pauses]
    lines += [f"  STUCK     {row.task}: {flat(row.why)}" for row in still.stuck[:SHOWN_STUCK]]
    return lines
