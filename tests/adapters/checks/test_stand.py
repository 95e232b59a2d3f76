"""How a command is run where a check stands (D5)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from foureyes.adapters.checks.checkout import PreparedCheckout, why_ended
from foureyes.adapters.process import ProgramEnd


def test_D5_a_command_runs_in_the_tree_of_its_place(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    heard: list[bytes] = []
    stand = PreparedCheckout(str(tmp_path), str(tmp_path))
    ended = stand.run("pwd; exit 3", {"PATH": os.defpath}, 60, heard.append, lambda _: False)
    assert (ended.rc, b"".join(heard).decode().strip()) == (3, stand.work)
    assert stand.readable("/x") == "/x"


@pytest.mark.parametrize(
    ("ended", "why"),
    [
        (ProgramEnd(0), ""),
        (ProgramEnd(2), "ended with exit code 2"),
        (ProgramEnd(None, timed_out=True), "was still running after 5 minutes"),
        (ProgramEnd(None, problem="it was stopped"), "did not end: it was stopped"),
    ],
)
def test_how_a_command_ended_that_had_to_end_well(ended: ProgramEnd, why: str) -> None:
    assert why_ended(ended, 5) == why
