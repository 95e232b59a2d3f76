"""Real agent programs are started by `make test-agents` and `make test-agents-quick` only: they come from npm."""

from pathlib import Path

import pytest

from tests.stage.asked_for import is_asked_for, refuse_unless_asked
from tests.stage.command_fixtures import stage, template

__all__ = ["stage", "template"]
TARGET = "FOUREYES_AGENTS"
WANTED = is_asked_for(TARGET)
collect_ignore_glob = [] if WANTED else ["test_*.py"]


def pytest_collect_file(file_path: Path) -> None:
    """What is ignored is collected where it is named."""
    if file_path.name.startswith("test_"):
        refuse_unless_asked(TARGET)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What was not run showed nothing, and nobody may take it for green."""
    missed = terminalreporter.stats.get("skipped", ()) if WANTED else ()
    if missed:
        terminalreporter.section(f"NOT RUN: {len(missed)} of these tests showed nothing", sep="!", red=True, bold=True)
        for why in sorted({str(report.longrepr[2]) for report in missed}):
            terminalreporter.line(why)
