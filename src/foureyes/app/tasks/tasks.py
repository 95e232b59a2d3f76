"""Tasks: create, edit and order them. No status changes here. (T2)"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal

import msgspec

from foureyes.app.context import Context, IdRow, Work, refuse_task, refuse_verb
from foureyes.app.facts import facts_for, of_facts
from foureyes.app.modes import modes_of
from foureyes.app.outcome import each, first_of_epic, named, outcome
from foureyes.app.ports import NamedQuery, Tx
from foureyes.app.results.project import CounterRow
from foureyes.app.results.review import ApprovalView
from foureyes.app.results.task_list import Outcome, PlannedTask
from foureyes.core import events as e
from foureyes.core.events.decision import ApprovalEnded
from foureyes.core.nouns.session import Actor
from foureyes.core.nouns.task import (
    DEFAULT_PRIORITY,
    HIGHEST,
    LOWEST,
    Task,
    TaskType,
    check_priority,
    clean_label,
    clean_title,
    clean_word,
    task_type,
)
from foureyes.core.words.folding import folded
from foureyes.core.words.ids import TaskId, length_for, task_id
from foureyes.core.words.text import clean_text
from foureyes.errors import BadInput, Conflict, Reason
from foureyes.steps import Steps, fe

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


# ---- Tasks ----


def after_planning(actor: Actor, task: TaskId, kind: TaskType) -> Steps:
    """Return the next step after creating a task. (P2, T4)

    A person gets the list instead of `fe start`, because an author cannot approve their task. An epic is never started.
    """
    if kind == "epic":
        return first_of_epic(task)
    return fe("start", task) if actor.kind == "agent" else fe("list", "--ready")


def of_new_task(actor: Actor, task: TaskId) -> list[NamedQuery]:
    """Return the queries to prefetch for a task that this caller has just created."""
    by_ids: list[NamedQuery] = [("session.some", {"ids": [actor.session]}), *of_facts([task])]
    return [("task.get", {"id": task}), ("record.keys", {}), *by_ids]


class Tasks:
    """Creating and editing tasks."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def create(
        self,
        actor: Actor,
        title: str,
        *,
        description: str = "",
        type: str = "task",
        priority: int = DEFAULT_PRIORITY,
        labels: Sequence[str] = (),
        parent: str | None = None,
        depends_on: Sequence[str] = (),
        acceptance: str = "",
        minor: bool = False,
        group: str = "",
        estimate_minutes: int | None = None,
        key: str = "",
    ) -> PlannedTask:
        """Create a task. With a key that exists, return that task, or raise Conflict if its content differs."""
        check_estimate(estimate_minutes)
        title, kind = clean_title(title), task_type(type)
        description, acceptance = clean_text(description, "the description"), clean_text(acceptance, "the acceptance")
        on = labels_to_put_on(labels)
        what = " ".join([*on, *(["minor"] if minor else []), title])
        with loosening(
            self._context, actor, "create", what, lambda: minor or putting_on_loosens(self._context, actor, on)
        ) as work:
            event = e.TaskCreated(
                title=title,
                description=description,
                type=kind,
                priority=check_priority(priority),
                labels=on,
                parent=self._context.find_id(work.tx, parent) if parent else None,
                depends_on=tuple(dict.fromkeys(self._context.find_id(work.tx, other) for other in depends_on)),
                acceptance=acceptance,
                minor=minor,
                group=clean_title(group) if group else "",
                estimate_minutes=estimate_minutes,
                key=clean_word(key, "key") if key else "",
                signed_by=work.key,
            )
            done = self._once(work.tx, event)
            if done is None:
                new = free_id(self._context, work.tx)
                work.record(new, event)
                work.tx.ahead(*of_new_task(actor, new))
                created = self._context.get(work.tx, new)
                done = outcome(created, f"created {new}", after_planning(actor, new, kind), notes=notes_of(work))
            return self._with_mode(work.tx, actor, done)

    def _with_mode(self, tx: Tx, actor: Actor, done: Outcome) -> PlannedTask:
        """Return the outcome with the task's review mode, which its creator can still change. (M)"""
        task = TaskId(done.task)
        mode = modes_of(self._context, tx, actor, facts_for(self._context, tx, [task])).get(task)
        planned = PlannedTask(**msgspec.structs.asdict(done))
        return msgspec.structs.replace(planned, mode=mode.words, mode_reasons=mode.reasons) if mode else planned

    def _once(self, tx: Tx, event: e.TaskCreated) -> Outcome | None:
        """Return the task that already has this key, or None. Raise Conflict if its content differs."""
        planned = tx.one("task.by_key", PlannedWords, key=event.key) if event.key else None
        if planned is None:
            return None
        known = msgspec.json.decode(planned.payload, type=e.TaskCreated)
        if msgspec.structs.replace(known, signed_by=event.signed_by) != event:
            raise Conflict(
                f"the key {event.key} already belongs to {planned.id}, which has different text.",
                next_step=fe("show", planned.id),
                task=planned.id,
            )
        row = self._context.get(tx, TaskId(planned.id))
        gone = f", and was {row.resolution}" if row.resolution in ("cancelled", "deleted") else ""
        step = fe("reopen", row.id) if gone else fe("show", row.id)
        return outcome(row, f"{row.id} already exists{gone}", step, changed=False)

    def edit(
        self,
        actor: Actor,
        task: str,
        *,
        title: str | None = None,
        description: str | None = None,
        acceptance: str | None = None,
        type: str | None = None,
        priority: int | None = None,
        group: str | None = None,
        estimate_minutes: int | None = None,
        parent: str | None = None,
        minor: bool | None = None,
        step: int = 0,
        labels: Sequence[str] = (),
        depends_on: Sequence[str] = (),
        if_version: int | None = None,
    ) -> Outcome:
        """Change all given fields, or none. `step` moves the priority. A text edited after an approval ends it. (T8)"""
        on = labels_to_put_on(labels)
        what = " ".join([*on, *(["minor"] if minor else []), acceptance or ""])
        less = bool(minor) or acceptance is not None
        with loosening(
            self._context,
            actor,
            "update",
            what,
            lambda: less or putting_on_loosens(self._context, actor, on),
            task=task,
        ) as work:
            row = self._context.find(work.tx, task)
            self._context.check_version(work.tx, row, if_version)
            wanted: dict[str, object] = {
                "title": None if title is None else clean_title(title),
                "description": None if description is None else clean_text(description, "the description"),
                "acceptance": None if acceptance is None else clean_text(acceptance, "the acceptance"),
                "type": None if type is None else task_type(type),
                "priority": _priority(row, priority, step),
                "group": clean_title(group) if group else group,
                "estimate_minutes": estimate_minutes,
            }
            self._record_edit(work, row, wanted)
            if parent is not None:
                self._move(work, row, parent)
            if minor is not None and (minor != row.minor or (minor and is_new_word(self._context, work, row, "minor"))):
                work.record(row.id, e.MinorSet(minor=minor, signed_by=work.key))
            self._put_on(work, row, on)
            self._let_wait(work, row, depends_on)
            return _edited(row, self._context.get(work.tx, row.id), notes_of(work))

    def _record_edit(self, work: Work, task: Task, wanted: dict[str, object]) -> None:
        """Record the changed fields. A changed text ends the current approvals. (T8)"""
        changes = {name: value for name, value in wanted.items() if value is not None and value != getattr(task, name)}
        if not changes:
            return
        old = {name: str(getattr(task, name)) for name in changes}
        signed_by = work.key if "acceptance" in changes else ""
        work.record(task.id, e.TaskEdited(old=old, signed_by=signed_by, **changes))  # type: ignore[arg-type]
        texts = sorted({"title", "description", "acceptance"} & set(changes))
        if texts and task.status in ("approved", "reviewing"):
            why = f"{', '.join(texts)} edited after the approval (T8)"
            for approval in work.tx.all("attempt.active_approvals", ApprovalView, task=task.id):
                work.record(task.id, ApprovalEnded(approval=approval.seq, why=why))

    def _move(self, work: Work, task: Task, parent: str) -> None:
        new = self._context.find_id(work.tx, parent) if parent else None
        if new == task.parent:
            return
        if new is not None and any(row.id == task.id for row in work.tx.all("task.ancestors", IdRow, start=new)):
            refuse_verb(
                f"{new} is below {task.id}, so that would be a circle.", Reason("T4", "a task cannot be its own parent")
            )
        work.record(task.id, e.ParentChanged(old=task.parent, new=new))

    def add_label(self, actor: Actor, task: str, labels: Sequence[str]) -> Outcome:
        """Add labels to a task."""
        return self.add_labels(actor, [task], labels)[0]

    def add_labels(self, actor: Actor, tasks: Sequence[str], labels: Sequence[str]) -> list[Outcome]:
        """Add labels to several tasks, all or none."""
        on = labels_to_put_on(labels)
        what = named(tasks, f"add {' '.join(on)}")
        loosens = partial(putting_on_loosens, self._context, actor, on)
        with loosening(self._context, actor, "label", what, loosens, task=_the_one(tasks)) as work:

            def put_on(task: str) -> Outcome:
                row = self._context.find(work.tx, task)
                self._put_on(work, row, on)
                return self._with_labels(work, row)

            return each(tasks, put_on)

    def remove_label(self, actor: Actor, task: str, labels: Sequence[str]) -> Outcome:
        """Remove labels from a task, in any spelling."""
        return self.remove_labels(actor, [task], labels)[0]

    def remove_labels(self, actor: Actor, tasks: Sequence[str], labels: Sequence[str]) -> list[Outcome]:
        """Remove labels from several tasks, all or none."""
        off = labels_to_take_off(labels)
        what = named(tasks, f"rm {' '.join(off)}")
        loosens = partial(taking_off_loosens, self._context, actor, off)
        with loosening(self._context, actor, "label", what, loosens, task=_the_one(tasks)) as work:

            def take_off(task: str) -> Outcome:
                row = self._context.find(work.tx, task)
                for label in off:
                    again = is_new_word(self._context, work, row, "off", label)
                    for have in spelled(row, label) or ([label] if again else []):
                        work.record(row.id, e.LabelRemoved(label=have, signed_by=work.key))
                return self._with_labels(work, row)

            return each(tasks, take_off)

    def _put_on(self, work: Work, task: Task, labels: Sequence[str]) -> None:
        for label in labels:
            spellings = spelled(task, label)
            if not spellings or is_new_word(self._context, work, task, "label", label):
                work.record(task.id, e.LabelAdded(label=spellings[0] if spellings else label, signed_by=work.key))

    def _with_labels(self, work: Work, task: Task) -> Outcome:
        now = self._context.get(work.tx, task.id)
        changed = now.version != task.version
        message = f"{now.id} labels: {', '.join(now.labels) or 'none'}"
        return outcome(now, message, changed=changed, notes=notes_of(work) if changed else ())

    def add_dependency(self, actor: Actor, task: str, depends_on: Sequence[str]) -> Outcome:
        """Make a task wait for others. A cycle is refused. [T4]"""
        with self._context.writing(actor, "dep") as work:
            row = self._context.find(work.tx, task)
            have = self._let_wait(work, row, depends_on)
            now = self._context.get(work.tx, row.id)
            return outcome(
                now, f"{now.id} depends on {', '.join(sorted(have)) or 'nothing'}", changed=now.version != row.version
            )

    def _let_wait(self, work: Work, task: Task, depends_on: Sequence[str]) -> set[str]:
        have = {row.id for row in work.tx.all("task.dependencies", IdRow, id=task.id)}
        for text in depends_on:
            other = self._context.find_id(work.tx, text)
            if other in have:
                continue
            if other == task.id or work.tx.one("task.reaches", IdRow, start=other, goal=task.id) is not None:
                message = (
                    f"{other} already depends on {task.id}"
                    if other != task.id
                    else f"{task.id} cannot depend on itself"
                )
                refuse_task(
                    task.id,
                    "was not changed, because that would be a circle",
                    Reason("T4", f"{message}, and a circle of dependencies never becomes ready", fe("dep", other)),
                )
            work.record(task.id, e.DependencyAdded(depends_on=other))
            have.add(other)
        return have

    def remove_dependency(self, actor: Actor, task: str, depends_on: Sequence[str]) -> Outcome:
        """Remove dependencies of a task. The removal is journalled and shown in review. [T3]"""
        with self._context.writing(actor, "dep --remove") as work:
            current = self._context.find(work.tx, task)
            have = {row.id for row in work.tx.all("task.dependencies", IdRow, id=current.id)}
            todo = [other for other in (self._context.find_id(work.tx, text) for text in depends_on) if other in have]
            for other in todo:
                work.record(current.id, e.DependencyRemoved(depends_on=other))
            now = self._context.get(work.tx, current.id)
            return outcome(
                now, f"{now.id} depends on {', '.join(sorted(have - set(todo))) or 'nothing'}", changed=bool(todo)
            )


