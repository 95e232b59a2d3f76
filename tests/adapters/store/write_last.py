"""The writer of `schema_5.jsonl` to `schema_16.jsonl`: runs in a working copy of the version whose store it is to be,
with that version's own Application, stages and shop.

    cd <working copy of 4d8fb9d> && .venv/bin/python <here>/write_last.py > <here>/schema_5.jsonl
    cd <working copy of 37ee23e> && .venv/bin/python <here>/write_last.py > <here>/schema_6.jsonl
    cd <working copy of 04a4170> && .venv/bin/python <here>/write_last.py > <here>/schema_7.jsonl
    cd <working copy of 48d49c9> && .venv/bin/python <here>/write_last.py > <here>/schema_8.jsonl
    cd <working copy of 01986d9> && .venv/bin/python <here>/write_last.py > <here>/schema_9.jsonl
    cd <working copy of aaf999e> && .venv/bin/python <here>/write_last.py > <here>/schema_10.jsonl
    cd <working copy of 631070c> && .venv/bin/python <here>/write_last.py > <here>/schema_11.jsonl
    cd <working copy of c6d09fe> && .venv/bin/python <here>/write_last.py > <here>/schema_12.jsonl
    cd <working copy of 62c048c> && .venv/bin/python <here>/write_last.py > <here>/schema_13.jsonl
    cd <working copy of 0d49f0a> && .venv/bin/python <here>/write_last.py > <here>/schema_14.jsonl
    cd <working copy of e9ed825> && .venv/bin/python <here>/write_last.py > <here>/schema_15.jsonl
    cd <working copy of df88d69> && .venv/bin/python <here>/write_last.py > <here>/schema_16.jsonl

Modules are imported by name, because they are those of that version and not of this one.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path.cwd()))
OLD_STAGE = Path("tests/app/world.py").exists()
stage = import_module("tests.app.world" if OLD_STAGE else "tests.stage.world")
people = stage if OLD_STAGE else import_module("tests.stage.people")
sha = stage.sha if OLD_STAGE else import_module("tests.stage.scripted_git").sha
shop = import_module("tests.adapters.store.shop")
replay = import_module("foureyes.adapters.store.replay")
ports = import_module("foureyes.app.ports")
ports = ports if hasattr(ports, "Merged") else import_module("foureyes.app.git_ports")
MergeResult = getattr(ports, "MergeResult", None) or ports.Merged
KINDS = import_module("foureyes.core.events").KINDS
ALICE, BOB, CI, CLAUDE, CODEX = people.ALICE, people.BOB, people.CI, people.CLAUDE, people.CODEX
TABLES = {"journal": "seq", "head": "seq", **replay.TABLES}


def stop_and_go_on(world: Any) -> None:
    """Everything a person can do to halt a task or the project, and to let it go on; and the ends of tasks."""
    app = world.app
    epic, task = world.create(BOB, title="an epic", type="epic"), world.create(BOB, title="halted")
    app.tasks.edit(BOB, task, parent=epic, minor=True)
    app.tasks.edit(BOB, task, parent="")
    app.stops.block(BOB, task, "no access yet")
    app.stops.unblock(BOB, task, "there is")
    app.stops.defer(BOB, task, "2026-04-01")
    app.stops.undefer(BOB, task)
    app.stops.hold(ALICE, task, "not now")
    app.stops.resume(ALICE, task, "now")
    app.stops.hold(ALICE, None, "nobody goes on")
    app.stops.resume(ALICE, None, "everybody does")
    app.closing.cancel(BOB, task, reason="nobody wants it")
    app.closing.reopen(BOB, task, reason="somebody does")
    app.closing.close(BOB, task, reason="it was done elsewhere")
    app.closing.delete(BOB, world.create(BOB, title="by mistake"), reason="created twice")
    edited = agreed(world, "edited after its approval")
    app.tasks.edit(ALICE, edited, acceptance="it also works at night")


def sign(world: Any) -> None:
    """A person with a key, twice, whose decisions are signed with it, and who goes on without one."""
    for number in range(2):
        key = world.app.keys.new(ALICE).fingerprint
        world.app.stops.hold(ALICE, world.create(BOB, title=f"signed {number}"), "I want to see it first")
        world.app.keys.retire(ALICE, key, "the disk is gone")


def agreed(world: Any, title: str) -> str:
    task: str = world.handed_in(CLAUDE, creator=BOB, title=title)
    world.approve(CODEX, task)
    return task


def look(world: Any) -> None:
    """Decisions with how the change was looked at, where the version keeps that (H4, H5)."""
    views = import_module("foureyes.app.views.review" if not OLD_STAGE else "foureyes.app.views")
    if not hasattr(views, "Look"):
        return
    seen = views.Look(face="tui", shown=("0" * 16,), pager=True, seconds=7)
    task = world.handed_in(CLAUDE, creator=BOB, title="looked at")
    world.app.decisions.approve(CODEX, task, seen=world.seen(task), look=seen)
    world.app.feedback.redo(BOB, world.handed_in(CLAUDE, creator=BOB, title="sent back"), "again", look=seen)


def merge(world: Any) -> None:
    """Merges of every outcome: merged, conflicting, stuck and tried again, void; found on the target with and without
    an approval.
    """
    app, repo, workshop = world.app, world.repo, world.workshop
    main = repo.branches["refs/heads/main"]

    def move(ref: str, *, new: Any, old: Any) -> bool:
        assert repo.commit_of(ref) == old
        main.append(new)
        return True

    def change(head: Any, base: Any = None, **_: object) -> dict[str, Any]:
        """Versions that compute the diff id again at the merge say which base they mean."""
        return {"diff_id": repo.change_id(base, head)} if base else {}

    def merges(*, tip: Any, head: Any, **given: Any) -> Any:
        return MergeResult(sha(f"merge of {head} into {tip}"), **change(head, **given))

    workshop.merge = merges
    workshop.commit = lambda *, tree, parents, message: sha(f"commit of {tree}: {message}")
    workshop.move = move
    merged = agreed(world, "merged")
    assert outcomes(world)[merged] == "merged"
    void = agreed(world, "void")
    repo.commit(f"fe/{void}", sessions=[CLAUDE.session])
    assert outcomes(world)[void] == "void"
    workshop.merge = lambda *, tip, head, **given: MergeResult(None, ("both.py",), **change(head, **given))
    conflicting = agreed(world, "conflicting")
    assert outcomes(world)[conflicting] == "conflict"

    def break_down(**_: object) -> None:
        raise import_module("foureyes.errors").GitProblem("the object store is full")

    workshop.merge = break_down
    stuck = agreed(world, "stuck")
    assert outcomes(world)[stuck] == "stuck"
    app.merges.retry(BOB, stuck)
    repo.land(f"fe/{stuck}")
    assert outcomes(world)[stuck] == "found"
    unapproved = world.handed_in(CLAUDE, creator=BOB, title="merged by hand, approved by nobody")
    app.closing.close(BOB, unapproved, reason="an experiment")
    repo.land(f"fe/{unapproved}")
    outcomes(world)
    for name in ("merge", "commit", "move"):
        del workshop.__dict__[name]


def share(world: Any) -> None:
    """Merges of several machines, where the version knows of them (Q6): one that was pushed while nobody knows whether
    it arrived, merges that move to another clone, a target that was set back on purpose.
    """
    if "MergeSent" not in KINDS:
        return
    gate = import_module("foureyes.app.call.caller").gate_of(shop.PROJECT).session
    task, main = agreed(world, "pushed"), world.repo.branches["refs/heads/main"]
    until, made = shop.NOW, sha("a merge that was pushed")
    leased = KINDS["MergeLeased"](attempt=1, approval=1, until=until, process="process:8", host="box", via=CI.session)
    sent = KINDS["MergeSent"](attempt=1, made=made, onto=main[-1], remote="origin")
    with world.store.write() as tx:
        tx.append(gate, shop.NOW, [(task, leased), (task, sent)])
        if "RemoteAddressed" in KINDS:
            there = {"clone": "box:0123456789ab", "remote": "origin", "digest": "0" * 64, "shown": "shop.git"}
            tx.append(gate, shop.NOW, [("", KINDS["RemoteAddressed"](**there))])
    world.outside.here = "box:0123456789ab"
    assert world.app.merges.here(ALICE, "the other machine goes away").changed
    whole, main[:] = list(main), main[:1]  # who reads the store has no commit of it either
    seen = main[-1:] if "seen" in world.app.merges.accept.__code__.co_varnames else []
    assert world.app.merges.accept(ALICE, "everything anew", *seen).changed
    main[:] = whole


def outcomes(world: Any) -> dict[str, str]:
    return {row.task: row.outcome for row in world.app.merges.process(CI)}


def go_on_with_a_sprint(world: Any) -> None:
    """One that was paused, where the version has sprints (X)."""
    if hasattr(world.app, "sprints"):
        world.app.sprints.start(ALICE, "s-03")


def write(world: Any) -> None:
    """Every row of every table, one a line."""
    for table, key in TABLES.items():
        names, rows = world.store.engine.fetch(f"SELECT * FROM {table} ORDER BY {key}", {})
        for row in rows:
            print(json.dumps([table, dict(zip(names, row, strict=True))], ensure_ascii=False, separators=(",", ":")))


def main() -> None:
    world = stage.DeskWorld()
    stop_and_go_on(world)
    look(world)
    merge(world)
    share(world)
    setattr(shop, "_sign", sign)  # noqa: B010 - the shop's own signatures are none: it looks at stores from below
    shop.fill(world)
    go_on_with_a_sprint(world)
    missing = set(KINDS) - {row[0] for row in world.store.engine.fetch("SELECT DISTINCT kind FROM journal", {})[1]}
    assert not missing, f"this version writes more: {sorted(missing)}"
    assert world.app.audit.verify().findings == ()
    write(world)


if __name__ == "__main__":
    main()
