"""Throwaway directories: never inside of a checkout, and gone (D5)."""

from __future__ import annotations

import os
from pathlib import Path

from foureyes.adapters.checks.scratch import INSIDE, make, remains, remove, scratch


def test_D5_a_place_has_all_that_a_check_needs_and_goes_with_it(tmp_path: Path) -> None:
    with scratch({"TMPDIR": str(tmp_path)}, []) as place:
        assert all(os.path.isdir(os.path.join(place, name)) for name in INSIDE)
        assert Path(place).parent == tmp_path
    assert (list(tmp_path.iterdir()), remains(place)) == ([], "")


def test_D5_no_place_lies_in_a_checkout(tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    place = make({"TMPDIR": str(tmp_path / "tmp")}, [str(tmp_path)])
    try:
        assert not place.startswith(str(tmp_path))
        assert remains(place)
    finally:
        remove(place)
    remove(place)  # what is gone is gone
