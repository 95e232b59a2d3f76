"""What the index of a checkout says by its file alone."""

from __future__ import annotations

from foureyes.adapters.git.client.object_files import noted_tree

from tests.adapters.git.conftest import Project


def test_the_tree_of_the_index_is_noted_there_until_something_is_staged(project: Project) -> None:
    git_dir = f"{project.path}/.git"
    project.git("read-tree", "HEAD")
    assert noted_tree(git_dir, 20) == project.git("rev-parse", "HEAD^{tree}").strip()
    project.write("new.txt", "new\n")
    project.git("add", "new.txt")
    assert noted_tree(git_dir, 20) is None
