"""Two clones whose wire to the remote a test cuts, slows down or listens to (Q6)."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from foureyes.adapters.git.client.locate import locate
from foureyes.adapters.git.remote import GitRemote
from foureyes.app.git_ports import Moved, Pushed, RefUpdate
from foureyes.core.words.ids import Sha
from foureyes.errors import RemoteProblem

from tests.stage.checkout import SETTINGS
from tests.stage.clones import SHARED, Clone, Clones
from tests.stage.gated import approved
from tests.stage.people import CODEX

MAIN = "refs/heads/main"


class Wire(GitRemote):
    """The remote of a clone; `before` and `after` are called around a push of the target, `down` is why it is dead."""

    before: Callable[[Sequence[RefUpdate]], None] | None = None
    after: Callable[[Sequence[RefUpdate]], None] | None = None
    down = ""

    def fetch(self, refs: Sequence[str]) -> dict[str, Sha]:
        self._is_up()
        return super().fetch(refs)

    def push(self, updates: Sequence[RefUpdate]) -> Pushed | Moved:
        self._is_up()
        is_merge = any(update.ref == MAIN for update in updates)
        if is_merge and self.before is not None:
            self.before(updates)
        answer = super().push(updates)
        if is_merge and self.after is not None:
            self.after(updates)
        return answer

    def _is_up(self) -> None:
        if self.down:
            raise RemoteProblem(f"origin cannot be asked: {self.down}", kind="unreachable")


class Wired(Clones):
    """Both machines, each with its wire and its own processes."""

    settings = SHARED.removeprefix(SETTINGS)

    def __init__(self, template: Path, folder: Path) -> None:
        for name in ("remote.git", "alpha", "beta"):
            shutil.copytree(template / name, folder / name, symlinks=True)
        super().__init__(folder)
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
        return Sha(self.remote.git("rev-parse", "main"))

    def log(self) -> list[str]:
        """What is on it, by subject, the newest first."""
        return self.remote.git("log", "--first-parent", "--format=%s", "main").split("\n")

    def approved(self, world: Clone) -> str:
        """A task that was made in a clone, and approved."""
        return approved(world, by=CODEX)
