"""A store that goes away and comes back: what is on screen stays, the app says so, and goes on by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from foureyes.adapters.store.postgres import schema_of
from foureyes.adapters.store.store import Store

from tests import engines
from tests.ui.tui.stage import Player, Seat, build, play


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Seat]:
    """A project whose store is on a server."""
    url = engines.server().url
    template = build(tmp_path / "template" / "shop", FOUREYES_STORE=url)
    seat = Seat(template, tmp_path / "seat" / "shop", FOUREYES_STORE=url)
    yield seat
    project = seat.app.context.store.project
    seat.close()
    engines.server().forget(project)


def test_a_server_that_goes_away_and_comes_back_is_said_and_nothing_else_is_needed(shared: Seat) -> None:
    task = shared.deliver("Add login")
    schema = schema_of(shared.app.context.store.project)

    async def story(player: Player) -> None:
        assert task in await player.press("r")
        store = player.app.desk.application.context.store
        assert isinstance(store, Store)
        engines.server().run(f'ALTER SCHEMA "{schema}" RENAME TO "{schema}_away"')
        engines.server().hang_up(store.engine)
        screen = await player.until("Trying again")
        assert task in screen
        engines.server().run(f'ALTER SCHEMA "{schema}_away" RENAME TO "{schema}"')
        assert task in await player.until("the store answers again")
        assert "approved" in await player.press("a", "a")

    play(shared.sit(), story)
    assert shared.status(task) == "approved"
