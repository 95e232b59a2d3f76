"""Escalation (E1–E3, L14, L15): who decides about a stuck loop, and what each decision does."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from foureyes.core.nouns.session import Actor
from foureyes.errors import BadInput, Refused
from foureyes.ui.steps import steps_text

from tests.stage.gated import configure, deliver, words
from tests.stage.looped import (
    again,
    findings,
    issue,
    next_attempt,
    play,
    respond,
    review,
    rule,
    same_tier,
    standing,
    states,
    texts,
)
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, GEMINI, agent, asserted, child_of
from tests.stage.world import DeskWorld, GitWorld

KEPT = '\n[review]\ndefault_mode = "per-task"\n'
QWEN_LEADS = '\n[tiers]\nlead = "qwen"\n'
QWEN = agent("qwen")
WHY = "the plan was wrong"


def stuck(desk: DeskWorld) -> str:
    """A task whose loop waits for the lead."""
    task = play(desk, [0, 0, 0, 0], found=1)
    assert same_tier(desk, task) == ("lead", "lead")
    return task


def disputed(desk: DeskWorld, *, settings: str = "") -> tuple[str, tuple[str, ...]]:
    """L14: a task in review with most of its blocking findings rejected."""
    configure(desk, settings)
    task = desk.submitted_task()
    names = review(desk, task, [issue("a"), issue("b"), issue("c")]).raised
    if desk.status(task) == "open":
        desk.start(CLAUDE, task)
    respond(desk, task, {names[0]: "REJECTED", names[1]: "REJECTED", names[2]: "FIXED"})
    desk.repo.commit(f"fe/{task}", sessions=[CLAUDE.session])
    desk.submit(CLAUDE, task)
    return task, names


# Who decides


def test_a_task_that_waits_for_the_lead_is_not_started_and_says_what_to_run_E2_G2(desk: DeskWorld) -> None:
    task = stuck(desk)
    assert task not in desk.ids_of(ready=True)
    with desk.refused("E2") as caught:
        desk.start(CLAUDE, task)
    assert "the lead runs: fe lead (senior or fresh or continue)" in texts(caught[0].reasons)
    with desk.refused("E2"):
        desk.app.sessions.spawn(GEMINI, task, "implement")


@pytest.mark.parametrize(
    "who", [CODEX, GEMINI, CLAUDE, CI, QWEN, asserted(BOB), child_of(CLAUDE)], ids=lambda who: who.session
)
def test_where_a_person_is_the_lead_nobody_else_decides_E2(desk: DeskWorld, who: Actor) -> None:
    task = stuck(desk)
    with desk.unchanged(), pytest.raises(Refused):
        desk.app.loops.lead(who, task, "senior", WHY)
    assert same_tier(desk, task) == ("lead", "lead")


def test_an_agent_decides_where_the_tiers_name_it_E2(desk: DeskWorld) -> None:
    configure(desk, QWEN_LEADS)
    task = stuck(desk)
    for who in (CODEX, CI):
        with desk.unchanged(), pytest.raises(Refused):
            desk.app.loops.lead(who, task, "senior", WHY)
    desk.app.loops.lead(QWEN, task, "senior", WHY)
    assert same_tier(desk, task) == ("senior", "")


def test_a_lead_that_made_the_work_does_not_decide_about_it_E3(desk: DeskWorld) -> None:
    configure(desk, '\n[tiers]\nlead = "claude"\n')
    task = stuck(desk)
    with desk.refused("E3"):
        desk.app.loops.lead(CLAUDE, task, "continue", WHY)
    desk.app.loops.lead(agent("claude", 2), task, "continue", WHY)


def test_a_token_decides_nothing_about_a_loop_I2(desk: DeskWorld) -> None:
    configure(desk, QWEN_LEADS)
    task = stuck(desk)
    child = desk.spawn(QWEN, task, "review", agent="qwen")
    with desk.refused("I2"):
        desk.app.loops.lead(child, task, "senior", WHY)


def test_what_waits_for_a_person_is_not_the_agent_leads_to_decide_E2(desk: DeskWorld) -> None:
    configure(desk, QWEN_LEADS)
    task = stuck(desk)
    desk.app.loops.lead(QWEN, task, "ask", "what does the customer want?")
    assert same_tier(desk, task) == ("user", "user")
    with desk.refused("E2"):
        desk.app.loops.lead(QWEN, task, "senior", WHY)
    with desk.refused("E3"):
        desk.app.loops.lead(BOB, task, "ask", WHY)
    desk.app.loops.lead(BOB, task, "senior", WHY)
    assert same_tier(desk, task) == ("senior", "")


def test_with_human_proof_key_a_persons_decision_about_a_loop_is_signed_I9(desk: DeskWorld) -> None:
    task = stuck(desk)
    desk.app.keys.new(ALICE)
    desk.app.policy.set(ALICE, "review.human_proof", "key")
    desk.app.loops.lead(BOB, task, "senior", "knows the counter")
    said = desk.keys.signed[-1].decode()
    assert "lead senior" in said
    assert "knows the counter" in said


def test_what_the_lead_says_is_in_the_mirror_of_the_feedback_F2(desk: DeskWorld) -> None:
    task = stuck(desk)
    desk.app.loops.lead(ALICE, task, "senior", "count in the database")
    assert b"count in the database" in desk.mirrors.documents[task]


def test_a_task_that_waits_for_nobody_is_nobodys_to_lead_E3(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    for option in ("senior", "fresh", "ask", "continue"):
        with desk.refused("E3"):
            desk.app.loops.lead(BOB, task, option, WHY)


@pytest.mark.parametrize("reason", ["", " \n"])
def test_a_decision_needs_a_reason_E3_P9(desk: DeskWorld, reason: str) -> None:
    task = stuck(desk)
    with desk.unchanged(), pytest.raises((BadInput, Refused)):
        desk.app.loops.lead(BOB, task, "senior", reason)


@pytest.mark.parametrize(
    ("option", "into"),
    [("approve", ()), ("", ()), ("split", ()), ("senior", ("a part",)), ("split", ("x",) * 21), ("split", (" ",))],
)
def test_there_is_no_option_to_force_an_approval_and_only_a_split_names_parts_E3(
    desk: DeskWorld, option: str, into: tuple[str, ...]
) -> None:
    task = stuck(desk)
    with desk.unchanged(), pytest.raises(BadInput):
        desk.app.loops.lead(BOB, task, option, WHY, into=into)


# What each decision does


def test_senior_goes_on_at_tier_senior_with_counters_that_start_again_E3(desk: DeskWorld) -> None:
    task = stuck(desk)
    desk.app.loops.lead(BOB, task, "senior", WHY)
    now = standing(desk, task)
    assert (same_tier(desk, task), now.round, now.no_progress, now.lead_decisions) == (("senior", ""), 0, 0, 1)
    assert WHY in words(desk, task)
    assert task in desk.ids_of(ready=True)


def test_after_the_lead_a_loop_that_comes_back_goes_to_a_person_and_not_round_for_ever_E1(
    desk: DeskWorld,
) -> None:
    task = stuck(desk)
    desk.app.loops.lead(BOB, task, "senior", WHY)
    for _ in range(5):
        if desk.task(task).waiting_for:
            break
        again(desk, task)
        rule(desk, {name: "NOT_FIXED" for name, state in states(desk, task).items() if state == "claimed"})
        same_tier(desk, task)
    assert same_tier(desk, task) == ("user", "user")


def test_split_plans_the_parts_and_the_whole_waits_for_them_E3(desk: DeskWorld) -> None:
    task = stuck(desk)
    done = desk.app.loops.lead(BOB, task, "split", WHY, into=["read the settings", "use them"])
    parts = [row.id for row in desk.show(task).depends_on]
    assert len(parts) == 2
    assert {desk.task(part).parent for part in parts} == {task}
    assert {desk.task(part).title for part in parts} == {"read the settings", "use them"}
    assert same_tier(desk, task) == ("developer", "")
    assert (task in desk.ids_of(ready=True), set(parts) <= set(desk.ids_of(ready=True))) == (False, True)
    assert steps_text(done.next) == f"an agent runs: fe start {parts[0]}"
    with desk.refused("T3"):
        desk.start(CLAUDE, task)
    assert [one.state for one in findings(desk, task).values()] == ["open"], "a split resolves nothing"


def test_fresh_sets_the_branch_back_and_keeps_the_old_head_E3_F1(world: GitWorld) -> None:
    configure(world, "\n[loop]\nno_progress_limit = 1\n")
    task = deliver(world, {"pay.py": "limit = 10\n"})
    base = world.checkout.head("main")
    (name,) = review(world, task, [issue(file="pay.py", line=1)]).raised
    for n in (2, 3):
        next_attempt(world, task, {"pay.py": f"limit = {n}\n"})
        rule(world, {name: "NOT_FIXED"})
    assert same_tier(world, task) == ("lead", "lead")
    old = world.checkout.head(f"fe/{task}")
    world.app.loops.lead(BOB, task, "fresh", WHY)
    assert (world.checkout.head(f"fe/{task}"), world.checkout.head(f"refs/foureyes/attempts/{task}/3")) == (base, old)
    assert same_tier(world, task) == ("developer", "")
    assert states(world, task) == {name: "open"}, "a fresh start leaves the findings and the authors (I8)"
    next_attempt(world, task, {"pay.py": "limit = LIMIT\n"})
    rule(world, {name: "VERIFIED"})
    with world.refused("P2"):
        world.approve(CLAUDE, task)
    assert world.approve(BOB, task).status == "approved"


def test_continue_lets_it_go_on_as_it_is_and_in_review_it_stays_there_E3_L14(desk: DeskWorld) -> None:
    task, names = disputed(desk)
    assert same_tier(desk, task) == ("developer", "lead")
    desk.app.loops.lead(BOB, task, "continue", "they are right")
    assert (same_tier(desk, task), desk.status(task)) == (("developer", ""), "reviewing")
    assert states(desk, task)[names[0]] == "disputed", "nobody but a ruling accepts a rejection"


@pytest.mark.parametrize("option", ["senior", "fresh", "split"])
def test_a_decision_about_an_attempt_in_review_sends_it_back_E3(
    desk: DeskWorld, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk.workshop, "reset", lambda ref, *, old, new: "")
    task, _ = disputed(desk)
    desk.app.loops.lead(BOB, task, option, WHY, into=["part"] if option == "split" else ())
    assert desk.status(task) == "open"
    assert same_tier(desk, task) == ("senior" if option == "senior" else "developer", "")
    assert WHY in words(desk, task)


def test_no_decision_of_the_lead_resolves_a_finding_E3(desk: DeskWorld) -> None:
    task = stuck(desk)
    before = states(desk, task)
    for option in ("ask", "senior"):
        desk.app.loops.lead(BOB, task, option, WHY)
    assert states(desk, task) == before


# L14, L15


def test_more_than_half_rejected_asks_the_lead_before_the_loop_goes_on_L14(desk: DeskWorld) -> None:
    task, names = disputed(desk)
    assert same_tier(desk, task) == ("developer", "lead")
    assert "2 of 3" in standing(desk, task).why
    other = desk.submitted_task(GEMINI)
    assert desk.approve(BOB, other).status == "approved", "other tasks go on"
    rule(desk, {names[0]: "OVERRULED", names[1]: "OVERRULED", names[2]: "VERIFIED"})
    assert (desk.status(task), same_tier(desk, task)) == ("open", ("developer", "lead"))
    with desk.refused("E2"):
        desk.start(CLAUDE, task)
    desk.app.loops.lead(BOB, task, "continue", "go on")
    desk.start(CLAUDE, task)


def test_half_rejected_asks_nobody_L14(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    a, b = review(desk, task, [issue("a"), issue("b"), issue("c", "LOW")]).raised[:2]
    desk.start(CLAUDE, task)
    respond(desk, task, {a: "REJECTED", b: "FIXED"})
    desk.repo.commit(f"fe/{task}")
    desk.submit(CLAUDE, task)
    assert same_tier(desk, task) == ("developer", "")


def test_rejected_suggestions_ask_nobody_L14(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    names = review(desk, task, [issue("a"), issue("b", "LOW"), issue("c", "LOW")]).raised
    desk.start(CLAUDE, task)
    respond(desk, task, {names[0]: "FIXED", names[1]: "REJECTED", names[2]: "REJECTED"})
    desk.repo.commit(f"fe/{task}")
    desk.submit(CLAUDE, task)
    assert same_tier(desk, task) == ("developer", "")


def test_where_all_rejections_are_accepted_and_it_is_approved_nobody_waits_any_more_L14(desk: DeskWorld) -> None:
    task, names = disputed(desk)
    rule(desk, {names[0]: "ACCEPTED", names[1]: "ACCEPTED", names[2]: "VERIFIED"})
    desk.approve(BOB, task)
    assert same_tier(desk, task) == ("developer", "")


def test_a_person_who_disagrees_may_still_send_it_back_while_the_lead_is_asked_L14(desk: DeskWorld) -> None:
    task, _ = disputed(desk)
    desk.app.feedback.redo(BOB, task, "no")
    assert (desk.status(task), same_tier(desk, task)) == ("open", ("developer", "lead"))


def test_all_suggestions_skipped_is_a_note_on_the_completion_report_L15(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    review(desk, task, [issue("a"), issue("b", "LOW"), issue("c", "MEDIUM")])
    again(desk, task)
    notes = desk.app.validation.validate(BOB).notes
    assert [note for note in notes if "all suggestions (2) were skipped" in note and task in note]


def test_one_suggestion_that_was_taken_up_is_no_such_note_L15(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    names = review(desk, task, [issue("a"), issue("b", "LOW"), issue("c", "LOW")]).raised
    desk.start(CLAUDE, task)
    respond(desk, task, {names[0]: "FIXED", names[1]: "FIXED"})
    desk.repo.commit(f"fe/{task}")
    desk.submit(CLAUDE, task)
    assert not [note for note in desk.app.validation.validate(BOB).notes if "L15" in note]


def test_a_replaced_session_of_a_lead_profile_is_that_profile_by_what_was_seen_not_by_what_it_says_E2(
    desk: DeskWorld,
) -> None:
    configure(desk, QWEN_LEADS)
    task = stuck(desk)
    with desk.unchanged(), pytest.raises(Refused):
        desk.app.loops.lead(replace(CODEX, trust="asserted", asserted_name="qwen"), task, "senior", WHY)


def test_the_creator_of_the_task_may_be_its_lead_E3(desk: DeskWorld) -> None:
    task = stuck(desk)
    desk.app.loops.lead(ALICE, task, "senior", WHY)
    assert same_tier(desk, task) == ("senior", "")
