"""Rows and heads that somebody wrote past Foureyes: no write goes on from there, and none is an internal error (G4)."""

from __future__ import annotations

import pytest

from foureyes.errors import StoreProblem
from foureyes.ui.steps import steps_text

from tests.stage.people import ALICE
from tests.stage.world import DeskWorld

ROW = "INSERT INTO journal SELECT max(seq) + {}, 'now', 'p', '', 's', 'Nonsense', '{{}}', '', 'x' FROM journal"


@pytest.mark.parametrize(
    "statement",
    [ROW.format(1), ROW.format(2), "UPDATE head SET seq = seq - 1", "DELETE FROM head"],
    ids=["the next row", "a later row", "the head set back", "no head"],
)
def test_what_does_not_end_at_its_head_is_a_problem_of_the_store_with_a_way_out_G4(
    desk: DeskWorld, statement: str
) -> None:
    desk.create()
    with desk.store.engine.transaction(write=True):
        desk.store.engine.script([statement])
    with pytest.raises(StoreProblem, match="another program wrote to the database") as caught:
        desk.create(ALICE)
    step = steps_text(caught.value.next_step)
    assert step.startswith(
        "to see which row: fe audit verify, then: the owner of the store restores a backup: fe store restore"
    )
    assert desk.app.audit.verify().findings != ()
