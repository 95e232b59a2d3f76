"""Work in review whose checks broke waits for a person (D5, E6)."""

from __future__ import annotations

from foureyes.ui.steps import steps_text

from tests.stage.gated import AUTO, LINT, check, configure
from tests.stage.people import BOB
from tests.stage.world import DeskWorld


def test_what_stays_broken_waits_for_a_person_until_it_runs_D5_E6(desk: DeskWorld) -> None:
    configure(desk, LINT)
    desk.outside.runner.says("lint", exit_code=127)
    task = desk.submitted_task(labels=AUTO)
    check(desk, task)
    (row,) = desk.app.attention.view(BOB).rows
    assert (row.kind, row.task) == ("check", task)
    assert "lint crashed (exit code 127" in row.text
    assert f"fe check run {task}" in steps_text(row.next)
    desk.outside.runner.says("lint", exit_code=0)
    check(desk, task)
    assert desk.app.attention.view(BOB).rows == ()