class PlannedWords(IdRow, frozen=True):
    """A task as it was created."""

    payload: str


def check_estimate(minutes: int | None) -> None:
    """Refuse an estimate outside 1 to 100000 minutes."""
    if minutes is not None and not 1 <= minutes <= 100_000:
        raise BadInput("an estimate is a number of minutes from 1 to 100000.")


def _the_one(tasks: Sequence[str]) -> str:
    """Return the task for a signature, or "" if there are several."""
    return tasks[0] if len(tasks) == 1 else ""


def _priority(task: Task, priority: int | None, step: int) -> int | None:
    """Return the wanted priority, from a number or a step."""
    if step and priority is not None:
        raise BadInput(
            "give either a priority or --bump or --lower, not both.",
            next_step=fe("update", task.id, "-p", f"P{priority}"),
        )
    if step:
        return min(LOWEST, max(HIGHEST, task.priority + step))
    return None if priority is None else check_priority(priority)


def _edited(before: Task, now: Task, notes: tuple[str, ...] = ()) -> Outcome:
    changed = now.version != before.version
    ended = before.status == "approved" and now.status == "reviewing"
    return outcome(
        now,
        f"updated {now.id}" if changed else f"{now.id}: nothing to change",
        changed=changed,
        notes=(*(("its approval has ended, because the task's text has changed (T8)",) if ended else ()), *notes),
    )


