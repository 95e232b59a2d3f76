"""Real agent programs are started where `make` was asked for them, and nowhere else: who names one of their files to
pytest would start them with whatever is in the environment of that shell.
"""

from __future__ import annotations

import os
from pathlib import Path

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


def say_what_was_not_run(terminalreporter: pytest.TerminalReporter) -> None:
    """What was not run showed nothing, and nobody may take it for green."""
    missed = terminalreporter.stats.get("skipped", ())
    if missed:
        terminalreporter.section(f"NOT RUN: {len(missed)} of these tests showed nothing", sep="!", red=True, bold=True)
        for why in sorted({str(report.longrepr[2]) for report in missed}):
            terminalreporter.line(why)


class OnlyByTarget:
    """A folder of tests that only a target runs: what its conftest says to pytest."""

    def __init__(self, variable: str) -> None:
        self._variable = variable
        self.ignored = [] if is_asked_for(variable) else ["test_*.py"]

    def collect(self, file_path: Path) -> None:
        """What is ignored is collected where it is named."""
        if file_path.name.startswith("test_"):
            refuse_unless_asked(self._variable)

    def summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if is_asked_for(self._variable):
            say_what_was_not_run(terminalreporter)
