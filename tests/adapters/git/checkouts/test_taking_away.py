"""K1: of a worktree that goes only what was looked at is taken away."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from foureyes.adapters.git.checkouts import task_worktrees
from foureyes.adapters.git.checkouts.status import unsaved_and_ignored
from foureyes.adapters.git.checkouts.task_worktrees import DEEPEST, take_away

from tests.adapters.git.workshop_project import TASK, Bench, add, bench


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A folder like a worktree."""
    top = tmp_path / "top"
    (top / "lib" / "deep").mkdir(parents=True)
    for name in (".git", "a.py", "lib/b.py", "lib/deep/c.py"):
        (top / name).write_text(name)
    return top


LATER = 1 << 62
KNOWN = [b"a.py", b"lib/b.py", b"lib/deep/c.py"]


def _write(path: str) -> Callable[[Path], None]:
    def written(top: Path) -> None:
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_text("only here\n")

    return written


def test_everything_known_goes_with_empty_folders_and_what_no_commit_can_hold_K1(top: Path) -> None:
    (top / "lib" / "empty" / "more").mkdir(parents=True)
    os.mkfifo(top / "lib" / "pipe")
    (top / "lib" / "b.py").unlink()
    assert take_away(str(top), KNOWN, LATER) == []
    assert not top.exists()


@pytest.mark.parametrize("path", ["new.py", "lib/new.py", "lib/deep/.hidden", "other/x/y", ".git.d/x"])
def test_what_came_since_the_look_stays_and_so_does_the_worktree_K1_G4(top: Path, path: str) -> None:
    _write(path)(top)
    assert take_away(str(top), KNOWN, LATER) == [path]
    assert (top / path).read_text() == "only here\n"
    assert (top / ".git").read_text() == ".git"


def test_a_file_that_changed_since_the_look_stays_K1_G4(top: Path) -> None:
    (top / "lib" / "b.py").write_text("only here\n")
    since = (top / "lib" / "b.py").stat().st_ctime_ns
    os.utime(top / "a.py")
    left = take_away(str(top), KNOWN, since)
    assert {"lib/b.py", "a.py"} <= {*left}
    assert (top / "lib" / "b.py").read_text() == "only here\n"
    assert take_away(str(top), KNOWN, LATER) == []


def test_no_link_is_followed_K1(top: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in ("b.py", "c.py"):
        (elsewhere / name).write_text("somebody's\n")
    (top / "lib" / "deep" / "c.py").unlink()
    (top / "lib" / "deep").rmdir()
    (top / "lib" / "deep").symlink_to(elsewhere)
    assert take_away(str(top), KNOWN, LATER) == ["lib/deep"]
    assert (elsewhere / "c.py").exists()
    (top / "a.py").mkdir()
    _write("a.py/inside")(top)
    assert "a.py/inside" in take_away(str(top), KNOWN, LATER), "a folder in the place of a file is not that file"


@pytest.fixture
def project(tmp_path: Path) -> Bench:
    made = bench(tmp_path / "project")
    made.write("lib/a.py", "a\n")
    made.commit("lib")
    return made


@pytest.mark.parametrize("name", ["late.py", "code.py"])
def test_a_worktree_whose_files_change_after_the_look_keeps_them_K1_G4(
    project: Bench, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """By real git: the agent writes between our look and the removal."""
    at = add(project)

    def writes(*args: object) -> object:
        seen = unsaved_and_ignored(*args)  # type: ignore[arg-type]
        (at / name).write_text("only here\n")
        return seen

    monkeypatch.setattr(f"{task_worktrees.__name__}.unsaved_and_ignored", writes)
    stays = project.workshop().drop_worktree(TASK).stays
    assert stays.startswith(f"{name} in ")
    assert (at / name).read_text() == "only here\n"
    monkeypatch.undo()
    assert name in project.git("status", "--porcelain", "-uall", cwd=at), "it is a worktree still"
    assert project.workshop().drop_worktree(TASK).stays
    assert (at / name).read_text() == "only here\n"


def test_folders_in_folders_without_end_are_left_to_git_K1(project: Bench) -> None:
    at = add(project)
    deep = at.joinpath(*(["d"] * (DEEPEST + 3)))
    deep.mkdir(parents=True)
    (deep / "x").write_text("x\n")
    project.git("add", "-A", cwd=at)
    project.git("commit", "-q", "-m", "deep", cwd=at)
    assert not project.workshop().drop_worktree(TASK).stays
    assert not at.exists()