# ---- Ids of new tasks ----

TRIES = 20


def free_id(context: Context, tx: Tx) -> TaskId:
    """Return an unused id, checked in the creating transaction. Ids get longer when short ones run out."""
    tx.along(("project.counters", {}))
    prefix = context.project(tx).prefix
    total = sum(row.n for row in tx.all("project.counters", CounterRow) if row.name.startswith("status:"))
    for tries in range(TRIES):
        new = task_id(prefix, context.ids.number(), length_for(total, tries))
        if tx.one("task.exists", IdRow, id=new) is None:
            return new
    raise BadInput("no free task id was found; try again.")


# ---- Loosening a review (M6) ----

SIGNED_LENGTH = 200
"""Longest signed text kept in the statement. A longer text is replaced by its digest."""
NOT_SIGNED = "it was not signed, and this project has keys, so only a signed loosening counts (M6)"


def loosening(
    context: Context, actor: Actor, verb: str, what: str, loosens: Callable[[], bool], *, task: str = ""
) -> AbstractContextManager[Work]:
    """Return a transaction for a verb that may loosen a review. A person signs `what` if `loosens()` returns True."""
    if actor.kind != "human":
        return context.writing(actor, verb)
    from foureyes.app import signatures
    from foureyes.core.words.digest import sha256

    reason = what if len(what) <= SIGNED_LENGTH else f"sha256:{sha256(what.encode()).hexdigest()}"
    return signatures.loosening(context, actor, signatures.Intent(verb=verb, task=task, reason=reason), loosens=loosens)


