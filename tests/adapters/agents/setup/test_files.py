"""Files of a checkout that others keep: hostile ones are refused with a sentence, and nothing is touched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from foureyes.adapters.agents.setup.changes import put, refuse_unwritable, text_of
from foureyes.errors import EnvironmentProblem

NAME = "AGENTS.md"
DEEP = ".github/hooks/foureyes.json"


def test_bytes_are_read_and_written_as_they_are(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes("a\r\nb\u2028\n".encode())
    assert text_of(str(tmp_path), NAME) == "a\r\nb\u2028\n"
    put(str(tmp_path), NAME, "c\r\n")
    assert (tmp_path / NAME).read_bytes() == b"c\r\n"


def test_folders_come_and_go_with_the_file(tmp_path: Path) -> None:
    assert text_of(str(tmp_path), DEEP) is None
    put(str(tmp_path), DEEP, "{}")
    assert text_of(str(tmp_path), DEEP) == "{}"
    put(str(tmp_path), DEEP, None)
    assert os.listdir(tmp_path) == []


def test_a_folder_with_something_else_in_it_stays(tmp_path: Path) -> None:
    put(str(tmp_path), DEEP, "{}")
    (tmp_path / ".github" / "CODEOWNERS").touch()
    put(str(tmp_path), DEEP, None)
    assert os.listdir(tmp_path / ".github") == ["CODEOWNERS"]


def test_a_link_to_another_file_of_the_checkout_stays_a_link(tmp_path: Path) -> None:
    """Many projects have one text under both names."""
    (tmp_path / NAME).write_text("# Ours\n")
    (tmp_path / "CLAUDE.md").symlink_to(NAME)
    put(str(tmp_path), "CLAUDE.md", "# New\n")
    assert (tmp_path / "CLAUDE.md").is_symlink()
    assert (tmp_path / NAME).read_text() == "# New\n"


def test_the_rights_of_the_file_stay(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("# Ours\n")
    (tmp_path / NAME).chmod(0o600)
    put(str(tmp_path), NAME, "# New\n")
    assert (tmp_path / NAME).stat().st_mode & 0o777 == 0o600


def make(kind: str, root: Path, outside: Path) -> None:
    """Something in the place of the file."""
    path = root / NAME
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    elif kind == "link out":
        (outside / "theirs").write_text("x")
        path.symlink_to(outside / "theirs")
    elif kind == "link into git":
        (root / ".git").mkdir()
        (root / ".git" / "config").write_text("x")
        path.symlink_to(".git/config")
    elif kind == "link to nothing":
        path.symlink_to("nowhere.md")
    elif kind == "loop":
        path.symlink_to(NAME)
    elif kind == "no text":
        path.write_bytes(b"\xff\xfe\x00")
    elif kind == "too large":
        with path.open("wb") as file:
            file.truncate(17 << 20)


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("pipe", "named pipe"),
        ("directory", "directory"),
        ("link out", "no file of this checkout"),
        ("link into git", "no file of this checkout"),
        ("link to nothing", "leads nowhere"),
        ("loop", "it is a link"),
        ("no text", "not valid UTF-8"),
        ("too large", "larger than 16 MB"),
    ],
)
def test_what_is_no_plain_text_of_the_checkout_is_refused(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, kind: str, why: str
) -> None:
    make(kind, tmp_path, tmp_path_factory.mktemp("outside"))
    with pytest.raises(EnvironmentProblem, match=f"{NAME}: .*{why}.*not touched"):
        text_of(str(tmp_path), NAME)


def test_a_folder_that_leads_out_of_the_checkout_is_refused(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (tmp_path / ".github").symlink_to(outside)
    with pytest.raises(EnvironmentProblem, match="no file of this checkout"):
        text_of(str(tmp_path), DEEP)
    with pytest.raises(EnvironmentProblem, match="no file of this checkout"):
        put(str(tmp_path), DEEP, "x")
    assert os.listdir(outside) == []


def test_a_read_only_file_is_meant_to_stay_as_it_is(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("# Ours\n")
    refuse_unwritable(str(tmp_path), NAME)
    (tmp_path / NAME).chmod(0o444)
    with pytest.raises(EnvironmentProblem, match="read-only"):
        refuse_unwritable(str(tmp_path), NAME)


def test_a_failed_write_leaves_the_old_file_and_no_litter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / NAME).write_text("# Ours\n")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(EnvironmentProblem, match="No space left"):
        put(str(tmp_path), NAME, "# New\n")
    assert (tmp_path / NAME).read_text() == "# Ours\n"
    assert os.listdir(tmp_path) == [NAME]
