"""One who holds the write lock and is stopped, or dies: the others hear who it is, lose nothing, and go on (G4)."""

from __future__ import annotations

import os
import signal

import pytest

from foureyes.adapters.store import postgres, write_lock
from foureyes.core.events.note import Logged
from foureyes.errors import StoreBusy
from foureyes.ui.steps import steps_text

from tests.engines import NOW
from tests.races.crowd import founded, opened, sound
from tests.stage.fork import Child, Signal
from tests.stage.people import ALICE, CLAUDE
from tests.stage.places import Desk, Place


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting ends soon."""
    monkeypatch.setattr(write_lock.WriterLock.__init__, "__defaults__", (0.3,))
    monkeypatch.setattr(postgres, "LOCK_TIMEOUT", "300ms")


class Holder:
    """A process in the middle of a writing transaction."""

    def __init__(self, place: Place, task: str) -> None:
        self._inside, self._go_on = Signal(), Signal()

        def hold() -> int:
            store = place.open()
            with store.write() as tx:
                (seq,) = tx.append("ses-alice", NOW, [(task, Logged(text="slow", type="progress"))])
                self._inside.give()
                self._go_on.await_()
            store.close()
            return seq

        self._child = Child(hold)
        self.pid = self._child.pid
        self._inside.await_()

    def stop(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)
        _, status = os.waitpid(self.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)

    def go_on(self) -> int:
        os.kill(self.pid, signal.SIGCONT)
        self._go_on.give()
        seq = self._child.result()
        self._close()
        return seq

    def die(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        assert self._child.ended().signal == signal.SIGKILL
        self._close()

    def _close(self) -> None:
        self._inside.close()
        self._go_on.close()


def prepared(place: Place) -> tuple[Desk, str]:
    desk = founded(place)
    task = desk.create()
    desk.close()
    return desk, task


def test_others_hear_who_holds_the_lock_change_nothing_and_go_on_afterwards_G4(place: Place) -> None:
    desk, task = prepared(place)
    before = place.dump()
    holder = Holder(place, task)
    holder.stop()
    with opened(place, desk.script) as app:
        with pytest.raises(StoreBusy) as caught:
            app.notes.log(CLAUDE, task, "impatient")
        assert (caught.value.exit_code, steps_text(caught.value.next_step)[:9]) == (5, "try again")
        assert "Nothing was changed" in caught.value.message
        assert "locked" not in caught.value.message
        assert place.dump() == before
        assert app.lists.show(ALICE, task).logs == [], "reading goes on meanwhile"
        seq = holder.go_on()
        assert app.notes.log(CLAUDE, task, "patient").changed
    assert next(row.seq for row in sound(place) if row.kind == "Logged") == seq
    assert [row.kind for row in sound(place)].count("Logged") == 2


def test_a_busy_store_names_the_process_that_holds_it(place: Place) -> None:
    desk, task = prepared(place)
    holder = Holder(place, task)
    holder.stop()
    with opened(place, desk.script) as app, pytest.raises(StoreBusy) as caught:
        app.notes.log(CLAUDE, task, "impatient")
    holder.go_on()
    assert f"pid {holder.pid}" in caught.value.message, caught.value.message


def test_a_dead_holder_frees_the_lock_at_once_and_leaves_no_trace_G4(place: Place) -> None:
    desk, task = prepared(place)
    before = place.dump()
    holder = Holder(place, task)
    holder.die()
    assert place.dump() == before
    with opened(place, desk.script) as app:
        assert app.notes.log(CLAUDE, task, "next").changed
    assert [row.kind for row in sound(place)].count("Logged") == 1


def test_one_that_gave_up_waiting_does_not_take_the_lock_later(place: Place) -> None:
    """The thread that was left behind in the kernel's queue lets go at once when its turn comes."""
    desk, task = prepared(place)
    holder = Holder(place, task)
    gave_up, go_on = Signal(), Signal()

    def impatient() -> bool:
        with opened(place, desk.script) as app:
            with pytest.raises(StoreBusy):
                app.notes.log(CLAUDE, task, "impatient")
            gave_up.give()
            go_on.await_()
            return app.notes.log(CLAUDE, task, "again").changed

    child = Child(impatient)
    gave_up.await_()
    holder.go_on()
    with opened(place, desk.script) as app:
        assert app.notes.log(ALICE, task, "another").changed
    go_on.give()
    assert child.result()
    assert [row.kind for row in sound(place)].count("Logged") == 3
    gave_up.close()
    go_on.close()
