"""Seen hunks: a line counts after 0.3 s on screen, a hunk after all its lines (H4)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from foureyes.ui.tui.seen import IDLE_SECONDS, LEAST_SECONDS, SeenColumns, SeenLines, Stopwatch

HUNKS = [("a", 3), ("b", 1), ("c", 6)]
LINES = 10
WINDOWS = st.tuples(st.integers(0, LINES), st.integers(0, LINES)).map(lambda pair: range(min(pair), max(pair)))
STEPS = st.lists(st.tuples(WINDOWS, st.integers(0, 6)), max_size=40)
"""What is on screen, and for how many tenths of a second."""


def test_a_hunk_is_shown_when_all_its_lines_were_on_screen_for_long_enough_H4() -> None:
    seen = SeenLines(HUNKS)
    assert seen.look(range(2), 10.0) == []
    assert seen.look(range(2), 10.0 + LEAST_SECONDS) == []  # the third line of a was never there
    assert seen.look(range(1, 4), 11.0) == []
    assert seen.look((), 11.0 + LEAST_SECONDS) == ["a", "b"]


def test_a_page_that_is_only_scrolled_through_shows_nothing_H4() -> None:
    seen = SeenLines(HUNKS)
    for step in range(100):
        assert seen.look(range(LINES) if step % 2 else (), 1.0 + step * 0.29) == []


def test_scrolling_line_by_line_counts_for_what_stays_on_screen_H4() -> None:
    seen = SeenLines(HUNKS)
    complete = []
    for top in range(LINES):
        window = range(top, min(LINES, top + 4))
        complete += seen.look(seen.staying(window), top * 0.1)
        complete += seen.look(window, top * 0.1)
    assert complete == ["b"]  # the first lines of a were gone too soon
    assert seen.look((), 3.0) == ["c"]


def test_a_hunk_is_told_once_H4() -> None:
    seen = SeenLines(HUNKS)
    told = [name for now in range(5) for name in seen.look(range(LINES), float(now))]
    assert told == ["a", "b", "c"]


@given(STEPS)
def test_what_counts_is_what_was_on_screen_without_a_break_H4(steps: list[tuple[range, int]]) -> None:
    seen, tenth, complete = SeenLines(HUNKS), 0, set()
    stretch = [0] * LINES  # tenths of a second on screen, without a break
    best = [-1] * LINES
    for window, tenths in steps:
        complete |= set(seen.look(window, tenth / 10))
        for line in range(LINES):
            if line not in window:
                stretch[line] = 0
                continue
            stretch[line] += tenths
            best[line] = max(best[line], stretch[line])
        tenth += tenths
    complete |= set(seen.look((), tenth / 10))
    spans = {"a": range(3), "b": range(3, 4), "c": range(4, 10)}
    sure = {name for name, span in spans.items() if all(best[line] >= 4 for line in span)}
    possible = {name for name, span in spans.items() if all(best[line] >= 3 for line in span)}
    assert sure <= complete <= possible


@given(st.lists(st.floats(0, 500), max_size=30))
def test_time_counts_from_key_to_key_and_long_absences_do_not(gaps: list[float]) -> None:
    watch, now = Stopwatch(), 0.0
    watch.touch(now)
    for gap in gaps:
        now += gap
        watch.touch(now)
    assert watch.seconds <= round(len(gaps) * IDLE_SECONDS)
    assert watch.seconds <= round(now) + 1
    assert watch.seconds >= round(sum(gap for gap in gaps if gap <= IDLE_SECONDS)) - 1


def test_what_lies_over_the_page_takes_no_time() -> None:
    watch = Stopwatch()
    watch.touch(0.0)
    watch.leave(5.0)
    watch.touch(50.0)
    watch.touch(52.0)
    assert watch.seconds == 7


WIDTH, ROOM = 8, 6
SHIFTS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 6), st.booleans()), max_size=40)
"""How far a line is scrolled, for how many eighths of a second, and whether that was painted."""


@given(SHIFTS)
def test_a_wide_line_is_whole_when_each_column_was_on_screen_without_a_break_or_is_there_now_H4(
    steps: list[tuple[int, int, bool]],
) -> None:
    parts, eighth = SeenColumns(), 0
    since: dict[int, int] = {}
    read: set[int] = set()
    for shift, eighths, painted in steps:
        part = range(shift, min(WIDTH, shift + ROOM))
        read |= {column for column, begun in since.items() if eighth - begun >= 3}
        since = {column: since.get(column, eighth) for column in part if painted or column in since}
        parts.look({7: part}, eighth / 8, painted=painted)
        assert parts.is_whole(7, WIDTH) == (read | set(since) >= set(range(WIDTH)))
        eighth += eighths


def test_a_wide_line_that_only_flies_by_is_not_whole_H4() -> None:
    parts = SeenColumns()
    for shift in range(100):
        parts.look({0: range(shift * 8, shift * 8 + 70)}, shift * 0.01)
    assert not parts.is_whole(0, 800)
    parts.look({}, 60.0)
    parts.look({0: range(70)}, 61.0)
    assert parts.is_whole(0, 70)
    assert not parts.is_whole(0, 71)
