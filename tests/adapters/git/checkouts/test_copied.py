"""K1: files of the main checkout that a worktree gets a copy of: ignored ones alone, and no link is followed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from foureyes.app.results.work import Copied

from tests.adapters.git.workshop_project import TASK, Bench, add, bench, commit


@pytest.fixture
def project(tmp_path: Path) -> Bench:
    made = bench(tmp_path / "project")
    made.write(".gitignore", ".env\n.env.*\n*.secret\nkeys/\n")
    made.commit("ignore")
    return made


def copied(project: Bench, *globs: str) -> Copied:
    return project.workshop().copy_into(TASK, globs)


def test_what_git_ignores_and_a_glob_means_is_copied_with_its_mode_K1(project: Bench) -> None:
    for name in (".env", ".env.local", "web/.env", "keys/a.txt", "keys/deep/b.txt", "other.secret"):
        project.write(name, f"{name}\n")
    (project.path / ".env").chmod(0o600)
    at = add(project)
    done = copied(project, "**/.env", "keys/", "nothing/**")
    assert (sorted(done.files), done.refused) == ([".env", "keys/a.txt", "keys/deep/b.txt", "web/.env"], ())
    assert (at / "web/.env").read_text() == "web/.env\n"
    assert os.stat(at / ".env").st_mode & 0o777 == 0o600
    assert not (at / "other.secret").exists()
    assert project.git("status", "--porcelain", cwd=at) == ""


def test_what_is_tracked_or_would_be_committed_is_not_copied_K1_S4(project: Bench) -> None:
    project.write("notes.txt", "mine\n")
    project.write("code.py", "changed here\n")
    project.write("a.secret", "s\n")
    at = add(project)
    (at / ".gitignore").write_text(".env\n")
    done = copied(project, "notes.txt", "code.py", "*.secret")
    assert (done.files, done.refused) == (
        (), ("notes.txt: git does not ignore it", "a.secret: git does not ignore it")
    )  # fmt: skip
    assert "changed here" not in (at / "code.py").read_text()


def test_no_link_is_followed_on_either_side_K1(project: Bench, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("not of the project\n")
    (project.path / ".env").symlink_to(outside / "a.txt")
    project.write("keys/a.txt", "k\n")
    at = add(project)
    (at / "keys").symlink_to(outside)
    done = copied(project, ".env", "keys/**")
    assert done.files == ()
    assert [row.split(":")[0] for row in done.refused] == ["keys/a.txt", ".env"]
    assert (outside / "a.txt").read_text() == "not of the project\n"
    assert not (at / ".env").exists()


def test_what_is_there_already_stays_as_it_is_K1(project: Bench) -> None:
    project.write(".env", "A=1\n")
    at = add(project)
    (at / ".env").write_text("mine\n")
    assert copied(project, ".env") == Copied()
    assert (at / ".env").read_text() == "mine\n"


@pytest.mark.parametrize("changed", ["", "main", "worktree"])
def test_only_a_copy_that_somebody_changed_there_keeps_the_worktree_K1(project: Bench, changed: str) -> None:
    project.write(".env", "A=1\n")
    project.write("keys/a.txt", "k\n")
    at = add(project)
    commit(project, at)
    copied(project, ".env", "keys/")
    if changed == "main":
        project.write(".env", "A=2\n")
        project.write("keys/a.txt", "other\n")
    if changed == "worktree":
        (at / "keys/more.txt").write_text("nowhere else\n")
    dropped = project.workshop().drop_worktree(TASK)
    assert bool(dropped.stays) == at.exists() == (changed == "worktree")
    assert changed == "worktree" or set(dropped.gone) == {".env", "keys"}


def test_a_bare_repository_has_nothing_to_copy_K1(tmp_path: Path) -> None:
    origin = bench(tmp_path / "origin")
    origin.git("clone", "-q", "--bare", str(origin.path), str(tmp_path / "bare.git"))
    bare = Bench(tmp_path / "bare.git")
    bare.workshop().add_worktree(TASK, branch="fe/x", base=bare.head("main"), session="ses-1")
    assert copied(bare, ".env") == Copied()
