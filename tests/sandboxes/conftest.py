"""Real agent programs are started by `make test-sandboxes` only: they come from npm, and take their time."""

import os

import pytest

from tests.stage.command_fixtures import stage, template

__all__ = ["stage", "template"]
collect_ignore_glob = [] if os.environ.get("FOUREYES_SANDBOXES") else ["test_*.py"]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What was not run showed nothing, and nobody may take it for green."""
    missed = len(terminalreporter.stats.get("skipped", ())) if os.environ.get("FOUREYES_SANDBOXES") else 0
    if missed:
        terminalreporter.section(f"NOT RUN: {missed} of these tests showed nothing", sep="!", red=True, bold=True)
