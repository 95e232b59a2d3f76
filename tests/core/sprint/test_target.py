"""X1, X5: targets as people type them, and the instant at which each ends, also where clocks are changed."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.nouns.sprint import SprintTarget
from foureyes.core.sprint.selection import clean_clock, ends_at, next_clock, span, target_of, target_words
from foureyes.errors import BadInput

from tests.core.samples import quick

BERLIN = ZoneInfo("Europe/Berlin")
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia")


def asked(**given: Any) -> SprintTarget:
    return target_of(**({"tasks": None, "hours": None, "until": "", "idle": False, "zone": "Europe/Berlin"} | given))


def test_a_target_is_one_of_four_and_without_any_it_runs_until_nothing_is_ready_X1() -> None:
    assert asked(tasks=20) == SprintTarget(kind="tasks", tasks=20)
    assert asked(hours=1.5) == SprintTarget(kind="hours", minutes=90)
    assert asked(until="8:00") == SprintTarget(kind="until", clock="08:00", zone="Europe/Berlin")
    assert asked(idle=True) == asked() == SprintTarget(kind="idle")
    assert [target_words(asked(**each)) for each in ({"tasks": 1}, {"hours": 8}, {"until": "23:59"}, {})] == [
        "complete 1 task", "run for 8h", "run until 23:59", "run until no ready tasks"
    ]  # fmt: skip


@pytest.mark.parametrize(
    "given",
    [
        {"tasks": 0}, {"tasks": -1}, {"tasks": 10**6}, {"hours": 0}, {"hours": -1}, {"hours": 1e9},
        {"hours": float("nan")}, {"hours": float("inf")}, {"until": "24:00"}, {"until": "8"}, {"until": "08:60"},
        {"until": "morning"}, {"tasks": 1, "hours": 1}, {"until": "08:00", "idle": True},
    ],
    ids=str,
)  # fmt: skip
def test_what_is_no_target_is_refused_with_what_to_type_X1(given: dict[str, Any]) -> None:
    with pytest.raises(BadInput) as problem:
        asked(**given)
    assert problem.value.next_step


def test_until_a_time_that_is_past_today_is_tomorrow_X1() -> None:
    night = datetime(2026, 11, 17, 23, 50, tzinfo=BERLIN)
    assert next_clock(time(8), night, BERLIN) == datetime(2026, 11, 18, 8, 0, tzinfo=BERLIN)
    assert next_clock(time(23, 55), night, BERLIN) == night + timedelta(minutes=5)
    assert next_clock(time(23, 50), night, BERLIN) == night + timedelta(days=1)


def test_hours_are_hours_and_a_time_of_the_day_is_what_clocks_show_X5() -> None:
    before = datetime(2026, 10, 24, 22, 0, tzinfo=BERLIN)  # clocks go back at three
    assert ends_at(asked(until="08:00"), before, BERLIN) == before.astimezone(UTC) + timedelta(hours=11)
    assert ends_at(asked(hours=10), before, BERLIN) == before.astimezone(UTC) + timedelta(hours=10)
    assert ends_at(asked(tasks=3), before, BERLIN) is ends_at(asked(), before, BERLIN) is None


def test_a_time_that_comes_twice_is_the_first_that_is_still_to_come_X5() -> None:
    once = datetime(2026, 10, 25, 0, 15, tzinfo=UTC)  # 02:15 for the first time
    assert next_clock(time(2, 30), once, BERLIN) == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert next_clock(time(2, 10), once, BERLIN) == datetime(2026, 10, 25, 1, 10, tzinfo=UTC)


def test_a_time_that_a_day_leaves_out_comes_as_much_later_X5() -> None:
    before = datetime(2026, 3, 29, 0, 0, tzinfo=BERLIN)
    assert next_clock(time(2, 30), before, BERLIN).astimezone(BERLIN).strftime("%H:%M") == "03:30"


@quick
@given(
    moment=st.integers(1_704_000_000, 1_861_000_000),
    minutes=st.integers(0, 24 * 60 - 1),
    zone=st.sampled_from(ZONES),
)
def test_the_end_is_ahead_within_a_day_and_clocks_show_it_then_X5(moment: int, minutes: int, zone: str) -> None:
    now, where, clock = datetime.fromtimestamp(moment, UTC), ZoneInfo(zone), time(*divmod(minutes, 60))
    end = next_clock(clock, now, where)
    assert now < end <= now + timedelta(hours=26)
    shown = end.astimezone(where)
    there_is = datetime.combine(shown.date(), clock, tzinfo=where)
    is_left_out = there_is.astimezone(UTC).astimezone(where).time() != clock
    assert shown.time() == clock or is_left_out


def test_a_clock_is_read_as_people_write_it_and_spans_are_short_X1() -> None:
    assert [clean_clock(text) for text in (" 8:05 ", "08:05", "23:59", "0:00")] == ["08:05", "08:05", "23:59", "00:00"]
    assert [span(seconds) for seconds in (22980, 3600, 240, 59, 0, -5)] == ["6h 23m", "1h", "4m", "59s", "0s", "0s"]
