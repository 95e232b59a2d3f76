"""F2: a feedback file that cannot be written takes nothing from the decision; whoever decided is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.stage.floor import CODE, Floor
from tests.stage.looking import check
from tests.stage.people import BOB, CI, CLAUDE
from tests.stage.places import Place

NOT_WRITABLE = "/sys"
"""Where nobody makes a file, root neither."""


def is_read_only(place: Place, task: str) -> None:
    folder = place.folder / "feedback"
    if folder.exists():
        folder.rename(folder.with_name("before"))
    folder.symlink_to(NOT_WRITABLE)


def is_a_file(place: Place, task: str) -> None:
    folder = place.folder / "feedback"
    if folder.exists():
        folder.rename(folder.with_name("before"))
    folder.write_text("")


def is_repaired(place: Place) -> None:
    """Without the obstacle, with the files as they were before it."""
    folder = place.folder / "feedback"
    folder.unlink()
    if (before := folder.with_name("before")).exists():
        before.rename(folder)


class Deciding(NamedTuple):
    """A decision: before it, and itself; what its answer notes."""

    name: str
    before: Callable[[Floor], str]
    act: Callable[[Floor, str], tuple[str, ...]]
    status: str


def _conflicting(floor: Floor) -> str:
    floor.agreed(name=CODE, text="one\n")
    return floor.agreed(name=CODE, text="two\n")


def _merged(floor: Floor, task: str) -> tuple[str, ...]:
    return next(row.notes for row in floor.merge() if row.task == task)


def _sent_back(floor: Floor) -> str:
    task = floor.delivered()
    floor.app.feedback.redo(BOB, task, "more")
    return task


def _approve(floor: Floor, task: str) -> tuple[str, ...]:
    return floor.app.decisions.approve(BOB, task, seen=floor.seen(task)).notes


def _checked(floor: Floor) -> str:
    task = floor.delivered()
    floor.app.checks.run(CI, task)
    return task


DECIDING = (
    Deciding("approve", _checked, _approve, "approved"),
    Deciding("redo", lambda f: f.delivered(), lambda f, t: f.app.feedback.redo(BOB, t, "more").notes, "open"),
    Deciding("reject", lambda f: f.delivered(), lambda f, t: f.app.feedback.reject(BOB, t, "no").notes, "blocked"),
    Deciding("start after a redo", _sent_back, lambda f, t: f.app.claims.start(CLAUDE, t).notes, "in_progress"),
    Deciding("merge with a conflict", _conflicting, _merged, "open"),
)


@pytest.mark.parametrize("fault", [is_read_only, is_a_file])
@pytest.mark.parametrize("deciding", DECIDING, ids=[deciding.name for deciding in DECIDING])
@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_the_decision_stands_and_the_note_says_that_its_file_could_not_be_written_F2(
    place: Place, template: Path, deciding: Deciding, fault: Callable[[Place, str], None]
) -> None:
    floor = Floor(place, template)
    task = deciding.before(floor)
    fault(place, task)
    notes = deciding.act(floor, task)
    assert floor.app.lists.show(BOB, task).task.status == deciding.status
    floor.close()
    (found,) = place.findings()
    assert found[0] == "completeness"
    assert found[1].startswith("feedback cannot be read: "), "an audit says it, and nothing else"
    is_repaired(place)
    check(floor)
    (note,) = [note for note in notes if "feedback" in note]
    assert note.startswith(f".foureyes/feedback/{task}.json could not be written: ")
    assert "The store has it" in note


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_when_there_is_room_again_the_next_decision_writes_the_whole_history_F2(place: Place, template: Path) -> None:
    floor = Floor(place, template)
    task = floor.delivered()
    is_a_file(place, task)
    assert floor.app.feedback.redo(BOB, task, "first").notes
    (place.folder / "feedback").unlink()
    floor.app.claims.start(CLAUDE, task)
    written = (place.folder / "feedback" / f"{task}.json").read_text()
    assert '"first"' in written
    floor.close()
