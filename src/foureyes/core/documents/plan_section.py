"""What one section of a plan says: its fields, wherever they stand, and the text that is left (M7)."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from foureyes.core.documents import plan_lines as lines


class SectionField(msgspec.Struct, kw_only=True):
    """A field with its line; a list below it is part of its value. `late`: the text of the task had begun."""

    line: int
    name: str
    value: str
    indent: int = 0
    late: bool = False
    listed: bool = False
    apart: bool = False

    def takes_items(self) -> bool:
        """Whether a list item belongs to it: directly below, or behind a blank line where there is nothing else."""
        return self.name in lines.LISTS and (not self.apart or self.listed or not self.value)

    def add(self, text: str, joint: str = "\n") -> None:
        self.value = f"{self.value}{joint if self.value else ''}{text}"


class SectionText(msgspec.Struct, frozen=True):
    """The fields, the text and the remarks of a section."""

    fields: list[SectionField]
    text: str
    notes: tuple[str, ...] = ()


TellPlanProblem = Callable[[int, str], None]


class _SectionReader:
    """Goes through the lines of a section, top to bottom."""

    def __init__(self, problem: TellPlanProblem) -> None:
        self.problem = problem
        self.fields: list[SectionField] = []
        self.text: list[str] = []
        self.notes: list[str] = []
        self.open: SectionField | None = None
        self.began = False

    def read(self, number: int, line: str) -> None:
        """A line that is no code."""
        if line.startswith("\\") and lines.is_special(line.lstrip("\\")):
            self.say(line[1:])
        elif not self._is_field(number, line) and not self._belongs(line):
            why = lines.why_refused(line)
            if why:
                self.problem(number, why)
            self._remark(number, line)
            self.say(line)

    def _is_field(self, number: int, line: str) -> bool:
        field = lines.field_in(line) or lines.heading_field(line)
        if field is None:
            return False
        if self.open and self.open.name == "acceptance" and self.open.indent < field.indent and lines.ITEM.match(line):
            if field.name in lines.STRICT:
                self.problem(number, f"{field.name.capitalize()}: stands in the list of the acceptance")
            return False
        if field.name == "description":
            self.open, self.began = None, True
            self.text.append(field.value)
            return True
        self._check_alone(number, field)
        self.open = SectionField(line=number, name=field.name, value=field.value, indent=field.indent, late=self.began)
        self.fields.append(self.open)
        return True

    def _check_alone(self, number: int, field: lines.PlanField) -> None:
        """Two fields on one line: what comes second would be lost."""
        if field.name != "acceptance" and (second := lines.second_field(field.value)):
            self.problem(number, f"{second} stands behind {field.name.capitalize()}: each has a line of its own")

    def _belongs(self, line: str) -> bool:
        """Whether a line belongs to the field above it."""
        field, item = self.open, lines.ITEM.match(line)
        if field is None or field.name not in lines.LISTS:
            return False
        if not line.strip():
            field.apart = True
            return True
        if item and field.takes_items():
            field.add(f"- {item['text']}" if field.name == "acceptance" else item["text"])
            field.listed = True
            return True
        goes_on = line.startswith(("  ", "\t")) or field.value.endswith(",")
        if not item and not field.apart and goes_on and field.value:
            field.add(line.strip(), " ")
            return True
        if not item and field.name == "acceptance" and not field.value and not lines.ANY_HEADING.match(line):
            field.add(line.strip())
            return True
        self._refuse_empty(field, line)
        return False

    def _refuse_empty(self, field: SectionField, line: str) -> None:
        if field.name in lines.STRICT and not field.value and not field.apart and not lines.ANY_HEADING.match(line):
            self.problem(field.line, f"{field.name.capitalize()}: has nothing behind it, and words below")

    def _remark(self, number: int, line: str) -> None:
        """A line that looks like a field among the fields, and is none: it is text, and that is said."""
        header = lines.HEADER.match(line)
        if header and not self.began:
            self.notes.append(f"line {number}: {header['name'].strip()}: is no line of a plan, and is part of the text")

    def say(self, line: str) -> None:
        self.open = None
        self.text.append(line)
        self.began = self.began or bool(line.strip())


def read_section(body: list[tuple[int, str, bool]], problem: TellPlanProblem) -> SectionText:
    """The fields and the text of a section; what must not be taken for text is told to `problem`."""
    reader = _SectionReader(problem)
    for number, line, fenced in body:
        if fenced:
            reader.say(line)
        else:
            reader.read(number, line)
    return SectionText(reader.fields, "\n".join(reader.text).strip(), tuple(reader.notes))
