"""Real agent programs are started where `make` was asked for them, and nowhere else: who names one of their files to
pytest would start them with whatever is in the environment of that shell.
"""

from __future__ import annotations

import os

import pytest

TARGETS = {"FOUREYES_AGENTS": "make test-agents", "FOUREYES_SANDBOXES": "make test-sandboxes"}
"""What each target sets."""


def is_asked_for(*variables: str) -> bool:
    return any(os.environ.get(variable) for variable in variables or TARGETS)


def refuse_unless_asked(*variables: str) -> None:
    """Unless one of these targets runs, or any of them."""
    if not is_asked_for(*variables):
        targets = " or ".join(TARGETS[variable] for variable in variables or TARGETS)
        raise pytest.UsageError(
            f"real agent programs are started by {targets} only, which says what they may see. Nothing was started.\n"
            f"next: {targets} PYTEST_ARGS='-k a_test'"
        )
