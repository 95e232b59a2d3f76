"""Values as JSON: refusals, and text that is not UTF-8. Every interface for programs uses these forms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from foureyes.errors import FoureyesError, Reason
from foureyes.ui.steps import steps_text


class ErrorBody(msgspec.Struct, frozen=True, omit_defaults=True):
    """The error object."""

    code: str
    message: str
    reasons: Sequence[Reason]
    next: str = ""
    task: str = ""


def error_of(problem: FoureyesError) -> dict[str, ErrorBody]:
    """Return the error with every reason and the next step."""
    body = ErrorBody(problem.code, problem.message, problem.reasons, steps_text(problem.next_step), problem.task)
    return {"error": body}


def storable(value: Any) -> Any:
    r"""Return a value in which bytes that are not UTF-8 are written as `\xe9`."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    if isinstance(value, dict):
        return {storable(key): storable(each) for key, each in value.items()}
    return [storable(each) for each in value] if isinstance(value, list | tuple) else value
