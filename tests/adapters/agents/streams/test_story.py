"""What a stream has told, whatever shape its values have."""

from __future__ import annotations

from foureyes.adapters.agents.streams.story import LONGEST, Story, micros, number, rows, table, text


def test_values_of_the_wrong_shape_are_nothing() -> None:
    assert [number(value) for value in (3, 2.9, -1, None, "7", float("nan"), 1 << 70)] == [3, 2, 0, 0, 0, 0, 0]
    assert (text(3), table([]), rows({}), rows([1, {"a": 1}])) == ("", {}, [], [{}, {"a": 1}])
    assert [micros(cost) for cost in (0.5, -1, None, "1", float("nan"))] == [500_000, 0, 0, 0, 0]


def test_a_message_in_pieces_keeps_its_end_and_work_ends_a_trouble() -> None:
    story = Story()
    story.hope("429", 429, retry_after=5)
    assert (story.idle, story.trouble) == (True, "429")
    for _ in range(20):
        story.say("x" * (LONGEST // 10), more=True)
    assert (len(story.final), story.idle, story.trouble, story.retry_after) == (LONGEST, False, "", 5)


def test_what_is_shown_of_it_is_one_line_without_anything_hidden() -> None:
    story = Story()
    story.note("Bash", "a\nb\x1b[31m" + "c" * 500, None, 3)
    assert "\n" not in story.last
    assert "\x1b" not in story.last
    assert len(story.last) <= 100
