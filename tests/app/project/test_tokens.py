"""Tokens: who shows one below the right process is that session, for one role on one task (I2, I4). Others are refused,
on record.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from foureyes.app.results.task_list import ListQuery
from foureyes.core.nouns.session import Actor
from foureyes.core.words.ids import SessionId, token_hash
from foureyes.errors import BadInput, LostClaim, NotFound, Refused, TokenRefused
from foureyes.ui.steps import steps_text

from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, GEMINI, agent
from tests.stage.world import DeskWorld, GitWorld

SHELL = "process:boot:ns:shell"


def security(desk: DeskWorld) -> list[tuple[str, str, str]]:
    return [(row.kind, row.rule, row.session) for row in desk.app.audit.exceptions()]


def review_of(desk: DeskWorld, lead: Actor = CLAUDE) -> tuple[str, Actor]:
    """A task that a child of `lead` submitted, and the child."""
    task = desk.create(lead)
    child = desk.spawn(lead, task, "implement")
    desk.repo.commit(f"fe/{task}")
    desk.submit(child, task)
    return task, child


def test_a_spawned_session_has_a_token_its_parent_and_the_claim_I2_I4(desk: DeskWorld) -> None:
    task = desk.create(CLAUDE)
    child = desk.spawn(CLAUDE, task, "implement")
    assert (child.kind, child.trust, child.role, child.task, child.parent) == (
        "agent",
        "issued",
        "implement",
        task,
        CLAUDE.session,
    )
    assert (desk.task(task).status, desk.task(task).implementer) == ("in_progress", child.session)
    (entry,) = [entry for entry in desk.show(task).history if entry.action == "started"]
    assert (entry.session, entry.via) == (child.session, CLAUDE.session), "done for the child, via its spawner (I7)"
    row = next(row for row in desk.app.sessions.list() if row.id == child.session)
    assert (row.name, row.trust, row.parent) == ("claude#2", "issued", CLAUDE.session)
    desk.sound()


def test_only_a_hash_of_the_token_is_kept_I2(desk: DeskWorld) -> None:
    made = desk.app.sessions.spawn(CLAUDE, desk.create(), "review")
    journal = " ".join(row.payload for row in desk.app.audit.log(limit=1000))
    assert made.token not in journal
    assert token_hash(made.token) in journal


def test_a_token_shown_elsewhere_is_refused_and_a_security_event_of_who_showed_it_I2_P8(desk: DeskWorld) -> None:
    task = desk.create()
    made = desk.app.sessions.spawn(CLAUDE, task, "review")
    with pytest.raises(TokenRefused) as caught:
        desk.show_token(made.token, CODEX.processes, CODEX.processes)
    assert [reason.rule for reason in caught.value.reasons] == ["I2"]
    ((kind, rule, who),) = security(desk)
    assert (kind, rule) == ("token_elsewhere", "I2")
    assert who not in (CLAUDE.session, made.session)
    assert any("token_elsewhere" in line.text for line in desk.show(task).logs), "in the log of its task too"
    desk.sound()


@pytest.mark.parametrize(
    "token", ["fe-00", "", "x" * 100_000, "naïve \udcff token"], ids=["unknown", "empty", "huge", "not UTF-8"]
)
def test_a_token_that_nobody_gave_out_is_refused_I2(desk: DeskWorld, token: str) -> None:
    with pytest.raises(TokenRefused):
        desk.show_token(token, CLAUDE.processes)


@pytest.mark.parametrize("role", ["implement", "review"])
def test_a_token_is_good_for_its_role_only_I2(desk: DeskWorld, role: str) -> None:
    task = desk.create(BOB)
    child = desk.spawn(CLAUDE, task, role)
    app = desk.app
    never = {
        "create": lambda: app.tasks.create(child, "x"),
        "update": lambda: app.tasks.edit(child, task, minor=True),
        "label": lambda: app.tasks.add_label(child, task, ["docs"]),
        "dep": lambda: app.tasks.add_dependency(child, task, [task]),
        "close": lambda: app.closing.close(child, task),
        "cancel": lambda: app.closing.cancel(child, task),
        "reopen": lambda: app.closing.reopen(child, task),
        "next": lambda: app.claims.next(child),
        "unblock": lambda: app.stops.unblock(child, task),
        "hold": lambda: app.stops.hold(child, task, "x"),
        "merge": lambda: app.merges.process(child),
        "policy": lambda: app.policy.set(child, "review.policy", "trusted"),
        "accept": lambda: app.policy.accept(child),
        "key": lambda: app.keys.new(child),
        "new": lambda: app.sessions.new(child),
        "clear": lambda: app.attempts.correct_author(child, task, "ses-1", "x"),
    }
    verdicts = {
        "approve": lambda: app.decisions.approve(child, task, seen="12345678"),
        "redo": lambda: app.feedback.redo(child, task, "x"),
        "reject": lambda: app.feedback.reject(child, task, "x"),
        "withdraw": lambda: app.decisions.withdraw(child, task),
    }
    works = {"start": lambda: app.claims.start(child, task), "submit": lambda: app.attempts.submit(child, task)}
    for call in (never | (verdicts if role == "implement" else works)).values():
        with desk.refused("I2"):
            call()
    app.notes.log(child, task, "a line")
    app.notes.handoff(child, task, done=["it"], remaining=[], decisions=[], uncertain=[])


def test_a_token_is_good_for_its_task_only_I2(desk: DeskWorld) -> None:
    task, _ = review_of(desk)
    other, _ = review_of(desk)
    reviewer = desk.spawn(GEMINI, task, "review")
    for call in (
        lambda: desk.approve(reviewer, other),
        lambda: desk.app.feedback.redo(reviewer, other, "x"),
        lambda: desk.app.notes.log(reviewer, other, "x"),
        lambda: desk.app.sessions.spawn(reviewer, other, "review"),
    ):
        with desk.refused("I2"):
            call()
    assert [row.task.id for row in desk.app.lists.reviewable(reviewer, ListQuery()).rows] == [task]


def test_an_implement_token_hands_in_and_its_holder_is_an_author_A1(desk: DeskWorld) -> None:
    task = desk.create(BOB)
    desk.start(CLAUDE, task)
    helper = desk.spawn(CLAUDE, task, "implement")
    assert desk.task(task).implementer == CLAUDE.session, "the lead keeps its claim, the child helps"
    desk.repo.commit(f"fe/{task}")
    desk.submit(helper, task)
    assert set(desk.show(task).authors) == {CLAUDE.session, helper.session}
    assert desk.show(task).attempts[-1].via == helper.session


def test_start_with_a_token_finds_the_claim_that_came_with_it_I2(desk: DeskWorld) -> None:
    task = desk.create(BOB)
    child = desk.spawn(CLAUDE, task, "implement")
    assert desk.start(child, task).changed is False


def test_a_claim_of_somebody_else_is_not_taken_by_spawning_T1(desk: DeskWorld) -> None:
    task = desk.create()
    desk.start(CODEX, task)
    for who in (CLAUDE, replace(CI, leader=SHELL), replace(BOB, leader=SHELL)):
        with desk.refused(error=LostClaim):
            desk.app.sessions.spawn(who, task, "implement")


@pytest.mark.parametrize(("given", "wanted"), [("implement", "review"), ("review", "implement")])
def test_a_token_spawns_its_own_role_only_I2(desk: DeskWorld, given: str, wanted: str) -> None:
    task = desk.create()
    child = desk.spawn(CLAUDE, task, given)
    with desk.refused("I2"):
        desk.app.sessions.spawn(child, task, wanted)
    assert desk.spawn(child, task, given).parent == child.session


def test_an_author_cannot_have_its_work_approved_by_a_session_it_spawned_I4_P2(desk: DeskWorld) -> None:
    task = desk.submitted_task(CLAUDE)
    reviewer = desk.spawn(CLAUDE, task, "review")
    with desk.refused("P2"):
        desk.approve(reviewer, task, reason="read it")


def test_siblings_under_one_agent_judge_each_other_by_P3_at_best_I4(desk: DeskWorld) -> None:
    task, _ = review_of(desk)
    sibling = desk.spawn(CLAUDE, task, "review")
    with desk.refused("P3") as caught:
        desk.approve(sibling, task)
    assert "started you" in caught[0].reasons[0].message
    desk.app.policy.set(ALICE, "review.policy", "strict")
    with desk.refused("P3"):
        desk.approve(sibling, task, reason="read it")
    desk.app.policy.set(ALICE, "review.policy", "balanced")
    assert desk.approve(sibling, task, reason="read it").exception


def test_children_of_one_person_are_of_one_origin_and_those_of_two_are_not_I4(desk: DeskWorld) -> None:
    task = desk.create(CODEX)
    maker = desk.spawn(ALICE, task, "implement", agent="claude", below=["process:boot:ns:c1"])
    desk.repo.commit(f"fe/{task}")
    desk.submit(maker, task)
    mine = desk.spawn(ALICE, task, "review", agent="codex", below=["process:boot:ns:c2"])
    with desk.refused("P2"):
        desk.approve(mine, task, reason="read it")
    theirs = desk.spawn(BOB, task, "review", agent="codex", below=["process:boot:ns:c3"])
    assert desk.approve(theirs, task).rule == "P7"


def test_children_of_a_service_work_and_decide_nothing_I4_I5(desk: DeskWorld) -> None:
    """A process that sheds its agent and has no terminal must not be able to spawn itself a reviewer."""
    task = desk.create(BOB)
    maker = desk.spawn(CI, task, "implement", agent="claude")
    desk.repo.commit(f"fe/{task}")
    desk.submit(maker, task)
    other = desk.submitted_task(CLAUDE)
    for work, rule in ((task, "P2"), (other, "I5")):
        reviewer = desk.spawn(CI, work, "review", agent="codex")
        with desk.refused(rule):
            desk.approve(reviewer, work, reason="read it")
        with desk.refused(rule):
            desk.app.feedback.reject(reviewer, work, "no")
        assert desk.app.lists.reviewable(reviewer, ListQuery()).rows == []


def test_dropping_the_token_leaves_the_origin_I3(desk: DeskWorld) -> None:
    """An agent process that used a token is evidence of that session: without the token it is of the same origin."""
    task = desk.create(CODEX)
    inner = agent("codex", 9)
    maker = desk.spawn(ALICE, task, "implement", agent="codex", below=inner.processes)
    desk.repo.commit(f"fe/{task}")
    desk.submit(maker, task)
    with desk.refused("P2"):
        desk.approve(inner, task, reason="I am somebody else now")


def test_model_and_vendor_count_for_issued_sessions_with_a_profile_of_the_policy_in_force_I6_P6(
    desk: DeskWorld,
) -> None:
    desk.repo.files["foureyes.toml"] = (
        '[review]\nindependence = "vendor"\n[agents.claude]\nmodel = "opus"\nvendor = '
        '"anthropic"\n[agents.codex]\nmodel = "gpt"\n'
        'vendor = "openai"\n[agents.sonnet]\nprogram = "claude"\nmodel = "sonnet"\nvendor = "anthropic"\n'
    )
    desk.app.policy.accept(ALICE)
    task = desk.create(GEMINI)
    maker = desk.spawn(ALICE, task, "implement", agent="claude")
    desk.repo.commit(f"fe/{task}")
    desk.submit(maker, task)
    for reviewer in (
        CODEX,
        desk.spawn(BOB, task, "review", agent="sonnet"),
        desk.spawn(CODEX, task, "review", agent="codex"),
    ):
        with desk.refused("P6"):
            desk.approve(reviewer, task, reason="read it")
    assert desk.approve(desk.spawn(BOB, task, "review", agent="codex"), task).rule == "P7"


def test_an_unknown_profile_or_role_is_an_error_with_the_allowed_ones(desk: DeskWorld) -> None:
    task = desk.create()
    with pytest.raises(BadInput) as caught:
        desk.app.sessions.spawn(CLAUDE, task, "review", agent="nobody")
    assert "claude, claude-senior, codex" in steps_text(caught.value.next_step)
    with pytest.raises(BadInput, match="implement, review"):
        desk.app.sessions.spawn(CLAUDE, task, "approve")


def test_a_service_without_a_session_leader_can_bind_no_token_I2(desk: DeskWorld) -> None:
    task = desk.create()
    with desk.refused("I2"):
        desk.app.sessions.spawn(CI, task, "review")


def test_a_made_up_issued_actor_is_refused_I2_I10(desk: DeskWorld) -> None:
    """Who imports the Application can say anything about itself; that it holds a token it cannot say."""
    task = desk.submitted_task(CLAUDE)
    real = desk.spawn(GEMINI, task, "review")
    made_up = replace(CODEX, session=SessionId("ses-boss"), trust="issued", role="review", task=real.task)
    for actor in (
        made_up,
        replace(made_up, token=token_hash("guess")),
        replace(made_up, session=real.session),
        replace(real, role=None),
    ):
        with desk.refused("I2"):
            desk.approve(actor, task)
        with desk.refused("I2"):
            desk.app.notes.log(actor, task, "x")


# Ending


def test_an_ended_session_has_no_token_and_no_claims_I2_T1(desk: DeskWorld) -> None:
    task = desk.create(CLAUDE)
    child = desk.spawn(CLAUDE, task, "implement")
    ended = desk.app.sessions.end(CLAUDE, child.session, reason="it hangs")
    assert (ended.ended, ended.released, desk.status(task)) == ([child.session], [task], "open")
    with desk.refused("I2"):
        desk.app.notes.log(child, task, "still here")
    assert "released" not in [entry.action for entry in desk.show(task).history], "no implementation action of the doer"
    assert next(row for row in desk.app.sessions.list() if row.id == child.session).ended
    desk.sound()


def test_ending_a_session_ends_everything_below_it_I2(desk: DeskWorld) -> None:
    task = desk.create(CLAUDE)
    child = desk.spawn(CLAUDE, task, "review")
    grandchild = desk.spawn(child, task, "review")
    assert desk.app.sessions.end(CLAUDE, child.session).ended == [child.session, grandchild.session]
    with desk.refused("I2"):
        desk.app.notes.log(grandchild, task, "x")
    assert desk.app.sessions.end(CLAUDE, child.session).ended == []


def test_who_ends_itself_gives_its_claims_back_T1(desk: DeskWorld) -> None:
    task = desk.create()
    desk.start(CLAUDE, task)
    assert desk.app.sessions.end(CLAUDE).released == [task]
    assert desk.show(task).history[-1].action == "unstarted"


def test_an_ended_session_that_writes_again_lives_again_unless_it_had_a_token(desk: DeskWorld) -> None:
    task = desk.create()
    desk.start(CLAUDE, task)
    desk.app.sessions.end(CLAUDE)
    desk.app.notes.log(CLAUDE, task, "after all")
    assert not next(row for row in desk.app.sessions.list() if row.id == CLAUDE.session).ended


def test_a_claim_of_an_ended_session_is_anybodys_to_release_T1(desk: DeskWorld) -> None:
    task = desk.create()
    desk.start(CLAUDE, task)
    desk.app.sessions.end(CLAUDE)
    assert desk.status(task) == "open"


@pytest.mark.parametrize("who", [CODEX, CI], ids=["another agent", "service"])
def test_only_oneself_a_spawner_or_a_person_ends_a_session_I4(desk: DeskWorld, who: Actor) -> None:
    task = desk.create(CLAUDE)
    child = desk.spawn(CLAUDE, task, "review")
    with desk.refused("I4"):
        desk.app.sessions.end(who, child.session)
    assert desk.app.sessions.end(BOB, child.session).ended == [child.session]


def test_a_session_that_nobody_knows_cannot_be_ended(desk: DeskWorld) -> None:
    with pytest.raises(NotFound):
        desk.app.sessions.end(ALICE, "ses-nobody")
    with pytest.raises(NotFound):
        desk.app.sessions.end(CLAUDE)


# `session new` and `same_origin`


def renewed(desk: DeskWorld, actor: Actor) -> Actor:
    desk.app.sessions.new(actor)
    return desk.app.sessions.recognise(lambda _: actor)


def test_a_new_session_is_a_new_line_and_never_a_new_pair_of_eyes_I4(desk: DeskWorld) -> None:
    task = desk.submitted_task(CLAUDE)
    again = renewed(desk, CLAUDE)
    assert again.session != CLAUDE.session
    assert desk.app.sessions.whoami(again).origins == desk.app.sessions.whoami(CLAUDE).origins
    with desk.refused("P2"):
        desk.approve(again, task, reason="fresh eyes")
    assert renewed(desk, CLAUDE).session not in (again.session, CLAUDE.session)
    assert desk.app.sessions.recognise(lambda _: CODEX) == CODEX
    desk.sound()


@pytest.mark.parametrize("who", [ALICE, CI], ids=["person", "service"])
def test_people_and_services_are_one_session_everywhere_I5(desk: DeskWorld, who: Actor) -> None:
    with desk.refused("I5"):
        desk.app.sessions.new(who)


def test_same_origin_audit_allows_another_session_and_says_so_I4_P8(desk: DeskWorld) -> None:
    desk.app.policy.set(ALICE, "review.same_origin", "audit")
    task = desk.submitted_task(CLAUDE)
    again = renewed(desk, CLAUDE)
    done = desk.approve(again, task)
    assert (done.rule, done.exception) == ("P7", True)
    assert security(desk) == [("same_origin", "P7", again.session)]


def test_same_origin_audit_never_helps_the_author_itself_or_what_is_below_it_I4_P2(desk: DeskWorld) -> None:
    desk.app.policy.set(ALICE, "review.same_origin", "audit")
    task = desk.submitted_task(CLAUDE)
    nested = agent("codex", 7, evidence=CLAUDE.evidence)
    nested = replace(nested, processes=nested.evidence)
    for who in (CLAUDE, nested, desk.spawn(CLAUDE, task, "review")):
        with desk.refused("P2"):
            desk.approve(who, task, reason="fine")


def test_an_agents_environment_cannot_turn_audit_on_P12(desk: DeskWorld) -> None:
    desk.environ["FOUREYES_REVIEW_SAME_ORIGIN"] = "audit"
    task = desk.submitted_task(CLAUDE)
    again = renewed(desk, CLAUDE)
    with desk.refused("P2"):
        desk.approve(again, task)


def test_submitting_with_a_token_of_real_work_in_git_A1(world: GitWorld) -> None:
    task = world.create(CLAUDE)
    child = world.spawn(CLAUDE, task, "implement")
    world.checkout.branch(f"fe/{task}")
    world.checkout.commit("work.py", session=child)
    world.submit(child, task)
    assert world.show(task).authors == [child.session]
    other = world.create(CLAUDE)
    world.checkout.write("more.py", "more\n")
    with pytest.raises(Refused):
        world.submit(child, other, commit="sneaked in")
    assert world.checkout.git("status", "--porcelain") == "?? more.py", "refused before anything was committed"
