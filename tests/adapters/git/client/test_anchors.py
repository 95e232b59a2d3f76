"""Anchors: which line of a message is one (J3)."""

from __future__ import annotations

import pytest

from foureyes.adapters.git.client.object_files import anchors_in

HEAD = b"tree " + b"0" * 40
BY = b"\nauthor a <a> 1 +0000\ncommitter a <a> 1 +0000\n\n"


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (b"x\n\nJournal: 5:ab\n", ["5:ab"]),
        (b"x\n\nJournal: 5:ab\n\n# ---- >8 ----\n", ["5:ab"]),
        (b"x\n\nJournal: of a walk\n\nand more", []),
        (b"x\n\nJournal: of a walk\n", ["of a walk"]),
        (b"x\n\nTask: fe-1\nJournal:", ["nothing"]),
        (b"x\n\n> Journal: 5:ab", []),
    ],
    ids=["a trailer", "before scissors", "prose", "prose where trailers stand", "empty", "quoted"],
)
def test_what_looks_like_an_anchor_counts_anywhere_and_anything_does_where_trailers_stand_J3_G1(
    message: bytes, said: list[str]
) -> None:
    assert anchors_in(HEAD + BY + message) == said
