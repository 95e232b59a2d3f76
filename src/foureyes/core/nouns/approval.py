"""Approvals: on whose word one rests (I9, M4)."""

from __future__ import annotations

from typing import Literal

Basis = Literal["person", "agent", "rule"]
"""Whose word an approval is: a person's, an agent's, or nobody's, where the rule itself approves (M4)."""


def grade_of(basis: Basis, key: str = "") -> str:
    """The words of the journal and of reports for an approval; `key` is the one that a person signed with."""
    if basis == "person":
        return f"human (key {key})" if key else "human (observed)"
    return "rule" if basis == "rule" else "origin"


def basis_of(grade: str) -> Basis:
    """The basis of an approval, from the words of the journal: the one place that reads them. Unknown words are an
    agent's, which count least.
    """
    if grade == "rule":
        return "rule"
    return "person" if grade == "human" or grade.startswith("human (") else "agent"


def is_signed(grade: str) -> bool:
    """Whether a person's key stands under an approval (I9)."""
    return grade.startswith("human (key ")
