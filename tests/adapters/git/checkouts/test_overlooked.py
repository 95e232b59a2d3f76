"""K1: a worktree stays, and what is in it is named, also where `git status` says that it is clean."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from foureyes.adapters.git.checkouts import task_worktrees
from foureyes.adapters.git.client.git import Git

from tests.adapters.git.workshop_project import TASK, Bench, add, bench, commit, quietly


@pytest.fixture
def project(tmp_path: Path) -> Bench:
    made = bench(tmp_path / "project")
    made.write(".gitignore", "ignored/\nnode_modules/\nbuild/\n")
    made.write("lib/a.py", "a\n")
    made.commit("lib")
    return made


def _clone(project: Bench, at: Path, *options: str) -> None:
    """A repository with a commit that is nowhere else."""
    at.mkdir(parents=True, exist_ok=True)
    project.git("init", "-q", *options, cwd=at)
    project.git("commit", "-q", "--allow-empty", "-m", "only here", cwd=at)


def _tracked_clone(project: Bench, at: Path) -> None:
    _clone(project, at / "sub")
    project.git("add", "-A", cwd=at)
    project.git("commit", "-q", "-m", "a repository inside", cwd=at)


def _clone_with_its_git_dir_beside(project: Bench, at: Path) -> None:
    _clone(project, at / "node_modules" / "x", f"--separate-git-dir={at}/ignored-git")
    (at / "ignored-git").rename(at / "build")


def _submodule(project: Bench, at: Path) -> None:
    source = project.path.parent / "source"
    _clone(project, source)
    allow = ("-c", "protocol.file.allow=always")
    project.git(*allow, "submodule", "--quiet", "add", str(source), "sub", cwd=at)
    project.git("commit", "-q", "-m", "a submodule", cwd=at)
    project.git("commit", "-q", "--allow-empty", "-m", "only here", cwd=at / "sub")
    project.git("checkout", "-q", "HEAD~1", cwd=at / "sub")


def _files_in_a_submodule_without_a_clone(project: Bench, at: Path) -> None:
    project.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub", cwd=at)
    project.git("commit", "-q", "-m", "submodule", cwd=at)
    (at / "sub").mkdir(exist_ok=True)
    (at / "sub" / "notes.txt").write_text("only here\n")


def _told_not_to_look(option: str) -> Callable[[Bench, Path], None]:
    def changed(project: Bench, at: Path) -> None:
        project.git("update-index", option, "code.py", cwd=at)
        (at / "code.py").write_text("only here\n")

    return changed


def _bisection(project: Bench, at: Path) -> None:
    project.git("bisect", "start", cwd=at)


def _merge(project: Bench, at: Path) -> None:
    project.commit("on main", code_py="main\n")
    commit(project, at)
    (at / "code.py").write_text("mine\n")
    project.git("commit", "-q", "-a", "-m", "mine", cwd=at)
    project.git("merge", "-q", "--no-commit", "-s", "ours", "main", cwd=at)


def _rebase(project: Bench, at: Path) -> None:
    commit(project, at)
    quietly("git", "-c", "sequence.editor=sed -i 1ibreak", "rebase", "-i", "HEAD~1", cwd=at)


def _own_ref(project: Bench, at: Path) -> None:
    project.git("update-ref", "refs/worktree/kept", "HEAD", cwd=at)


HIDDEN: dict[str, tuple[Callable[[Bench, Path], object], str]] = {
    "a tracked clone": (_tracked_clone, "sub in "),
    "an untracked clone": (lambda project, at: _clone(project, at / "new"), "new/ "),
    "a clone in a folder with tracked files": (lambda project, at: _clone(project, at / "lib"), "lib in "),
    "a clone in an ignored folder": (lambda project, at: _clone(project, at / "ignored" / "x"), "ignored/"),
    "a clone in a folder of packages": (
        lambda project, at: _clone(project, at / "node_modules" / "x"),
        "node_modules/x/",
    ),
    "a bare clone in a folder of results": (
        lambda project, at: quietly("git", "init", "-q", "--bare", str(at / "build" / "x.git"), cwd=at),
        "build/x.git/",
    ),
    "a clone with a .git file": (_clone_with_its_git_dir_beside, "node_modules/x/"),
    "a submodule": (_submodule, "sub in "),
    "files where a submodule would be": (_files_in_a_submodule_without_a_clone, "sub in "),
    "assume-unchanged": (_told_not_to_look("--assume-unchanged"), "code.py in "),
    "skip-worktree": (_told_not_to_look("--skip-worktree"), "code.py in "),
    "a bisection": (_bisection, "a bisection"),
    "a merge": (_merge, "a merge"),
    "a rebase": (_rebase, "a rebase"),
    "a ref of its own": (_own_ref, "refs/worktree/kept"),
}


@pytest.mark.parametrize("what", HIDDEN)
def test_what_git_does_not_tell_keeps_a_worktree_and_is_named_K1(project: Bench, what: str) -> None:
    at = add(project)
    put, named = HIDDEN[what]
    put(project, at)
    before = sorted(path for path in at.rglob("*"))
    only_tried = project.workshop().drop_worktree(TASK, only_try=True).stays
    stays = project.workshop().drop_worktree(TASK).stays
    assert named in stays
    assert sorted(path for path in at.rglob("*")) == before
    assert only_tried == stays


def test_bits_alone_and_files_that_a_sparse_checkout_leaves_out_keep_no_worktree_K1(project: Bench) -> None:
    at = add(project)
    project.git("update-index", "--assume-unchanged", "code.py", cwd=at)
    project.git("update-index", "--skip-worktree", "lib/a.py", cwd=at)
    (at / "lib/a.py").unlink()
    assert project.workshop().drop_worktree(TASK).stays == ""
    assert not at.exists()


@pytest.mark.parametrize("path", ["code.py", "new.py"])
@pytest.mark.parametrize("with_submodule", [False, True])
def test_what_is_written_between_the_look_and_the_removal_keeps_the_worktree_K1(
    project: Bench, monkeypatch: pytest.MonkeyPatch, path: str, with_submodule: bool
) -> None:
    if with_submodule:
        project.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
        project.git("commit", "-q", "-m", "submodule")
    at = add(project)
    if not with_submodule:
        (at / "node_modules").mkdir()
        (at / "node_modules" / "x.js").write_text("x\n")
    removed = task_worktrees._removed

    def late(git: Git, *rest: object) -> str:
        (at / path).write_text("only here\n")
        return removed(git, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(task_worktrees, "_removed", late)
    stays = project.workshop().drop_worktree(TASK).stays
    assert stays == f"{path} is not committed in {at}"
    assert (at / path).read_text() == "only here\n"
