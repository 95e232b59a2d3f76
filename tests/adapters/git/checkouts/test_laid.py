"""K1, D5: packages of an environment in the worktree of a task: what git ignores there, under the path it has now."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.adapters.git.workshop_project import TASK, Bench, add, bench

WAS = "/var/shelf/at/work"


@pytest.fixture
def project(tmp_path: Path) -> Bench:
    made = bench(tmp_path / "project")
    made.write(".gitignore", ".venv/\nnode_modules\n")
    made.write("packages/a/index.js", "a\n")
    made.commit("ignore")
    return made


@pytest.fixture
def source(tmp_path: Path) -> Path:
    made = tmp_path / "environment"
    files = {
        ".venv/bin/tool": f"#!{WAS}/.venv/bin/python\n", ".venv/bin/binary": f"\0{WAS}\n",
        "node_modules/x/index.js": "x\n", "packages/a/node_modules/y/index.js": "y\n",
        "packages/gone/node_modules/z": "z\n",
        "left.txt": "no\n", ".cache/q": "not ignored\n",
    }  # fmt: skip
    for name, text in files.items():
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text(text)
    (made / ".venv/bin/tool").chmod(0o755)
    os.symlink(f"{WAS}/node_modules/x", made / "node_modules" / "link")
    return made


def test_packages_that_git_ignores_are_laid_and_name_their_new_path_K1_D5(project: Bench, source: Path) -> None:
    at = add(project)
    laid = project.workshop().lay_into(TASK, str(source), WAS)
    assert sorted(laid) == [".venv", "node_modules", "packages/a/node_modules"]
    assert (at / ".venv/bin/tool").read_text() == f"#!{at}/.venv/bin/python\n"
    assert os.stat(at / ".venv/bin/tool").st_mode & 0o777 == 0o755
    assert WAS in (at / ".venv/bin/binary").read_text()
    assert os.readlink(at / "node_modules/link") == f"{at}/node_modules/x"
    assert project.git("status", "--porcelain", cwd=at) == ""


def test_what_is_there_already_and_what_is_behind_a_link_is_left_alone_K1(
    project: Bench, source: Path, tmp_path: Path
) -> None:
    at = add(project)
    (at / ".venv").mkdir()
    (tmp_path / "theirs").mkdir()
    os.rename(at / "packages" / "a", at / "moved")
    os.symlink(tmp_path / "theirs", at / "packages" / "a")
    assert project.workshop().lay_into(TASK, str(source), WAS) == ("node_modules",)
    assert os.listdir(at / ".venv") == []
    assert os.listdir(tmp_path / "theirs") == []
