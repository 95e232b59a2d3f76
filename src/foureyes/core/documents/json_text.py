"""JSON text that somebody sent: parsed to Python objects, or refused in a sentence for people (G1)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any


class Doubled(dict[str, Any]):
    """An object of JSON that gives some of its keys more than once."""

    twice: tuple[str, ...] = ()


def _no_number(word: str) -> Any:
    raise ValueError(f"it is not JSON: {word} is no number")


def parsed(document: bytes | str, *, first_line: int = 1, constant: Callable[[str], Any] = _no_number) -> Any:
    """The value of a JSON text that begins on a line of its file; a `ValueError` says why it is none.

    `constant` is asked what NaN and the infinities are, which are no JSON: by default they are refused.
    """
    try:
        text = document.decode() if isinstance(document, bytes) else document
    except UnicodeDecodeError as problem:
        raise ValueError(f"it is not UTF-8: byte {problem.start + 1:,} does not belong there") from None
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
    """What stands in a document that is one code fence, as agents write it, and the line on which that begins; any
    other document as it is.
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
    """A whole number; of an endless one as much as shows that it is too big."""
    return int(digits[:40])