def notes_of(work: Work) -> tuple[str, ...]:
    """Return a note for a caller whose unsigned loosening does not count. (M6)"""
    return (NOT_SIGNED,) if work.unsigned else ()


def putting_on_loosens(context: Context, actor: Actor, labels: Sequence[str]) -> bool:
    """Return True if adding one of these labels loosens the review."""
    with context.store.read() as tx:
        return bool(_loosening_labels(context, tx, actor, labels))


def _loosening_labels(context: Context, tx: Tx, actor: Actor, labels: Sequence[str]) -> list[str]:
    from foureyes.core.rules.modes import loosest_mode

    policy = context.policy(tx, actor)
    return [label for label in labels if loosest_mode(policy, label) not in (None, "per-task")]


def planned_labels(context: Context, work: Work, task: Task) -> list[str]:
    """Return the task's loosening labels that it was created with or that the caller added. (M7)"""
    labels = _loosening_labels(context, work.tx, work.actor, task.labels)
    if not labels:
        return []
    from foureyes.app.facts import controls_of

    last = {folded(each.label): each for each in controls_of(work.tx, [task.id])[task.id] if each.label}
    puts = {label: last.get(folded(label)) for label in labels}
    return [label for label, put in puts.items() if put and (not put.late or put.session == work.actor.session)]


