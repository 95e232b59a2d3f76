"""Who is asked in a cycle (V4): a profile is left out only where no runner could start it."""

from __future__ import annotations

from msgspec.structs import replace

from tests.stage.gated import configure
from tests.stage.people import ALICE
from tests.stage.world import DeskWorld

PEERS = '\n[review.peers]\nreviewers = ["codex", "gemini"]\n'


def asked(desk: DeskWorld) -> list[str]:
    """Who is asked about the next hand-in, first of all."""
    desk.handed_in()
    return [row.reviewer for row in desk.app.cycles.listed(limit=1)[0].asked]


def test_a_profile_that_cools_down_on_one_host_is_asked_where_another_has_a_runner_V4(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    here = desk.app.runs.begin(ALICE, agents=1).actor
    until = desk.app.context.later(600)
    desk.app.runs.cool(here, "codex", until=until, error="quota", error_text="usage limit")
    assert asked(desk) == ["gemini"], "the only runner could not start it"
    there = desk.app.runs.begin(replace(ALICE, host="other"), agents=1).actor
    assert asked(desk) == ["codex"]
    desk.app.runs.cool(there, "codex", until=until, error="missing", error_text="not installed")
    assert asked(desk) == ["gemini"]


def test_without_a_runner_a_profile_that_cools_down_is_left_out_V4(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    runner = desk.app.runs.begin(ALICE, agents=1).actor
    until = desk.app.context.later(600)
    desk.app.runs.cool(runner, "codex", until=until, error="quota", error_text="usage limit")
    desk.app.runs.finish(runner, reason="over")
    assert asked(desk) == ["gemini"]
    desk.clock.wait(601)
    assert asked(desk) == ["codex"]
