"""X: how a sprint is named."""

from __future__ import annotations

import pytest

from foureyes.core.nouns.sprint import Sprint, SprintTarget, number_of, sprint_name


@pytest.mark.parametrize(("text", "number"), [("s-04", 4), ("S-4", 4), ("s4", 4), (" 12 ", 12), ("s-100", 100)])
def test_a_sprint_is_meant_by_its_number_X(text: str, number: int) -> None:
    assert number_of(text) == number
    assert number_of(sprint_name(number)) == number


@pytest.mark.parametrize("text", ["", "s", "s-", "s-0", "fe-4", "s-4x", "-4", "s--4", "4.0"])
def test_what_names_no_sprint_is_none_X(text: str) -> None:
    assert number_of(text) is None


def test_a_sprint_has_its_target_and_is_active_between_start_and_end_X2() -> None:
    sprint = Sprint(id=sprint_name(1), n=1, state="planned", kind="tasks", tasks=3)
    assert sprint.target == SprintTarget(kind="tasks", tasks=3)
    assert [Sprint(id=sprint_name(1), n=1, state=state, kind="idle").is_active for state in
            ("planned", "running", "paused", "ended")] == [False, True, True, False]  # fmt: skip
