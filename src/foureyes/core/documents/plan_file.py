"""Plans as people and planning agents write them: Markdown with a section per task (M7). Pure: text in, tasks out.

## Task 2: Add authentication
Labels: review:per-task, security
Priority: P1
Depends on: Task 1, Refactor utils
Acceptance: sign-in works with an expired token

Anything else is the description. A backslash before a line makes it text, whatever it looks like.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from foureyes.core.documents import plan_lines as lines
from foureyes.core.documents.plan_fences import TASK, escaped, fences, unmarked
from foureyes.core.documents.plan_section import SectionText, read_section
from foureyes.core.nouns.task import (
    DEFAULT_PRIORITY,
    TaskType,
    clean_label,
    clean_priority,
    clean_title,
    clean_word,
    task_type,
)
from foureyes.core.rules.modes import NAMES as NAMES_OF_MODES
from foureyes.core.rules.modes import PREFIX, label_mode, refuse_unknown_mode
from foureyes.core.words.folding import folded
from foureyes.core.words.text import clean_text
from foureyes.errors import BadInput, FoureyesError, Reason
from foureyes.steps import Steps, prose

LOOKS_LIKE_ONE = re.compile(r"^Task\b|\bTask\b(?:\s+[\w.#-]{1,20})?\s*:", re.IGNORECASE)
DEFAULT = "default"
WORDS_OF_PRIORITY = {"critical": 0, "highest": 0, "high": 1, "medium": 2, "normal": 2, "low": 3, "lowest": 4}
MOST_TASKS = 1_000
MOST_REASONS = 20


class PlanSection(msgspec.Struct, frozen=True, kw_only=True):
    """One section of a plan. `ref` is what the plan calls it by (`Task 3: …`), `key` the word under which it is made
    once. `depends_on` are titles or refs of the same plan, or ids of tasks that exist. `notes`: what was not read.
    """

    line: int
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
    notes: tuple[str, ...] = ()

    @property
    def planned(self) -> str:
        """M7: the planned mode; a task that the plan says nothing about is auto-approve, a label or `Mode: default`
        speaks for itself.
        """
        if self.mode:
            return "" if self.mode == DEFAULT else self.mode
        return "" if any(folded(label).startswith(PREFIX) for label in self.labels) else "auto-approve"

    @property
    def names(self) -> tuple[str, ...]:
        """What other tasks of the plan may call it."""
        return names_of(self.ref, self.title)


def names_of(ref: str, title: str) -> tuple[str, ...]:
    """What a task with this number and title may be called."""
    ref, shown = ref.lower(), lines.plain(title).lower()
    called = (ref, f"task {ref}", f"{ref}: {shown}", f"task {ref}: {shown}") if ref else ()
    return (*called, shown, title.lower())


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """A task's lines, each with its number and whether it is code."""

    line: int
    level: int
    title: str
    ref: str
    body: list[tuple[int, str, bool]]


