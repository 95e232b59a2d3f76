"""Plans in Markdown, read by CommonMark's parser (M7).

## Task 2: Add authentication
Labels: review:per-task, security
Priority: P1
Depends on: Task 1, Refactor utils
Acceptance: sign-in works with an expired token

Fields stand directly below the heading, where a misspelt one is refused. The text after them is the description, and
comments are ignored. A line of the description that looks like a field or a task is refused, because a lost label could
mean a weaker review. In code it is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from foureyes.core.documents.plan import NOTHING, PlanProblems, PlanTask, clean_field
from foureyes.errors import FoureyesError

if TYPE_CHECKING:
    from markdown_it.token import Token

FIELDS = ("labels", "mode", "priority", "type", "depends on", "acceptance", "key")
MEANT = {name: name.capitalize() for name in FIELDS} | {"review": "Mode"}
LISTS = ("labels", "depends on", "acceptance")
NO_DIALECT = ["emphasis", "link", "image", "autolink", "entity", "reference", "lheading"]
"""CommonMark rules that would hide a line of a plan or drop characters of a title."""
_TASK = re.compile(r"^\**Task(?:\s+#?(?P<ref>\w[\w.-]{0,20}))?\s*:\s*(?P<title>.*?)\**$", re.IGNORECASE)
_LIKE_A_TASK = re.compile(r"^\W*Task\b(?:\s+[\w.#-]{1,20})?\s*:|^#+\s*Task\b", re.IGNORECASE)
_FIELD = re.compile(r"^(?:[*_]*|`(?=[^`]*`\s*:))(?P<name>[A-Za-z][A-Za-z ]{1,20}?)[*_`]*\s*:[*_`]*\s*(?P<value>.*)$")
_LIKE_A_FIELD = re.compile(
    r"^[\W_]*(?:labels?|tags?|mode|review mode|depends on|dependenc(?:y|ies)|blocked by)\s*[\W_]*?(?:[:：|=]|$)"
    r"|(?<![\w:])review:\w",
    re.IGNORECASE,
)
_ANY_NAME = re.compile(r"^[\W_]*(?P<name>[A-Za-z][A-Za-z ]{1,20}?)[\W_]*[:：]")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_SIGNS = " \t`*_#[]()\"'"


def markdown_tasks(text: str, problems: PlanProblems) -> list[PlanTask]:
    """Return the tasks of a plan in order. Problems are added to `problems`."""
    from markdown_it import MarkdownIt

    lines = text.split("\n")
    sections: list[_Section] = []
    section: _Section | None = None
    for block in _blocks(MarkdownIt("commonmark").disable(NO_DIALECT).parse(text)):
        first = block[0]
        begin, end = first.map or [0, 0]
        if first.type == "heading_open":
            shown, level = _shown(block[1]).strip(), int(first.tag[1])
            if match := _TASK.match(shown):
                _close(section, lines, begin)
                section = _Section(begin, level, match["ref"] or "", match["title"].strip(), problems)
                sections.append(section)
                continue
            if _LIKE_A_TASK.match(f"# {shown}"):
                problems.add(f"{problems.name}:{begin + 1}", "looks like a task. Write a task as ## Task: its title")
            if section and level <= min(2, section.level):
                _close(section, lines, begin)
                section = None
        elif first.type == "fence" and not _is_closed(first, lines[end - 1]):
            problems.add(f"{problems.name}:{begin + 1}", "a code fence begins here and never ends")
        elif first.type == "html_block" and _uncommented(first.content).lstrip().startswith("<!--"):
            problems.add(f"{problems.name}:{begin + 1}", "a comment begins here and never ends")
        _drop_comments(block, lines)
        if section is None or not section.takes_fields(block, lines):
            _refuse_fields(block, lines, problems)
    _close(section, lines, len(lines))
    return [task for each in sections if (task := each.task())]


def _blocks(tokens: list[Token]) -> Iterator[list[Token]]:
    """Yield the top-level blocks of a document."""
    block: list[Token] = []
    for token in tokens:
        block.append(token)
        if token.level == 0 and token.nesting <= 0:
            yield block
            block = []


def _is_closed(fence: Token, last: str) -> bool:
    begin, end = fence.map or [0, 0]
    return end - begin > 1 and last.strip().startswith(fence.markup) and not last.strip().strip(fence.markup[0])


def _shown(inline: Token, *, code: bool = True) -> str:
    """Return the text of a paragraph without comments, line by line. Without `code`, inline code that has a colon is
    dropped.
    """
    parts = []
    for child in inline.children or []:
        if child.type in ("softbreak", "hardbreak"):
            parts.append("\n")
        elif child.type == "code_inline":
            parts.append(f"{child.markup}{child.content}{child.markup}" if code or ":" not in child.content else "")
        else:
            parts.append(_uncommented(child.content) if child.type == "html_inline" else child.content)
    return "".join(parts)


def _uncommented(text: str) -> str:
    """Return the text without comments, keeping line numbers."""
    return _COMMENT.sub(lambda comment: "\n" * comment.group().count("\n"), text)


def _drop_comments(block: list[Token], lines: list[str]) -> None:
    """Remove a block's comments from the lines of the document."""
    for token in block:
        begin, end = token.map or [0, 0]
        if token.type == "html_block":
            lines[begin:end] = _uncommented("\n".join(lines[begin:end])).split("\n")
        for child in (token.children or []) if token.type == "inline" else []:
            if child.type == "html_inline" and child.content.startswith("<!--"):
                source = "\n".join(lines[begin:end])
                lines[begin:end] = source.replace(child.content, "\n" * child.content.count("\n"), 1).split("\n")


