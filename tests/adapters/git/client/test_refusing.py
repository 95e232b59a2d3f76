"""What the user's own git says of a repository, before anything is made in it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from foureyes.errors import GitProblem
from foureyes.ui.steps import steps_text

from tests.adapters.git.conftest import Project


def test_a_sound_repository_is_not_refused_with_or_without_a_commit(new_project: Callable[..., Project]) -> None:
    project = new_project("sound")
    project.port().refuse_refused()
    project.git("switch", "-q", "--orphan", "fresh")
    project.port().refuse_refused()
    project.git("switch", "-q", "--detach", "main")
    project.port().refuse_refused()


def test_what_git_does_not_know_is_said_in_its_words_with_the_way_on(new_project: Callable[..., Project]) -> None:
    project = new_project("newer")
    port = project.port()
    project.git("config", "core.repositoryformatversion", "99")
    with pytest.raises(GitProblem, match=r"git refuses the repository .*newer: .*99") as caught:
        port.refuse_refused()
    assert steps_text(caught.value.next_step) == f"fix what this prints: git -C {project.path} status, then: fe init"
