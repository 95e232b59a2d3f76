"""Files that a command is told to read: plain ones, and what the caller hands over; nothing else is waited for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from foureyes.bootstrap.files import read_given

from tests.stage.odd import ODD, put_odd


def test_a_file_a_link_to_one_and_an_open_pipe_are_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    (tmp_path / "link").symlink_to("file")
    assert read_given(str(tmp_path / "file"), 2) == b"te"
    assert read_given(str(tmp_path / "link"), 9) == b"text"
    reader, writer = os.pipe()
    os.write(writer, b"by a pipe")
    os.close(writer)
    try:
        assert read_given(f"/dev/fd/{reader}", 99) == b"by a pipe"
    finally:
        os.close(reader)


@pytest.mark.parametrize("kind", [kind for kind in ODD if kind != "a link"])
def test_what_lies_under_the_name_of_a_file_and_is_none_is_said_to_be_what_it_is(tmp_path: Path, kind: str) -> None:
    put_odd(tmp_path / "odd", kind)
    with pytest.raises(OSError, match=r"it is a .*, not a file"):
        read_given(str(tmp_path / "odd"), 9)


def test_who_cannot_wait_takes_no_pipe_and_nobody_takes_a_directory(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        with pytest.raises(OSError, match="a named pipe"):
            read_given(f"/dev/fd/{reader}", 9, handed_over=False)
        with pytest.raises(OSError, match="a directory"):
            read_given(f"/dev/fd/{folder}", 9)
    finally:
        for handle in (reader, writer, folder):
            os.close(handle)
