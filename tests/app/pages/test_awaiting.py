"""What tasks wait for: unfinished ones in the order of their ids, and nothing where nothing is asked."""

from __future__ import annotations

from foureyes.app.pages.lists import awaited

from tests.stage.people import BOB
from tests.stage.world import DeskWorld


def test_a_task_waits_for_those_it_depends_on_that_are_not_closed(desk: DeskWorld) -> None:
    first, second, over = desk.create(), desk.create(), desk.create()
    waiting = desk.create(depends_on=[first, second, over])
    desk.app.closing.close(BOB, over)
    with desk.store.read() as tx:
        assert awaited(tx, [first, waiting]) == {waiting: tuple(sorted((first, second)))}
        assert awaited(tx, [first]) == awaited(tx, []) == {}
