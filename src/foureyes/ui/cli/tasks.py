"""`fe create`, `update`, `label`, `dep`."""

from __future__ import annotations

import sys

import click

from foureyes.core.nouns.task import TYPES
from foureyes.errors import BadInput
from foureyes.steps import blank, fe
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Priority, Session, if_version, say, say_all, verb
from foureyes.ui.steps import next_line


def from_stdin(text: str | None) -> str | None:
    """Return the text, or standard input for `-`."""
    return sys.stdin.buffer.read().decode("utf-8", "surrogateescape") if text == "-" else text


@verb("create", example='fe create "Add login" -d "with refresh tokens" -p P1 -l security --accept "logs in, logs out"')
@click.argument("title")
@click.option("-d", "--description", default="", help="The description; - reads standard input.")
@click.option("-t", "--type", "kind", default="task", metavar="TYPE", help=f"One of {', '.join(TYPES)}.")
@click.option("-p", "--priority", type=Priority(), default=2, show_default=True, help="0 (P0, highest) to 4.")
@click.option("-l", "--label", "labels", multiple=True, help="A label; repeatable.")
@click.option("--parent", help="The task or epic it belongs to.")
@click.option("--depends-on", "depends_on", multiple=True, help="A task it depends on; repeatable.")
@click.option("-a", "--accept", "acceptance", default="", help="Acceptance: how to tell that it is done.")
@click.option("--minor", is_flag=True, help="Small enough that its author may approve it (bounded by P10).")
@click.option("--group", default="", help="A name for tasks that belong together.")
@click.option("--estimate", type=click.IntRange(1, 100_000), metavar="MINUTES", help="The estimated time.")
@click.option(
    "--key",
    default="",
    help="Create once: the same key returns the same task. Other text under it is a conflict.",
)
def create(
    session: Session,
    title: str,
    description: str,
    kind: str,
    priority: int,
    labels: tuple[str, ...],
    parent: str | None,
    depends_on: tuple[str, ...],
    acceptance: str,
    minor: bool,
    group: str,
    estimate: int | None,
    key: str,
) -> None:
    """Add a task."""
    outcome = session.app.tasks.create(
        session.actor,
        title,
        description=from_stdin(description) or "",
        type=kind,
        priority=priority,
        labels=labels,
        parent=parent,
        depends_on=depends_on,
        acceptance=from_stdin(acceptance) or "",
        minor=minor,
        group=group,
        estimate_minutes=estimate,
        key=key,
    )
    why = "; ".join(reason.message for reason in outcome.mode_reasons)
    mode = [f"  review  {outcome.mode} ({why})"] if outcome.mode else []
    lines = [outcome.message, *mode, *[f"  note  {note}" for note in outcome.notes], next_line(outcome.next)]
    session.answer(output.with_id(outcome), "\n".join(lines))


@verb("update", example='fe update fe-7k2 --title "Add login and logout" --if-version 17')
@click.argument("task")
@click.option("--title")
@click.option("-d", "--description", help="The new description; - reads standard input.")
@click.option("-a", "--accept", "acceptance", help="The new acceptance.")
@click.option("-t", "--type", "kind", metavar="TYPE", help=f"One of {', '.join(TYPES)}.")
@click.option("-p", "--priority", type=Priority(), help="0 (P0, highest) to 4.")
@click.option("--bump", "step", flag_value=-1, type=int, help="One priority higher.")
@click.option("--lower", "step", flag_value=1, type=int, help="One priority lower.")
@click.option("--parent", help='The task it belongs to; "" for none.')
@click.option("--minor/--no-minor", default=None, help="Mark as minor, or not.")
@click.option("--group")
@click.option("--estimate", type=click.IntRange(1, 100_000), metavar="MINUTES")
@click.option("--label", "labels", multiple=True, help="Add a label (to remove one: fe label rm).")
@click.option("--depends-on", "depends_on", multiple=True, help="Add a dependency (to remove one: fe dep rm).")
@if_version
def update(
    session: Session,
    task: str,
    title: str | None,
    description: str | None,
    acceptance: str | None,
    kind: str | None,
    priority: int | None,
    step: int | None,
    parent: str | None,
    minor: bool | None,
    group: str | None,
    estimate: int | None,
    labels: tuple[str, ...],
    depends_on: tuple[str, ...],
    if_version: int | None,
) -> None:
    """Change a task's title, text, priority or other fields. Its status has commands of its own. (T2)"""
    outcome = session.app.tasks.edit(
        session.actor,
        task,
        title=title,
        description=from_stdin(description),
        acceptance=acceptance,
        type=kind,
        priority=priority,
        group=group,
        estimate_minutes=estimate,
        parent=parent,
        minor=minor,
        step=step or 0,
        labels=labels,
        depends_on=depends_on,
        if_version=if_version,
    )
    say(session, outcome)


