"""Kept words: what came from a file is sent by a second press only, and not by a key that is held down."""

from __future__ import annotations

from foureyes.ui.tui.restored_text import REST_SECONDS, KeptWords, question


def test_the_first_press_asks_and_the_next_one_sends() -> None:
    kept = KeptWords()
    assert not kept.asks("mine", 0.0)
    kept.take("theirs")
    assert kept.asks("theirs", 1.0)
    assert not kept.asks("theirs", 1.0 + REST_SECONDS)


def test_a_key_that_is_held_down_never_answers() -> None:
    kept = KeptWords()
    kept.take("theirs")
    assert all(kept.asks("theirs", number * 0.03) for number in range(100))


def test_any_edit_makes_the_words_ones_own() -> None:
    kept = KeptWords()
    kept.take("theirs")
    assert not kept.touch("theirs")
    assert kept
    assert kept.touch("theirs, and mine")
    assert not kept
    assert not kept.touch("theirs")
    assert not kept.asks("theirs", 0.0)


def test_the_question_says_how_much_it_is() -> None:
    assert question("Enter", 1) == "send these kept words (1 line)? Enter again"
    assert question("Ctrl+S", 14) == "send these kept words (14 lines)? Ctrl+S again"
