"""Values as JSON has them: a refusal, and text that is no UTF-8. Every face that answers programs says them alike."""

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
    """What is wrong, every reason, and what to do."""
    body = ErrorBody(problem.code, problem.message, problem.reasons, steps_text(problem.next_step), problem.task)
    return {"error": body}


def storable(value: Any) -> Any:
    """A value in which bytes that are no UTF-8 are written as `\\xe9`."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    if isinstance(value, dict):
        return {storable(key): storable(each) for key, each in value.items()}
    return [storable(each) for each in value] if isinstance(value, list | tuple) else value