@click.group("label")
def label() -> None:
    """Add or remove labels."""


_labels = click.option(
    "-l",
    "--label",
    "given",
    multiple=True,
    help="A label; then every other word is a task. Repeatable.",
)


@verb("add", example="fe label add fe-7k2 fe-q4d security")
@click.argument("words", nargs=-1, required=True, metavar="TASK... LABEL...")
@_labels
def label_add(session: Session, words: tuple[str, ...], given: tuple[str, ...]) -> None:
    """Add labels to tasks. All of them change or none does. A word that looks like a task id of this project is read as
    a task.
    """
    tasks, labels = _tasks_and_labels(session, "add", words, given)
    if len(tasks) > 1:
        say_all(session, session.app.tasks.add_labels(session.actor, tasks, labels))
    else:
        say(session, session.app.tasks.add_label(session.actor, tasks[0], labels))


@verb("rm", example="fe label rm fe-7k2 security")
@click.argument("words", nargs=-1, required=True, metavar="TASK... LABEL...")
@_labels
def label_rm(session: Session, words: tuple[str, ...], given: tuple[str, ...]) -> None:
    """Remove labels from tasks. All of them change or none does. A word that looks like a task id of this project is
    read as a task.
    """
    tasks, labels = _tasks_and_labels(session, "rm", words, given)
    if len(tasks) > 1:
        say_all(session, session.app.tasks.remove_labels(session.actor, tasks, labels))
    else:
        say(session, session.app.tasks.remove_label(session.actor, tasks[0], labels))


def _tasks_and_labels(
    session: Session, way: str, words: tuple[str, ...], given: tuple[str, ...]
) -> tuple[list[str], list[str]]:
    """Split words into tasks and labels. The first word is a task, and so are the next ones that begin like an id."""
    if given:
        return list(words), list(given)
    begins = f"{session.app.projects.get().prefix}-" if len(words) > 2 else ""
    count = 1
    while begins and count < len(words) and words[count].lower().startswith(begins):
        count += 1
    if count == len(words):
        raise BadInput("name a task and a label.", next_step=fe("label", way, blank("TASK"), "-l", blank("LABEL")))
    return list(words[:count]), list(words[count:])


@click.group("dep")
def dep() -> None:
    """Manage dependencies between tasks."""


@verb("add", example="fe dep add fe-7k2 fe-q4d")
@click.argument("task")
@click.argument("depends_on", nargs=-1, required=True)
def dep_add(session: Session, task: str, depends_on: tuple[str, ...]) -> None:
    """Make TASK depend on other tasks. Cycles are refused."""
    say(session, session.app.tasks.add_dependency(session.actor, task, depends_on))


@verb("rm", example="fe dep rm fe-7k2 fe-q4d")
@click.argument("task")
@click.argument("depends_on", nargs=-1, required=True)
def dep_rm(session: Session, task: str, depends_on: tuple[str, ...]) -> None:
    """Remove dependencies of TASK. The removal is recorded and shown in review."""
    say(session, session.app.tasks.remove_dependency(session.actor, task, depends_on))


@verb("tree", example="fe dep tree fe-7k2")
@click.argument("task")
def dep_tree(session: Session, task: str) -> None:
    """Show what TASK depends on, as a tree."""
    rows = session.app.lists.tree(task)
    if session.json:
        output.write_lines(
            {"depth": depth, "id": link.id, "status": link.status, "title": link.title} for depth, link in rows
        )
    else:
        output.write("\n".join(f"{'  ' * depth}{link.id}  {link.status}  {link.title}" for depth, link in rows))


for _command in (label_add, label_rm):
    label.add_command(_command)
for _command in (dep_add, dep_rm, dep_tree):
    dep.add_command(_command)
