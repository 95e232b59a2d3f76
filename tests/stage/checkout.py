"""A real repository, and short words for what people do in it; made once and copied."""

from __future__ import annotations

import os
import re
import subprocess
import time
from pathlib import Path

import pytest

from foureyes.adapters.git.client.locate import SharedGit, locate
from foureyes.adapters.git.repo import GitRepo
from foureyes.adapters.git.workshop import GitWorkshop
from foureyes.core.nouns.session import Actor
from foureyes.core.words.ids import Sha

from tests.stage import recalled
from tests.stage.copies import copy_tree
from tests.stage.loose import NotLoose, Objects, Pieces, stream

ADA = "Ada <ada@example.org>"
IDENTITY = "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"
NOTHING_ELSE = "[maintenance]\n\tauto = false\n"
"""A commit starts no second program that looks whether there is something to tidy."""
SHA_DIGITS = 40
CODE = "".join(f"line {number}\n" for number in range(1, 41))
AT_ONCE = "\n[review.human]\nsettle_seconds = 0\n"
"""Q0 where a test is not about it: an approval settles at once."""
PROJECT = "0123456789abcdef"
SETTINGS = f'[project]\nid = "{PROJECT}"\n'
"""The foureyes.toml that ties the target branch to the project (P12)."""


class Repository:
    """A real repository: git in it, and what the program sees of it."""

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

    def head(self, ref: str = "HEAD") -> Sha:
        return Sha(self._read_head() if ref == "HEAD" else self._read_branch(ref)) or Sha(self.git("rev-parse", ref))

    def _read_branch(self, name: str) -> str:
        """The same of a branch, where nothing else is called so."""
        place = self.path / ".git"
        place = place if place.is_dir() else self.path
        if not re.fullmatch(r"[a-z][a-z0-9/-]*", name) or any(
            (place / above / name).exists() for above in ("", "refs", "refs/tags")
        ):
            return ""
        try:
            at = (place / "refs/heads" / name).read_text().strip()
        except OSError:
            return ""
        return at if len(at) == SHA_DIGITS else ""

    def _read_head(self) -> str:
        """By git's files, where they are of the usual kind."""
        place = self.path / ".git"
        try:
            at = (place / "HEAD").read_text().strip().removeprefix("ref: ")
            return at if len(at) == SHA_DIGITS else (place / at).read_text().strip()
        except OSError:
            return ""

    def branch(self, name: str, at: str = "HEAD") -> None:
        self.git("switch", "-q", "-c", name, at)

    def switch(self, name: str) -> None:
        if not self._stands_on(name):
            self.git("switch", "-q", name)

    def _stands_on(self, name: str) -> bool:
        try:
            return (self.path / ".git" / "HEAD").read_text() == f"ref: refs/heads/{name}\n"
        except OSError:
            return False

    def bring(self, branch: str, pieces: Pieces, message: str) -> Sha:
        """A commit on a branch that nobody has checked out; a new one begins at main. No program is started for it,
        unless git has packed what is there.
        """
        who = f"{ADA} {int(time.time())} +0000"
        try:
            objects = Objects(self.path / ".git")
            return Sha(objects.commit(branch, objects.tip(branch) or objects.tip("main"), pieces, message, who))
        except NotLoose:
            start = f"refs/heads/{branch}" if self.git("for-each-ref", f"refs/heads/{branch}") else "main"
            return Sha(self.git("fast-import", "--quiet", stdin=stream(branch, start, pieces, message, who)))

    def port(self, at: Path | None = None, shared: SharedGit | None = None) -> GitRepo:
        """What the program reads of it, standing there."""
        place = locate(at or self.path)
        assert place is not None
        return GitRepo(place, shared)

    def shared_git(self) -> SharedGit:
        """One git for both of them, as the program has it."""
        place = locate(self.path)
        assert place is not None
        return SharedGit(place)

    def workshop(self, at: Path | None = None, shared: SharedGit | None = None) -> GitWorkshop:
        """What the program changes in it, standing there."""
        place = locate(at or self.path)
        assert place is not None
        return GitWorkshop(place, os.path.join(place.root, ".foureyes"), shared)


class Checkout(Repository):
    """A repository in which people and agents work on tasks."""

    def commit(
        self, name: str = "work.py", text: str = "work\n", *, message: str = "a change", session: Actor | None = None
    ) -> Sha:
        """Write a file and commit everything, with a trailer if a session is named."""
        self.write(name, text)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", *([message] if session is None else signed(message, session)))
        return self.head()


def signed(message: str, session: Actor) -> list[str]:
    """A message with the trailer of a session, and options of `git commit`; the program that puts trailers together is
    not started for one line.
    """
    if "\n" in message:
        return [message, f"--trailer=Foureyes-Session={session.session}"]
    return [f"{message}\n\nFoureyes-Session: {session.session}"]


def make_template(path: Path, settings: str = "") -> Path:
    """A repository on `main` with one commit, to be copied: `git init` in every test would cost most of the time."""
    path.mkdir()
    checkout = Checkout(path)
    checkout.git("init", "-q", "-b", "main")
    if settings:
        checkout.write("foureyes.toml", settings)
    checkout.commit("code.py", CODE, message="first")
    return path


def template_in(folder: Path, settings: str = "") -> Path:
    """The same where no test has a home yet: for fixtures that live longer than a test."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        quiet_home(folder / "home", monkeypatch)
        return make_template(folder / "project", settings)


def copied(template: Path, path: Path) -> Path:
    """A copy of a repository whose store, if there is one, nobody has open."""
    assert not (template / ".foureyes" / "store.db-wal").exists()
    copy_tree(template, path)
    recalled.begin(path, template)
    return path


def copy_of(template: Path, path: Path) -> Checkout:
    return Checkout(copied(template, path))


def quiet_home(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home with a name in it, and nothing in the environment that tells git something."""
    for name in list(os.environ):
        if name.startswith(("GIT_", "FOUREYES_", "TD_FEATURE_")):
            monkeypatch.delenv(name)
    path.mkdir(parents=True, exist_ok=True)
    (path / ".gitconfig").write_text(IDENTITY + NOTHING_ELSE)
    monkeypatch.setenv("HOME", str(path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
