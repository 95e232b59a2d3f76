"""Refs in files of their own are what git says they are; whatever else is git's to say."""

from __future__ import annotations

import os

import pytest

from foureyes.adapters.folders import MB
from foureyes.adapters.git.client import ref_files
from foureyes.adapters.git.client.ref_files import BRANCHES, FEW, is_absent, read_below, read_loose
from foureyes.errors import GitProblem

from tests.adapters.git.conftest import Project


def test_a_branch_in_a_file_is_read_as_git_reads_it(project: Project) -> None:
    assert read_loose(f"{project.path}/.git", "refs/heads/main") == project.head("refs/heads/main")


def test_a_packed_branch_is_left_to_git(project: Project) -> None:
    project.git("pack-refs", "--all")
    assert read_loose(f"{project.path}/.git", "refs/heads/main") is None
    assert project.port().commit_of("refs/heads/main") == project.head("main")


@pytest.mark.parametrize("content", ["ref: refs/heads/main\n", "", "not a commit\n", "0" * 39 + "\n"])
def test_what_is_no_commit_id_is_left_to_git(project: Project, content: str) -> None:
    project.write(".git/refs/heads/odd", content)
    assert read_loose(f"{project.path}/.git", "refs/heads/odd") is None


def test_a_link_is_left_to_git(project: Project) -> None:
    os.symlink("main", project.path / ".git/refs/heads/linked")
    assert read_loose(f"{project.path}/.git", "refs/heads/linked") is None


@pytest.mark.parametrize(
    "name", ["HEAD", "refs/tags/v1", "refs/heads/../../HEAD", "refs/heads/main^", "refs/heads/a:b"]
)
def test_names_that_are_no_branch_are_left_to_git(project: Project, name: str) -> None:
    assert read_loose(f"{project.path}/.git", name) is None


def test_all_branches_are_read_as_git_lists_them(project: Project) -> None:
    for name in ("a", "b/c", "b/d", "ü"):
        project.git("branch", name)
    project.git("pack-refs", "--all")
    project.commit("on", code_py="on\n")
    project.git("branch", "-D", "-q", "a")
    project.git("branch", "b/e")
    listed = project.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads/").splitlines()
    assert read_below(f"{project.path}/.git", BRANCHES) == dict(row.split() for row in listed)
    assert project.port().heads() == read_below(f"{project.path}/.git", BRANCHES)


@pytest.mark.parametrize("content", ["ref: refs/heads/main\n", "", "not a commit\n"])
def test_an_odd_branch_leaves_all_of_them_to_git(project: Project, content: str) -> None:
    project.write(".git/refs/heads/odd", content)
    assert read_below(f"{project.path}/.git", BRANCHES) is None


def test_a_linked_folder_of_branches_leaves_all_of_them_to_git(project: Project) -> None:
    os.symlink("/", project.path / ".git/refs/heads/linked")
    assert read_below(f"{project.path}/.git", BRANCHES) is None


def test_another_format_of_refs_is_left_to_git(project: Project) -> None:
    (project.path / ".git/reftable").mkdir()
    assert read_below(f"{project.path}/.git", BRANCHES) is None


def test_many_branches_are_left_to_git_and_are_the_same(project: Project) -> None:
    head = project.head("main")
    for number in range(FEW):
        project.write(f".git/refs/heads/many/{number}", f"{head}\n")
    assert read_below(f"{project.path}/.git", BRANCHES) is None
    assert project.port().heads() == {f"refs/heads/many/{n}": head for n in range(FEW)} | {"refs/heads/main": head}


def test_a_lock_is_no_branch(project: Project) -> None:
    project.write(".git/refs/heads/main.lock", "")
    assert read_below(f"{project.path}/.git", BRANCHES) == {"refs/heads/main": project.head("main")}


OURS = "refs/foureyes/"


def test_refs_of_ours_are_read_as_git_lists_them(project: Project) -> None:
    head = project.head("main")
    for name in ("attempts/fe-1/1", "attempts/fe-1/2", "remote/origin/heads/main"):
        project.git("update-ref", f"{OURS}{name}", head)
    project.git("pack-refs", "--all")
    project.git("update-ref", f"{OURS}attempts/fe-2/1", head)
    project.git("update-ref", "-d", f"{OURS}attempts/fe-1/2")
    for below in (OURS, f"{OURS}attempts/", f"{OURS}remote/origin/", f"{OURS}remote/other/", f"{OURS}attempts/fe-1/1/"):
        listed = project.git("for-each-ref", "--format=%(refname) %(objectname)", below).splitlines()
        assert read_below(f"{project.path}/.git", below) == dict(row.split() for row in listed), below
        assert project.port().kept(below) == read_below(f"{project.path}/.git", below)


@pytest.mark.parametrize("below", ["refs/tags/", "refs/heads", "refs/", "refs/remotes/origin/"])
def test_what_lies_elsewhere_is_left_to_git(project: Project, below: str) -> None:
    assert read_below(f"{project.path}/.git", below) is None


def test_a_folder_of_ours_that_is_a_link_is_left_to_git(project: Project) -> None:
    os.symlink("heads", project.path / ".git/refs/foureyes")
    assert read_below(f"{project.path}/.git", f"{OURS}attempts/") is None
    assert not is_absent(f"{project.path}/.git", f"{OURS}main")


