"""The ports `Clock` and `Ids`, held to by the machine's own and by those that stand in for them."""

from __future__ import annotations

from datetime import UTC, timedelta

import pytest

from foureyes.adapters.clock import RandomIds, SharedClock, SystemClock
from foureyes.app.ports import Clock, Ids

from tests.stage.ports import CountedIds, FixedClock


@pytest.mark.parametrize("clock", [SystemClock(), SharedClock(None), FixedClock()])
def test_a_clock_tells_utc_and_has_not_gone_back_after_a_wait(clock: Clock) -> None:
    before = clock.now()
    assert before.tzinfo is UTC
    clock.wait(0.001)
    assert clock.now() >= before


def test_a_clock_that_stands_goes_on_by_as_much_as_is_waited_for() -> None:
    clock = FixedClock()
    before = clock.now()
    assert clock.now() == before
    clock.wait(90)
    assert clock.now() == before + timedelta(seconds=90)


@pytest.mark.parametrize("ids", [RandomIds(), CountedIds()])
def test_numbers_are_of_128_bits_and_no_two_are_alike(ids: Ids) -> None:
    numbers = [ids.number() for _ in range(500)]
    assert len(set(numbers)) == 500
    assert all(0 <= number < 2**128 for number in numbers)
    assert max(numbers) > 2**120
