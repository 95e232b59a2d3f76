"""A thousand empty folders in each other, in git's own directory, end no command: anybody can make them (G1, Q1)."""

from __future__ import annotations

import pytest

from foureyes.core.words.store_place import FILE

from tests.stage.checkout import AT_ONCE
from tests.stage.gated import approved, configure, merge
from tests.stage.odd import deep
from tests.stage.people import BOB
from tests.stage.world import GitWorld


@pytest.mark.parametrize("where", ["refs/heads", "refs/foureyes/attempts", "refs"])
def test_folders_without_end_among_the_refs_keep_nobody_from_anything_G1_Q1(world: GitWorld, where: str) -> None:
    configure(world, AT_ONCE)
    task = approved(world)
    world.store.place = FILE
    with deep(world.checkout.path / ".git" / where):
        assert world.app.doctor.examine(BOB)
        assert [row.task for row in world.app.queue.view(BOB).rows] == []
        assert world.app.audit.verify().findings == ()
        assert merge(world) == {task: "merged"}
