"""Runs: when a program did what it was started for (S2)."""

from __future__ import annotations

from typing import Any

import pytest

from foureyes.core.nouns.run import RunOutcome


def test_a_run_succeeds_by_its_last_event_and_its_exit_code_together_S2() -> None:
    assert RunOutcome(ended=True, rc=0).succeeded


@pytest.mark.parametrize(
    "fields",
    [
        {"ended": False},
        {"rc": 1},
        {"rc": None},
        {"error": "refused"},
        {"timed_out": "idle"},
        {"stopped": True},
    ],
)
def test_anything_else_is_a_failed_run_S2(fields: dict[str, Any]) -> None:
    usual: dict[str, Any] = {"ended": True, "rc": 0}
    assert not RunOutcome(**(usual | fields)).succeeded
