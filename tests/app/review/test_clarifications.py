"""Answers to concerns (R2): several at once, or none."""

from __future__ import annotations

from foureyes.app.review.clarifications import clarify_points

from tests.stage.cycled import two_concerns
from tests.stage.people import CLAUDE
from tests.stage.world import DeskWorld


def test_several_points_are_answered_at_once_or_none_is_R2_G4(desk: DeskWorld) -> None:
    two_concerns(desk)
    with desk.refused("R2"):
        clarify_points(desk.app.context, CLAUDE, "c-1", {"p1": "the salt is in the hash", "p3": "no such point"})
    assert [point.answer for point in desk.app.cycles.show("c-1").points] == ["", ""]
    done = clarify_points(desk.app.context, CLAUDE, "c-1", {"p1": "the salt is in the hash", "p2": "in the settings"})
    assert (done.cycle, desk.app.cycles.show("c-1").why) == ("c-2", "clarified")
