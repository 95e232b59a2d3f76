"""Throwaway directories: never inside of a checkout, and gone (D5)."""

from __future__ import annotations

import os
from pathlib import Path

from foureyes.adapters.checks.checkout import INSIDE, made, remains, remove, scratch


def test_D5_a_place_has_all_that_a_check_needs_and_goes_with_it(tmp_path: Path) -> None:
    with scratch({"TMPDIR": str(tmp_path)}, []) as place:
        assert all(os.path.isdir(os.path.join(place, name)) for name in INSIDE)
        assert Path(place).parent == tmp_path
    assert (list(tmp_path.iterdir()), remains(place)) == ([], "")


def test_D5_no_place_lies_in_a_checkout(tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    with made({"TMPDIR": str(tmp_path / "tmp")}, [str(tmp_path)]) as place:
        assert not place.startswith(str(tmp_path))
        assert remains(place)
    remove(place)  # what is gone is gone


def test_D5_what_a_killed_check_left_is_removed_by_the_next(tmp_path: Path) -> None:
    left = tmp_path / "foureyes-check-1" / "work"
    left.mkdir(parents=True)
    with made({"TMPDIR": str(tmp_path)}, []) as place, made({"TMPDIR": str(tmp_path)}, []) as other:
        assert {*map(str, tmp_path.iterdir())} == {place, other}
