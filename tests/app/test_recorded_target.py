"""The target on record (Q6): a merge says what it was made onto, and is the one that the target has to have."""

from __future__ import annotations

import msgspec

from foureyes.core.events.decision import TaskMerged

from tests.stage.gated import approved as approved_by
from tests.stage.gated import merge
from tests.stage.people import ALICE, CODEX
from tests.stage.world import GitWorld


def approved(world: GitWorld) -> str:
    """A task that an agent made and another approved: nothing has to settle."""
    world.checkout.write(".git/info/exclude", ".foureyes/\n")
    return approved_by(world, by=CODEX)


def merge_of(world: GitWorld, task: str) -> TaskMerged:
    (row,) = [row for row in world.app.audit.log(task=task, limit=100) if row.kind == "TaskMerged"]
    return msgspec.json.decode(row.payload, type=TaskMerged)


def test_a_merge_records_the_tip_it_was_made_onto_what_it_made_and_where_Q6(world: GitWorld) -> None:
    task = approved(world)
    tip = world.checkout.head("main")
    merge(world, ALICE)
    event = merge_of(world, task)
    assert (event.onto, event.newest, event.clone) == (tip, event.sha, world.outside.here)
    assert event.sha == world.checkout.head("main")


def test_a_merge_that_was_found_is_the_newest_unless_it_lies_behind_that_Q6(world: GitWorld) -> None:
    first = approved(world)
    world.checkout.git("merge", "-q", "--no-ff", "-m", "by hand", f"fe/{first}")
    merge(world)
    assert merge_of(world, first).newest == world.checkout.head("main") == merge_of(world, first).sha
    assert merge_of(world, first).onto == ""
    second = approved(world)
    assert merge(world) == {second: "merged"}
    assert merge_of(world, second).onto == merge_of(world, first).sha
