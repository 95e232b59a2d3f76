"""Plans: many tasks from one file, and a person's confirmation of their modes (M7)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from foureyes.app.context import Context, IdRow, permit, refuse_verb
from foureyes.app.facts import controls_in, facts_of
from foureyes.app.ports import Tx
from foureyes.app.results.task import Accepted, PlannedRow
from foureyes.app.results.task_list import Link, ListQuery, TaskRow
from foureyes.app.signatures import active_keys, keys_at_hand
from foureyes.app.tasks.tasks import free_id, is_new_word, loosening, planned_labels
from foureyes.core import events as e
from foureyes.core.documents.plan import PlanDocument, PlanNames, PlanRow, PlanTask, in_order, read_plan
from foureyes.core.nouns.session import Actor
from foureyes.core.nouns.task import Task
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.modes import ModeChoice, is_unknown_mode, label_mode, mode_of
from foureyes.core.rules.policy import MODES, Mode
from foureyes.core.words.folding import folded
from foureyes.core.words.ids import TaskId
from foureyes.core.words.text import visible
from foureyes.errors import BadInput, FoureyesError, NotFound, Reason
from foureyes.steps import Steps, fe, prose

# ---- Plans ----

MANY = 10_000


Make = Callable[[e.TaskCreated], tuple[str, str]]
"""Creates a task and returns its id and mode."""


class Plans:
    """Importing, accepting and exporting plans."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def import_(
        self, actor: Actor, text: str, name: str = "the plan", *, group: str = "", again: bool = False, parent: str = ""
    ) -> list[PlannedRow]:
        """Create all tasks of a plan, or none. New ones go below `parent`. (M6)

        A task without a review label is planned as auto-approve, and modes count as the importer's. Existing tasks,
        found by key or title, are skipped unless `again`.
        """
        permit(actor, "plan import")
        planned = in_order(read_plan(text, name))
        with loosening(self._context, actor, "plan import", text, lambda: True) as work:
            above = self._context.find_id(work.tx, parent) if parent else None

            def make(event: e.TaskCreated) -> tuple[str, str]:
                new = free_id(self._context, work.tx)
                made = msgspec.structs.replace(event, signed_by=work.key, parent=above)
                work.record(new, made)
                return new, self._mode(work.tx, work.actor, new).short

            return self._rows(work.tx, work.actor, planned, name, make, group=group, again=again)

    def preview(
        self, actor: Actor, text: str, name: str = "the plan", *, group: str = "", again: bool = False, parent: str = ""
    ) -> list[PlannedRow]:
        """Return the tasks that import_() would create, with their modes. Changes and signs nothing."""
        permit(actor, "plan import")
        planned = in_order(read_plan(text, name))
        with self._context.store.read() as tx:
            if parent:
                self._context.find_id(tx, parent)

            def make(event: e.TaskCreated) -> tuple[str, str]:
                return "", self._mode_if(tx, actor, event).short

            return self._rows(tx, actor, planned, name, make, group=group, again=again)

    def _rows(
        self, tx: Tx, actor: Actor, planned: list[PlanTask], name: str, make: Make, *, group: str, again: bool
    ) -> list[PlannedRow]:
        names, before = PlanNames(planned), PlannedBefore(tx)
        ids: dict[str, str] = {}
        rows: list[PlannedRow] = []
        stricter: list[Reason] = []
        for task in planned:
            needs = [self._need(tx, other, task, names, ids) for other in task.depends_on]
            known = None if again and not task.key else before.take(task)
            if known is not None:
                row = self._known(tx, actor, task, before, known, needs)
                modes = self._mode_if(tx, actor, _event(task, [], group)).mode, self._mode(tx, actor, known).mode
                made = {other.task or other.title for other in rows if other.state == "new"}
                whole = fe("plan", "import", name, "--again")
                ways = [(need, whole if need in made else fe("dep", known, need)) for need in needs]
                reasons = before.stricter(task, self._context.get(tx, known), ways, modes)
                stricter += [_at(reason, task.at) for reason in reasons]
            else:
                new, mode = make(_event(task, needs, group))
                row = PlannedRow(task=new, title=task.title, mode=mode, labels=task.labels, depends_on=tuple(needs))
            ids[task.at] = row.task or task.title
            rows.append(row)
        if stricter:
            refuse_verb(
                "nothing was planned: the plan is stricter than the existing tasks (--again creates them all again).",
                *stricter,
            )
        return rows

    def _known(
        self, tx: Tx, actor: Actor, task: PlanTask, before: PlannedBefore, known: TaskId, needs: list[str]
    ) -> PlannedRow:
        planned = self._context.get(tx, known)
        notes = before.differences(task, planned, needs)
        return PlannedRow(
            task=known,
            title=planned.title,
            mode=self._mode(tx, actor, known).short,
            labels=tuple(planned.labels),
            depends_on=tuple(link.id for link in tx.all("task.dependencies", Link, id=known)),
            state="differs" if notes else "known",
            status=planned.status,
            notes=notes,
        )

    def _mode(self, tx: Tx, actor: Actor, task: str) -> ModeChoice:
        return mode_of(facts_of(self._context, tx, TaskId(task)), self._context.policy(tx, actor))

    def _mode_if(self, tx: Tx, actor: Actor, event: e.TaskCreated) -> ModeChoice:
        """Return the mode that a task would get. A person with a key on this machine counts as signing."""
        keys = self._context.has_keys(tx)
        signs = keys and actor.kind == "human" and bool(keys_at_hand(self._context, actor, active_keys(tx)))
        event = msgspec.structs.replace(event, signed_by="here" if signs else "")
        task = Task(
            id=TaskId("new"), title=event.title, labels=list(event.labels), planned=event.planned,
            creator=actor.session, version=0, created_at="", updated_at="",
        )  # fmt: skip
        facts = Facts(
            task=task,
            parties={actor.session: self._context.party(tx, actor)},
            controls=tuple(controls_in(event, actor.session)),
            has_keys=keys,
        )
        return mode_of(facts, self._context.policy(tx, actor))

    def _need(self, tx: Tx, text: str, task: PlanTask, names: PlanNames, ids: dict[str, str]) -> str:
        """Return the task that a section depends on, from this plan or the project."""
        place = names.place_of(text, task)
        if place is not None:
            return ids[place]
        try:
            return self._context.find_id(tx, text)
        except FoureyesError:
            why = f"{task.at} depends on {text!r}, which is not a task of this plan and does not exist."
            raise BadInput(why, next_step=prose("name it by its title in this plan, or by its id")) from None

    def accept(self, actor: Actor, tasks: Sequence[str]) -> list[Accepted]:
        """Confirm the planned modes and loosening labels of these tasks, or of all open ones. Labels that others added
        later are left out. (M7)
        """
        permit(actor, "plan accept")
        with self._context.store.read() as tx:
            ids = self._named(tx, tasks)
        with loosening(self._context, actor, "plan accept", " ".join(ids), lambda: True) as work:
            chosen = [self._context.get(work.tx, name) for name in ids]
            labels = {task.id: planned_labels(self._context, work, task) for task in chosen}
            if tasks:
                _refuse_unplanned([task for task in chosen if not task.planned and not labels[task.id]])
            planned = [task for task in chosen if task.planned or labels[task.id]]
            for task in planned:
                if task.planned:
                    work.record(task.id, e.PlanAccepted(mode=task.planned, signed_by=work.key))
                for label in labels[task.id]:
                    if is_new_word(self._context, work, task, "label", label):
                        work.record(task.id, e.LabelAdded(label=label, signed_by=work.key))
            accepted = [Accepted(task.id, self._mode(work.tx, actor, task.id).short, task.planned) for task in planned]
        if not accepted:
            raise NotFound("no open task has a planned mode.", next_step=fe("plan", "import", "plan.md"))
        return accepted

    def _named(self, tx: Tx, tasks: Sequence[str]) -> list[TaskId]:
        """Return these tasks, or every open one."""
        if tasks:
            return list(dict.fromkeys(self._context.find_id(tx, task) for task in tasks))
        return [TaskId(row.id) for row in tx.tasks(ListQuery(live=True, limit=MANY), TaskRow)]

    def export(self) -> PlanDocument:
        """Return the open tasks as a plan, which any project can import."""
        with self._context.store.read() as tx:
            rows = tx.tasks(ListQuery(live=True, limit=MANY), TaskRow)
            return PlanDocument(tuple(self._exported(tx, self._context.get(tx, TaskId(row.id))) for row in rows))

    def _exported(self, tx: Tx, task: Task) -> PlanRow:
        """Return a task as a plan row. Closed dependencies are left out, and an unknown review label becomes per-task.
        (M2)
        """
        labels = tuple("review:per-task" if is_unknown_mode(label) else label for label in task.labels)
        needs = tx.all("task.dependencies", Link, id=task.id)
        return PlanRow(
            title=task.title,
            id=task.id,
            labels=tuple(dict.fromkeys(labels)),
            mode="" if any(label_mode(label) for label in labels) else task.planned or "default",
            priority=task.priority,
            type=task.type,
            depends_on=tuple(link.id for link in needs if link.status != "closed"),
            acceptance=task.acceptance,
            description=task.description,
        )


