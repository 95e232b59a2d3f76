"""Real agent programs are started by `make test-agents` and `make test-agents-quick` only: they come from npm."""

import os

import pytest

from tests.stage.command_fixtures import stage, template

__all__ = ["stage", "template"]
WANTED = os.environ.get("FOUREYES_AGENTS", "")
collect_ignore_glob = [] if WANTED else ["test_*.py"]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What was not run showed nothing, and nobody may take it for green."""
    missed = terminalreporter.stats.get("skipped", ()) if WANTED else ()
    if missed:
        terminalreporter.section(f"NOT RUN: {len(missed)} of these tests showed nothing", sep="!", red=True, bold=True)
        for why in sorted({str(report.longrepr[2]) for report in missed}):
            terminalreporter.line(why)