def _refuse_fields(block: list[Token], lines: list[str], problems: PlanProblems) -> None:
    """Add a problem for each text line that looks like a task, or like a field that affects the review."""
    for token in block:
        begin, end = token.map or [0, 0]
        if token.type == "inline":
            text = _shown(token, code=False).split("\n")
        elif token.type in ("html_block", "code_block"):
            text = lines[begin:end]
        else:
            continue
        for number, line in enumerate(text, begin + 1):
            if _LIKE_A_TASK.match(line):
                problems.add(f"{problems.name}:{number}", "looks like a task. Write a task as ## Task: its title")
            elif _LIKE_A_FIELD.search(line) or _is_mistyped(line):
                why = "looks like a field inside the text. Put fields directly below ## Task: …, and write text like this as `code`"
                problems.add(f"{problems.name}:{number}", why)


def _is_mistyped(line: str) -> bool:
    """Return True if a line begins with a near miss of a field that affects the review."""
    match = _ANY_NAME.match(line)
    name = match["name"].lower() if match else ""
    return any(name[0] == near[0] for near in get_close_matches(name, ("labels", "depends on"), cutoff=0.8))


def _close(section: _Section | None, lines: list[str], end: int) -> None:
    if section:
        section.description = "\n".join(lines[section.text_from : end]).strip()


class _Section:
    """One task of a plan while its blocks are read from top to bottom."""

    def __init__(self, begin: int, level: int, ref: str, title: str, problems: PlanProblems) -> None:
        self.at = f"{problems.name}:{begin + 1}"
        self.level, self.ref, self.title = level, ref, title
        self.description = ""
        self.text_from = begin + 1
        self._problems = problems
        self._fields: dict[str, tuple[int, str]] = {}
        self._open: str | None = ""
        """The field of the lines before. "" below the heading, None once the description has begun."""

    def takes_fields(self, block: list[Token], lines: list[str]) -> bool:
        """Take the block if it holds fields, or a list for the field before it. Return True if it was taken."""
        first = block[0]
        begin, end = first.map or [0, 0]
        if first.type == "html_block" and not "".join(lines[begin:end]).strip():
            return True
        taken = False
        if self._open is not None and first.type == "paragraph_open":
            taken = self._take_lines(begin, _shown(block[1]).split("\n"))
        elif self._open in LISTS and first.type in ("bullet_list_open", "ordered_list_open"):
            taken = self._take_list(block)
        if taken:
            self.text_from = end
        else:
            self._open = None
        return taken

    def _take_lines(self, begin: int, lines: list[str]) -> bool:
        given = [(number, line) for number, line in enumerate(lines, begin + 1) if line.strip()]
        if not given or not (_field_of(given[0][1]) or _misspelt(given[0][1])):
            return not given
        for number, line in given:
            name, value = _field_of(line) or ("", "")
            if not name:
                why = (
                    _misspelt(line)
                    or f"{line.strip()[:60]!r} is not a field ({', '.join(FIELDS)}). Put a blank line before the text"
                )
                self._problems.add(f"{self._problems.name}:{number}", why)
            elif name in self._fields:
                self._problems.add(f"{self._problems.name}:{number}", f"the field {name} is given twice")
            else:
                self._fields[name] = (number, value)
                self._open = name
        return True

    def _take_list(self, block: list[Token]) -> bool:
        """Add a list's items to the field before it. Only acceptance may have text already."""
        name = self._open or ""
        number, value = self._fields[name]
        if value and name != "acceptance":
            return False
        items = [_shown(token) for token in block if token.type == "inline"]
        if name == "acceptance":
            _refuse_fields(block, [], self._problems)
        added = "\n".join(f"- {item}" for item in items) if name == "acceptance" else ", ".join(items)
        self._fields[name] = (number, f"{value}\n{added}".strip())
        return True

    def task(self) -> PlanTask | None:
        """Return the task, or None if its title or a field has a problem."""
        values: dict[str, Any] = {}
        fields = {"title": (0, self.title)} | self._fields
        for name, (number, text) in fields.items():
            field, value = name.replace(" ", "_"), text if name in ("title", "acceptance") else _words(name, text)
            try:
                values[field] = clean_field(field, value)
            except FoureyesError as problem:
                self._problems.add(f"{self._problems.name}:{number}" if number else self.at, problem.message)
        if len(values) < len(fields):
            return None
        return PlanTask(at=self.at, ref=self.ref, description=self.description, **values)


def _field_of(line: str) -> tuple[str, str] | None:
    """Return the name and value of a field line, or None."""
    match = _FIELD.match(line.strip())
    name = match["name"].lower().strip() if match else ""
    name = "labels" if name == "label" else name
    return (name, match["value"].strip()) if match and name in FIELDS else None


def _misspelt(line: str) -> str:
    """Return a message about a line that begins almost like a field, or ""."""
    match = _FIELD.match(line.strip())
    name = match["name"].strip() if match else ""
    close = get_close_matches(name.lower(), MEANT, n=1, cutoff=0.75)
    if not close or close[0][0] != name[0].lower():
        return ""
    return f"{line.strip()[:60]!r}: there is no field {name!r}. Did you mean {MEANT[close[0]]}?"


def _words(name: str, text: str) -> tuple[str, ...] | str:
    """Return a field's value: a single word, or words separated by commas."""
    if name not in LISTS:
        return text.strip(_SIGNS)
    words = (word.strip(_SIGNS) for word in text.split(","))
    return tuple(dict.fromkeys(word for word in words if word.lower() not in NOTHING))
