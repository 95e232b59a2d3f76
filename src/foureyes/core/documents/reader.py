"""Reads a typed document that somebody sent, and says everything that is wrong with it at once, each with its path (G2,
V3).
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

T = TypeVar("T", bound=msgspec.Struct)

LIMIT = 5_000_000
MOST_PROBLEMS = 50
BIGGEST = 2**53
BROKEN_LINE = re.compile(f"{CONTROL.pattern}|[\u2028\u2029]")
BROKEN_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)")

EXPECTED: dict[type[shape.Type], str] = {
    shape.StrType: "text", shape.IntType: "a whole number", shape.BoolType: "true or false", shape.NoneType: "null",
    shape.VarTupleType: "a list", shape.DictType: "an object", shape.StructType: "an object",
}  # fmt: skip


class Doubled(dict[str, Any]):
    """An object of JSON that gives some of its keys more than once."""

    twice: tuple[str, ...] = ()


FITTING: dict[type, tuple[type[shape.Type], ...]] = {
    str: (shape.StrType,), bool: (shape.BoolType,), int: (shape.IntType,), type(None): (shape.NoneType,),
    list: (shape.VarTupleType,), dict: (shape.StructType, shape.DictType), Doubled: (shape.StructType, shape.DictType),
}  # fmt: skip


def read(document: bytes | str, into: type[T], *, rule: str = "V3", limit: int = LIMIT) -> T:
    """The document, or `BadInput` with one reason per wrong field."""
    try:
        value = _parsed(document, limit)
    except ValueError as problem:
        raise _refusal(into, rule, [str(problem)]) from None
    walk = _Walk()
    walk.value("", value, _shape_of(into))
    if walk.problems:
        raise _refusal(into, rule, walk.problems, walk.more)
    try:
        return msgspec.convert(value, into)
    except msgspec.ValidationError as problem:
        raise _refusal(into, rule, [str(problem)]) from None


@cache
def _shape_of(into: type[Any]) -> shape.Type:
    return shape.type_info(into)


def _refusal(into: type[Any], rule: str, problems: Iterable[str], more: int = 0) -> BadInput:
    reasons = [Reason(rule, problem) for problem in problems]
    if more:
        reasons.append(Reason(rule, f"and {more:,} more"))
    name = name_of(into)
    step = f"mend the document and send it again; its fields are in docs/reference/documents.md under {name}"
    return BadInput(f"this is no valid {name} document", next_step=step, reasons=tuple(reasons))


def _parsed(document: bytes | str, limit: int) -> Any:
    """JSON as Python objects; a `ValueError` says in words for people why it is none."""
    if len(document) > limit:
        raise ValueError(
            f"it has {len(document):,} {'bytes' if isinstance(document, bytes) else 'characters'}; at most "
            f"{limit:,} are read"
        )
    try:
        text = document.decode() if isinstance(document, bytes) else document
    except UnicodeDecodeError as problem:
        raise ValueError(f"it is not UTF-8: byte {problem.start + 1:,} does not belong there") from None
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise ValueError("it is empty")
    try:
        return json.loads(text, object_pairs_hook=_object, parse_int=_whole)
    except json.JSONDecodeError as problem:
        raise ValueError(
            f"it is not JSON: line {problem.lineno}, column {problem.colno}: {problem.msg.lower()}"
        ) from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    doubled = Doubled(found)
    doubled.twice = tuple(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
    return doubled


def _whole(digits: str) -> int:
    """A whole number; of an endless one as much as shows that it is too big."""
    return int(digits[:40])


class _Walk:
    """Compares a decoded document with the shape it should have, and keeps what does not fit, with its path."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.more = 0

    def wrong(self, path: str, what: str | Callable[[], str]) -> None:
        """Keep a problem, or only count it; what takes long to find out is a function."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(f"{path or 'the document'}: {what if isinstance(what, str) else what()}")
        else:
            self.more += 1

    def value(self, path: str, value: Any, kind: shape.Type, extra: dict[str, Any] | None = None) -> None:
        kind, extra = _plain(kind, extra or {})
        if isinstance(kind, shape.UnionType):
            fitting = next((each for each in kind.types if _fits(value, each)), None)
            if fitting is not None:
                self.value(path, value, fitting, extra)
                return
        if not _fits(value, kind):
            self.wrong(path, _misfit(value, kind))
        elif isinstance(kind, shape.StructType):
            self.fields(path, value, kind)
        elif isinstance(kind, shape.DictType):
            self.entries(path, value, kind)
        elif isinstance(kind, shape.VarTupleType):
            self.items(path, value, kind)
        elif isinstance(kind, shape.StrType):
            self.text(path, value, kind, extra)
        elif isinstance(kind, shape.IntType):
            self.number(path, value, kind)

    def fields(self, path: str, value: dict[str, Any], kind: shape.StructType) -> None:
        self.twice(path, value)
        known = {field.encode_name: field for field in kind.fields}
        for name, given in value.items():
            if name in known:
                self.value(_below(path, name), given, known[name].type)
            else:
                self.wrong(_below(path, name), partial(_unknown, name, list(known)))
        for name, field in known.items():
            if field.required and name not in value:
                self.wrong(_below(path, name), f"missing; it takes {_expected(field.type)}")

    def entries(self, path: str, value: dict[str, Any], kind: shape.DictType) -> None:
        self.twice(path, value)
        self.size(path, len(value), kind.max_length or MOST_ITEMS, "entries")
        for name, given in list(value.items())[:MOST_ITEMS]:
            place = f"{path}[{_quoted(name)}]"
            self.value(place, name, kind.key_type)
            self.value(place, given, kind.value_type)

    def items(self, path: str, value: list[Any], kind: shape.VarTupleType) -> None:
        self.size(path, len(value), kind.max_length or MOST_ITEMS, "items")
        for number, item in enumerate(value[:MOST_ITEMS]):
            self.value(f"{path}[{number}]", item, kind.item_type)

    def text(self, path: str, value: str, kind: shape.StrType, extra: dict[str, Any]) -> None:
        self.size(path, len(value), kind.max_length or MOST_IN_TEXT, "characters")
        broken = (BROKEN_LINE if extra.get(ONE_LINE) else BROKEN_TEXT).search(value)
        if broken is not None:
            self.wrong(
                path, f"has a control character (U+{ord(broken.group()):04X}) at position {broken.start() + 1:,}"
            )
        elif (lone := SURROGATE.search(value)) is not None:
            self.wrong(path, f"has half a character (U+{ord(lone.group()):04X}) at position {lone.start() + 1:,}")
        elif CHECK in extra and (said := extra[CHECK](value)):
            self.wrong(path, f"{_quoted(value)} {said}")

    def number(self, path: str, value: int, kind: shape.IntType) -> None:
        least, most = -BIGGEST if kind.ge is None else kind.ge, BIGGEST if kind.le is None else kind.le
        if not least <= value <= most:
            self.wrong(path, f"{_quoted(value)} is not between {least:,} and {most:,}")

    def size(self, path: str, given: int, most: int, what: str) -> None:
        if given > most:
            self.wrong(path, f"{given:,} {what}; at most {most:,} are taken")

    def twice(self, path: str, value: dict[str, Any]) -> None:
        for name in value.twice if isinstance(value, Doubled) else ():
            self.wrong(_below(path, name), "given more than once")


def _plain(kind: shape.Type, extra: dict[str, Any]) -> tuple[shape.Type, dict[str, Any]]:
    """A shape without the notes around it, and the notes."""
    while isinstance(kind, shape.Metadata):
        extra = {**extra, **(kind.extra or {})}
        kind = kind.type
    return kind, extra


def _fits(value: Any, kind: shape.Type) -> bool:
    kind, _ = _plain(kind, {})
    if isinstance(kind, shape.LiteralType):
        return any(value == allowed and type(value) is type(allowed) for allowed in kind.values)
    return isinstance(kind, FITTING.get(type(value), ()))


def _misfit(value: Any, kind: shape.Type) -> str:
    if isinstance(kind, shape.LiteralType) and isinstance(value, str | int):
        return f"{_quoted(value)} is none of {', '.join(str(allowed) for allowed in kind.values)}"
    return f"{_quoted(value)} is not {_expected(kind)}"


def _expected(kind: shape.Type) -> str:
    kind, _ = _plain(kind, {})
    if isinstance(kind, shape.UnionType):
        return " or ".join(_expected(each) for each in kind.types)
    if isinstance(kind, shape.LiteralType):
        return " or ".join(str(allowed) for allowed in kind.values)
    return EXPECTED.get(type(kind), "something else")


def _below(path: str, name: str) -> str:
    """The path of a field; a name that is no plain word is quoted."""
    if not re.fullmatch(r"\w{1,60}", name):
        return f"{path}[{_quoted(name)}]"
    return f"{path}.{name}" if path else name


def _quoted(value: Any) -> str:
    """A value as it was sent, short and harmless to print."""
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    text = json.dumps(value[:60] if isinstance(value, str) else value, ensure_ascii=False)
    text = SURROGATE.sub("\ufffd", visible(text))
    return text if len(text) <= 80 else f"{text[:76]} …"


def _unknown(name: str, known: list[str]) -> str:
    word = name.lower()[:60]
    far, near = min((_distance(word, each), each) for each in known)
    if far < len(word) and far <= max(2, len(near) // 3):
        return f"unknown field; did you mean {near}?"
    return f"unknown field; known are {', '.join(known)}"


def _distance(one: str, other: str) -> int:
    """How many letters must be put in, taken out or replaced to make one word the other."""
    row = list(range(len(other) + 1))
    for number, letter in enumerate(one, 1):
        last, row = row, [number]
        for place, wanted in enumerate(other, 1):
            row.append(min(last[place] + 1, row[-1] + 1, last[place - 1] + (letter != wanted)))
    return row[-1]
