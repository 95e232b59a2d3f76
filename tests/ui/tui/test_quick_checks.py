"""The quick checks of the stage say what the real pipeline says."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.bootstrap.wiring import open_project

from tests.ui.tui.stage import BOB, CI, Seat

FILES = {"green": "x = 1\n", "red": "RED = 1\n", "messy": "MESSY = 1\n"}


def said(seat: Seat, task: str) -> list[tuple[object, ...]]:
    rows = seat.app.check_runs.of_task(BOB, task).checks
    return [(row.check, row.outcome, row.summary, row.output) for row in rows]


@pytest.mark.parametrize("kind", FILES)
def test_they_say_what_the_pipeline_says(seat: Seat, project: Path, tmp_path: Path, kind: str) -> None:
    quick = seat.deliver("Add login", {"src/login.py": FILES[kind]})
    real = Seat(project, tmp_path / "real")
    real.app.close()
    real.app = open_project(str(real.root), real.environ)
    task = real.deliver("Add login", {"src/login.py": FILES[kind]}, checked=False)
    real.app.checks.run(CI, task)
    assert said(seat, quick) == said(real, task)
    assert {check for check, *_ in said(seat, quick)} == {"tests", "lint"}
    real.close()
