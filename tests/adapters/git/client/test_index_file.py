"""What the index of a checkout says by its file alone."""

from __future__ import annotations

from foureyes.adapters.git.client.index_file import may_list_submodules, noted_tree

from tests.adapters.git.conftest import Project


def test_the_tree_of_the_index_is_noted_there_until_something_is_staged(project: Project) -> None:
    git_dir = f"{project.path}/.git"
    project.git("read-tree", "HEAD")
    assert noted_tree(git_dir, 20) == project.git("rev-parse", "HEAD^{tree}").strip()
    project.write("new.txt", "new\n")
    project.git("add", "new.txt")
    assert noted_tree(git_dir, 20) is None


def test_a_submodule_and_whatever_only_git_can_say_is_told_K1(project: Project) -> None:
    git_dir = f"{project.path}/.git"
    assert not may_list_submodules(git_dir)
    project.git("update-index", "--split-index")
    assert may_list_submodules(git_dir)
    project.git("update-index", "--no-split-index")
    assert not may_list_submodules(git_dir)
    project.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    assert may_list_submodules(git_dir)
    assert may_list_submodules(f"{project.path}/nowhere")
