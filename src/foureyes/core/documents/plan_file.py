"""Plans as people and planning agents write them: Markdown with a section per task (M7). Pure: text in, tasks out.

## Task: Add authentication
Labels: review:per-task, security
Priority: P1
Depends on: Refactor utils
Acceptance: sign-in works with an expired token

Anything else is the description.
"""

from __future__ import annotations

import re

import msgspec

from foureyes.core.nouns.task import DEFAULT_PRIORITY, TaskType, clean_label, clean_priority, clean_title
from foureyes.core.rules.modes import NAMES as NAMES_OF_MODES
from foureyes.core.rules.modes import PREFIX
from foureyes.core.words.folding import folded
from foureyes.core.words.text import clean_text
from foureyes.errors import BadInput, FoureyesError
from foureyes.steps import prose

HEADING = re.compile(r"^#{1,6}\s+Task\s*:\s*(?P<title>.*?)\s*#*\s*$", re.IGNORECASE)
OTHER_HEADING = re.compile(r"^#{1,2}\s+\S")
FIELD = re.compile(
    r"^\s*(?:[-*]\s+)?\**(?P<name>Labels?|Priority|Depends on|Dependencies|Acceptance|Type|Mode|Description)\**"
    r"\s*:\**\s*(?P<value>.*)$",
    re.IGNORECASE,
)
COMMENT = re.compile(r"(?<!\\)<!--.*?-->", re.DOTALL)
ODD = re.compile(r"\\*(?:\s*#{1,6}\s|\s*(?:```|~~~))")
ESCAPED = re.compile(r"\\+(?:\s*#{1,6}\s|\s*(?:```|~~~))")
DEFAULT = "default"
NAMED_MODES = NAMES_OF_MODES
FENCE = re.compile(r"^\s*(```|~~~)")
ITEM = re.compile(r"^\s+[-*]\s+(?P<text>.+)$")
NAMES = {"label": "labels", "dependencies": "depends on"}
MOST = 1_000


class PlannedTask(msgspec.Struct, frozen=True, kw_only=True):
    """One section of a plan. `depends_on` are titles of the same plan, or ids of tasks that exist."""

    line: int
    title: str
    description: str = ""
    labels: tuple[str, ...] = ()
    priority: int = DEFAULT_PRIORITY
    type: TaskType = "task"
    acceptance: str = ""
    depends_on: tuple[str, ...] = ()
    mode: str = ""

    @property
    def planned(self) -> str:
        """M7: the planned mode; a task that the plan says nothing about is auto-approve, a label or `Mode: default`
        speaks for itself.
        """
        if self.mode:
            return "" if self.mode == DEFAULT else self.mode
        return "" if any(folded(label).startswith(PREFIX) for label in self.labels) else "auto-approve"


def read_plan(text: str, name: str = "the plan") -> list[PlannedTask]:
    """Every task of a plan, in its order; a wrong one is an error that names its line, and nothing is taken from the
    file.
    """
    tasks: list[PlannedTask] = []
    for line, title, body in _sections(COMMENT.sub(_lines_of, clean_text(text.removeprefix("\ufeff"), name))):
        try:
            tasks.append(_task(line, title, body))
        except FoureyesError as problem:
            raise BadInput(f"{name}:{line} {problem.message}", next_step=prose(f"mend line {line} of {name}")) from None
    if not tasks:
        raise BadInput(
            f'{name} has no section "## Task: …".',
            next_step=prose("write one section per task: ## Task: what is to be done"),
        )
    if len(tasks) > MOST:
        raise BadInput(f"{name} has {len(tasks)} tasks; at most {MOST} are taken at once.", next_step=prose("split it"))
    titles = [task.title.lower() for task in tasks]
    twice = next((task for number, task in enumerate(tasks) if task.title.lower() in titles[:number]), None)
    if twice is not None:
        raise BadInput(
            f"{name}:{twice.line} a second task is called {twice.title!r}.",
            next_step=prose("give each task a title of its own"),
        )
    return tasks


def _lines_of(comment: re.Match[str]) -> str:
    """What is left of a comment: its ends of lines, so that line numbers stay right."""
    return "\n" * comment.group().count("\n")


def _sections(text: str) -> list[tuple[int, str, list[str]]]:
    """Line number, title and lines of every task; headings inside code fences are text."""
    sections: list[tuple[int, str, list[str]]] = []
    fenced, inside = "", False
    for number, line in enumerate(text.split("\n"), 1):
        fence = FENCE.match(line)
        if fence and fenced in ("", fence[1]):
            fenced = "" if fenced else fence[1]
        heading = None if fenced else HEADING.match(line)
        if heading:
            inside = True
            sections.append((number, COMMENT.sub("", heading["title"]).strip(), []))
        elif not fenced and OTHER_HEADING.match(line):
            inside = False
        elif inside:
            sections[-1][2].append(line)
    return sections


def _task(line: int, title: str, body: list[str]) -> PlannedTask:
    fields, description = _fields(body)
    labels = tuple(clean_label(word) for word in re.split(r"[,\s]+", fields.get("labels", "")) if word)
    kind = fields.get("type", "task").strip().lower() or "task"
    try:
        return PlannedTask(
            line=line,
            title=clean_title(title),
            description=clean_text(description, "the description"),
            labels=labels,
            priority=clean_priority(fields["priority"]) if fields.get("priority") else DEFAULT_PRIORITY,
            type=msgspec.convert(kind, TaskType),
            acceptance=clean_text(fields.get("acceptance", ""), "the acceptance"),
            depends_on=tuple(
                word.strip().strip("`") for word in fields.get("depends on", "").split(",") if word.strip()
            ),
            mode=_mode(fields.get("mode", "")),
        )
    except msgspec.ValidationError:
        raise BadInput(f"type {kind!r} is none of task, bug, feature, chore, docs, epic.") from None


def _mode(text: str) -> str:
    mode = text.strip().lower()
    if mode in ("", DEFAULT, *NAMED_MODES):
        return NAMED_MODES.get(mode, mode)
    raise BadInput(f"mode {mode!r} is none of {', '.join(NAMED_MODES)}, {DEFAULT}.")


def written(text: str) -> str:
    """A description as a plan holds it: nothing in it can be taken for a task, a field, a comment or a fence."""
    return "\n".join("\\" + line if ODD.match(line) else line for line in text.replace("<!--", "\\<!--").split("\n"))


def _read(text: str) -> str:
    """The same the other way round."""
    return "\n".join(line[1:] if ESCAPED.match(line) else line for line in text.split("\n")).replace("\\<!--", "<!--")


def _fields(body: list[str]) -> tuple[dict[str, str], str]:
    """`Name: value` lines before anything else was written; a list below `Acceptance:` belongs to it. Comments are
    dropped.

    `Description:` ends them: what follows is text, whatever it looks like.
    """
    fields: dict[str, str] = {}
    lines = COMMENT.sub("", "\n".join(body)).split("\n")
    rest = 0
    last = ""
    for number, line in enumerate(lines):
        field = FIELD.match(line)
        item = ITEM.match(line) if last == "acceptance" else None
        if field:
            last = NAMES.get(field["name"].lower(), field["name"].lower())
            fields[last] = field["value"].strip()
        elif item:
            fields[last] = f"{fields[last]}\n- {item['text'].strip()}".strip()
        elif line.strip():
            break
        rest = number + 1
        if last == "description":
            break
    begins = fields.pop("description", "")
    return fields, _read("\n".join([begins, *lines[rest:]]).strip())
