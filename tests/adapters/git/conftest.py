"""Real repositories in temporary directories, in a home of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from foureyes.core.nouns.attempt import Change
from foureyes.core.words.ids import Sha

from tests.stage.checkout import CODE, Repository, copied, quiet_home, template_in


class Project(Repository):
    """A repository and short words for what tests do to it."""

    def commit(self, message: str = "a change", **files: str) -> Sha:
        """Commit everything, after writing `name_py="text"` to `name.py`."""
        for name, content in files.items():
            self.write(name.replace("_", "."), content)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.head()

    def change(self, ref: str = "refs/heads/work", since: Sha | None = None) -> Change:
        return self.port().change(target="main", ref=ref, since=since)

    def diff_id(self) -> str:
        return self.change().diff_id


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a name in it, and nothing of the environment that tells git something."""
    quiet_home(tmp_path / "home", monkeypatch)
    return tmp_path / "home"


@pytest.fixture(scope="session")
def bare_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """To be copied."""
    return template_in(tmp_path_factory.mktemp("template"))


@pytest.fixture
def new_project(tmp_path: Path, bare_template: Path) -> Callable[..., Project]:
    """Makes repositories: on `main`, one commit with `code.py`."""

    def make(name: str = "project", *init: str) -> Project:
        path = tmp_path / name
        if not init:
            return Project(copied(bare_template, path))
        path.mkdir()
        project = Project(path)
        project.git("init", "-q", "-b", "main", *init)
        project.commit("first", code_py=CODE)
        return project

    return make


@pytest.fixture
def project(new_project: Callable[..., Project]) -> Project:
    return new_project()


@pytest.fixture
def bare(project: Repository, tmp_path: Path) -> Path:
    """A bare remote of the repository, called origin there."""
    path = tmp_path / "remote.git"
    project.git("clone", "-q", "--bare", ".", str(path))
    project.git("remote", "add", "origin", str(path))
    return path
