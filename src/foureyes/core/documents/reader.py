"""The reader of our own documents: one that somebody sent is read whole, or every wrong field is named (G2, V3)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

from foureyes.core.documents.json_text import parsed, unfenced
from foureyes.core.documents.shapes import name_of
from foureyes.core.documents.typed import misfits
from foureyes.errors import BadInput, Reason
from foureyes.steps import prose

T = TypeVar("T", bound=msgspec.Struct)

LIMIT = 5_000_000


def read(document: bytes | str, into: type[T], *, rule: str = "V3", limit: int = LIMIT) -> T:
    """The document, or `BadInput` with one reason per wrong field."""
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
        raise ValueError(f"it has {len(document):,} {kind}; at most {limit:,} are read")
    text, first_line = unfenced(document)
    return parsed(text, first_line=first_line, constant=float)  # what is no number is named by its path, as all else


def _refusal(into: type[Any], rule: str, problems: Iterable[str], more: int = 0) -> BadInput:
    reasons = [Reason(rule, problem) for problem in problems]
    if more:
        reasons.append(Reason(rule, f"and {more:,} more"))
    name = name_of(into)
    step = prose(f"fix the document and send it again. Its fields are in docs/reference/documents.md under {name}")
    return BadInput(f"this is no valid {name} document", next_step=step, reasons=tuple(reasons))
