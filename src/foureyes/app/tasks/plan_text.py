"""Tasks as the text of a plan that can be imported again, in this project or another one."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from foureyes.core.documents.plan_fences import escaped
from foureyes.core.documents.plan_file import written
from foureyes.core.rules.modes import is_unknown_mode, label_mode

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from foureyes.app.views.task_list import Link
    from foureyes.core.nouns.task import Task
    from foureyes.core.words.ids import TaskId


def plan_text(tasks: Sequence[Task], needs: Mapping[TaskId, Sequence[Link]]) -> str:
    """The sections of these tasks. Where titles do not tell them apart each is called by its id; what a task waited
    for and is done is left out.
    """
    titles = Counter(task.title.lower() for task in tasks)
    named = any(count > 1 for count in titles.values()) or any(set(",;") & set(task.title) for task in tasks)
    called = {str(task.id): str(task.id) if named else task.title for task in tasks}
    sections = []
    for task in tasks:
        waits = [called.get(link.id, link.id) for link in needs[task.id] if link.status != "closed"]
        sections.append(_section(task, f"Task {task.id}" if named else "Task", waits))
    return "\n\n".join(sections)


def _section(task: Task, heading: str, waits: Sequence[str]) -> str:
    """A task as a section of a plan; what it says is text there, and never a label or another task."""
    labels = [label for label in task.labels if not is_unknown_mode(label)]
    labels += ["review:per-task"] if len(labels) < len(task.labels) else []
    lines = [f"## {heading}: {escaped(task.title)}", *([f"Labels: {', '.join(labels)}"] if labels else [])]
    if not any(label_mode(label) for label in task.labels):
        lines.append(f"Mode: {task.planned or 'default'}")
    lines += [f"Priority: P{task.priority}", f"Type: {task.type}"]
    lines += [f"Depends on: {escaped(', '.join(waits))}"] if waits else []
    if task.acceptance.strip():
        items = [line.strip().removeprefix("- ") for line in escaped(task.acceptance).split("\n") if line.strip()]
        lines += [f"Acceptance: {items[0]}"] if len(items) == 1 else ["Acceptance:", *[f"  - {item}" for item in items]]
    described = ["Description:", written(task.description.strip())] if task.description.strip() else []
    return "\n".join([*lines, *described, ""])