class Problems:
    """What is wrong with a plan, each with its line: all of it is said at once."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.reasons: list[Reason] = []
        self._lines: dict[str, int] = {}

    def add(self, line: int, why: str, step: Steps | None = None) -> None:
        mend = step or prose(f"mend line {line} of {self.name}; a backslash before it makes it text")
        reason = Reason("M7", f"{self.name}:{line} {why.rstrip('.')}", mend)
        self._lines[reason.message] = line
        self.reasons.append(reason)

    def raise_(self) -> None:
        """One is a sentence, several are a list, from top to bottom."""
        self.reasons.sort(key=lambda reason: self._lines[reason.message])
        count = len(self.reasons)
        if count == 1:
            raise BadInput(f"{self.reasons[0].message}.", next_step=self.reasons[0].next)
        if count:
            more = f" The first {MOST_REASONS} of {count}" if count > MOST_REASONS else f" {count} lines are wrong"
            raise BadInput(
                f"nothing of {self.name} was planned.{more}.",
                reasons=tuple(self.reasons[:MOST_REASONS]),
                next_step=prose(f"mend these lines of {self.name}"),
            )


def read_plan(text: str, name: str = "the plan") -> list[PlanSection]:
    """Every task of a plan, in its order; wrong ones are an error that names their lines, and nothing is taken from
    the file.
    """
    problems = Problems(name)
    sections = _sections(clean_text(text.removeprefix("\ufeff"), name), problems)
    names = {name for section in sections for name in names_of(section.ref, section.title)}
    tasks = [task for section in sections if (task := _read(section, names, problems))]
    _refuse_twice(tasks, problems)
    problems.raise_()
    if not tasks:
        raise BadInput(
            f'{name} has no section "## Task: …" outside of code fences and comments.',
            next_step=prose("write one section per task: ## Task: what is to be done"),
        )
    if len(tasks) > MOST_TASKS:
        raise BadInput(
            f"{name} has {len(tasks)} tasks; at most {MOST_TASKS} are taken at once.", next_step=prose("split it")
        )
    return tasks


def _sections(text: str, problems: Problems) -> list[Section]:
    """The sections of a plan; headings inside code fences are text."""
    sections: list[Section] = []
    inside, level = False, 2
    for number, line, fenced in fences(text.split("\n"), problems.add):
        heading = None if fenced else lines.ANY_HEADING.match(line)
        match = TASK.match(unmarked(heading["text"])) if heading and heading["blank"] else None
        if heading and match:
            inside, level = True, len(heading["level"])
            ref = (match["ref"] or "").lstrip("#")
            sections.append(Section(line=number, level=level, title=match["title"].strip(), ref=ref, body=[]))
        elif heading and LOOKS_LIKE_ONE.search(unmarked(heading["text"])):
            problems.add(number, f"{line.strip()[:60]!r} looks like a task, and a task begins so: ## Task: its title")
        elif heading and heading["blank"] and heading["text"] and len(heading["level"]) <= min(2, level):
            inside = False
        elif inside:
            sections[-1].body.append((number, line, fenced))
        elif not fenced and (why := _belongs_to_a_task(line)):
            problems.add(number, why)
    return sections


def _belongs_to_a_task(line: str) -> str:
    """Why a line that stands in no task is not left out in silence."""
    field = lines.field_in(line)
    if field is not None:
        return f"{field.name.capitalize()}: stands in no task" if field.name in lines.STRICT and field.value else ""
    return lines.why_refused(line)


def _read(section: Section, names: set[str], problems: Problems) -> PlanSection | None:
    """A section as a task; what is wrong with it goes to `problems`."""
    before = len(problems.reasons)
    text = read_section(section.body, problems.add)
    try:
        title = clean_title(section.title)
    except FoureyesError as problem:
        problems.add(section.line, problem.message)
        return None
    values = _values(text, names, problems)
    if len(problems.reasons) > before:
        return None
    task = PlanSection(line=section.line, title=title, ref=section.ref, notes=text.notes, **values)  # type: ignore[arg-type]
    why = _contradiction(task)
    if why:
        problems.add(section.line, why)
    return None if why else task


def _values(text: SectionText, names: set[str], problems: Problems) -> dict[str, object]:
    """The fields of a task as values; each that cannot be one is a problem of its line."""
    values: dict[str, object] = {}

    def take(name: str, value: object) -> None:
        if isinstance(value, tuple) and isinstance(have := values.get(name, ()), tuple):
            values[name] = tuple(dict.fromkeys([*have, *value]))
        elif values.setdefault(name, value) != value:
            raise BadInput(f"another {name} than in the lines before.")

    for field in text.fields:
        try:
            match field.name:
                case "labels":
                    labels = lines.labels_in(field.value, late=field.late)
                    take("labels", tuple(_label(label, late=field.late) for label in labels))
                case "mode":
                    mode = lines.mode_in(field.value, DEFAULT)
                    _refuse_late_skip(mode, late=field.late)
                    take("mode", mode)
                case "priority":
                    take("priority", _priority(field.value))
                case "type":
                    take("type", task_type(lines.plain(field.value) or "task"))
                case "key":
                    take("key", clean_word(lines.plain(field.value), "key"))
                case "depends on":
                    take("depends_on", tuple(_needs(field.value, names)))
        except FoureyesError as problem:
            problems.add(field.line, problem.message)
    values["acceptance"] = "\n".join(field.value for field in text.fields if field.name == "acceptance").strip()
    values["description"] = text.text
    return values


def _label(label: str, *, late: bool) -> str:
    label = clean_label(label)
    refuse_unknown_mode(label)
    _refuse_late_skip(label_mode(label) or "", late=late)
    return label


def _refuse_late_skip(mode: str, *, late: bool) -> None:
    """M6: what lets nobody look is said where everybody reads it, and is never taken out of a text."""
    if late and mode == "skip":
        raise BadInput("skip stands below the text of the task: write it directly below the heading.")


def _priority(value: str) -> int:
    word = (lines.plain(value).split() or [""])[0].strip("`*,;:()")
    known = WORDS_OF_PRIORITY.get(word.lower())
    return known if known is not None else clean_priority(word) if word else DEFAULT_PRIORITY


def _needs(value: str, names: set[str]) -> Iterator[str]:
    """What a task waits for. A title may hold a comma."""
    for line in value.split("\n"):
        whole = lines.plain(line)
        yield from (whole,) if whole.lower() in names else lines.words_in(line)


def _contradiction(task: PlanSection) -> str:
    """M1, M7: what would lose the stricter of two words about its mode."""
    modes = {mode for label in task.labels if (mode := label_mode(label))}
    if task.mode and modes and modes != {task.mode}:
        return f"it says mode {task.mode} and, by a label, {', '.join(sorted(modes))}"
    if task.planned == "auto-approve" and not task.mode:
        for match in lines.REVIEW.finditer(f"{task.title}\n{task.description}\n{task.acceptance}"):
            mode = NAMES_OF_MODES.get(match["mode"].lower())
            if mode in ("per-task", "batch"):
                return f"its text names {match.group()}, and no line says it: add Labels: {PREFIX}{mode}, or Mode: auto"
    return ""


def _refuse_twice(tasks: list[PlanSection], problems: Problems) -> None:
    """Two tasks that nobody can tell apart."""
    seen: dict[str, int] = {}
    for task in tasks:
        for kind, name in (("called", task.ref.lower()), ("with the key", task.key)):
            if name and seen.setdefault(f"{kind} {name}", task.line) != task.line:
                problems.add(task.line, f"a second task is {kind} {name!r}", prose("give each its own"))
        if (
            seen.setdefault(task.title.lower() if not (task.ref or task.key) else f"{task.line}", task.line)
            != task.line
        ):
            why = f"a second task is called {task.title!r}"
            problems.add(task.line, why, prose("give each task a title of its own, or a number: ## Task 2: …"))


def written(text: str) -> str:
    """A description as a plan holds it: nothing in it can be taken for a task, a field, a comment or a fence."""
    return "\n".join(_escaped(line) for line in escaped(text).split("\n"))


def _escaped(line: str) -> str:
    return "\\" + line if lines.is_special(line.lstrip("\\")) else line
