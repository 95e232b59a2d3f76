"""Real agent programs are started by `make test-sandboxes` only: they come from npm, and take their time."""

from pathlib import Path

import pytest

from tests.stage.asked_for import is_asked_for, refuse_unless_asked
from tests.stage.command_fixtures import stage, template

__all__ = ["stage", "template"]
TARGET = "FOUREYES_SANDBOXES"
WANTED = is_asked_for(TARGET)
collect_ignore_glob = [] if WANTED else ["test_*.py"]


def pytest_collect_file(file_path: Path) -> None:
    """What is ignored is collected where it is named."""
    if file_path.name.startswith("test_"):
        refuse_unless_asked(TARGET)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What was not run showed nothing, and nobody may take it for green."""
    missed = len(terminalreporter.stats.get("skipped", ())) if WANTED else 0
    if missed:
        terminalreporter.section(f"NOT RUN: {missed} of these tests showed nothing", sep="!", red=True, bold=True)
