"""Two clones of one bare remote over one store: what two machines of a team have, in one process."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from foureyes.adapters.git.client.locate import locate
from foureyes.adapters.git.remote import GitRemote

from tests.stage.checkout import AT_ONCE, SETTINGS, Checkout, make_template, quiet_home
from tests.stage.people import ALICE
from tests.stage.world import GitWorld

SHARED = f'{SETTINGS}\n[git]\nremote = "origin"\n{AT_ONCE}'
ALONE = f"{SETTINGS}{AT_ONCE}"
SERVER = "postgresql for several machines"
"""Where a store lies that several machines open."""


def clones_in(folder: Path, settings: str = SHARED) -> Path:
    """A bare remote and two clones of it, to be copied; each finds the remote beside itself."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        quiet_home(folder / "home", monkeypatch)
        alpha = Checkout(make_template(folder / "alpha", settings))
        alpha.git("clone", "-q", "--bare", ".", "../remote.git")
        alpha.git("config", "--file=../remote.git/config", "receive.autogc", "false")
        alpha.git("remote", "add", "origin", "../remote.git")
        shutil.copytree(folder / "alpha", folder / "beta", symlinks=True)
    return folder


class Clone(GitWorld):
    """A world on one machine."""

    def __init__(self, path: Path, first: Clone | None = None) -> None:
        super().__init__(Checkout(path), store=first.store if first else None, create=first is None)
        self.outside.here = f"{path.name}:0123456789ab"
        place = locate(path)
        assert place is not None
        self.outside.remotes["origin"] = GitRemote(place, "origin")

    def pull(self) -> None:
        """Bring the target of this machine up to what the remote has."""
        self.checkout.switch("main")
        self.checkout.git("pull", "-q", "--ff-only", "origin", "main")


class Clones:
    """Both machines, and the remote between them."""

    def __init__(self, folder: Path) -> None:
        self.remote = Checkout(folder / "remote.git")
        self.alpha = Clone(folder / "alpha")
        self.alpha.store.place = SERVER
        self.beta = Clone(folder / "beta", self.alpha)
        self.alpha.app.policy.accept(ALICE)

    def refs(self) -> dict[str, str]:
        """What the remote has."""
        lines = self.remote.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        return dict(line.split(" ") for line in lines)

    @contextmanager
    def cut(self) -> Iterator[None]:
        """Meanwhile nobody reaches the remote."""
        away = self.remote.path.with_name("away.git")
        self.remote.path.rename(away)
        yield
        away.rename(self.remote.path)

    def close(self) -> None:
        self.alpha.sound()
        self.beta.app.close()
        self.alpha.app.close()


def copy_clones(template: Path, folder: Path) -> Path:
    for name in ("remote.git", "alpha", "beta"):
        shutil.copytree(template / name, folder / name, symlinks=True)
    return folder


@pytest.fixture(scope="session")
def shared_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A remote and two clones that are made once and copied for every test."""
    return clones_in(tmp_path_factory.mktemp("clones"))


@pytest.fixture
def clones(shared_template: Path, tmp_path: Path) -> Iterator[Clones]:
    """Two machines of a team; the project names the remote that both have."""
    made = Clones(copy_clones(shared_template, tmp_path))
    yield made
    made.close()
