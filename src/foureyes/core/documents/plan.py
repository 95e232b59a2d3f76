"""Plans: many tasks in one document, in Markdown or JSON. (M7)"""

from __future__ import annotations

import re
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from foureyes.core.documents.json_reader import parsed
from foureyes.core.documents.shapes import OneLine
from foureyes.core.nouns.task import (
    DEFAULT_PRIORITY,
    TaskType,
    clean_label,
    clean_priority,
    clean_title,
    clean_word,
    task_type,
)
from foureyes.core.rules.modes import NAMES as MODES
from foureyes.core.rules.modes import PREFIX, label_mode, refuse_unknown_mode
from foureyes.core.words.folding import folded
from foureyes.core.words.text import TEXT_LIMIT, clean_text, visible
from foureyes.errors import BadInput, FoureyesError, Reason
from foureyes.steps import prose

DEFAULT = "default"
MOST_TASKS = 1_000
MOST_REASONS = 20
NOTHING = frozenset({"", "none", "n/a", "-"})
_MODE_WITHOUT_PREFIX = re.compile(r"(?:review\W?(?:per.task|batch|auto(?:.approve)?|skip)|per.task)")

PlanText = Annotated[str, Meta(max_length=TEXT_LIMIT)]


class PlanRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A task in a JSON plan. `id` is its name in this plan. `depends_on` names tasks by id or title."""

    title: OneLine
    id: OneLine = ""
    key: OneLine = ""
    labels: tuple[OneLine, ...] = ()
    mode: OneLine = ""
    priority: int | str = DEFAULT_PRIORITY
    type: OneLine = "task"
    depends_on: tuple[OneLine, ...] = ()
    acceptance: PlanText = ""
    description: PlanText = ""


class PlanDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A plan as JSON."""

    tasks: tuple[PlanRow, ...]


class PlanTask(msgspec.Struct, frozen=True, kw_only=True):
    """One task of a plan.

    `at` is its place, such as `plan.md:12`, `ref` its number or id in the plan, and `key` its unique word in the
    project. `depends_on` has names of tasks in the plan, or ids of existing tasks.
    """

    at: str
    title: str
    ref: str = ""
    key: str = ""
    description: str = ""
    labels: tuple[str, ...] = ()
    priority: int = DEFAULT_PRIORITY
    type: TaskType = "task"
    acceptance: str = ""
    depends_on: tuple[str, ...] = ()
    mode: str = ""

    @property
    def planned(self) -> str:
        """The planned mode: auto-approve, unless a mode or a review label says otherwise. (M7)"""
        if self.mode:
            return "" if self.mode == DEFAULT else self.mode
        return "" if any(folded(label).startswith(PREFIX) for label in self.labels) else "auto-approve"


