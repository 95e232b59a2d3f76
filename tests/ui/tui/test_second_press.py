"""The guard against the second press: holding a key decides once."""

from __future__ import annotations

from foureyes.ui.tui.second_press import QUIET_SECONDS, Guard


def held(guard: Guard, key: str, start: float, seconds: float) -> list[bool]:
    """A key that is held: a press every 30 ms, as terminals repeat it; which presses were deaf."""
    return [guard.is_deaf(key, start + number * 0.03) for number in range(int(seconds / 0.03))]


def test_the_first_press_is_heard_and_until_a_decision_all_are() -> None:
    guard = Guard()
    assert not any(held(guard, "a", 0.0, 1.0))


def test_a_key_that_stays_down_is_deaf_however_long_it_is_held() -> None:
    guard = Guard()
    guard.is_deaf("a", 0.0)
    guard.decided()
    guard.painted()
    assert all(held(guard, "a", 0.03, 3.0))


def test_nothing_is_heard_until_the_next_task_is_painted() -> None:
    guard = Guard()
    guard.is_deaf("a", 0.0)
    guard.decided()
    assert guard.is_deaf("a", 10.0)
    assert guard.is_deaf("r", 10.0)
    guard.painted()
    assert not guard.is_deaf("r", 20.0)


def test_after_a_rest_the_key_is_heard_and_then_needs_none_until_the_next_decision() -> None:
    guard = Guard()
    guard.is_deaf("a", 0.0)
    guard.decided()
    guard.painted()
    assert guard.is_deaf("a", 0.5)
    assert not guard.is_deaf("a", 0.5 + QUIET_SECONDS)
    assert not guard.is_deaf("a", 0.6 + QUIET_SECONDS)
    guard.decided()
    guard.painted()
    assert guard.is_deaf("a", 0.7 + QUIET_SECONDS)
    assert not guard.is_deaf("x", 0.7 + QUIET_SECONDS)


def test_the_key_that_answers_has_to_rest_after_its_question_was_painted() -> None:
    guard = Guard()
    guard.is_deaf("a", 0.0)
    guard.decided()
    guard.asked("a", 2.0)  # it took so long to be painted
    assert guard.is_deaf("a", 2.0 + QUIET_SECONDS - 0.1)
    assert not guard.is_deaf("a", 2.0 + 2 * QUIET_SECONDS)