@pytest.mark.parametrize("around", [" {}\n", "\n{}", "{}\x0b\n", "{}\x0c", "\t{}\n"])
def test_a_file_of_a_ref_that_git_calls_broken_is_no_ref_here_either_A1(project: Project, around: str) -> None:
    head, ref = project.head("main"), f"{OURS}attempts/fe-1/1"
    project.write(f".git/{ref}", around.format(head))
    assert read_loose(f"{project.path}/.git", ref) is None
    assert project.port().kept(OURS) == {}
    project.write(f".git/{ref}", f"{head} \t\r\n\n")
    assert read_loose(f"{project.path}/.git", ref) == head
    assert project.git("rev-parse", ref).strip() == head


def test_a_name_that_is_packed_twice_is_nowhere_and_is_named_A1(project: Project) -> None:
    """Git itself says sometimes the one, sometimes the other."""
    head, other, ref = project.head("main"), project.commit("on", code_py="on\n"), f"{OURS}attempts/fe-1/1"
    rows = "".join(f"{sha} {ref}\n" for sha in (other, other, head))
    project.write(".git/packed-refs", f"# pack-refs with: peeled fully-peeled sorted \n{rows}")
    assert read_below(f"{project.path}/.git", OURS) is None
    with pytest.raises(GitProblem, match=f"{ref} is in packed-refs more than once"):
        project.port().kept(OURS)
    assert project.port().heads() == {"refs/heads/main": other}
    project.git("update-ref", ref, head)
    assert project.port().kept(OURS) == {ref: head}, "its own file counts"


def test_a_large_file_of_packed_refs_is_left_to_git_G1(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Anybody can write a million tags, and reading all of them takes longer than git's search."""
    assert ref_files.LARGEST_PACK <= 4 * MB
    project.git("branch", "work")
    project.git("pack-refs", "--all")
    place, head = f"{project.path}/.git", project.head("main")
    monkeypatch.setattr(ref_files, "LARGEST_PACK", 40)
    assert read_below(place, BRANCHES) is None
    assert not is_absent(place, "refs/heads/none")
    assert project.port().commit_of("refs/heads/none") is None
    assert project.port().heads() == {"refs/heads/main": head, "refs/heads/work": head}


def test_what_is_called_absent_git_does_not_know_either(project: Project) -> None:
    for name in ("a", "b/c"):
        project.git("branch", name)
    project.git("pack-refs", "--all")
    project.git("branch", "loose")
    project.write(".git/refs/heads/odd", "ref: refs/heads/none\n")
    names = ("a", "b", "b/c", "b/cd", "c", "loose", "loose/x", "none", "odd", "main", "mai")
    absent = {name for name in names if is_absent(f"{project.path}/.git", f"refs/heads/{name}")}
    assert absent == {"b/cd", "c", "loose/x", "none", "mai"} | ({"b"} & absent), "git removes empty folders or not"
    assert {name for name in names if project.port().commit_of(f"refs/heads/{name}")} == {"a", "b/c", "loose", "main"}


@pytest.mark.parametrize("name", ["HEAD", "refs/tags/v1", "refs/remotes/origin/main", "refs/heads/a:b"])
def test_of_other_names_only_git_says_that_they_are_absent(project: Project, name: str) -> None:
    assert not is_absent(f"{project.path}/.git", name)


def test_in_another_format_nothing_is_called_absent(project: Project) -> None:
    (project.path / ".git/reftable").mkdir()
    assert not is_absent(f"{project.path}/.git", "refs/heads/none")


@pytest.mark.parametrize("name", [".hidden", "a/.b", "x.lock/y"])
def test_a_file_whose_name_no_ref_has_is_left_to_git_Q2(project: Project, name: str) -> None:
    project.write(f".git/refs/heads/{name}", f"{project.head('main')}\n")
    assert read_loose(f"{project.path}/.git", f"refs/heads/{name}") is None
    assert read_below(f"{project.path}/.git", BRANCHES) is None
    assert project.port().heads() == {"refs/heads/main": project.head("main")}


def test_a_ref_of_zeros_is_left_to_git_which_knows_none_Q2(project: Project) -> None:
    project.write(".git/refs/heads/zeros", "0" * 40 + "\n")
    assert read_loose(f"{project.path}/.git", "refs/heads/zeros") is None
    assert read_below(f"{project.path}/.git", BRANCHES) is None
    assert project.port().commit_of("zeros") is None
    project.write(".git/packed-refs", f"{'0' * 40} refs/heads/packed\n")
    (project.path / ".git/refs/heads/zeros").unlink()
    assert read_below(f"{project.path}/.git", BRANCHES) is None


@pytest.mark.parametrize("is_folder", [False, True], ids=["file", "folder"])
def test_a_ref_that_nobody_may_read_is_not_absent_but_a_problem_G1(
    project: Project, monkeypatch: pytest.MonkeyPatch, *, is_folder: bool
) -> None:
    """As another user left it. Git itself then says that there is none, as it does of what it cannot understand."""
    project.write(".git/refs/heads/theirs/x", "what git cannot read\n")
    place = project.path / ".git/refs/heads/theirs"
    shut, lstat, opening = str(place if is_folder else place / "x"), os.lstat, os.open

    def refuse(path: object) -> None:
        if str(path).startswith(shut) and (not is_folder or str(path) != shut):
            raise PermissionError(13, "Permission denied", str(path))

    def look(path: str, **options: int) -> os.stat_result:
        if is_folder:
            refuse(path)
        return lstat(path, **options)

    def begin(path: str, *args: int, **options: int) -> int:
        refuse(path)
        return opening(path, *args, **options)

    monkeypatch.setattr(os, "lstat", look)
    monkeypatch.setattr(os, "open", begin)
    with pytest.raises(GitProblem, match="refs/heads/theirs/x cannot be read: Permission denied"):
        project.port().commit_of("theirs/x")
    assert project.port().commit_of("none") is None
