"""Controls: who decided how a task is looked at, out of the journal (M6)."""

from __future__ import annotations

from foureyes.app.facts import controls_of

from tests.stage.people import ALICE, BOB, CLAUDE
from tests.stage.world import DeskWorld


def test_the_journal_says_who_loosened_what_and_when_M6(desk: DeskWorld) -> None:
    task = desk.create(ALICE, labels=["docs"], minor=True)
    desk.start(CLAUDE, task)
    desk.app.tasks.add_label(BOB, task, ["trivial"])
    desk.app.tasks.remove_label(CLAUDE, task, ["docs"])
    desk.app.tasks.edit(BOB, task, acceptance="less", minor=False)
    with desk.store.read() as tx:
        found = controls_of(tx, [task])[task]
    assert [(row.kind, row.session, row.label, row.late, row.after_start) for row in found] == [
        ("label", ALICE.session, "docs", False, False),
        ("minor", ALICE.session, "", False, False),
        ("label", BOB.session, "trivial", True, True),
        ("off", CLAUDE.session, "docs", True, True),
        ("acceptance", BOB.session, "", True, True),
        ("minor", BOB.session, "", True, True),
    ]
    assert not any(row.key for row in found)
