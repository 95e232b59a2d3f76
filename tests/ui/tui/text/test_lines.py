"""Small things that every text needs."""

from __future__ import annotations

from foureyes.ui.tui.text.lines import uncut


def test_words_that_do_not_fit_are_left_out_and_none_is_cut_in_two() -> None:
    parts = ["it 1 vs base", "WHITESPACE HIDDEN (2 hunks)", "unseen 12/12", "findings 3", "comments 1"]
    whole = "  ".join(parts)
    assert uncut(parts, 100) == whole
    for room in range(12, 80):
        words = uncut(parts, room)
        assert len(words) <= room
        assert whole.startswith(words)
        assert words.split("  ") == parts[: len(words.split("  "))]
