"""Anchors are ordered by their rows, and what names no row comes last: nobody holds it."""

from __future__ import annotations

import pytest

from foureyes.core.words.anchor import NO_ROW, anchored_row


@pytest.mark.parametrize(
    ("anchor", "row"),
    [
        ("7:ab", 7),
        ("007:ab", 7),
        ("7", 7),
        ("nothing", NO_ROW),
        ("", NO_ROW),
        ("-1:ab", NO_ROW),
        ("٣:ab", NO_ROW),
        (f"{2**31}:ab", NO_ROW),
        ("99999999999999999:ab", NO_ROW),
        ("9" * 5000 + ":ab", NO_ROW),
    ],
)
def test_the_row_of_an_anchor_is_one_that_a_journal_can_have_or_beyond_all_of_them_J3_G1(anchor: str, row: int) -> None:
    assert anchored_row(anchor) == row
