"""Projects of other languages, with their own tools and what those fetch, run by `make test-projects` only."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.projects.ground import Build, Ground, ground_for
from tests.projects.kinds import Kind
from tests.stage.asked_for import say_what_was_not_run
from tests.stage.commands import Cast
from tests.stage.processes import People

WANTED = bool(os.environ.get("FOUREYES_PROJECTS"))
collect_ignore_glob = [] if WANTED else ["test_*.py"]


@pytest.fixture
def built(tmp_path: Path) -> Iterator[Build]:
    """A project of a kind, as somebody has it who works on it; without its tools nothing is shown."""
    with People(tmp_path / "people", {"HOME": os.environ.get("HOME", "/nowhere")}, warm=False) as people:

        def build(kind: Kind) -> Ground:
            missing = kind.missing()
            if missing:
                pytest.skip(f"NOT RUN: {kind.name} needs {', '.join(missing)}")
            return ground_for(kind, tmp_path, Cast(people))

        yield build


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if WANTED:
        say_what_was_not_run(terminalreporter)
