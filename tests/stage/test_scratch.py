"""Tests keep their files in memory, unless somebody names a place or there is none."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from tests.stage import scratch


@pytest.fixture(autouse=True)
def _as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", tempfile.tempdir)
    monkeypatch.setattr(scratch, "ROOM", 1)
    monkeypatch.setenv("TMPDIR", "/somewhere")


def test_a_folder_with_room_in_which_programs_run_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TMPDIR")
    scratch.take_place(tmp_path)
    assert tempfile.gettempdir() == os.environ["TMPDIR"] == str(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_who_has_named_a_place_gets_it(tmp_path: Path) -> None:
    scratch.take_place(tmp_path)
    assert os.environ["TMPDIR"] == "/somewhere"


@pytest.mark.parametrize("room", [1, 1 << 62])
def test_what_is_not_there_or_too_small_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    monkeypatch.delenv("TMPDIR")
    monkeypatch.setattr(scratch, "ROOM", room)
    scratch.take_place(tmp_path / "nothing" if room == 1 else tmp_path)
    assert "TMPDIR" not in os.environ
