"""Files that others can write, too: plain ones are read, everything else is told what it is and skipped."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from foureyes.adapters.folders import OddFile, entries, folder, opened, read, rename_unreadable, replace, walked

from tests.stage.odd import DEEP, ODD, deep, put_odd

WORDS = {"a link to a device": "a link", "a link to nothing": "a link"}


@pytest.mark.parametrize("kind", ODD)
def test_what_is_no_file_is_neither_waited_for_nor_followed_and_said_to_be_what_it_is_G1(
    tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "file"
    put_odd(path, kind)
    for flags in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR | os.O_CREAT, os.O_WRONLY | os.O_CREAT | os.O_APPEND):
        with pytest.raises(OddFile) as odd:
            opened(str(path), flags)
        assert odd.value.strerror == f"it is {WORDS.get(kind, kind)}, not a file"
        assert odd.value.filename == str(path)


def test_a_link_to_a_plain_file_is_followed_only_where_that_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    (tmp_path / "link").symlink_to("file")
    assert read(str(tmp_path / "link"), 10, follow=True) == b"text"
    with pytest.raises(OddFile, match="it is a link"):
        read(str(tmp_path / "link"), 10)
    (tmp_path / "zero").symlink_to("/dev/zero")
    with pytest.raises(OddFile, match="it is a device, not a file"):
        read(str(tmp_path / "zero"), 10, follow=True)


def test_a_file_is_read_up_to_a_bound_and_a_larger_one_is_said_to_be_so(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 10)
    assert read(str(path), 10) == b"x" * 10
    with pytest.raises(OddFile, match="it has more than 9 bytes"):
        read(str(path), 9)
    os.truncate(path, 1 << 40)
    with pytest.raises(OddFile, match="it is larger than 2 MB"):
        read(str(path), 2 << 20)


def test_what_is_not_there_or_not_ours_to_read_stays_that_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read(str(tmp_path / "nothing"), 10)
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        read(str(tmp_path / "file" / "below"), 10)


@pytest.mark.parametrize("kind", [*ODD[:4], "a socket"])
def test_neither_a_folder_nor_the_one_around_it_may_be_anything_else(tmp_path: Path, kind: str) -> None:
    put_odd(tmp_path / "odd", kind)
    for path in (tmp_path / "odd", tmp_path / "odd" / "below"):
        with pytest.raises((OddFile, FileNotFoundError, FileExistsError, NotADirectoryError)), folder(str(path)):
            pass
    with pytest.raises(OddFile, match="not a directory"), folder(str(tmp_path / "odd")):
        pass


def test_a_link_to_a_folder_is_not_entered_also_not_for_the_one_below_it(tmp_path: Path) -> None:
    (tmp_path / "theirs" / "below").mkdir(parents=True)
    (tmp_path / "ours").symlink_to("theirs")
    for path in (tmp_path / "ours", tmp_path / "ours" / "below", tmp_path / "ours" / "new"):
        with pytest.raises(OddFile, match="it is a link, not a directory"), folder(str(path), make=True):
            pass
    assert os.listdir(tmp_path / "theirs") == ["below"]


def test_a_folder_is_made_and_left_with_whole_files_and_what_was_in_the_way(tmp_path: Path) -> None:
    with folder(str(tmp_path / "ours"), make=True) as place:
        replace(place, "a", b"one", 0o644)
        replace(place, "a", b"two", 0o644, durable=False)
        assert rename_unreadable(place, "a") == "a.bad-1"
        replace(place, "a", b"three", 0o600)
        assert sorted(entries(place, 10)) == ["a", "a.bad-1"]
        assert len(entries(place, 1)) == 1
    assert (tmp_path / "ours" / "a").read_text() == "three"
    assert (tmp_path / "ours" / "a.bad-1").read_text() == "two"


def test_every_folder_is_walked_as_the_library_does_it(tmp_path: Path) -> None:
    for path in ("a/b/c", "a/d", "e", "left/out"):
        (tmp_path / path).mkdir(parents=True)
        (tmp_path / path / "file").touch()
    (tmp_path / "a/link").symlink_to("b")
    (tmp_path / "a/nowhere").symlink_to("x")
    os.mkfifo(tmp_path / "a/pipe")
    assert list(walked(str(tmp_path))) == list(os.walk(tmp_path))
    assert list(walked(os.fsencode(tmp_path / "a"))) == list(os.walk(os.fsencode(tmp_path / "a")))
    assert list(walked(str(tmp_path / "not there"))) == []
    entered = []
    for path, folders, _ in walked(str(tmp_path)):
        entered.append(os.path.relpath(path, tmp_path))
        folders[:] = sorted(name for name in folders if name != "left")
    assert entered == [".", "a", "a/b", "a/b/c", "a/d", "e"]
    problems: list[OSError] = []
    assert list(walked(str(tmp_path / "e/file"), problems.append)) == []
    assert [type(problem) for problem in problems] == [NotADirectoryError]


def test_a_thousand_folders_in_each_other_are_walked_to_the_end_G1(tmp_path: Path) -> None:
    with deep(tmp_path, "file") as last:
        rows = list(walked(str(tmp_path)))
        assert (len(rows), rows[-1]) == (DEEP + 1, (last, [], ["file"]))