def _at(reason: Reason, place: str) -> Reason:
    return msgspec.structs.replace(reason, message=f"{place}: {reason.message}")


def _event(task: PlanTask, needs: list[str], group: str) -> e.TaskCreated:
    return e.TaskCreated(
        title=task.title,
        description=task.description,
        type=task.type,
        priority=task.priority,
        labels=task.labels,
        depends_on=tuple(dict.fromkeys(TaskId(need) for need in needs)),
        acceptance=task.acceptance,
        group=group,
        planned=task.planned,
        key=task.key,
    )


def _refuse_unplanned(tasks: list[Task]) -> None:
    """Refuse the whole call if one named task has nothing to accept. (M7)"""
    reasons = [
        Reason("M7", f"{task.id} has no planned mode, and no label that loosens its review", fe("show", task.id))
        for task in tasks
    ]
    if reasons:
        refuse_verb("nothing was accepted.", *reasons, task=tasks[0].id)


# ---- Tasks planned before (M7) ----

DONE = ("approved", "merged")
"""Resolutions of completed tasks. All others mean dropped."""
LOOSE = ("auto-approve", "skip")


class Titled(IdRow, frozen=True):
    """A task with its title."""

    title: str


class PlannedBefore:
    """Existing tasks by plan key and title. Each matches at most one section."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self._by_title: dict[str, list[str]] = defaultdict(list)
        for row in tx.all("task.titles", Titled):
            self._by_title[folded(row.title)].append(row.id)

    def take(self, task: PlanTask) -> TaskId | None:
        """Return the existing task for a section, by key or else by title. An id in the section decides between
        several.
        """
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
        """Return a reason and next step for each point in which a section asks for more than its existing task has.
        (M7)

        `needs` are the dependencies with their steps. `modes` are those of a new task and of the existing one.
        """
        where, have = f"{known.id} already exists for it and", {folded(label) for label in known.labels}
        label = partial(fe, "label", known.id)
        if known.status == "closed" and known.resolution not in DONE:
            return [
                Reason(
                    "M7",
                    f"{where} was {known.resolution}, so give the section another key",
                    fe("show", known.id),
                )
            ]
        reasons = [
            Reason("M7", f"{where} does not have the label {visible(word)}", label(word))
            for word in task.labels
            if folded(word) not in have and label_mode(word) not in LOOSE
        ]
        if MODES.index(modes[0]) < MODES.index(modes[1]) and not reasons:
            reasons.append(Reason("M7", f"{where} has mode {modes[1]}, not {modes[0]}", label(f"review:{modes[0]}")))
        waits = {link.id for link in self._tx.all("task.dependencies", Link, id=known.id)}
        if known.status != "closed":
            lacks = [(need, step) for need, step in needs if need not in waits]
            reasons += [Reason("M7", f"{where} does not depend on {visible(need)}", step) for need, step in lacks]
        return reasons

    def differences(self, task: PlanTask, known: Task, needs: list[str]) -> tuple[str, ...]:
        """Return one line per difference between the plan and the task."""
        have, want = {folded(label): label for label in known.labels}, {folded(label): label for label in task.labels}
        waits = {link.id for link in self._tx.all("task.dependencies", Link, id=known.id)}
        lacks = [label for word, label in want.items() if word not in have]
        more = [label for word, label in have.items() if word not in want]
        lines = [f"it lacks the label {label}" for label in lacks]
        lines += [f"it has the label {label}" for label in more]
        lines += [f"it does not depend on {need}" for need in needs if need not in waits]
        if known.planned != task.planned:
            lines.append(f"it was planned as {known.planned or 'default'}, not {task.planned or 'default'}")
        if known.priority != task.priority:
            lines.append(f"its priority is P{known.priority}, not P{task.priority}")
        words = [name for name in ("title", "type", "description", "acceptance") if _differs(name, task, known)]
        return (*lines, *([f"different text: {', '.join(words)}"] if words else []))


def _differs(name: str, task: PlanTask, known: Task) -> bool:
    was, now = str(getattr(known, name)), str(getattr(task, name))
    return [line.strip().removeprefix("- ") for line in was.strip().split("\n")] != [
        line.strip().removeprefix("- ") for line in now.strip().split("\n")
    ]
