"""Anchors: which line of a message is one, and how far files alone lead to it (J3)."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.adapters.git.client.anchors import NEAR, anchor_near, anchors_in
from foureyes.adapters.git.client.loose_objects import write_loose_object
from foureyes.core.words.ids import Sha

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


def test_the_nearest_anchor_is_found_among_the_newest_commits_alone_J3(tmp_path: Path) -> None:
    (tmp_path / "objects").mkdir()

    def commit(message: bytes, parent: Sha | None = None) -> Sha:
        line = b"\nparent " + parent.encode() if parent else b""
        return write_loose_object(str(tmp_path), b"commit", HEAD + line + BY + message, 40)

    tip = commit(b"x\n\nJournal: 7:ab", commit(b"x\n\nJournal: 9:ab"))
    for _ in range(NEAR - 1):
        tip = commit(b"more", tip)
    assert anchor_near(str(tmp_path), tip) == "7:ab"
    assert anchor_near(str(tmp_path), commit(b"too far", tip)) is None
    assert anchor_near(str(tmp_path), commit(b"alone")) is None
