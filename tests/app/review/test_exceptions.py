"""Approvals by exception: breaking the glass (N3), and the declarations of policy trusted (P2). Each is on record for
ever (P8).
"""

from __future__ import annotations

import pytest

from foureyes.core.rules.four_eyes import Declaration
from foureyes.errors import BadInput

from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, asserted
from tests.stage.world import DeskWorld

GLASS = Declaration(break_glass="nobody else is here tonight")


def seen(desk: DeskWorld, task: str) -> str:
    return desk.show(task).attempts[-1].diff_id


def kinds(desk: DeskWorld) -> list[tuple[str, str, str]]:
    return [(row.kind, row.rule, row.reason) for row in desk.app.audit.exceptions()]


def test_a_person_who_works_alone_breaks_the_glass_and_it_is_on_record_N3_P8(desk: DeskWorld) -> None:
    task = desk.submitted_task(ALICE)
    with desk.refused("P2"):
        desk.app.decisions.approve(ALICE, task)
    done = desk.app.decisions.approve(ALICE, task, declaration=GLASS)
    assert (done.rule, done.exception, desk.task(task).status) == ("N3", True, "approved")
    assert kinds(desk) == [("break_glass", "N3", "nobody else is here tonight")]
    assert any(entry.type == "security" and "break_glass" in entry.text for entry in desk.show(task).logs)


def test_a_blank_reason_breaks_nothing_N3(desk: DeskWorld) -> None:
    task = desk.submitted_task(ALICE)
    with desk.refused("P2"):
        desk.app.decisions.approve(ALICE, task, declaration=Declaration(break_glass="   "))


@pytest.mark.parametrize("who", [CLAUDE, CI, asserted(ALICE)], ids=["agent", "service", "typed name"])
def test_breaking_the_glass_is_for_a_person_N3(desk: DeskWorld, who: object) -> None:
    task = desk.submitted_task(CLAUDE)
    with desk.refused():
        desk.app.decisions.approve(who, task, seen=seen(desk, task), declaration=GLASS)  # type: ignore[arg-type]
    assert kinds(desk) == []


def test_the_glass_passes_a_grade_but_never_a_hold_or_a_moved_branch_N3_D3_D4(desk: DeskWorld) -> None:
    task = desk.submitted_task(ALICE, labels=["security"])
    desk.app.stops.hold(BOB, task, "legal looks first")
    with desk.refused("D3"):
        desk.app.decisions.approve(ALICE, task, declaration=GLASS)
    desk.app.stops.resume(BOB, task, "fine")
    assert desk.app.decisions.approve(ALICE, task, declaration=GLASS).rule == "N3"


def test_where_the_policy_allows_it_the_glass_stays_whole_N3(desk: DeskWorld) -> None:
    task = desk.submitted_task(CLAUDE)
    assert desk.app.decisions.approve(BOB, task, declaration=GLASS).exception is False
    assert kinds(desk) == []


def test_trusted_lets_an_author_through_only_with_a_declaration_P2_P8(desk: DeskWorld) -> None:
    desk.app.policy.set(BOB, "review.policy", "trusted")
    task = desk.submitted_task(CLAUDE)
    for said in (Declaration(), Declaration(reason="fine"), Declaration(self_review=True)):
        with desk.refused("P2"):
            desk.app.decisions.approve(CLAUDE, task, seen=seen(desk, task), declaration=said)
    done = desk.app.decisions.approve(CLAUDE, task, seen=seen(desk, task), declaration=Declaration(reviewed_by="Grace"))
    assert (done.rule, done.exception) == ("P2", True)
    assert kinds(desk) == [("self_review", "P2", "reviewed by Grace")]


def test_a_self_review_needs_its_reason_and_only_trusted_takes_it_P2(desk: DeskWorld) -> None:
    task = desk.submitted_task(CODEX)
    said = Declaration(reason="read it twice", self_review=True)
    with desk.refused("P2"):
        desk.app.decisions.approve(CODEX, task, seen=seen(desk, task), declaration=said)
    desk.app.policy.set(BOB, "review.policy", "trusted")
    assert desk.app.decisions.approve(CODEX, task, seen=seen(desk, task), declaration=said).rule == "P2"
    assert kinds(desk) == [("self_review", "P2", "read it twice")]


def test_a_name_that_is_no_name_is_bad_input(desk: DeskWorld) -> None:
    task = desk.submitted_task(CLAUDE)
    with desk.refused(error=BadInput):
        desk.app.decisions.approve(CLAUDE, task, seen=seen(desk, task), declaration=Declaration(reviewed_by="x" * 65))
