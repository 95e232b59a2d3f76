"""Whoever reads a repository and whoever changes it have one git, made when the first of them needs it."""

from __future__ import annotations

import os
from collections.abc import Callable

from tests.adapters.git.conftest import Project


def test_what_one_of_them_let_into_the_clean_room_the_other_finds_there(new_project: Callable[..., Project]) -> None:
    project = new_project("one git")
    shared = project.shared_git()
    repo, workshop = project.port(shared=shared), project.workshop(shared=shared)
    assert "git" not in shared.__dict__, "files alone answer"
    assert repo.commit_of("main") == project.head()
    assert "git" not in shared.__dict__, "files alone answer"
    shared.git.entrance.history(project.head())
    room = shared.git.room_path
    assert workshop._git.room("cat-file", "-t", project.head()).out == b"commit\n"
    repo.close()
    assert not os.path.exists(room)
    workshop.close()
    assert workshop._git.room("rev-parse", "--is-bare-repository").out == b"true\n", "it stays usable"
    workshop.close()
