"""Symbolic links of whole trees, by their hashes (A4)."""

from __future__ import annotations

import os

from tests.adapters.git.conftest import Project


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
