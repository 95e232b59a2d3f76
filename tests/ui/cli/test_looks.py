"""How a decision was looked at, as `fe show` and `fe audit log` say it."""

from __future__ import annotations

import msgspec
import pytest

from foureyes.app.results.journal import JournalRow
from foureyes.app.results.review import ViewReport
from foureyes.core.events.decision import RedoRequested
from foureyes.core.nouns.decision import Viewing
from foureyes.ui.cli.audit import how_it_was_seen
from foureyes.ui.cli.text.task import detail_text

from tests.stage.people import BOB
from tests.stage.world import DeskWorld


def row_of(event: msgspec.Struct) -> JournalRow:
    payload = msgspec.json.encode(event).decode()
    return JournalRow(1, "", "", "fe-1", "ses-1", type(event).__name__, payload, "", "")


def test_show_and_the_journal_tell_what_was_shown_H4_H5() -> None:
    desk = DeskWorld()
    tasks = [desk.submitted_task() for _ in range(2)]
    shown = desk.app.attempts.changes(tasks[0]).files[0].hunks[0].id
    looks = {tasks[0]: ViewReport("tui", shown=(shown,)), tasks[1]: ViewReport("tui")}
    list(desk.app.decisions.approve_many(BOB, [(task, None) for task in tasks], each_viewed=looks))
    assert "1 of 2 in a batch, 1/1 hunk shown" in detail_text(desk.show(tasks[0]))
    assert "2 of 2 in a batch, 0/1 hunk shown" in detail_text(desk.show(tasks[1]))
    (row,) = [row for row in desk.app.audit.log(task=tasks[1]) if row.kind == "Approved"]
    assert how_it_was_seen(row) == "(2 of 2 in a batch, 0/1 hunk shown) "


@pytest.mark.parametrize(
    ("look", "words"), [(Viewing(), ""), (Viewing(face="cli"), ""), (Viewing(hunks=3, shown=1), "(1/3 hunks shown) ")]
)
def test_what_was_not_measured_is_not_made_up_H4(look: Viewing, words: str) -> None:
    assert how_it_was_seen(row_of(RedoRequested(iteration=1, feedback="again", viewed=look))) == words


def test_a_text_that_looks_like_a_look_is_none_H5() -> None:
    said = RedoRequested(iteration=1, feedback='"viewed":{"hunks":9}')
    assert how_it_was_seen(row_of(said)) == ""
