"""Real repositories in temporary directories, in a home of their own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from foureyes.adapters.git.client.locate import locate
from foureyes.adapters.git.repo import GitRepo
from foureyes.adapters.git.workshop import GitWorkshop
from foureyes.core.nouns.attempt import Change
from foureyes.core.words.ids import Sha

IDENTITY = "[user]\n\tname = Ada\n\temail = ada@example.org\n"
CODE = "".join(f"line {number}\n" for number in range(1, 41))


class Project:
    """A repository and short words for what tests do to it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def git(self, *args: str, stdin: bytes = b"", cwd: Path | None = None) -> str:
        done = subprocess.run(["git", *args], cwd=cwd or self.path, input=stdin, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode("utf-8", "backslashreplace").strip()

    def write(self, name: str | bytes, content: str | bytes) -> Path:
        path = self.path / os.fsdecode(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def commit(self, message: str = "a change", **files: str) -> Sha:
        """Commit everything, after writing `name_py="text"` to `name.py`."""
        for name, content in files.items():
            self.write(name.replace("_", "."), content)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.head()

    def head(self, ref: str = "HEAD") -> Sha:
        return Sha(self.git("rev-parse", ref))

    def branch(self, name: str, at: str = "HEAD") -> None:
        self.git("checkout", "-q", "-b", name, at)

    def switch(self, name: str) -> None:
        self.git("checkout", "-q", name)

    def repo(self, at: Path | None = None) -> GitRepo:
        place = locate(at or self.path)
        assert place is not None
        return GitRepo(place.worktree, place.git_dir, place.common_dir, place.root)

    def workshop(self, at: Path | None = None) -> GitWorkshop:
        place = locate(at or self.path)
        assert place is not None
        folder = Path(place.root) / ".foureyes"
        return GitWorkshop(place.worktree, place.git_dir, place.common_dir, place.root, folder)

    def change(self, ref: str = "refs/heads/work", since: Sha | None = None) -> Change:
        return self.repo().change(target="main", ref=ref, since=since)

    def diff_id(self) -> str:
        return self.change().diff_id


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a name in it, and nothing of the environment that tells git something."""
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    path = tmp_path / "home"
    path.mkdir()
    (path / ".gitconfig").write_text(IDENTITY)
    monkeypatch.setenv("HOME", str(path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return path


@pytest.fixture
def new_project(tmp_path: Path) -> Callable[..., Project]:
    """Makes repositories: on `main`, one commit with `code.py`."""

    def make(name: str = "project", *init: str) -> Project:
        path = tmp_path / name
        path.mkdir()
        project = Project(path)
        project.git("init", "-q", "-b", "main", *init)
        project.commit("first", code_py=CODE)
        return project

    return make


@pytest.fixture
def project(new_project: Callable[..., Project]) -> Project:
    return new_project()
