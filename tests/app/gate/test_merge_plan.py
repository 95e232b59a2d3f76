"""What a try of a merge rests on (Q2)."""

from __future__ import annotations

from foureyes.app.gate.merge_candidate import read_try
from foureyes.app.gate.merge_queue import items_of

from tests.stage.gated import approved
from tests.stage.people import CODEX
from tests.stage.world import GitWorld


def test_a_try_rests_on_the_approval_that_was_queued_and_on_no_other_Q2(world: GitWorld) -> None:
    task = approved(world, by=CODEX)
    context = world.app.context
    with context.store.read() as tx:
        (item,) = items_of(tx)
        first = read_try(context, tx, item)
    assert first is not None
    assert (first.attempt.n, first.given.seq, first.case.target) == (1, item.approval, "main")
    world.app.decisions.withdraw(CODEX, task, reason="once more")
    with context.store.read() as tx:
        assert read_try(context, tx, item) is None
