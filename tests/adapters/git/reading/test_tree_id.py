"""The id of a tree, computed from a list of files, is the one that git gives it."""

from __future__ import annotations

import os

from foureyes.adapters.git.client.object_files import tree_id

from tests.adapters.git.conftest import Project


def rows(project: Project) -> bytes:
    return b"".join(line.encode() + b"\0" for line in project.git("ls-files", "--stage", "-z").split("\0") if line)


def test_files_folders_links_and_modes_give_gits_own_id(project: Project) -> None:
    for name in ("a", "a.b", "a0", "deep/er/file", "deep/x", "deep-er", "ümlaut/ß", "z"):
        project.write(name if name != "a" else "a/inside", name)
    project.write("run.sh", "#!/bin/sh\n").chmod(0o755)
    os.symlink("a0", project.path / "link")
    project.git("add", "-A")
    assert tree_id(rows(project)) == project.git("write-tree")


def test_an_empty_index_is_the_empty_tree(project: Project) -> None:
    project.git("read-tree", "--empty")
    assert tree_id(rows(project)) == project.git("write-tree")


def test_conflicts_are_no_tree(project: Project) -> None:
    blob = project.git("hash-object", "-w", "--stdin", stdin=b"x")
    project.git("update-index", "--index-info", stdin=f"100644 {blob} 1\tsame\n100644 {blob} 2\tsame\n".encode())
    assert tree_id(rows(project)) is None


def test_a_file_in_the_way_of_a_folder_is_no_tree() -> None:
    name = b"0" * 40
    listed = b"100644 " + name + b" 0\ta\0" + b"100644 " + name + b" 0\ta/b\0"
    assert tree_id(listed) is None
