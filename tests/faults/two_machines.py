"""Two clones and their remote in a project's place: each command of theirs opens the store again, in a child."""

from __future__ import annotations

import os

from foureyes.adapters.git.client.locate import locate
from foureyes.adapters.git.remote import GitRemote

from tests.stage.checkout import PROJECT, Checkout
from tests.stage.clones import SERVER, SHARED, clones_in
from tests.stage.fork import Child
from tests.stage.gated import approved, merge
from tests.stage.people import ALICE, CODEX
from tests.stage.places import Place
from tests.stage.world import GitWorld

NEVER = {"ApprovalVoided", "MergeFailed", "SecurityRecorded", "AttemptSentBack"}


class Machines:
    """Two clones and their remote, in the project's place; each command opens the store again."""

    def __init__(self, place: Place, *, sees_ends: bool = True) -> None:
        self.place, self.sees_ends = place, sees_ends
        clones_in(place.root, SHARED.replace(PROJECT, place.project))
        self.remote = Checkout(place.root / "remote.git")
        self.tasks: list[str] = Child(self.made).result()
        place.keep()

    def at(self, name: str, *, create: bool = False) -> GitWorld:
        """The world of a machine, to which every process of the other one is gone, if it can see that."""
        store, where = self.place.create() if create else self.place.open(), locate(self.place.root / name)
        assert where is not None
        store.place = store.place if self.place.engine == "postgres" else SERVER
        found = GitWorld(Checkout(self.place.root / name), store=store, create=create)
        found.outside.here, found.outside.own = f"{name}:0123456789ab", f"process:{name}"
        found.outside.gone = {"process:alpha", "process:beta"} - {found.outside.own} if self.sees_ends else set()
        found.outside.remotes["origin"] = GitRemote(where, "origin")
        found.ids.count = 0 if create else 1_000 + os.getpid()
        return found

    def made(self) -> list[str]:
        """Two tasks of alpha that an agent approved."""
        alpha = self.at("alpha", create=True)
        alpha.checkout.write(".git/info/exclude", ".foureyes/\n")
        alpha.app.policy.accept(ALICE)
        tasks = [approved(alpha, by=CODEX) for _ in range(2)]
        alpha.app.close()
        return tasks

    def merge(self, name: str) -> dict[str, str]:
        """What became of the queue, by the machine of this name."""
        machine = self.at(name)
        found = merge(machine)
        machine.app.close()
        return found

    def kinds(self) -> set[str]:
        store = self.place.open()
        try:
            with store.read():
                return {str(row[0]) for row in store.engine.fetch("SELECT DISTINCT kind FROM journal", {})[1]}
        finally:
            store.close()

    def look(self) -> None:
        """After both machines had their turn."""
        subjects = self.remote.git("log", "--first-parent", "--format=%s", "main").split("\n")
        assert [subjects.count(f"Merge {task}: a task") for task in self.tasks] == [1, 1]
        tips = {Checkout(self.place.root / name).head("main") for name in ("alpha", "beta")}
        assert tips == {self.remote.head("main")}
        assert not self.kinds() & NEVER
        assert [message for area, message in self.place.findings() if area == "integrity"] == []