class PlanProblems:
    """The problems of a plan with their places, reported together."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.reasons: list[Reason] = []

    def add(self, at: str, why: str) -> None:
        """Add a problem of the line or field `at`."""
        self.reasons.append(Reason("M7", f"{at} {why.rstrip('.')}", prose(f"correct it in {self.name}")))

    def raise_(self) -> None:
        """Refuse the plan if there is any problem."""
        count = len(self.reasons)
        if count == 1:
            message = self.reasons[0].message
            raise BadInput(message if message.endswith("?") else f"{message}.", next_step=self.reasons[0].next)
        if count:
            more = f" It has {count} problems. These are the first:" if count > MOST_REASONS else ""
            raise BadInput(
                f"nothing of {self.name} was planned.{more}",
                reasons=tuple(self.reasons[:MOST_REASONS]),
                next_step=prose(f"correct {self.name}"),
            )


class PlanNames:
    """The tasks of a plan by the names used in dependencies."""

    def __init__(self, tasks: list[PlanTask]) -> None:
        self._tasks: dict[str, set[str]] = {}
        for task in tasks:
            ref, title = task.ref.lower(), task.title.lower()
            for name in (title, *((ref, f"task {ref}", f"task {ref}: {title}") if ref else ())):
                self._tasks.setdefault(name, set()).add(task.at)

    def place_of(self, name: str, task: PlanTask) -> str | None:
        """Return the place of the task that a dependency names, or None if the plan has no such task."""
        places = self._tasks.get(name.lower(), set())
        if len(places) > 1:
            raise BadInput(
                f"{task.at} depends on {visible(name)!r}, but several tasks have that title.",
                next_step=prose("give each a number: ## Task 2: …"),
            )
        return next(iter(places), None)


def read_plan(text: str, name: str = "the plan") -> list[PlanTask]:
    """Return the tasks of a plan in order. Any problem refuses the whole plan."""
    text = text.removeprefix("\ufeff")
    problems = PlanProblems(name)
    if text.lstrip().startswith("{"):
        tasks = _json_tasks(text, problems)
    else:
        from foureyes.core.documents.plan_markdown import markdown_tasks

        tasks = markdown_tasks(clean_text(text, name), problems)
    _refuse_twice(tasks, problems)
    problems.raise_()
    if not tasks:
        raise BadInput(
            f'{name} has no section "## Task: …" outside of code and comments.',
            next_step=prose("write one section per task: ## Task: its title"),
        )
    if len(tasks) > MOST_TASKS:
        raise BadInput(f"{name} has {len(tasks)} tasks; at most {MOST_TASKS} are allowed.", next_step=prose("split it"))
    return tasks


def _json_tasks(text: str, problems: PlanProblems) -> list[PlanTask]:
    from foureyes.core.documents.json_reader import misfits

    name = problems.name
    try:
        value = parsed(text)
    except ValueError as problem:
        raise BadInput(f"{name}: {problem}.", next_step=prose(f"correct {name}")) from None
    for misfit in misfits(value, PlanDocument).problems:
        problems.add(f"{name}:", misfit)
    problems.raise_()
    tasks = []
    for number, row in enumerate(msgspec.convert(value, PlanDocument).tasks, 1):
        at, values = f"{name}: task {number}", {}
        for field in ("title", "labels", "mode", "priority", "type", "key", "depends_on"):
            try:
                values[field] = clean_field(field, getattr(row, field))
            except FoureyesError as problem:
                problems.add(at, problem.message)
        if "title" in values:
            ref, acceptance, description = row.id, row.acceptance.strip(), row.description.strip()
            tasks.append(PlanTask(at=at, ref=ref, acceptance=acceptance, description=description, **values))
    return tasks


def clean_field(name: str, value: Any) -> Any:
    """Return the normalized value of a task field. Raise BadInput for a bad one."""
    match name:
        case "title":
            return clean_title(value)
        case "labels":
            return tuple(dict.fromkeys(_label(label) for label in value))
        case "mode":
            return _mode(value)
        case "priority":
            return clean_priority(str(value))
        case "type":
            return task_type(value)
        case "key":
            return clean_word(value, "key") if value else ""
    return value


def _label(text: str) -> str:
    label = clean_label(text)
    refuse_unknown_mode(label)
    if _MODE_WITHOUT_PREFIX.fullmatch(folded(label)) and label_mode(label) is None:
        raise BadInput(f"the label {label} has no effect. A review mode is written like review:per-task.")
    return label


def _mode(text: str) -> str:
    mode = folded(text).removeprefix(PREFIX)
    if mode in NOTHING:
        return ""
    if mode not in (DEFAULT, *MODES):
        raise BadInput(f"mode {visible(text)!r} is none of {', '.join(MODES)}, {DEFAULT}.")
    return MODES.get(mode, mode)


def _refuse_twice(tasks: list[PlanTask], problems: PlanProblems) -> None:
    """Add a problem for each task with the same number, key or title as another, or with two modes. (M1)"""
    seen: dict[str, str] = {}
    for task in tasks:
        names = {f"the number {task.ref.lower()}": task.ref, f"the key {task.key}": task.key}
        names[f"the title {visible(task.title).lower()!r}"] = "" if task.ref or task.key else task.title
        for name, given in names.items():
            if given and seen.setdefault(name, task.at) != task.at:
                problems.add(task.at, f"has {name}, as {seen[name]} has")
        modes = {mode for label in task.labels if (mode := label_mode(label))}
        if task.mode and modes and modes != {task.mode}:
            problems.add(task.at, f"has mode {task.mode}, but its label says {', '.join(sorted(modes))}")


def in_order(tasks: list[PlanTask]) -> list[PlanTask]:
    """Return the tasks with each one after its dependencies, otherwise in the plan's order. Refuse a cycle."""
    names = PlanNames(tasks)
    needs = {task.at: {names.place_of(other, task) for other in task.depends_on} - {None} for task in tasks}
    done: list[PlanTask] = []
    ready: set[str | None] = set()
    left = list(tasks)
    while left:
        free = next((task for task in left if needs[task.at] <= ready), None)
        if free is None:
            titles = ", ".join(task.title for task in left[:4])
            raise BadInput(
                f"{left[0].at} these tasks depend on each other in a circle: {titles}.",
                next_step=prose("remove one dependency"),
            )
        done.append(free)
        ready.add(free.at)
        left.remove(free)
    return done
