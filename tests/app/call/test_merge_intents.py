"""An intent on record (Q4, Q6): as long as nobody knows whether a merge arrived, nothing ends its approval."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType

from foureyes.adapters.store.projections import projection
from foureyes.app.call.work import ENDS_APPROVAL
from foureyes.core.events import WHERE


def test_everything_that_ends_an_approval_waits_until_a_push_is_known_about_Q4_Q6() -> None:
    closes = {"TaskClosed", "TaskCancelled", "TaskDeleted"}  # the task leaves with its approvals as they are
    assert {kind for kind in WHERE if _ends_approvals(projection(kind))} | closes == ENDS_APPROVAL


def _ends_approvals(apply: Callable[..., None]) -> bool:
    """Whether a projection ends approvals, itself or by a step that it takes."""
    code = apply.__code__
    if any("attempt.end_approval" in str(constant) for constant in code.co_consts):
        return True
    steps = (apply.__globals__.get(name) for name in code.co_names)
    return any(_ends_approvals(step) for step in steps if isinstance(step, FunctionType) and step is not apply)
