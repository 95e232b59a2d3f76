"""The end of a claim: who gives it back stays in the history, who may release another's, and when."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from foureyes.core.nouns.session import Actor
from foureyes.errors import BadInput, LostClaim
from foureyes.ui.steps import steps_text

from tests.stage.people import ALICE, BOB, CLAUDE, CODEX, GEMINI, agent, asserted, child_of
from tests.stage.world import DeskWorld


def test_the_implementer_gives_a_claim_back_and_stays_in_the_history_I8(desk: DeskWorld) -> None:
    task = desk.create()
    desk.start(CLAUDE, task)
    desk.app.claims.unstart(CLAUDE, task)
    assert (desk.status(task), desk.task(task).implementer, desk.task(task).ready) == ("open", None, True)
    assert [entry.action for entry in desk.show(task).history if entry.session == CLAUDE.session] == [
        "started",
        "unstarted",
    ]


def test_another_agent_cannot_take_a_live_claim_T1(desk: DeskWorld) -> None:
    task = desk.create()
    desk.start(CLAUDE, task)
    with desk.refused("T1"):
        desk.app.claims.unstart(CODEX, task)


def test_anyone_releases_a_claim_after_the_silence_T1(desk: DeskWorld) -> None:
    task = desk.create()
    desk.start(CLAUDE, task)
    desk.clock.advance(minutes=119)
    with desk.refused("T1"):
        desk.app.claims.unstart(CODEX, task)
    desk.app.notes.log(CLAUDE, task, "still here")
    desk.clock.advance(minutes=119)
    with desk.refused("T1"):
        desk.app.claims.unstart(CODEX, task)
    desk.clock.advance(minutes=1)
    desk.app.claims.unstart(CODEX, task, reason="nothing heard")
    assert desk.kinds(task)[-1] == "TaskReleased"
    assert [entry.session for entry in desk.show(task).history if entry.action != "created"] == [CLAUDE.session]


def test_the_silence_is_a_setting_T1(desk: DeskWorld) -> None:
    desk.app.policy.set(ALICE, "project.claim_stale_minutes", "10")
    task = desk.create()
    desk.start(CLAUDE, task)
    desk.clock.advance(minutes=10)
    assert desk.app.claims.unstart(CODEX, task).changed


def test_a_person_or_the_delegator_releases_a_claim_at_once_T1(desk: DeskWorld) -> None:
    lead = agent("lead")
    child = child_of(lead)
    for actor in (BOB, lead):
        task = desk.create()
        desk.start(child, task)
        desk.app.claims.unstart(actor, task)
        assert desk.kinds(task)[-1] == "TaskReleased"
        assert [entry.session for entry in desk.show(task).history if entry.action != "created"] == [child.session]


def test_who_released_is_no_author_and_may_approve_the_next_ones_work_I7(desk: DeskWorld) -> None:
    task = desk.create()
    desk.start(CLAUDE, task)
    desk.clock.advance(hours=3)
    desk.app.claims.unstart(GEMINI, task)
    desk.start(CODEX, task)
    desk.repo.commit("work")
    desk.submit(CODEX, task)
    assert desk.approve(GEMINI, task).rule == "P7"


@pytest.mark.parametrize("released_by", [CLAUDE, ALICE])
def test_a_former_claim_stays_in_the_author_set_I8_P2(desk: DeskWorld, released_by: Actor) -> None:
    task = desk.create(BOB)
    desk.start(CLAUDE, task)
    desk.app.claims.unstart(released_by, task)
    desk.start(CODEX, task)
    desk.repo.commit("work")
    desk.submit(CODEX, task)
    assert desk.show(task).authors == [CLAUDE.session, CODEX.session]
    with desk.refused("P2"):
        desk.approve(CLAUDE, task, reason="I only started it")


def test_unstart_is_refused_when_nothing_is_in_progress_T2(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    with desk.refused("T2"):
        desk.app.claims.unstart(ALICE, task)


def test_a_typed_name_releases_nothing_I1(desk: DeskWorld) -> None:
    task = desk.create()
    desk.start(CLAUDE, task)
    with desk.refused("I1"):
        desk.app.claims.unstart(asserted(ALICE), task)


def test_the_reason_of_a_release_is_checked_like_every_text(desk: DeskWorld) -> None:
    task = desk.create()
    desk.start(CLAUDE, task)
    for text in ("bell\x07", "\ud800"):
        with desk.refused(error=BadInput):
            desk.app.claims.unstart(ALICE, task, reason=text)


def test_who_may_free_a_claim_is_said_to_who_wants_it_T1(desk: DeskWorld) -> None:
    task = desk.started(CLAUDE)
    with pytest.raises(LostClaim) as caught:
        desk.start(CODEX, task)
    assert steps_text(caught.value.next_step).endswith(f"a person runs: fe unstart {task}")
    with desk.refused("T1") as refused:
        desk.app.claims.unstart(CODEX, task)
    assert steps_text(refused[0].next_step) == f"a person runs: fe unstart {task}"
    desk.clock.advance(hours=3)
    with pytest.raises(LostClaim, match="has been silent since then") as caught:
        desk.start(CODEX, task)
    assert steps_text(caught.value.next_step).endswith(f": fe unstart {task}")
    assert steps_text(desk.app.claims.unstart(CODEX, task).next) == f"fe start {task}"


def below(parent: Actor, name: str, n: int) -> Actor:
    """An agent's process that another agent's process started."""
    child = agent(name, n)
    return replace(child, evidence=(*child.evidence, *parent.evidence), processes=(*child.processes, *parent.processes))


@pytest.mark.parametrize("program", ["claude", "codex"])
def test_a_claim_stays_with_the_living_parent_of_its_process_T2(desk: DeskWorld, program: str) -> None:
    task, child, other = desk.create(), below(CLAUDE, program, 2), agent(program, 3)
    desk.start(child, task)
    desk.outside.gone.add(child.processes[0])
    with pytest.raises(LostClaim):
        desk.app.claims.start(other, task)
    with desk.refused("A1"):
        desk.submit(other, task)
    with desk.refused("T1"):
        desk.app.claims.unstart(other, task)
    assert desk.app.claims.start(CLAUDE, task).changed
    assert desk.task(task).implementer == CLAUDE.session
    started = [entry.session for entry in desk.show(task).history if entry.action == "started"]
    assert started == [child.session, CLAUDE.session]


def test_a_command_below_the_living_parent_goes_on_with_its_claim_T2(desk: DeskWorld) -> None:
    task, child, later = desk.create(), below(CODEX, "codex", 2), below(CODEX, "codex", 3)
    desk.start(child, task)
    desk.outside.gone.add(child.processes[0])
    assert desk.app.claims.start(later, task).changed


def test_a_claim_has_ended_once_all_processes_above_it_have_T2(desk: DeskWorld) -> None:
    middle = below(CLAUDE, "claude", 2)
    task, child, other = desk.create(), below(middle, "claude", 3), agent("claude", 4)
    desk.start(child, task)
    for process in child.processes:
        with pytest.raises(LostClaim):
            desk.app.claims.start(other, task)
        desk.outside.gone.add(process)
    assert desk.app.claims.start(other, task).changed
