"""Two clones whose wire to the remote a test cuts, slows down or listens to (Q6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import pytest

from foureyes.adapters.git.client.locate import locate
from foureyes.adapters.git.client.transport import Transport
from foureyes.adapters.git.remote import GitRemote
from foureyes.adapters.process import Finished
from foureyes.app.git_ports import Moved, Pushed, RefUpdate, TakenAway
from foureyes.core.words.ids import Sha
from foureyes.errors import RemoteProblem

from tests.stage.checkout import SETTINGS
from tests.stage.clones import SHARED, Clone, Clones, copy_clones
from tests.stage.gated import approved
from tests.stage.people import CODEX

MAIN = "refs/heads/main"


class Way(Transport):
    """The way to the remote; `arrived` is called when it has taken a push, before anybody here hears of it."""

    arrived: Callable[[], None] | None = None

    def run(self, args: tuple[str, ...], cwd: str, env: dict[str, str], timeout: float) -> Finished:
        done = super().run(args, cwd, env, timeout)
        if "push" in args[:2] and self.arrived is not None:
            self.arrived()
        return done


class Wire(GitRemote):
    """The remote of a clone; `before` is called when the target is about to be pushed, `after` when it is there and the
    answer is still on its way: what it raises loses the answer, as a time limit does. `heard` is called when the remote
    has answered a question. `down` is why the wire is dead.
    """

    before: Callable[[Sequence[RefUpdate]], None] | None = None
    after: Callable[[Sequence[RefUpdate]], None] | None = None
    heard: Callable[[], object] | None = None
    down = ""

    def fetch(self, refs: Sequence[str]) -> dict[str, Sha]:
        self._is_up()
        found = super().fetch(refs)
        if self.heard is not None:
            self.heard()
        return found

    def push(self, updates: Sequence[RefUpdate]) -> Pushed | Moved:
        self._is_up()
        is_merge = any(update.ref == MAIN for update in updates)
        if is_merge and self.before is not None:
            self.before(updates)
        after = self.after if is_merge else None
        self._way.arrived = (lambda: after(updates)) if after is not None else None
        return super().push(updates)

    def take_away(self, refs: Mapping[str, Sha]) -> TakenAway:
        self._is_up()
        return super().take_away(refs)

    @cached_property
    def _way(self) -> Way:
        return Way(self._shared.git, self._here.root, self._name)

    def _is_up(self) -> None:
        if self.down:
            raise RemoteProblem(f"origin cannot be asked: {self.down}", kind="unreachable")


class Wired(Clones):
    """Both machines, each with its wire and its own processes."""

    settings = SHARED.removeprefix(SETTINGS)

    def __init__(self, template: Path, folder: Path) -> None:
        super().__init__(copy_clones(template, folder))
        for world in (self.alpha, self.beta):
            name, place = world.checkout.path.name, locate(world.checkout.path)
            assert place is not None
            world.checkout.write(".git/info/exclude", ".foureyes/\n")
            world.outside.own = f"process:{name}"
            world.outside.remotes["origin"] = Wire(place, "origin")

    def wire(self, world: Clone) -> Wire:
        wire = world.outside.remotes["origin"]
        assert isinstance(wire, Wire)
        return wire

    def main(self) -> Sha:
        """Where the remote's target is."""
        return self.remote.head("main")

    def log(self) -> list[str]:
        """What is on it, by subject, the newest first."""
        return self.remote.git("log", "--first-parent", "--format=%s", "main").split("\n")

    def approved(self, world: Clone) -> str:
        """A task that was made in a clone, and approved."""
        return approved(world, by=CODEX)


@pytest.fixture
def clones(shared_template: Path, tmp_path: Path) -> Iterator[Wired]:
    """Two machines, one remote, one store."""
    made = Wired(shared_template, tmp_path)
    yield made
    made.close()
