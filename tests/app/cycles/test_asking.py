"""Who is asked in a cycle (V4): a profile is left out only where no runner could start it; who has to review is first
(D6).
"""

from __future__ import annotations

from msgspec.structs import replace

from foureyes.core.rules.four_eyes import Declaration
from foureyes.ui.steps import steps_text

from tests.stage.cycled import QWEN
from tests.stage.gated import AUTO, LINT, configure
from tests.stage.looped import review
from tests.stage.people import ALICE, BOB, CI, CODEX, GEMINI
from tests.stage.world import DeskWorld

PEERS = '\n[review.peers]\nreviewers = ["codex", "gemini"]\n'


def asked(desk: DeskWorld) -> list[str]:
    """Who is asked about the next submission, first of all."""
    desk.submitted_task()
    return [row.reviewer for row in desk.app.cycles.listed(limit=1)[0].requested]


def test_a_profile_that_cools_down_on_one_host_is_asked_where_another_has_a_runner_V4(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    here = desk.app.runs.begin(ALICE, agents=1).actor
    until = desk.app.context.later(600)
    desk.app.runs.cool(here, "codex", until=until, error="quota", error_text="usage limit")
    assert asked(desk) == ["gemini"], "the only runner could not start it"
    there = desk.app.runs.begin(replace(ALICE, host="other"), agents=1).actor
    assert asked(desk) == ["codex"]
    desk.app.runs.cool(there, "codex", until=until, error="missing", error_text="not installed")
    assert asked(desk) == ["gemini"]


def test_without_a_runner_a_profile_that_cools_down_is_left_out_V4(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    runner = desk.app.runs.begin(ALICE, agents=1).actor
    until = desk.app.context.later(600)
    desk.app.runs.cool(runner, "codex", until=until, error="quota", error_text="usage limit")
    desk.app.runs.finish(runner, reason="over")
    assert asked(desk) == ["gemini"]
    desk.clock.wait(601)
    assert asked(desk) == ["codex"]


NAMED = '\n[review.label_rules.payments]\nreviewers = ["qwen"]\n[agents]\nqwen = { program = "qwen" }\n'


def test_who_has_to_review_is_asked_first_and_its_agreement_ends_the_cycle_D6_V4_V8(desk: DeskWorld) -> None:
    configure(desk, PEERS + NAMED)
    task = desk.submitted_task(labels=["payments"])
    view = desk.app.cycles.show("c-1")
    assert ([row.reviewer for row in view.requested], view.seats, view.quorum) == (["qwen"], 1, 1)
    review(desk, task, by=QWEN)
    assert (desk.app.cycles.show("c-1").rule, desk.approve(GEMINI, task).status) == ("R4", "approved")


def test_another_review_does_not_stand_in_for_who_has_to_review_D6_R0(desk: DeskWorld) -> None:
    configure(desk, PEERS + NAMED)
    task = desk.submitted_task(labels=["payments"])
    desk.clock.wait(31 * 60)
    desk.app.cycles.decide(ALICE, "c-1")
    assert [row.reviewer for row in desk.app.cycles.show("c-1").requested] == ["qwen", "codex"], (
        "somebody looks at least"
    )
    review(desk, task, by=CODEX)
    shown = desk.app.cycles.show("c-1")
    assert (shown.rule, "still needs a review by qwen (D6)" in shown.reasons[0]) == ("R0", True)
    with desk.refused("D6") as caught:
        desk.approve(GEMINI, task)
    assert f"fe review request {task} --ask qwen" in steps_text(caught[0].reasons[0].next)
    with desk.refused("D6"):
        desk.approve(ALICE, task)
    assert "qwen" in desk.app.cycles.request(ALICE, task, reviewers=["qwen"]).requested
    review(desk, task, by=QWEN)
    assert desk.approve(GEMINI, task).status == "approved"


def test_a_label_that_names_reviewers_has_them_asked_where_nobody_else_is_named_D6_V1(desk: DeskWorld) -> None:
    configure(desk, NAMED)
    desk.submitted_task()
    assert desk.app.cycles.listed() == []
    desk.submitted_task(labels=["Payments"])
    assert [row.reviewer for row in desk.app.cycles.show("c-1").requested] == ["qwen"]


def test_who_made_the_work_does_not_count_and_a_person_breaks_the_glass_D6_P2_N3(desk: DeskWorld) -> None:
    configure(desk, PEERS + NAMED.replace('["qwen"]', '["claude"]'))
    task = desk.submitted_task(labels=["payments"])
    assert [row.reviewer for row in desk.app.cycles.show("c-1").requested] == ["codex"], "who made it is not asked"
    review(desk, task, by=CODEX)
    with desk.refused("D6") as caught:
        desk.approve(ALICE, task)
    assert "--break-glass" in steps_text(caught[0].reasons[0].next)
    assert (
        desk.app.decisions.approve(ALICE, task, declaration=Declaration(break_glass="nobody else of that name")).status
        == "approved"
    )


def test_a_person_who_has_to_review_does_so_by_approving_D6(desk: DeskWorld) -> None:
    configure(
        desk, f'\n[review.label_rules]\nlaw = {{ reviewers = ["{BOB.person}"] }}\nux = {{ reviewers = ["human"] }}\n'
    )
    task, other = desk.submitted_task(labels=["law"]), desk.submitted_task(labels=["ux"])
    assert desk.app.cycles.listed() == [], "a person is not waited for by a cycle"
    for by in (CODEX, ALICE):
        with desk.refused("D6"):
            desk.approve(by, task)
    with desk.refused("D6"):
        desk.approve(CODEX, other)
    assert (desk.approve(BOB, task).status, desk.approve(ALICE, other).status) == ("approved", "approved")


def test_no_rule_approves_before_who_has_to_review_did_D6_M4(desk: DeskWorld) -> None:
    configure(desk, NAMED + LINT)
    task = desk.submitted_task(labels=[*AUTO, "payments"])
    desk.app.checks.run(CI, task)
    assert desk.status(task) == "reviewing"
    review(desk, task, by=QWEN)
    assert desk.status(task) == "approved"
