"""Editor for JSON text that someone else wrote: adds or removes one value and keeps every other byte.

The format shows what was added, so that additions can be undone exactly. A container added here has a line end before
its closing bracket. An empty one that existed gets its first value directly before the bracket.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

SPACE = re.compile(r"[ \t\r\n]*")
DECODER = json.JSONDecoder()
Path = tuple[str, ...]


class NotPlain(Exception):
    """Raised for a document that must not be edited, with the reason."""


class Child(NamedTuple):
    """A value in an object or array: where its key and its value start, and where the value ends."""

    key: str | int
    start: int
    value: int
    end: int


def parsed(text: str) -> Any:
    """Return the object of a plain JSON document. Raise NotPlain for anything else."""
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
    except RecursionError as problem:
        raise NotPlain("it is nested too deeply") from problem
    except ValueError as problem:
        why = f"line {problem.lineno}: {problem.msg}" if isinstance(problem, json.JSONDecodeError) else str(problem)
        raise NotPlain(f"it is not plain JSON ({why})") from problem
    if not isinstance(value, dict):
        raise NotPlain("it holds no JSON object")
    return value


def lenient(text: str) -> Any:
    """Return the value of a document with comments and trailing commas, or None if unreadable. For reading only."""
    bare = re.sub(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', lambda match: match[1] or " ", text, flags=re.DOTALL)
    bare = re.sub(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])', lambda match: match[1] or "", bare)
    try:
        return json.loads(bare.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!r} is there twice")
    return made


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def rendered(value: Any, margin: str, unit: str, line_end: str) -> str:
    """Return a value as text, with simple lists on one line."""
    inner = margin + unit
    if isinstance(value, dict) and value:
        parts = [f"{json.dumps(key)}: {rendered(each, inner, unit, line_end)}" for key, each in value.items()]
    elif isinstance(value, list) and any(isinstance(each, dict | list) for each in value):
        parts = [rendered(each, inner, unit, line_end) for each in value]
    else:
        return json.dumps(value)
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}{line_end}{inner}" + f",{line_end}{inner}".join(parts) + f"{line_end}{margin}{closing}"


def document(value: dict[str, Any]) -> str:
    """Return the text of a new document."""
    return rendered(value, "", "  ", "\n") + "\n"


def add(text: str, path: Path, value: Any, *, to_list: bool = False) -> str:
    """Return a plain document with one more value: under the last name of the path or, with `to_list`, at the end of
    the list at the path."""
    at, depth = _past(text, 0), 0
    holders = path if to_list else path[:-1]
    for depth, name in enumerate(holders):
        child = _named(text, at, name)
        if child is None:
            rest = (*holders[depth + 1 :], *path[len(holders) :])
            return _inserted(text, at, depth, name, _nested(rest, value, to_list))
        at = child.value
        wanted = "[" if to_list and depth == len(holders) - 1 else "{"
        if text[at] != wanted:
            raise NotPlain(f"{'.'.join(path[: depth + 1])} is no {'list' if wanted == '[' else 'object'}")
    return _inserted(text, at, len(holders), None if to_list else path[-1], value)


def take_out(text: str, path: Path, value: Any, *, to_list: bool = False) -> str:
    """Return a plain document without a value added by `add`, and without the containers added with it. If nothing else
    is left, return an empty string."""
    holders = [_past(text, 0)]
    for name in path if to_list else path[:-1]:
        child = _named(text, holders[-1], name)
        if child is None:
            return text
        holders.append(child.value)
    children, close = _children(text, holders[-1])
    wanted = [child for child in children if _is_it(text, child, path, value, to_list)]
    if not wanted:
        return text
    child = wanted[0]
    while len(children) == 1 and "\n" in text[child.end : close]:
        at = holders.pop()
        if not holders:
            return ""
        children, close = _children(text, holders[-1])
        child = next(each for each in children if each.value == at)
    return _cut(text, children, child)


def _is_it(text: str, child: Child, path: Path, value: Any, to_list: bool) -> bool:
    same: bool = DECODER.raw_decode(text, child.value)[0] == value
    return same and (to_list or child.key == path[-1])


def _cut(text: str, children: list[Child], child: Child) -> str:
    place = children.index(child)
    if place:
        return text[: children[place - 1].end] + text[child.end :]
    after = children[1].start if len(children) > 1 else child.end
    return text[: child.start] + text[after:]


def _nested(path: Path, value: Any, to_list: bool) -> Any:
    made = [value] if to_list else value
    for name in reversed(path):
        made = {name: made}
    return made


def _inserted(text: str, at: int, depth: int, name: str | None, value: Any) -> str:
    children, close = _children(text, at)
    line_end = "\r\n" if "\r\n" in text else "\n"
    unit = _unit(text)
    margin = unit * (depth + 1)
    if children:
        between = text[at + 1 : children[0].start]
        margin = between.rpartition("\n")[2] if "\n" in between else margin
    member = rendered(value, margin, unit, line_end)
    member = member if name is None else f"{json.dumps(name)}: {member}"
    if not children:
        return text[:close] + member + text[close:]
    last = children[-1].end
    return text[:last] + (f",{line_end}{margin}" if "\n" in text[at:close] else ", ") + member + text[last:]


def _unit(text: str) -> str:
    """Return the indentation used in the document."""
    match = re.search(r"\{\r?\n([ \t]+)", text)
    return match[1] if match else "  "


def _named(text: str, at: int, name: str) -> Child | None:
    return next((child for child in _children(text, at)[0] if child.key == name), None)


def _children(text: str, at: int) -> tuple[list[Child], int]:
    """Return the values of the object or array at a position, and the position of its end. Requires a plain document."""
    children: list[Child] = []
    here = _past(text, at + 1)
    while text[here] not in "}]":
        start = here
        name: str | int = len(children)
        if text[at] == "{":
            name, here = DECODER.raw_decode(text, here)
            here = _past(text, _past(text, here) + 1)
        value = here
        here = DECODER.raw_decode(text, value)[1]
        children.append(Child(name, start, value, here))
        here = _past(text, here)
        if text[here] == ",":
            here = _past(text, here + 1)
    return children, here


def _past(text: str, at: int) -> int:
    match = SPACE.match(text, at)
    assert match is not None  # it matches nothing, too
    return match.end()
