"""Machines whose clocks disagree, and a clock that jumps (T1): a claim is not silent because somebody's clock is
ahead.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest

from foureyes.adapters import clock as clocks
from foureyes.adapters.clock import SharedClock
from foureyes.app.application import Application
from foureyes.errors import Refused

from tests.races.crowd import founded, opened, sound
from tests.stage.people import CLAUDE, CODEX
from tests.stage.places import Desk, Place
from tests.stage.ports import FixedClock


class Ahead(datetime):
    """A machine's clock that is three hours ahead."""

    @classmethod
    def now(cls, tz: object = None) -> Ahead:
        return cls.fromtimestamp(datetime.now(UTC).timestamp() + 3 * 3600, UTC)


@contextmanager
def machine(place: Place, desk: Desk) -> Iterator[Application]:
    """Opened as `bootstrap` does it: with the clock of the store where it has one."""
    with opened(place, desk.script) as app:
        app.context.clock = SharedClock(app.context.store.engine)  # type: ignore[attr-defined]
        yield app


def test_a_clock_that_is_ahead_takes_nobodys_claim_from_a_server_T1(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a server all machines go by the server's clock. A file has one machine and its clock: who turns it forward by
    hours can release a claim, and the journal names him, with the time he claimed it was.
    """
    desk = founded(place)
    task = desk.create()
    desk.close()
    with machine(place, desk) as here:
        here.claims.start(CLAUDE, task)
    monkeypatch.setattr(clocks, "datetime", Ahead)
    with machine(place, desk) as there:
        if place.engine == "postgres":
            with pytest.raises(Refused) as caught:
                there.claims.unstart(CODEX, task)
            assert [reason.rule for reason in caught.value.reasons] == ["T1"]
        else:
            there.claims.unstart(CODEX, task)
    (released,) = [(row.kind, row.session) for row in sound(place) if row.kind in ("TaskStarted", "TaskReleased")][
        1:
    ] or [("", "")]
    assert (released[0] == "TaskReleased") == (place.engine == "sqlite")
    assert released[1] in ("", CODEX.session)


def test_the_times_of_a_servers_journal_are_the_servers_J1(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = founded(place)
    desk.close()
    monkeypatch.setattr(clocks, "datetime", Ahead)
    with machine(place, desk) as there:
        there.tasks.create(CODEX, "a task")
    written = datetime.fromisoformat(sound(place)[-1].at)
    ahead = written - datetime.now(UTC) > timedelta(hours=2)
    assert ahead == (place.engine == "sqlite")


def test_a_clock_that_jumps_back_breaks_nothing_and_releases_nothing_J1_T1(place: Place) -> None:
    desk = founded(place)
    task = desk.create()
    desk.close()
    clock = FixedClock()
    with opened(place, desk.script, clock) as app:
        app.claims.start(CLAUDE, task)
        clock.advance(hours=-3)
        app.notes.log(CLAUDE, task, "before it began")
        with pytest.raises(Refused):
            app.claims.unstart(CODEX, task)
        desk.script.commit(f"fe/{task}", sessions=[CLAUDE.session])
        assert app.attempts.submit(CLAUDE, task).changed
    rows = sound(place)
    assert rows[-1].at < rows[0].at
