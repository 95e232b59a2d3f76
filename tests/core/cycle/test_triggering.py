"""V1: what begins a cycle."""

from __future__ import annotations

from foureyes.core.cycle.triggering import Heard, silent, trigger_of
from foureyes.core.nouns.run import EMIT_TYPES


def heard(minute: int, run: str = "run-1") -> Heard:
    return Heard(run=run, task=f"fe-{run[-1]}", at=f"2026-03-01T12:{minute:02}:00.000Z")


def at(minute: int) -> str:
    return heard(minute).at


def test_three_events_of_an_agent_are_triggers_and_the_others_none_V1_S3() -> None:
    assert {type_: trigger_of(type_) for type_ in EMIT_TYPES} == {
        "milestone": "MILESTONE",
        "blocker": "BLOCKER",
        "request_review": "REQUEST_REVIEW",
        "progress": None,
        "question": None,
    }


def test_fifteen_minutes_of_silence_of_all_live_runs_fire_and_concern_them_V1() -> None:
    runs = [heard(0), heard(2, "run-2")]
    assert silent(runs, since=at(1)) == ()
    assert silent(runs, since=at(2)) == tuple(runs)


def test_one_that_speaks_keeps_all_from_being_silent_V1() -> None:
    assert silent([heard(0), heard(30, "run-2")], since=at(20)) == ()


def test_it_fires_once_per_silence_and_any_event_begins_another_V1() -> None:
    assert silent([heard(0)], since=at(20), fired=at(16)) == ()
    assert silent([heard(17)], since=at(32), fired=at(16)) == (heard(17),)


def test_without_a_live_run_there_is_no_silence_and_before_the_first_review_there_is_V1() -> None:
    assert silent([], since=at(59)) == ()
    assert silent([heard(0)], since=at(15), fired="") == (heard(0),)
