"""What begins a review cycle (V1)."""

from __future__ import annotations

from msgspec.structs import replace

from foureyes.core.cycle.decision import RunActivity, silent, trigger_of
from foureyes.core.nouns.run import EMIT_TYPES


def heard(minute: int, run: str = "run-1") -> RunActivity:
    return RunActivity(run=run, task=f"fe-{run[-1]}", at=f"2026-03-01T12:{minute:02}:00.000Z")


def at(minute: int) -> str:
    return heard(minute).at


def test_three_events_of_an_agent_are_triggers_and_the_others_none() -> None:
    assert {type_: trigger_of(type_) for type_ in EMIT_TYPES} == {
        "milestone": "MILESTONE",
        "blocker": "BLOCKER",
        "request_review": "REQUEST_REVIEW",
        "progress": None,
        "question": None,
    }


def test_fifteen_minutes_of_silence_of_all_live_runs_fire_and_concern_them() -> None:
    runs = [heard(0), heard(2, "run-2")]
    assert silent(runs, since=at(1)) == ()
    assert silent(runs, since=at(2)) == tuple(runs)


def test_one_that_speaks_keeps_all_from_being_silent() -> None:
    assert silent([heard(0), heard(30, "run-2")], since=at(20)) == ()


def test_it_fires_once_per_silence_and_any_event_begins_another() -> None:
    assert silent([replace(heard(0), fired=at(16))], since=at(20)) == ()
    assert silent([replace(heard(0), fired=at(0))], since=at(20)) == ()
    again = replace(heard(17), fired=at(16))
    assert silent([again], since=at(32)) == (again,)


def test_what_was_not_looked_at_yet_is_and_what_was_is_not_again() -> None:
    examined, other = replace(heard(0), fired=at(16)), heard(1, "run-2")
    assert silent([examined, other], since=at(20)) == (other,)


def test_all_agreed_begins_another_silence() -> None:
    fired = replace(heard(0), fired=at(16))
    assert silent([fired], since=at(19), agreed=at(20)) == ()
    assert silent([fired], since=at(20), agreed=at(20)) == (fired,)


def test_who_reviews_is_heard_and_there_is_nothing_of_it_to_look_at() -> None:
    reviewer = replace(heard(5, "run-2"), makes=False)
    assert silent([heard(0), reviewer], since=at(4)) == ()
    assert silent([heard(0), reviewer], since=at(5)) == (heard(0),)


def test_there_is_silence_before_the_first_review_but_not_without_a_run() -> None:
    assert silent([], since=at(59)) == ()
    assert silent([heard(0)], since=at(15)) == (heard(0),)
