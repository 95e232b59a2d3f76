"""A store with a row in every table, in memory or on disk, for tests that look at stores from below."""

from __future__ import annotations

import shutil
from pathlib import Path

from foureyes.adapters.store.opening import create_store, open_store
from foureyes.adapters.store.store import Store
from foureyes.core.events import Event, SecurityRecorded

from tests.app.world import ALICE, BOB, CLAUDE, CODEX, PROJECT, DeskWorld

NOW = "2026-03-01T12:00:00.000Z"


def fill(world: DeskWorld) -> DeskWorld:
    """At least two rows in nearly every table."""
    other = world.create(CODEX, title="another", labels=["api"], description="many words")
    task = world.create(CODEX, labels=["ux", "api"], depends_on=[world.create()], parent=world.create(type="epic"), minor=True)
    world.app.tasks.remove_dependency(BOB, task, [world.show(task).depends_on[0].id])
    world.create(depends_on=[other, task])
    world.app.tasks.edit(CODEX, other, acceptance="it works", minor=False)
    for label in ("old", "older"):
        world.app.tasks.add_label(CODEX, other, [label])
        world.app.tasks.remove_label(CODEX, other, [label])
    for each in (task, other):
        world.start(CLAUDE, each)
        world.repo.commit(f"fe/{each}", sessions=[CLAUDE.session, "ses-helper"])
        world.submit(CLAUDE, each)
        world.app.notes.log(CLAUDE, each, "looked")
        world.app.notes.handoff(CLAUDE, each, done=["a"], remaining=["b"], decisions=[], uncertain=[])
    world.app.decisions.redo(BOB, other, "again")
    world.start(CLAUDE, other)
    world.repo.commit(f"fe/{other}", sessions=[CLAUDE.session])
    world.submit(CLAUDE, other)
    world.approve(CODEX, other, reason="I asked for it")
    world.approve(CLAUDE, task)
    world.app.decisions.withdraw(CLAUDE, task)
    world.app.decisions.reject(BOB, task, "no")
    world.app.policy.set(ALICE, "minor.max_lines", "20")
    world.app.policy.set(ALICE, "minor.self_approvals_per_day", "3")
    return world


def on_disk(folder: Path) -> DeskWorld:
    """A world whose store lies in a folder, with lock and mirror."""
    folder.mkdir(exist_ok=True)
    return DeskWorld(store=create_store(str(folder), PROJECT, NOW))


def reopened(folder: Path) -> Store:
    return open_store(str(folder), NOW)


def append(store: Store, *events: Event, session: str = "ses-x", task: str = "") -> list[int]:
    with store.write() as tx:
        return tx.append(session, NOW, [(task, event) for event in events])


def security(reason: str = "because", kind: str = "minor") -> SecurityRecorded:
    return SecurityRecorded(kind=kind, rule="P1", reason=reason)


def closed_copy(folder: Path, to: Path) -> bytes:
    """The bytes of a store that nobody has open; a copy lies at `to`."""
    shutil.copyfile(folder / "store.db", to)
    return to.read_bytes()
