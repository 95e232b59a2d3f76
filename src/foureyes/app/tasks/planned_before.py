"""What of a plan is there already: a plan that is imported again makes nothing twice (M7)."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING

from foureyes.app.call.rows import IdRow
from foureyes.app.views.task_list import Link
from foureyes.core.rules.modes import label_mode
from foureyes.core.rules.policy import MODES, Mode
from foureyes.core.words.folding import folded
from foureyes.core.words.ids import TaskId
from foureyes.core.words.text import visible
from foureyes.errors import Reason
from foureyes.steps import Steps, fe

DONE = ("approved", "merged")
"""How a task ends whose work is done; every other end drops it."""
LOOSE = ("auto-approve", "skip")

if TYPE_CHECKING:
    from foureyes.app.ports import Tx
    from foureyes.core.documents.plan import PlanTask
    from foureyes.core.nouns.task import Task


class Titled(IdRow, frozen=True):
    """A task and its title."""

    title: str


class PlannedBefore:
    """The tasks of a project, by what a plan calls them: each stands for one section at most."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self._by_title: dict[str, list[str]] = defaultdict(list)
        for row in tx.all("task.titles", Titled):
            self._by_title[folded(row.title)].append(row.id)

    def take(self, task: PlanTask) -> TaskId | None:
        """The task that a section is about: by its key; else by its title, the one that it names by its id first."""
        if task.key:
            row = self._tx.one("task.with_key", IdRow, key=task.key)
            return TaskId(row.id) if row else None
        ids = self._by_title.get(folded(task.title), [])
        if not ids:
            return None
        known = task.ref.lower() if task.ref.lower() in ids else ids[0]
        ids.remove(known)
        return TaskId(known)

    def stricter(
        self, task: PlanTask, known: Task, needs: list[tuple[str, Steps]], modes: tuple[Mode, Mode]
    ) -> list[Reason]:
        """M7: what a section asks for and the task that has its place does not have, each with the way there; `needs`
        come with theirs. `modes`: that of a new task, and that of the one that is there.
        """
        where, have = f"{known.id} has its place and", {folded(label) for label in known.labels}
        label = partial(fe, "label", "add", known.id)
        if known.status == "closed" and known.resolution not in DONE:
            return [
                Reason(
                    "M7",
                    f"{where} was dropped ({known.resolution}): give the section another key",
                    fe("show", known.id),
                )
            ]
        reasons = [
            Reason("M7", f"{where} lacks the label {visible(word)}", label(word))
            for word in task.labels
            if folded(word) not in have and label_mode(word) not in LOOSE
        ]
        if MODES.index(modes[0]) < MODES.index(modes[1]) and not reasons:
            reasons.append(Reason("M7", f"{where} is {modes[1]}, not {modes[0]}", label(f"review:{modes[0]}")))
        waits = {link.id for link in self._tx.all("task.dependencies", Link, id=known.id)}
        if known.status != "closed":
            lacks = [(need, step) for need, step in needs if need not in waits]
            reasons += [Reason("M7", f"{where} does not wait for {visible(need)}", step) for need, step in lacks]
        return reasons

    def differences(self, task: PlanTask, known: Task, needs: list[str]) -> tuple[str, ...]:
        """What the plan says and the task does not, a line each."""
        have, want = {folded(label): label for label in known.labels}, {folded(label): label for label in task.labels}
        waits = {link.id for link in self._tx.all("task.dependencies", Link, id=known.id)}
        lacks = [label for word, label in want.items() if word not in have]
        more = [label for word, label in have.items() if word not in want]
        lines = [f"it lacks the label {label}" for label in lacks]
        lines += [f"it has the label {label}" for label in more]
        lines += [f"it does not wait for {need}" for need in needs if need not in waits]
        if known.planned != task.planned:
            lines.append(f"it was planned as {known.planned or 'default'}, not {task.planned or 'default'}")
        if known.priority != task.priority:
            lines.append(f"its priority is P{known.priority}, not P{task.priority}")
        words = [name for name in ("title", "type", "description", "acceptance") if _differs(name, task, known)]
        return (*lines, *([f"other words: {', '.join(words)}"] if words else []))


def _differs(name: str, task: PlanTask, known: Task) -> bool:
    was, now = str(getattr(known, name)), str(getattr(task, name))
    return [line.strip().removeprefix("- ") for line in was.strip().split("\n")] != [
        line.strip().removeprefix("- ") for line in now.strip().split("\n")
    ]
