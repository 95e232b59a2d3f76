"""A plan with one task, and a plan that is refused (M7)."""

from __future__ import annotations

import pytest

from foureyes.core.documents.plan_file import PlanSection, read_plan
from foureyes.errors import BadInput


def section_of(text: str) -> PlanSection:
    """The only task of a plan."""
    (section,) = read_plan(text)
    return section


def refusal_of(text: str) -> BadInput:
    """Why a plan is not taken."""
    with pytest.raises(BadInput) as caught:
        read_plan(text, "plan.md")
    assert caught.value.next_step, "an error says what to do (G2)"
    return caught.value
