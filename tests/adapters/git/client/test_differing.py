"""What two or three trees differ in: folders to look into, files that are needed, and files that are not."""

from __future__ import annotations

from foureyes.adapters.git.client.clean_room_objects import Differing
from foureyes.adapters.git.client.object_files import FILE, LINK, MODULE, TREE, RawEntry
from foureyes.core.words.ids import Sha


def row(mode: bytes, digit: int) -> RawEntry:
    return mode, bytes([digit]) * 20


def sha(digit: int) -> Sha:
    return Sha(bytes([digit]).hex() * 20)


def test_of_two_trees_every_file_that_differs_is_needed_and_modules_are_not_A2() -> None:
    old = {b"a": row(FILE, 1), b"same": row(FILE, 2), b"d": row(TREE, 3), b"m": row(MODULE, 4)}
    new = {b"a": row(LINK, 5), b"same": row(FILE, 2), b"d": row(TREE, 6), b"m": row(MODULE, 7), b"n": row(FILE, 8)}
    differing = Differing()
    assert differing.below([old, new]) == [(sha(3), sha(6))]
    assert (differing.needed, differing.spare) == ({sha(1), sha(5), sha(8)}, set())
    assert differing.files == differing.needed


def test_of_a_merge_what_one_side_changed_is_needed_only_where_it_is_shown_A2_Q2() -> None:
    base, ours, theirs = ({b"a": row(FILE, 1), b"b": row(FILE, digit)} for digit in (2, 2, 3))
    unseen, shown = Differing(merging=True), Differing(merging=True, shown=True)
    for differing in (unseen, shown):
        assert differing.below([base, ours, theirs]) == []
    assert (unseen.files, shown.needed, shown.files) == (set(), {sha(2), sha(3)}, {sha(2), sha(3)})
