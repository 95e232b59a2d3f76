"""`fe agent list`, as it is typed; programs are stand-ins of this test, on its own PATH."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from foureyes.app.results.run import AgentView
from foureyes.ui.cli.agent import _cells

from tests.stage.commands import Cast
from tests.ui.cli.counter import Counter, counter


@pytest.fixture
def shop(template: Path, tmp_path: Path, cast: Cast) -> Counter:
    return counter(template, tmp_path, cast)


def test_agents_are_listed_for_people_and_for_programs(shop: Counter) -> None:
    shown = shop.run(shop.cast.alice, "agents", "--quick")
    assert (shown.rc, shown.out.splitlines()[0].split()[:2]) == (0, ["PROFILE", "PROGRAM"])
    rows = [json.loads(line) for line in shop.run(shop.cast.alice, "agents", "--quick", "--json").out.splitlines()]
    assert {"claude", "codex", "gemini", "opencode", "qwen"} <= {row["profile"] for row in rows}


@pytest.mark.parametrize(
    ("view", "cells"),
    [
        (
            AgentView(profile="a", program="/opt/a", problem="a was not found."),
            ("a", "a", "a was not found.", "0 of 0"),
        ),
        (
            AgentView(profile="a", program="a", model="m", version="1.2", login="logged in", slots=2, running=1),
            ("a", "a m", "1.2, logged in", "1 of 2"),
        ),
        (AgentView(profile="a", program="a", cooled=True, until="soon"), ("a", "a", "skipped until soon", "0 of 0")),
        (AgentView(profile="a", program="a", cooled=True), ("a", "a", "skipped until it works again", "0 of 0")),
        (AgentView(profile="a", program="a"), ("a", "a", "found", "0 of 0")),
    ],
)
def test_the_state_of_one_is_said_in_a_cell(view: AgentView, cells: tuple[str, ...]) -> None:
    assert _cells(view)[:4] == cells


def test_what_last_went_wrong_is_in_the_programs_own_words() -> None:
    view = AgentView(profile="a", program="a", error="quota", error_text="usage limit", error_at="2026-01-01T00:00:00Z")
    assert _cells(view)[5] == "quota, 2026-01-01T00:00:00Z: usage limit"
