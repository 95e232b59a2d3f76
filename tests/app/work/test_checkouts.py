"""Environments of checks that are kept on this machine (D5)."""

from __future__ import annotations

import pytest

from foureyes.app.views.check import EnvironmentRow

from tests.stage.people import ALICE
from tests.stage.world import DeskWorld

ROW = EnvironmentRow(key="abc", command="npm ci", bytes=2_000_000_000, used="2026-03-01T12:00:00Z")


@pytest.mark.on("sqlite")
def test_they_are_listed_and_go_when_somebody_wants_that_D5(desk: DeskWorld) -> None:
    desk.outside.runner.kept = [ROW]
    assert list(desk.app.checkouts.listed()) == [ROW]
    assert list(desk.app.checkouts.prune(ALICE)) == []
    assert list(desk.app.checkouts.prune(ALICE, everything=True, only_try=True)) == [ROW]
    assert list(desk.app.checkouts.prune(ALICE, everything=True)) == [ROW]
    assert list(desk.app.checkouts.listed()) == []
