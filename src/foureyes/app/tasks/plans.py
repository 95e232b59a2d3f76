"""Plans: many tasks at once from a file, and a person who makes their modes their own (M7)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from foureyes.app.call.caller import permit
from foureyes.app.call.context import Context
from foureyes.app.call.facts import facts_of
from foureyes.app.call.refusals import refuse_verb
from foureyes.app.call.work import Work
from foureyes.app.ports import Tx
from foureyes.app.tasks.ids import free_id
from foureyes.app.tasks.loosening import loosening
from foureyes.app.views.task_list import Link, ListQuery, TaskRow
from foureyes.core import events as e
from foureyes.core.documents.plan_file import PlannedTask, read_plan, written
from foureyes.core.nouns.session import Actor
from foureyes.core.nouns.task import Task
from foureyes.core.rules.modes import label_mode, mode_of
from foureyes.core.words.ids import TaskId
from foureyes.errors import BadInput, FoureyesError, NotFound, Reason
from foureyes.steps import fe, prose

MANY = 10_000


class PlannedRow(msgspec.Struct, frozen=True, kw_only=True):
    """A task that a plan made."""

    task: str
    title: str
    mode: str
    labels: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()


class Accepted(msgspec.Struct, frozen=True):
    """A task whose planned mode a person made their own."""

    task: str
    mode: str


class Plans:
    """Import, accept, export."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def import_(self, actor: Actor, text: str, name: str = "the plan", *, group: str = "") -> list[PlannedRow]:
        """All tasks of a plan or none. One without a review label is planned as auto-approve; the modes count as the
        importer's (M6).
        """
        permit(actor, "plan import")
        planned = read_plan(text, name)
        with loosening(self._context, actor, "plan import", text, lambda: True) as work:
            return self._create(work, planned, name, group)

    def _create(self, work: Work, planned: list[PlannedTask], name: str, group: str) -> list[PlannedRow]:
        made: dict[str, TaskId] = {}
        rows = []
        for task in _in_order(planned, name):
            needs = [made.get(other.lower()) or self._known(work, other, task, name) for other in task.depends_on]
            mode = task.planned
            new = free_id(self._context, work.tx)
            event = e.TaskCreated(
                title=task.title,
                description=task.description,
                type=task.type,
                priority=task.priority,
                labels=task.labels,
                depends_on=tuple(dict.fromkeys(needs)),
                acceptance=task.acceptance,
                group=group,
                planned=mode,
                signed_by=work.key,
            )
            work.record(new, event)
            made[task.title.lower()] = new
            shown = mode_of(facts_of(self._context, work.tx, new), self._context.policy(work.tx, work.actor)).mode
            rows.append(PlannedRow(task=new, title=task.title, mode=shown, labels=task.labels, depends_on=tuple(needs)))
        return rows

    def _known(self, work: Work, text: str, task: PlannedTask, name: str) -> TaskId:
        try:
            return self._context.find_id(work.tx, text)
        except FoureyesError:
            why = f"{name}:{task.line} depends on {text!r}, which is neither a task of this plan nor one that exists."
            raise BadInput(why, next_step=prose("name it by its title in this plan, or by its id")) from None

    def accept(self, actor: Actor, tasks: Sequence[str]) -> list[Accepted]:
        """M7: a person makes planned modes their own: of these tasks, or of every open one that was planned."""
        permit(actor, "plan accept")
        with self._context.store.read() as tx:
            ids = self._named(tx, tasks)
        with loosening(self._context, actor, "plan accept", " ".join(ids), lambda: True) as work:
            accepted = []
            for task in [self._context.get(work.tx, name) for name in ids]:
                if task.planned:
                    work.record(task.id, e.PlanAccepted(mode=task.planned, signed_by=work.key))
                    accepted.append(Accepted(task.id, task.planned))
                elif tasks:
                    reason = Reason(
                        "M7", f"{task.id} came from no plan: its mode is a label's or the default", fe("show", task.id)
                    )
                    refuse_verb("nothing was accepted.", reason, task=task.id)
        if not accepted:
            raise NotFound("no open task has a planned mode.", next_step=fe("plan", "import", "plan.md"))
        return accepted

    def _named(self, tx: Tx, tasks: Sequence[str]) -> list[TaskId]:
        """These tasks, or every open one."""
        if tasks:
            return [self._context.find_id(tx, task) for task in tasks]
        return [TaskId(row.id) for row in tx.tasks(ListQuery(live=True, limit=MANY), TaskRow)]

    def export(self) -> str:
        """The open tasks as a plan that can be imported again."""
        with self._context.store.read() as tx:
            rows = tx.tasks(ListQuery(live=True, limit=MANY), TaskRow)
            tasks = [self._context.get(tx, TaskId(row.id)) for row in rows]
            needs = {task.id: tx.all("task.dependencies", Link, id=task.id) for task in tasks}
        titles = {task.id: task.title for task in tasks if "," not in task.title}
        return "\n\n".join(
            _section(task, [titles.get(TaskId(link.id), link.id) for link in needs[task.id]]) for task in tasks
        )


def _section(task: Task, needs: list[str]) -> str:
    """A task as a section of a plan; what it says is text there, and never a label or another task."""
    lines = [f"## Task: {task.title}", *([f"Labels: {', '.join(task.labels)}"] if task.labels else [])]
    if not any(label_mode(label) for label in task.labels):
        lines.append(f"Mode: {task.planned or 'default'}")
    lines += [
        f"Priority: P{task.priority}",
        f"Type: {task.type}",
        *([f"Depends on: {', '.join(needs)}"] if needs else []),
    ]
    if task.acceptance.strip():
        items = [line.strip().removeprefix("- ") for line in task.acceptance.split("\n") if line.strip()]
        lines += [f"Acceptance: {items[0]}"] if len(items) == 1 else ["Acceptance:", *[f"  - {item}" for item in items]]
    return "\n".join(
        [*lines, *(["Description:", written(task.description.strip())] if task.description.strip() else []), ""]
    )


def _in_order(planned: list[PlannedTask], name: str) -> list[PlannedTask]:
    """Tasks after those they depend on; otherwise as the plan has them. A circle is an error."""
    by_title = {task.title.lower(): task for task in planned}
    done: list[PlannedTask] = []
    left = list(planned)
    while left:
        free = [
            task for task in left if all(by_title[o.lower()] in done for o in task.depends_on if o.lower() in by_title)
        ]
        if not free:
            titles = ", ".join(task.title for task in left[:4])
            raise BadInput(
                f"{name}:{left[0].line} tasks wait for each other in a circle: {titles}.",
                next_step=prose("take one dependency out"),
            )
        done.append(free[0])
        left.remove(free[0])
    return done
