"""The two grounds that a contract is tried on: real git, and the script that stands in for it in most tests of the
application. A test says what happens there in the same words, and both must answer alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Protocol

from foureyes.adapters.git.client.locate import locate
from foureyes.adapters.git.remote import GitRemote
from foureyes.app.git_ports import Remote, Repo, Workshop
from foureyes.core.words.ids import Sha

from tests.stage.checkout import Checkout
from tests.stage.scripted_git import ScriptedRemote, ScriptedRepo, ScriptedWorkshop

NOWHERE = Sha("0123456789" * 4)
"""A commit that no repository has."""


class Ground(Protocol):
    """A project on `main` with one commit and a `foureyes.toml`, and what people do in it."""

    @property
    def repo(self) -> Repo: ...

    @property
    def workshop(self) -> Workshop: ...

    def commit(self, branch: str, *, sessions: Sequence[str] = (), lines: int = 1) -> Sha:
        """A commit more on a branch, which grows out of main when it is new; the branch is checked out then."""

    def land(self, branch: str) -> None:
        """Bring main to a branch that grew out of it; what is checked out stays."""

    def leave(self, *paths: str) -> None:
        """Write files where the caller stands, and do not commit them."""

    @property
    def remote(self) -> Remote:
        """A remote called origin, which has the `main` of here, and nothing else."""

    def elsewhere(self, ref: str) -> Sha:
        """Somebody else pushes a commit more to a ref of the remote; a new one grows out of its main."""

    def refuse(self, why: str) -> None:
        """From now on the remote takes nothing, and says why."""

    def lose_remote(self) -> None:
        """From now on nobody can reach it."""


class Scripted:
    """The script."""

    def __init__(self) -> None:
        self.repo = ScriptedRepo()
        self.workshop = ScriptedWorkshop(self.repo)

    def commit(self, branch: str, *, sessions: Sequence[str] = (), lines: int = 1) -> Sha:
        return self.repo.commit(branch, sessions=sessions, lines=lines)

    def land(self, branch: str) -> None:
        self.repo.land(branch)

    def leave(self, *paths: str) -> None:
        self.repo.dirty += paths

    @cached_property
    def remote(self) -> ScriptedRemote:
        remote = ScriptedRemote(self.repo)
        remote.lines["refs/heads/main"] = list(self.repo.branches["refs/heads/main"])
        return remote

    def elsewhere(self, ref: str) -> Sha:
        return self.remote.commit(ref)

    def refuse(self, why: str) -> None:
        self.remote.refuses = why

    def lose_remote(self) -> None:
        self.remote.down = "gone"


class Real:
    """Git itself."""

    def __init__(self, checkout: Checkout) -> None:
        self._checkout = checkout
        self.repo = checkout.port()
        self.workshop = checkout.workshop()
        self._count = 0

    def commit(self, branch: str, *, sessions: Sequence[str] = (), lines: int = 1) -> Sha:
        git, self._count = self._checkout.git, self._count + 1
        git("switch", "-q", *([branch] if git("branch", "--list", branch) else ["-c", branch, "main"]))
        self._checkout.write(f"new{self._count}.py", "line\n" * lines)
        git("add", "-A")
        git("commit", "-q", "-m", "a change", *(f"--trailer=Foureyes-Session={session}" for session in sessions))
        return self._checkout.head()

    def land(self, branch: str) -> None:
        assert self.repo.current_ref() != "refs/heads/main"
        self._checkout.git("update-ref", "refs/heads/main", f"refs/heads/{branch}")

    def leave(self, *paths: str) -> None:
        for path in paths:
            self._checkout.write(path, "not committed\n")

    @cached_property
    def remote(self) -> GitRemote:
        bare, git = str(self._bare), self._checkout.git
        git("clone", "-q", "--bare", "--single-branch", "--branch", "main", ".", bare)
        git("remote", "add", "origin", bare)
        place = locate(self._checkout.path)
        assert place is not None
        return GitRemote(place, "origin")

    @property
    def _bare(self) -> Path:
        return self._checkout.path.with_name("remote.git")

    def elsewhere(self, ref: str) -> Sha:
        git, bare = self._checkout.git, f"--git-dir={self._bare}"
        at = git(bare, "for-each-ref", "--format=%(objectname)", ref) or git(bare, "rev-parse", "refs/heads/main")
        made = git(bare, "commit-tree", f"{at}^{{tree}}", "-p", at, "-m", "elsewhere")
        git(bare, "update-ref", ref, made)
        return Sha(made)

    def refuse(self, why: str) -> None:
        hook = self._bare / "hooks" / "pre-receive"
        hook.write_text(f"#!/bin/sh\necho {why} >&2\nexit 1\n")
        hook.chmod(0o755)

    def lose_remote(self) -> None:
        self._bare.rename(self._bare.with_name("away.git"))
