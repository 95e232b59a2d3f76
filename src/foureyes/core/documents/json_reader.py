"""Reader for JSON from outside. It converts a document to the expected shape, or lists every bad field by its path.
(G1, G2, V3)
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import Any, TypeVar

import msgspec
from msgspec import inspect as shape

from foureyes.core.documents.shapes import CHECK, MOST_IN_TEXT, MOST_ITEMS, ONE_LINE, name_of
from foureyes.core.words.text import CONTROL, SURROGATE, visible
from foureyes.errors import BadInput, Reason
from foureyes.steps import prose

# ---- JSON text from outside ----


class Doubled(dict[str, Any]):
    """A JSON object with repeated keys."""

    twice: tuple[str, ...] = ()


def _no_number(word: str) -> Any:
    raise ValueError(f"it is not JSON: {word} is not a number")


def parsed(document: bytes | str, *, first_line: int = 1, constant: Callable[[str], Any] = _no_number) -> Any:
    """Return the value of a JSON text. Raise ValueError with the reason if it is invalid.

    The text begins at `first_line` of its file. `constant` handles NaN and the infinities, which are not JSON and are
    refused by default.
    """
    try:
        text = document.decode() if isinstance(document, bytes) else document
    except UnicodeDecodeError as problem:
        raise ValueError(f"it is not valid UTF-8 (at byte {problem.start + 1:,})") from None
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise ValueError("it is empty")
    try:
        return json.loads(text, object_pairs_hook=_object, parse_int=_whole, parse_constant=constant)
    except json.JSONDecodeError as problem:
        where = f"line {problem.lineno + first_line - 1}, column {problem.colno}"
        raise ValueError(f"it is not JSON: {where}: {problem.msg.lower()}") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def unfenced(document: bytes | str) -> tuple[bytes | str, int]:
    """Return the content of a document that is a single code fence, as agents often write it, and the number of its
    first line. Return other documents unchanged.
    """
    text = document if isinstance(document, str) else document.decode(errors="replace")
    lines = text.removeprefix("\ufeff").strip().splitlines()
    is_fenced = len(lines) > 2 and lines[0].strip().lower() in ("```", "```json") and lines[-1].strip() == "```"
    if not is_fenced:
        return document, 1
    before = text[: text.index("```")].count("\n")
    return "\n".join(lines[1:-1]), before + 2


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) == len(pairs):
        return fields
    doubled = Doubled(fields)
    doubled.twice = tuple(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
    return doubled


def _whole(digits: str) -> int:
    """Parse a whole number. A very long one is shortened, but stays large enough to be refused."""
    return int(digits[:40])


# ---- Typed JSON ----

# Shapes are msgspec structs. For our own documents (`shapes`), the limits are enforced: texts and lists have maximum
# sizes, and texts have no control characters. Foreign formats (`sarif`) are checked for types only.

T = TypeVar("T", bound=msgspec.Struct)

MOST_PROBLEMS = 50
BIGGEST = 2**53
BROKEN_LINE = re.compile(f"{CONTROL.pattern}|[\u2028\u2029]")
BROKEN_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)")
PLAIN_NAME = re.compile(r"\w{1,60}")

EXPECTED: dict[type[shape.Type], str] = {
    shape.StrType: "text", shape.IntType: "a whole number", shape.FloatType: "a number",
    shape.BoolType: "true or false", shape.NoneType: "null", shape.VarTupleType: "a list", shape.DictType: "an object",
    shape.StructType: "an object",
}  # fmt: skip
FITTING: dict[type, tuple[type[shape.Type], ...]] = {
    str: (shape.StrType,), bool: (shape.BoolType,), int: (shape.IntType, shape.FloatType), float: (shape.FloatType,),
    type(None): (shape.NoneType,), list: (shape.VarTupleType,), dict: (shape.StructType, shape.DictType),
    Doubled: (shape.StructType, shape.DictType),
}  # fmt: skip


class Wrong(ValueError):
    """A foreign document that cannot be read, with the path of the bad field if there is one."""


class DocumentPlace(msgspec.Struct, frozen=True):
    """A place in a document: a field, item or entry inside `above`. Its path is built only for an error message."""

    above: DocumentPlace | None
    name: str | int
    is_entry: bool = False

    def __str__(self) -> str:
        path = "" if self.above is None else str(self.above)
        if isinstance(self.name, int):
            return f"{path}[{self.name}]"
        if self.is_entry or not PLAIN_NAME.fullmatch(self.name):
            return f"{path}[{_quoted(self.name)}]"
        return f"{path}.{self.name}" if path else self.name


class Misfits(msgspec.Struct):
    """Problems of a document, each with its path. Only the first ones are kept, and `more` counts the rest."""

    problems: list[str] = []
    more: int = 0

    def add(self, at: DocumentPlace | None, what: str | Callable[[], str]) -> None:
        """Add a problem, or only count it if there are many. Pass a message that is expensive to build as a
        function.
        """
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(f"{at or 'the document'}: {what if isinstance(what, str) else what()}")
        else:
            self.more += 1


def misfits(value: Any, into: type[T]) -> Misfits:
    """Return everything that keeps a parsed document from matching the shape."""
    return _StrictWalk().document(value, into)


def typed(value: Any, into: type[T]) -> T:
    """Convert a foreign document to a struct. Raise Wrong with the first problem."""
    wrong = _Walk().document(value, into)
    if wrong.problems:
        raise Wrong(wrong.problems[0])
    try:
        return msgspec.convert(value, into)
    except msgspec.ValidationError as problem:
        raise Wrong(str(problem)) from None


class FieldKind(msgspec.Struct, frozen=True):
    """The shapes that a value may have, each with its metadata."""

    shapes: tuple[tuple[shape.Type, dict[str, Any]], ...]


def _kind(given: shape.Type) -> FieldKind:
    given, extra = _plain(given, {})
    types = given.types if isinstance(given, shape.UnionType) else (given,)
    return FieldKind(tuple(_plain(each, extra) for each in types))


@cache
def _kind_of(into: type) -> FieldKind:
    return _kind(shape.type_info(into))


@cache
def _fields_of(struct: type) -> dict[str, tuple[bool, FieldKind]]:
    """Return each field by name: True if it is required, and its kind."""
    info = shape.type_info(struct)
    assert isinstance(info, shape.StructType)
    return {field.encode_name: (field.required, _kind(field.type)) for field in info.fields}


class _Walk:
    """A walk through a document along its shape that collects misfits."""

    def __init__(self) -> None:
        self.misfits = Misfits()

    def document(self, value: Any, into: type) -> Misfits:
        self.value(None, value, _kind_of(into))
        return self.misfits

    def value(self, at: DocumentPlace | None, value: Any, kind: FieldKind) -> None:
        for fitting, extra in kind.shapes:
            if _fits(value, fitting):
                self.inside(at, value, fitting, extra)
                return
        self.misfits.add(at, _misfit(value, kind))

    def inside(self, at: DocumentPlace | None, value: Any, fitting: shape.Type, extra: dict[str, Any]) -> None:
        if isinstance(fitting, shape.StrType):
            self.text(at, value, fitting, extra)
        elif isinstance(fitting, shape.StructType):
            self.fields(at, value, fitting)
        elif isinstance(fitting, shape.VarTupleType):
            self.items(at, value, fitting)
        elif isinstance(fitting, shape.IntType):
            self.number(at, value, fitting)
        elif isinstance(fitting, shape.DictType):
            self.entries(at, value, fitting)

    def fields(self, at: DocumentPlace | None, value: dict[str, Any], struct: shape.StructType) -> None:
        self.twice(at, value)
        known = _fields_of(struct.cls)
        for name, given in value.items():
            if name in known:
                self.value(DocumentPlace(at, name), given, known[name][1])
            elif struct.forbid_unknown_fields:
                self.misfits.add(DocumentPlace(at, name), partial(_unknown, name, list(known)))
        for name, (is_required, kind) in known.items():
            if is_required and name not in value:
                self.misfits.add(DocumentPlace(at, name), f"missing. Expected {_expected(kind)}")

    def entries(self, at: DocumentPlace | None, value: dict[str, Any], table: shape.DictType) -> None:
        self.twice(at, value)
        key, kind = _kind(table.key_type), _kind(table.value_type)
        for name, given in value.items():
            place = DocumentPlace(at, name, is_entry=True)
            self.value(place, name, key)
            self.value(place, given, kind)

    def items(self, at: DocumentPlace | None, value: list[Any], row: shape.VarTupleType) -> None:
        kind = _kind(row.item_type)
        for number, item in enumerate(value):
            self.value(DocumentPlace(at, number), item, kind)

    def text(self, at: DocumentPlace | None, value: str, text: shape.StrType, extra: dict[str, Any]) -> None:
        if CHECK in extra and (problem := extra[CHECK](value)):
            self.misfits.add(at, f"{_quoted(value)} {problem}")

    def number(self, at: DocumentPlace | None, value: int, number: shape.IntType) -> None:
        least, most = -BIGGEST if number.ge is None else number.ge, BIGGEST if number.le is None else number.le
        if not least <= value <= most:
            self.misfits.add(at, f"{_quoted(value)} is not between {least:,} and {most:,}")

    def twice(self, at: DocumentPlace | None, value: dict[str, Any]) -> None:
        for name in value.twice if isinstance(value, Doubled) else ():
            self.misfits.add(DocumentPlace(at, name), "given more than once")


class _StrictWalk(_Walk):
    """A walk for our own documents. It also rejects values that are too long or cannot be printed."""

    def entries(self, at: DocumentPlace | None, value: dict[str, Any], table: shape.DictType) -> None:
        self.twice(at, value)
        self.size(at, len(value), table.max_length or MOST_ITEMS, "entries")
        super().entries(at, dict(list(value.items())[:MOST_ITEMS]), table)

    def items(self, at: DocumentPlace | None, value: list[Any], row: shape.VarTupleType) -> None:
        self.size(at, len(value), row.max_length or MOST_ITEMS, "items")
        super().items(at, value[:MOST_ITEMS], row)

    def text(self, at: DocumentPlace | None, value: str, text: shape.StrType, extra: dict[str, Any]) -> None:
        self.size(at, len(value), text.max_length or MOST_IN_TEXT, "characters")
        broken = (BROKEN_LINE if extra.get(ONE_LINE) else BROKEN_TEXT).search(value)
        if broken is not None:
            where = f"(U+{ord(broken.group()):04X}) at position {broken.start() + 1:,}"
            self.misfits.add(at, f"has a control character {where}")
        elif (lone := SURROGATE.search(value)) is not None:
            self.misfits.add(
                at, f"has an incomplete character (U+{ord(lone.group()):04X}) at position {lone.start() + 1:,}"
            )
        else:
            super().text(at, value, text, extra)

    def size(self, at: DocumentPlace | None, given: int, most: int, what: str) -> None:
        if given > most:
            self.misfits.add(at, f"{given:,} {what}, but at most {most:,} are allowed")


def _plain(kind: shape.Type, extra: dict[str, Any]) -> tuple[shape.Type, dict[str, Any]]:
    """Return a shape without its metadata, and the metadata."""
    while isinstance(kind, shape.Metadata):
        extra = {**extra, **(kind.extra or {})}
        kind = kind.type
    return kind, extra


def _fits(value: Any, fitting: shape.Type) -> bool:
    if isinstance(fitting, shape.LiteralType):
        return any(value == allowed and type(value) is type(allowed) for allowed in fitting.values)
    return isinstance(fitting, FITTING.get(type(value), ()))


def _misfit(value: Any, kind: FieldKind) -> str:
    """Return why a value does not fit. For a fixed set of words, list them."""
    for each, _ in kind.shapes:
        if isinstance(each, shape.LiteralType) and isinstance(value, str | int):
            return f"{_quoted(value)} is not one of {', '.join(str(allowed) for allowed in each.values)}"
    return f"{_quoted(value)} is not {_expected(kind)}"


def _expected(kind: FieldKind) -> str:
    return " or ".join(
        " or ".join(str(allowed) for allowed in each.values)
        if isinstance(each, shape.LiteralType)
        else EXPECTED.get(type(each), "something else")
        for each, _ in kind.shapes
    )


def _quoted(value: Any) -> str:
    """Return a value as it was sent, but short and safe to print."""
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    text = json.dumps(value[:60] if isinstance(value, str) else value, ensure_ascii=False)
    text = visible(SURROGATE.sub("\ufffd", text))
    return text if len(text) <= 80 else f"{text[:76]} …"


def _unknown(name: str, known: list[str]) -> str:
    word = name.lower()[:60]
    far, near = min((_distance(word, each), each) for each in known)
    if far < len(word) and far <= max(2, len(near) // 3):
        return f"unknown field. Did you mean {near}?"
    return f"unknown field. Known fields: {', '.join(known)}"


def _distance(word: str, other: str) -> int:
    """Return the edit distance of two words."""
    row = list(range(len(other) + 1))
    for number, letter in enumerate(word, 1):
        last, row = row, [number]
        for place, wanted in enumerate(other, 1):
            row.append(min(last[place] + 1, row[-1] + 1, last[place - 1] + (letter != wanted)))
    return row[-1]


# ---- The reader of our own documents ----

LIMIT = 5_000_000


def read(document: bytes | str, into: type[T], *, rule: str = "V3", limit: int = LIMIT) -> T:
    """Return the document, or raise BadInput with one reason per bad field."""
    try:
        value = _parsed(document, limit)
    except ValueError as problem:
        raise _refusal(into, rule, [str(problem)]) from None
    wrong = misfits(value, into)
    if wrong.problems:
        raise _refusal(into, rule, wrong.problems, wrong.more)
    try:
        return msgspec.convert(value, into)
    except msgspec.ValidationError as problem:
        raise _refusal(into, rule, [str(problem)]) from None


def _parsed(document: bytes | str, limit: int) -> Any:
    if len(document) > limit:
        kind = "bytes" if isinstance(document, bytes) else "characters"
        raise ValueError(f"it has {len(document):,} {kind}, but at most {limit:,} are read")
    text, first_line = unfenced(document)
    return parsed(text, first_line=first_line, constant=float)  # NaN is reported with its path, like any misfit


def _refusal(into: type[Any], rule: str, problems: Iterable[str], more: int = 0) -> BadInput:
    reasons = [Reason(rule, problem) for problem in problems]
    if more:
        reasons.append(Reason(rule, f"and {more:,} more"))
    name = name_of(into)
    step = prose(f"fix the document and send it again. Its fields are in docs/reference/documents.md under {name}")
    return BadInput(f"this is not a valid {name} document", next_step=step, reasons=tuple(reasons))