def taking_off_loosens(context: Context, actor: Actor, labels: Sequence[str]) -> bool:
    """Return True if removing one of these labels may loosen the review."""
    with context.store.read() as tx:
        return any(_speaks(context, tx, actor, label) for label in labels)


def _speaks(context: Context, tx: Tx, actor: Actor, label: str) -> bool:
    """Return True if a label affects the review of a task."""
    from foureyes.core.rules.modes import label_mode
    from foureyes.core.rules.policy import rule_of

    return label_mode(label) is not None or rule_of(context.policy(tx, actor), label) is not None


def labels_to_put_on(labels: Sequence[str]) -> tuple[str, ...]:
    """Return labels in their stored form. Refuse a mode label with an unknown mode. (M2)"""
    kept = _each_once(labels, clean_label)
    if any(":" in label for label in kept):
        from foureyes.core.rules.modes import refuse_unknown_mode

        for label in kept:
            refuse_unknown_mode(label)
    return kept


def labels_to_take_off(labels: Sequence[str]) -> tuple[str, ...]:
    """Return labels to remove. They may be such that can no longer be added."""
    return _each_once(labels, lambda label: clean_word(label, "label"))


def _each_once(labels: Sequence[str], clean: Callable[[str], str]) -> tuple[str, ...]:
    """Return each label once, in its first spelling."""
    kept: dict[str, str] = {}
    for label in labels:
        kept.setdefault(folded(label), clean(label))
    return tuple(kept.values())


def spelled(task: Task, label: str) -> list[str]:
    """Return the spellings of a label on the task."""
    wanted = folded(label)
    return [have for have in task.labels if folded(have) == wanted]


def is_new_word(
    context: Context, work: Work, task: Task, kind: Literal["label", "off", "minor"], label: str = ""
) -> bool:
    """Return True if a person repeats a label or mark and that changes who set it: the existing one is by another
    session, or without their signature. (M6)
    """
    if work.actor.kind != "human" or (label and not _speaks(context, work.tx, work.actor, label)):
        return False
    from foureyes.app.facts import controls_of

    kinds, wanted = ("label", "off") if label else (kind,), folded(label)
    controls = [
        control
        for control in controls_of(work.tx, [task.id])[task.id]
        if control.kind in kinds and folded(control.label) == wanted
    ]
    if not controls or controls[-1].kind != kind:
        return False
    return controls[-1].session != work.actor.session or (bool(work.key) and not controls[-1].key)
