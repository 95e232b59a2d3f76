"""D5: whether it is the tool of a check that speaks by an exit code, or the machine."""

from __future__ import annotations

import pytest

from foureyes.core.words.check_output import is_tools_own_break


@pytest.mark.parametrize(
    ("run", "code", "own"),
    [
        ("pytest -q", 2, True), ("pytest -q", 4, True), ("pytest -q", 1, False), ("pytest -q", 0, False),
        ("pytest -q", 124, False), ("pytest -q", 127, False), ("pytest -q", 137, False), ("pytest -q", 195, False), ("pytest -q", -9, False),
        ("pytest -q", None, False), ("make", 2, False),
    ],
)  # fmt: skip
def test_a_tool_breaks_by_its_own_exit_codes_and_not_by_those_of_the_machine_D5(
    run: str, code: int | None, own: bool
) -> None:
    assert is_tools_own_break(run, code) == own


def test_exit_codes_that_are_said_to_mean_a_failure_break_nothing_D5() -> None:
    assert not is_tools_own_break("pytest -q", 2, (1, 2))
    assert is_tools_own_break("make", 195, (1, 2))
