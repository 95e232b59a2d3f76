"""Environments of checks that are kept on this machine (D5)."""

from __future__ import annotations

import pytest

from foureyes.app.results.attempt import EnvironmentRow
from foureyes.errors import Refused

from tests.stage.people import ALICE, CLAUDE
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


@pytest.mark.on("sqlite")
def test_all_of_them_go_only_when_a_person_wants_that_I5(desk: DeskWorld) -> None:
    desk.outside.runner.kept = [ROW]
    assert list(desk.app.checkouts.prune(CLAUDE, everything=True, only_try=True)) == [ROW]
    with pytest.raises(Refused) as refused:
        desk.app.checkouts.prune(CLAUDE, everything=True)
    assert [reason.rule for reason in refused.value.reasons] == ["I5"]
    assert list(desk.app.checkouts.listed()) == [ROW]
