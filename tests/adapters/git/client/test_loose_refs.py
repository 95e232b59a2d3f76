"""Refs in files of their own are what git says they are; whatever else is git's to say."""

from __future__ import annotations

import os

import pytest

from foureyes.adapters.git.client.loose_refs import FEW, read_branches, read_loose

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
    assert read_branches(f"{project.path}/.git") == dict(row.split() for row in listed)
    assert project.port().heads() == read_branches(f"{project.path}/.git")


@pytest.mark.parametrize("content", ["ref: refs/heads/main\n", "", "not a commit\n"])
def test_an_odd_branch_leaves_all_of_them_to_git(project: Project, content: str) -> None:
    project.write(".git/refs/heads/odd", content)
    assert read_branches(f"{project.path}/.git") is None


def test_a_linked_folder_of_branches_leaves_all_of_them_to_git(project: Project) -> None:
    os.symlink("/", project.path / ".git/refs/heads/linked")
    assert read_branches(f"{project.path}/.git") is None


def test_another_format_of_refs_is_left_to_git(project: Project) -> None:
    (project.path / ".git/reftable").mkdir()
    assert read_branches(f"{project.path}/.git") is None


def test_many_branches_are_left_to_git_and_are_the_same(project: Project) -> None:
    head = project.head("main")
    for number in range(FEW):
        project.write(f".git/refs/heads/many/{number}", f"{head}\n")
    assert read_branches(f"{project.path}/.git") is None
    assert project.port().heads() == {f"refs/heads/many/{n}": head for n in range(FEW)} | {"refs/heads/main": head}


def test_a_lock_is_no_branch(project: Project) -> None:
    project.write(".git/refs/heads/main.lock", "")
    assert read_branches(f"{project.path}/.git") == {"refs/heads/main": project.head("main")}
