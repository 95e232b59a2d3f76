"""Symbolic links of whole trees, by their hashes (A4)."""

from __future__ import annotations

import os

from tests.adapters.git.conftest import Project
from tests.adapters.git.workshop_project import raw_tree


def test_the_links_of_trees_wherever_they_lie_and_nothing_else_A4(project: Project) -> None:
    before = project.head()
    for path, to in {"AGENTS.md": "docs/a.md", "deep/er/down": "../..", "deep/er/still/x": "nowhere"}.items():
        (project.path / path).parent.mkdir(parents=True, exist_ok=True)
        os.symlink(to, project.path / path)
    project.write("deep/file.py", "x\n")
    project.commit("links")
    found = {"AGENTS.md": "docs/a.md", "deep/er/down": "../..", "deep/er/still/x": "nowhere"}
    after = project.head()
    assert project.port().links(before, after, project.head("HEAD^{tree}")) == [{}, found, found]


def test_a_link_is_one_by_whatever_mode_git_takes_for_a_link_A4(project: Project) -> None:
    text = project.git("hash-object", "-w", "--stdin", stdin=b"docs/a.md")
    below = raw_tree(project, (b"120644", b"AGENTS.md", text))
    tree = raw_tree(project, (b"120755", b"CLAUDE.md", text), (b"40755", b"pkg", below))
    assert project.port().links(tree) == [{"CLAUDE.md": "docs/a.md", "pkg/AGENTS.md": "docs/a.md"}]
