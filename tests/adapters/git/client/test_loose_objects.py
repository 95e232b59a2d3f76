"""Objects in files of their own are what git says they are; whatever else is git's to say."""

from __future__ import annotations

import os
import zlib
from pathlib import Path

import pytest

from foureyes.adapters.git.client.object_files import FileText, text_at, tree_of
from foureyes.core.words.ids import Sha

from tests.adapters.git.client.swapping import BROKEN, break_blob
from tests.adapters.git.conftest import Project
from tests.stage.checkout import CODE


def common(project: Project) -> str:
    return f"{project.path}/.git"


def where(project: Project, sha: str) -> Path:
    return project.path / ".git/objects" / sha[:2] / sha[2:]


def test_the_tree_of_a_new_commit_is_read_as_git_reads_it(project: Project) -> None:
    assert tree_of(common(project), project.head("main")) == project.git("rev-parse", "main^{tree}").strip()


def test_a_file_of_a_new_commit_is_read_as_git_reads_it(project: Project) -> None:
    project.write("folder/deep/text.txt", "größer\n")
    project.write("foureyes.toml", "[project]\n")
    project.git("add", "-A")
    project.git("commit", "-qm", "files")
    head = project.head("main")
    assert text_at(common(project), head, "foureyes.toml") == FileText("[project]\n")
    assert text_at(common(project), head, "folder/deep/text.txt") == FileText("größer\n")


def test_a_file_that_a_commit_does_not_have_is_known_not_to_be_there(project: Project) -> None:
    assert text_at(common(project), project.head("main"), "no such file") == FileText(None)
    assert project.port().file_at("main", "no such file") is None


@pytest.mark.parametrize("path", ["", ".", "../HEAD", "/etc/passwd", "a//b", "nowhere/file"])
def test_odd_paths_are_left_to_git(project: Project, path: str) -> None:
    assert text_at(common(project), project.head("main"), path) is None


def test_what_is_packed_is_left_to_git(project: Project) -> None:
    project.write("text.txt", "text\n")
    project.git("add", "-A")
    project.git("commit", "-qm", "files")
    project.git("gc", "-q", "--prune=now")
    assert tree_of(common(project), project.head("main")) is None
    assert text_at(common(project), project.head("main"), "text.txt") is None
    assert project.port().file_at("main", "text.txt") == "text\n"


def test_an_object_that_is_not_what_its_name_says_is_left_to_git(project: Project) -> None:
    head = project.head("main")
    forged = where(project, head)
    os.chmod(forged, 0o600)
    forged.write_bytes(zlib.compress(b"commit 46\0tree " + b"1" * 40 + b"\n"))
    assert tree_of(common(project), head) is None


@pytest.mark.parametrize("form", BROKEN)
def test_an_object_in_a_form_that_git_refuses_is_left_to_git(project: Project, form: str) -> None:
    break_blob(project.path / ".git", project.head("main:code.py"), CODE.encode(), form)
    assert text_at(common(project), project.head("main"), "code.py") is None


def test_what_is_no_commit_has_no_tree_here(project: Project) -> None:
    tree = Sha(project.git("rev-parse", "main^{tree}").strip())
    assert tree_of(common(project), tree) is None
    assert tree_of(common(project), Sha("0" * 40)) is None
