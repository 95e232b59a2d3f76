"""A JSON document of somebody else: every field is asked for with its type, and a wrong one is named by its path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from foureyes.core.words.text import visible

MAX_LINE = 2**31 - 1
BOM = b"\xef\xbb\xbf"
_KINDS = {dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number"}


class Wrong(ValueError):
    """Why a document cannot be read, with the path of the field if it is one."""


class Node(msgspec.Struct, frozen=True):
    """An object of a document and where it is. A field that is missing or null is as if it were empty."""

    fields: dict[str, Any]
    path: str = ""

    def at(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def has(self, name: str) -> bool:
        return self.fields.get(name) is not None

    def text(self, name: str) -> str:
        value = self.fields.get(name)
        if value is None:
            return ""
        return value if isinstance(value, str) else self.refuse(name, "a text")

    def word(self, name: str, words: Sequence[str], default: str) -> str:
        """One of these words."""
        said = self.text(name) or default
        if said not in words:
            raise Wrong(f"{self.at(name)}: {shown(said)} is none of {', '.join(words)}")
        return said

    def index(self, name: str) -> int:
        """A place in a list; -1 when there is none."""
        return self.whole(name, -1, -1)

    def whole(self, name: str, least: int = 0, default: int = 0) -> int:
        """A whole number that is a line or a place."""
        value = self.fields.get(name)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int):
            self.refuse(name, "a whole number")
        if not least <= value <= MAX_LINE:
            raise Wrong(f"{self.at(name)}: {str(value)[:20]} is no line or place")
        return int(value)

    def score(self, name: str) -> float | None:
        """A number, also one that is written as text; None when there is none."""
        value = self.fields.get(name)
        if value is None or value == "":
            return None
        try:
            number = float(value) if isinstance(value, (int, float, str)) and not isinstance(value, bool) else None
        except (ValueError, OverflowError):
            number = None
        return number if number is not None and number == number else self.refuse(name, "a number")

    def flag(self, name: str, default: bool) -> bool:
        value = self.fields.get(name)
        if value is None:
            return default
        return value if isinstance(value, bool) else self.refuse(name, "true or false")

    def child(self, name: str) -> Node:
        value = self.fields.get(name)
        return node({} if value is None else value, self.at(name))

    def children(self, name: str) -> list[Node]:
        return [node(value, path) for value, path in self._items(name)]

    def texts(self, name: str) -> list[str]:
        for value, path in self._items(name):
            if not isinstance(value, str):
                raise Wrong(f"{path}: must be a text, is {_kind(value)}")
        return list(self.fields.get(name) or ())

    def _items(self, name: str) -> Iterator[tuple[Any, str]]:
        value = self.fields.get(name)
        if value is not None and not isinstance(value, list):
            self.refuse(name, "a list")
        return ((item, f"{self.at(name)}[{number}]") for number, item in enumerate(value or ()))

    def refuse(self, name: str, wanted: str) -> Any:
        raise Wrong(f"{self.at(name)}: must be {wanted}, is {_kind(self.fields.get(name))}")


def node(value: Any, path: str = "") -> Node:
    """An object; anything else is refused."""
    if not isinstance(value, dict):
        raise Wrong(f"{path or 'the document'}: must be an object, is {_kind(value)}")
    return Node(value, path)


def parsed(document: bytes, line: int = 1) -> Any:
    """The value of a JSON text, which begins on a line of a file. msgspec would refuse halves of surrogate pairs."""
    import json

    try:
        return json.loads(document.removeprefix(BOM).decode("utf-8"), parse_constant=_no_constant)
    except RecursionError:
        raise Wrong("it is nested too deep") from None
    except UnicodeDecodeError:
        raise Wrong("it is not valid UTF-8") from None
    except json.JSONDecodeError as problem:
        raise Wrong(
            f"it is no JSON: {problem.msg} in line {problem.lineno + line - 1}, column {problem.colno}"
        ) from None
    except ValueError as problem:
        raise Wrong(f"it is no JSON: {shown(str(problem))}") from None


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is no number")


def _kind(value: object) -> str:
    return "nothing" if value is None else _KINDS.get(type(value), "something else")


def shown(text: str) -> str:
    """A few words of a document, for a message."""
    return visible(text[:60].encode("utf-8", "replace").decode("utf-8")).replace("\n", " ")
