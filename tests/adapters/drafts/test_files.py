"""Files of drafts: only their owner's, whole after every kind of end, held by one process at a time."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from foureyes.adapters.drafts.files import FilesOfDrafts, directory_of
from foureyes.app.results.draft import MOST_BYTES
from foureyes.errors import EnvironmentProblem

ADA = "ada@box"

WRITES = """
import sys
from foureyes.adapters.drafts.files import FilesOfDrafts
files = FilesOfDrafts(sys.argv[1])
assert files.take("ada@box", "fe-1") == 0
for number in range(1_000_000):
    files.write("ada@box", "fe-1", b"ab"[number % 2 : number % 2 + 1] * 200_000)
    print(number, flush=True)
"""


@contextmanager
def writer(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the draft fe-1 of Ada and writes it again and again, and says so each time."""
    with subprocess.Popen([sys.executable, "-c", WRITES, str(folder)], stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def heard(process: subprocess.Popen[str], lines: int) -> None:
    assert process.stdout is not None
    for _ in range(lines):
        assert process.stdout.readline()


def place(folder: Path) -> Path:
    return folder / "drafts" / directory_of(ADA)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_is_written_is_read_again_and_is_gone_when_dropped(tmp_path: Path) -> None:
    files = FilesOfDrafts(str(tmp_path))
    assert files.read(ADA, "fe-1") is None
    files.write(ADA, "fe-1", b"one")
    files.write(ADA, "fe-1", b"two")
    assert (files.read(ADA, "fe-1"), files.names(ADA), files.read("bob@box", "fe-1")) == (b"two", ["fe-1"], None)
    assert (files.drop(ADA, "fe-1"), files.drop(ADA, "fe-1"), files.names(ADA)) == (True, False, [])


def test_nobody_else_can_read_them_whatever_the_umask_is(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        FilesOfDrafts(str(tmp_path)).write(ADA, "fe-1", b"one")
        FilesOfDrafts(str(tmp_path)).take(ADA, "fe-1")
    finally:
        os.umask(before)
    folder = place(tmp_path)
    assert (mode(tmp_path / "drafts"), mode(folder)) == (0o700, 0o700)
    assert {mode(path) for path in folder.iterdir()} == {0o600}


@pytest.mark.parametrize("lines", [1, 2, 5])
def test_a_process_killed_while_it_writes_leaves_the_old_or_the_new_as_a_whole(tmp_path: Path, lines: int) -> None:
    with writer(tmp_path) as process:
        heard(process, lines)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    files = FilesOfDrafts(str(tmp_path))
    assert files.read(ADA, "fe-1") in (b"a" * 200_000, b"b" * 200_000)
    assert files.take(ADA, "fe-1") == 0
    assert sorted(path.name for path in place(tmp_path).iterdir()) == ["fe-1.json", "fe-1.lock"]


def test_a_second_process_is_told_who_has_it_until_the_first_ends(tmp_path: Path) -> None:
    files = FilesOfDrafts(str(tmp_path))
    with writer(tmp_path) as process:
        heard(process, 1)
        assert files.take(ADA, "fe-1") == process.pid
        assert (files.take(ADA, "fe-2"), files.take("bob@box", "fe-1")) == (0, 0)
    assert files.take(ADA, "fe-1") == 0


def test_two_instances_of_one_program_do_not_share_a_draft(tmp_path: Path) -> None:
    first, second = FilesOfDrafts(str(tmp_path)), FilesOfDrafts(str(tmp_path))
    assert (first.take(ADA, "fe-1"), first.take(ADA, "fe-1")) == (0, 0)
    assert second.take(ADA, "fe-1") == os.getpid()
    first.release(ADA, "fe-1")
    assert second.take(ADA, "fe-1") == 0
    second.close()
    assert first.take(ADA, "fe-1") == 0


def test_what_is_no_file_of_ours_is_read_as_nothing_and_can_be_set_aside(tmp_path: Path) -> None:
    files = FilesOfDrafts(str(tmp_path))
    files.write(ADA, "fe-1", b"one")
    secret = tmp_path / "secret"
    secret.write_text("not for you")
    (place(tmp_path) / "fe-2.json").symlink_to(secret)
    os.mkfifo(place(tmp_path) / "fe-3.json")
    (place(tmp_path) / "fe-4.json").mkdir()
    (place(tmp_path) / "fe-5.json").write_bytes(b"x" * (MOST_BYTES + 1))
    for name in ("fe-2", "fe-3", "fe-4", "fe-5"):
        assert files.read(ADA, name) == b""
        assert files.set_aside(ADA, name).endswith(f"{name}.json.bad-1")
        files.write(ADA, name, b"mine")
        assert files.read(ADA, name) == b"mine"
    assert secret.read_text() == "not for you"


def test_a_link_in_the_place_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "drafts").symlink_to(elsewhere)
    with pytest.raises(EnvironmentProblem):
        FilesOfDrafts(str(tmp_path)).write(ADA, "fe-1", b"one")
    assert list(elsewhere.iterdir()) == []


def test_people_with_names_alike_have_folders_of_their_own() -> None:
    names = ["ada@box", "ada_box", "../ada", "ada/../bob", "", "ä" * 300]
    folders = {directory_of(name) for name in names}
    assert len(folders) == len(names)
    assert not [name for name in folders if "/" in name or name.startswith(".") or len(name) > 60]
