"""Shell completion: ids with titles, statuses, labels, findings and checks. It writes nothing and reports no errors,
because a prompt is no place for them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING

from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from foureyes.app.application import Application
    from foureyes.core.words.lifecycle import TaskStatus

MOST_OFFERED = 100
"""Largest number of completions, so that the shell stays responsive."""

FIRST: dict[str, TaskStatus] = {
    "approve": "reviewing",
    "redo": "reviewing",
    "reject": "reviewing",
    "submit": "in_progress",
    "unstart": "in_progress",
    "start": "open",
}
"""The status of the tasks that each command mostly takes."""


def offered(kind: str, command: str, incomplete: str) -> list[CompletionItem]:
    """Return the completions of the typed text. None if there is no project or it cannot be read."""
    try:
        return [_shown(item) for item in SOURCES[kind](command) if _fits(str(item.value), incomplete)]
    except Exception:  # the next command reports the problem
        return []


def _fits(value: str, incomplete: str) -> bool:
    """Return True if the value is safe to complete. A shell inserts it unquoted and could run it, so values that need
    quotes or look like options are left out.
    """
    from shlex import quote

    return value.startswith(incomplete) and quote(value) == value and not value.startswith("-")


def _shown(item: CompletionItem) -> CompletionItem:
    """Return the item with a one-line help, because a shell takes a second line for another value."""
    from foureyes.core.words.text import flat

    return CompletionItem(item.value, help=flat(item.help)) if item.help else item


def _project() -> closing[Application]:
    from foureyes.bootstrap.wiring import open_project

    return closing(open_project(os.getcwd(), os.environ))


def _tasks(command: str) -> Iterator[CompletionItem]:
    from foureyes.app.results.task_list import ListQuery

    with _project() as app:
        status = FIRST.get(command)
        rows = app.lists.page(ListQuery(status=status, limit=MOST_OFFERED)) if status else []
        rows = rows or app.lists.page(ListQuery(live=True, limit=MOST_OFFERED))
        for row in rows:
            yield CompletionItem(row.id, help=row.title)


def _labels(_: str) -> Iterator[CompletionItem]:
    from foureyes.app.results.task_list import ListQuery

    with _project() as app:
        labels = {label for row in app.lists.page(ListQuery(sort="newest", limit=MOST_OFFERED)) for label in row.labels}
    for label in sorted(labels | {"review:per-task", "review:batch", "review:auto", "review:skip"}):
        yield CompletionItem(label)


def _findings(_: str) -> Iterator[CompletionItem]:
    with _project() as app:
        for row in app.findings.listed(open_only=True)[:MOST_OFFERED]:
            yield CompletionItem(row.id, help=row.title)


def _checks(_: str) -> Iterator[CompletionItem]:
    from foureyes.bootstrap.wiring import whoami
    from foureyes.core.nouns.check_config import CheckRule

    with _project() as app:
        settings = {row.key: row.value for row in app.policy.show(whoami(os.environ, ""))}
    checks = settings.get("checks")
    for rule in checks if isinstance(checks, tuple) else ():
        if isinstance(rule, CheckRule):
            yield CompletionItem(rule.name, help=rule.run)


def _statuses(_: str) -> Iterator[CompletionItem]:
    from foureyes.core.words.lifecycle import STATUSES

    yield from map(CompletionItem, STATUSES)


def _types(_: str) -> Iterator[CompletionItem]:
    from foureyes.core.nouns.task import TYPES

    yield from map(CompletionItem, TYPES)


def _commands(_: str) -> Iterator[CompletionItem]:
    from foureyes.ui.cli.main import COMMANDS

    yield from map(CompletionItem, COMMANDS)


SOURCES: dict[str, Callable[[str], Iterator[CompletionItem]]] = {
    "task": _tasks,
    "label": _labels,
    "finding": _findings,
    "check": _checks,
    "status": _statuses,
    "type": _types,
    "command": _commands,
}
