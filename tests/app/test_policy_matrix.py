"""Every row of the policy matrix, through the pure function and through the Application; C and the seeds' tables too.

On SQLite the Application answers every row. On PostgreSQL, where a row costs several times as much, it answers a
pairwise cover of them: every relation with every grade and every kind of minor, and each of these with the other.
Everything else here runs on both.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product

import pytest

from foureyes.app.ledger import facts_of
from foureyes.app.ports import ListQuery
from foureyes.core.four_eyes import Said, may_approve, may_close
from foureyes.core.ids import TaskId
from foureyes.core.policy import POLICIES, PolicyName
from foureyes.errors import Refused

from tests import engines
from tests.app import matrix
from tests.app.matrix import GRADES, MINOR, STORIES, Expected, World, expected

WHY = "I read every line"
relations = pytest.mark.parametrize("relation", STORIES)


# --------------------------------------------------------------------------------------------- P, the pure function


@pytest.mark.on("sqlite")
@relations
@pytest.mark.parametrize("policy", POLICIES)
def test_the_pure_function_answers_every_row_as_the_rules_do_P(policy: PolicyName, relation: str) -> None:
    wrong: list[str] = []
    actor = matrix.party(STORIES[relation].actor)
    for minor, grade, readable, reason in product(MINOR, GRADES, (True, False), (True, False)):
        facts = matrix.facts_of(relation, minor, grade == "label", readable)
        said = Said(WHY if reason else "  ")
        answer = may_approve(facts, actor, matrix.policy_of(policy, grade), said)
        wanted = expected(policy, relation, minor, grade, readable=readable, reason=reason)
        found = (answer.allowed, answer.needs_reason, answer.exception)
        if found != (wanted.allowed, wanted.needs_reason, wanted.exception) or answer.rule not in wanted.rules:
            wrong.append(f"minor {minor}, {grade}, readable {readable}, reason {reason}: {wanted} but {answer}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.on("sqlite")
@pytest.mark.parametrize("relation", [name for name, row in matrix.ROW.items() if row == "P2"])
def test_under_trusted_makers_approve_only_what_they_declare_P2(relation: str) -> None:
    actor, facts = matrix.party(STORIES[relation].actor), matrix.facts_of(relation, "no", False)
    for policy, declares, reason in product(POLICIES, ("", "reviewed by", "self-review"), ("", WHY)):
        said = Said(reason, "Bob" if declares == "reviewed by" else "", declares == "self-review")
        answer = may_approve(facts, actor, matrix.policy_of(policy, "origin"), said)
        passes = policy == "trusted" and (declares == "reviewed by" or (declares == "self-review" and reason == WHY))
        assert answer.allowed == passes, f"{policy}, {declares or 'nothing'} declared, reason {reason!r}: {answer}"
        assert (answer.exception == "self_review") == passes


# --------------------------------------------------------------------------------------------- P, the Application


def attempted(world: World, relation: str, task: str, reason: str) -> tuple[bool, set[str], bool]:
    """Approve: whether it went through, by which rules, and whether as an exception."""
    try:
        done = world.app.decisions.approve(STORIES[relation].actor, task, seen=world.diff(task)[:15], reason=reason)
    except Refused as refused:
        return False, {why.rule for why in refused.reasons}, False
    assert done.status == "approved"
    assert (done.security_event is not None) == done.exception
    return True, {done.rule}, done.exception


def listed(world: World, relation: str, task: str, wanted: Expected, *, needs_reason: bool) -> str:
    """P13: what disagrees between the list and what approving with a reason would do."""
    rows = world.app.lists.reviewable(STORIES[relation].actor, ListQuery(label=task))
    if [row.task.id for row in rows] != ([task] if wanted.allowed else []):
        return f"reviewable lists {len(rows)}, approve with a reason says {wanted.allowed}"
    marked = any(row.you.needs_reason for row in rows)
    return f"needs_reason is {marked}, and should be {needs_reason}" if marked != needs_reason else ""


@pytest.fixture(scope="module")
def world(on_engine: str, _modules_engines_are_tidied: None) -> World:
    with engines.worlds_on(on_engine):
        return World()


@pytest.mark.on("sqlite")
@relations
@pytest.mark.parametrize("minor", MINOR)
@pytest.mark.parametrize("grade", GRADES)
def test_the_application_approves_and_lists_every_row_as_the_rules_say_P13(world: World, relation: str, minor: str, grade: str) -> None:
    answers_as_the_rules_say(world, relation, minor, grade)


PAIRS = [(relation, MINOR[(n + m) % len(MINOR)], grade) for n, relation in enumerate(STORIES) for m, grade in enumerate(GRADES)]


@pytest.mark.on("postgres")
@pytest.mark.parametrize(("relation", "minor", "grade"), PAIRS)
def test_the_application_answers_every_pair_of_the_matrix_on_a_server_P13(world: World, relation: str, minor: str, grade: str) -> None:
    answers_as_the_rules_say(world, relation, minor, grade)


@pytest.mark.on("sqlite")
def test_the_pairs_are_all_pairs() -> None:
    assert {(relation, minor) for relation, minor, _ in PAIRS} == set(product(STORIES, MINOR))
    assert {(relation, grade) for relation, _, grade in PAIRS} == set(product(STORIES, GRADES))
    assert {(minor, grade) for _, minor, grade in PAIRS} == set(product(MINOR, GRADES))


def answers_as_the_rules_say(world: World, relation: str, minor: str, grade: str) -> None:
    """A refusal changes nothing, so the task serves on; an approval does, so the story is told anew."""
    wrong: list[str] = []
    task = ""
    for policy, reason in product(POLICIES, (False, True)):
        task = task or world.tell(relation, minor, security=grade == "label")
        world.rules(policy, grade)
        wanted = expected(policy, relation, minor, grade, reason=reason)
        if not reason:
            with_one = expected(policy, relation, minor, grade, reason=True)
            problem = listed(world, relation, task, with_one, needs_reason=wanted.needs_reason)
            wrong += [f"{policy}: {problem}"] if problem else []
        allowed, rules, exception = attempted(world, relation, task, WHY if reason else " ")
        if allowed != wanted.allowed or exception != bool(wanted.exception) or not rules <= wanted.rules:
            wrong.append(f"{policy}, reason {reason}: {wanted} but allowed {allowed} by {rules}, exception {exception}")
        task = "" if allowed else task
    assert not wrong, "\n".join(wrong)


def stands(world: World, relation: str) -> str:
    """A task in review that is not the first of its kind, listed to nobody in particular."""
    world.rules("balanced")
    return world.tell(relation, "no")


def test_the_list_has_every_page_of_what_may_be_approved_and_nothing_else_P13() -> None:
    world = World()
    mine = {stands(world, "implementer") for _ in range(60)}
    others = {stands(world, "implementer, a person") for _ in range(60)}
    assert {row.task.id for row in world.app.lists.reviewable(matrix.REVIEWER, ListQuery(limit=500))} == mine | others
    assert {row.task.id for row in world.app.lists.reviewable(matrix.MAKER, ListQuery(limit=500))} == others
    assert {row.task.id for row in world.app.lists.reviewable(matrix.ADA, ListQuery(limit=500))} == mine
    assert len(world.app.lists.reviewable(matrix.REVIEWER, ListQuery(limit=70))) == 70


def test_what_is_held_is_not_listed_and_not_approved_P13_D3(world: World) -> None:
    task = stands(world, "uninvolved agent")
    world.app.stops.hold(matrix.ADA, task, "wait")
    assert world.app.lists.reviewable(matrix.REVIEWER, ListQuery(label=task)) == []
    allowed, rules, _ = attempted(world, "uninvolved agent", task, WHY)
    assert (allowed, rules) == (False, {"D3"})


def test_what_is_not_in_review_is_not_listed_P13_D1(world: World) -> None:
    task = stands(world, "uninvolved agent")
    world.app.decisions.redo(matrix.EVE, task, "once more")
    assert world.app.lists.reviewable(matrix.REVIEWER, ListQuery(label=task)) == []
    assert attempted(world, "uninvolved agent", task, WHY)[:2] == (False, {"D1"})


def test_a_moved_branch_is_listed_and_marked_stale_P13_D4(world: World) -> None:
    task = stands(world, "uninvolved agent")
    (fresh,) = world.app.lists.reviewable(matrix.REVIEWER, ListQuery(label=task))
    assert not fresh.you.stale
    world.repo.commit(f"fe/{task}")
    (row,) = world.app.lists.reviewable(matrix.REVIEWER, ListQuery(label=task))
    assert row.you.stale
    assert attempted(world, "uninvolved agent", task, WHY)[:2] == (False, {"D4"})


def test_landed_work_that_left_the_target_is_listed_and_marked_stale_P13_D4(world: World) -> None:
    task = world.create(matrix.CREATOR, labels=["landed"])
    world.take(task, ("start", matrix.MAKER))
    head = world.repo.commit("main-work")
    world.repo.landed.add(head)
    world.app.attempts.submit(matrix.MAKER, task)
    (fresh,) = world.app.lists.reviewable(matrix.REVIEWER, ListQuery(label="landed"))
    assert not fresh.you.stale
    world.repo.landed.remove(head)
    assert attempted(world, "uninvolved agent", task, WHY)[:2] == (False, {"D4"})
    (row,) = world.app.lists.reviewable(matrix.REVIEWER, ListQuery(label="landed"))
    assert row.you.stale


@pytest.mark.parametrize("who", ["MAKER", "AGAIN", "CHILD"])
def test_a_label_that_a_maker_takes_off_still_asks_for_a_person_M6(world: World, who: str) -> None:
    world.rules("balanced")
    task = world.tell("uninvolved agent", "no", security=True)
    world.app.tasks.remove_label(getattr(matrix, who), task, ["security"])
    assert world.app.lists.reviewable(matrix.REVIEWER, ListQuery(label=task)) == []
    assert attempted(world, "uninvolved agent", task, WHY)[:2] == (False, {"P6"})
    assert attempted(world, "person", task, WHY)[:2] == (True, {"P7"})


def test_a_label_that_an_outsider_takes_off_asks_for_nothing_M6(world: World) -> None:
    world.rules("balanced")
    task = world.tell("uninvolved agent", "no", security=True)
    world.app.tasks.remove_label(matrix.EVE, task, ["security"])
    assert attempted(world, "uninvolved agent", task, WHY)[:2] == (True, {"P7"})


def test_what_show_says_is_what_approve_does_G3(world: World) -> None:
    for relation in STORIES:
        task = stands(world, relation)
        you = world.app.lists.show(STORIES[relation].actor, task).you
        assert you is not None
        wanted = expected("balanced", relation, "no", "origin", reason=True)
        assert (you.may_approve, you.needs_reason) == (wanted.allowed, wanted.needs_reason), relation
        assert wanted.allowed or {reason.rule for reason in you.reasons} <= wanted.rules


def test_reasons_of_the_gate_come_before_those_of_the_policy_and_none_is_left_out_G2(world: World) -> None:
    task = stands(world, "implementer")
    world.app.stops.hold(matrix.ADA, task, "wait")
    world.repo.commit(f"fe/{task}")
    with pytest.raises(Refused) as refused:
        world.app.decisions.approve(matrix.MAKER, task)
    assert [reason.rule for reason in refused.value.reasons] == ["D3", "D4", "D7", "P2"]


# ---------------------------------------------------------------------------------------------------------------- C


@pytest.mark.parametrize("done", matrix.DONE)
@pytest.mark.parametrize("closer", matrix.CLOSERS)
def test_every_row_of_who_may_close_C1(world: World, closer: str, done: str) -> None:
    if done.startswith("self") and not matrix.can_self(closer):
        with pytest.raises(Refused):
            world.take(world.create(matrix.CREATOR), ("start", matrix.CLOSERS[closer]))
        return
    wrong: list[str] = []
    world.rules("balanced")
    for minor, exception in product((False, True), ("", "  ", "the plan changed")):
        if done == "other works on it" and (minor or exception.strip()):
            continue  # which of the two sentences of C1 wins is not said
        task = matrix.closing_story(world, closer, done, minor=minor)
        wanted = matrix.closes(closer, done, minor=minor, exception=bool(exception.strip()))
        found = closed(world, closer, task, exception)
        if found != wanted:
            wrong.append(f"minor {minor}, exception {exception!r}: {wanted} but {found}")
    assert not wrong, "\n".join(wrong)


def closed(world: World, closer: str, task: str, exception: str) -> str:
    """What closing does; the pure function, asked with the store's facts, must say the same."""
    actor, context = matrix.CLOSERS[closer], world.app.context
    with context.store.read() as tx:
        me = context.party(tx, actor)
        facts = facts_of(context, tx, TaskId(task), me)
        pure = may_close(facts, me, context.policy(tx, actor), exception)
    before = len(world.app.policy.security(10_000))
    refused = refusal(lambda: world.app.closing.close(actor, task, exception=exception))
    shown = world.app.lists.show(actor, task)
    assert pure.allowed == (refused is None) == (shown.task.status == "closed")
    if refused is not None:
        assert refused <= {"C1", "I1", "I5"}
        return "refuse"
    records = world.app.policy.security(10_000)
    if len(records) == before:
        return "allow"
    assert len(records) == before + 1
    assert (records[0].task, records[0].session) == (task, actor.session)
    assert any(line.type == "security" for line in shown.logs), "and in the task's log (P8)"
    return "audit"


def refusal(verb: Callable[[], object]) -> set[str] | None:
    """The rules by which something was refused; None when it was not."""
    try:
        verb()
    except Refused as refused:
        return {reason.rule for reason in refused.reasons}
    return None


def test_closing_never_merges_and_what_was_not_merged_is_listed_C2(world: World) -> None:
    task = matrix.closing_story(world, "creator agent", "other handed in", minor=False)
    world.app.closing.close(matrix.CREATOR, task)
    shown = world.app.lists.show(matrix.CREATOR, task).task
    assert shown.merge is None
    assert task in {row.id for row in world.app.lists.page(ListQuery(unmerged=True, limit=1000))}


def test_what_is_stale_is_not_closed_from_review_C3(world: World) -> None:
    task = matrix.closing_story(world, "uninvolved agent", "other handed in", minor=False)
    world.repo.commit(f"fe/{task}")
    with pytest.raises(Refused) as refused:
        world.app.closing.close(matrix.REVIEWER, task)
    assert [reason.rule for reason in refused.value.reasons] == ["D4"]


# ------------------------------------------------------------------------------------------------- the seeds' tables


SEED_001 = {
    # "Policy Summary" of seeds/001: scenario, who, what was done, verb, allowed?
    "Creator closes (no one implemented)": ("creator agent", "nobody", "close", False),
    "Creator closes (other implemented)": ("creator agent", "other handed in", "close", True),
    "Implementer closes": ("uninvolved agent", "self handed in", "close", False),
    "Session that unstarted approves": ("former implementer", "", "approve", False),
    "Creator approves": ("creator agent", "", "approve", False),
    "Minor task self-approve": ("implementer", "minor", "approve", True),
    "Unrelated session approves": ("uninvolved agent", "", "approve", True),
}


@pytest.mark.parametrize("scenario", SEED_001)
def test_every_line_of_the_first_seeds_table_under_strict_P_C(scenario: str) -> None:
    who, done, verb, allowed = SEED_001[scenario]
    world = World()
    if verb == "close":
        task = matrix.closing_story(world, who, done, minor=False)
        world.rules("strict")
        refused = refusal(lambda: world.app.closing.close(matrix.CLOSERS[who], task)) == {"C1"}
    else:
        task = world.tell(who, "at creation" if done == "minor" else "no")
        world.rules("strict")
        refused = not attempted(world, who, task, WHY)[0]
    assert refused != allowed


def test_closing_after_creating_does_not_bypass_the_review_seed_001(world: World) -> None:
    """Bypass 1: nobody has started it, so there is no implementer to compare with."""
    task = world.create(matrix.CREATOR)
    assert refusal(lambda: world.app.closing.close(matrix.CREATOR, task)) == {"C1"}
    assert refusal(lambda: world.app.attempts.submit(matrix.CREATOR, task)) == {"T2"}


@pytest.mark.parametrize("policy", POLICIES)
def test_giving_a_task_back_does_not_bypass_the_review_seed_001(world: World, policy: PolicyName) -> None:
    """Bypasses 2 and 3: A starts, gives back, B starts and hands in; A neither approves nor closes, whatever the policy."""
    task = stands(world, "former implementer")
    world.rules(policy)
    assert attempted(world, "former implementer", task, WHY)[:2] == (False, {"P2"})
    assert refusal(lambda: world.app.closing.close(matrix.FORMER, task)) == {"C1"}


def test_rule_1_implementers_stay_blocked_under_balanced_seed_000(world: World) -> None:
    for relation in ("implementer", "implementer and creator", "former implementer"):
        assert attempted(world, relation, stands(world, relation), WHY)[:2] == (False, {"P2"})


def test_rule_2_the_creator_approves_others_work_with_a_reason_and_is_audited_seed_000(world: World) -> None:
    task = stands(world, "creator agent")
    assert attempted(world, "creator agent", task, "")[:2] == (False, {"P3"})
    assert attempted(world, "creator agent", task, " \t ")[:2] == (False, {"P3"})
    assert attempted(world, "creator agent", task, WHY) == (True, {"P3"}, True)
    (line,) = [log for log in world.app.lists.show(matrix.ADA, task).logs if log.type == "security"]
    assert "creator_approval" in line.text
    assert WHY in line.text
    record = world.app.policy.security(1)[0]
    assert (record.kind, record.task, record.session, record.reason) == ("creator_approval", task, matrix.CREATOR.session, WHY)


def test_rule_2_needs_a_different_implementer_seed_000(world: World) -> None:
    assert attempted(world, "implementer and creator", stands(world, "implementer and creator"), WHY)[:2] == (False, {"P2"})


def test_rule_3_who_was_involved_before_approves_with_a_reason_as_P5_says_seed_000(world: World) -> None:
    task = stands(world, "prior approver")
    assert attempted(world, "prior approver", task, "")[:2] == (False, {"P5"})
    assert attempted(world, "prior approver", task, WHY) == (True, {"P5"}, True)
    assert world.app.policy.security(1)[0].kind == "repeat_reviewer"


def test_rule_4_minor_tasks_stay_a_full_bypass_and_are_audited_seed_000(world: World) -> None:
    for relation, audited in (("implementer", True), ("creator agent", False), ("uninvolved agent", False)):
        world.rules("balanced")
        task = world.tell(relation, "at creation")
        assert attempted(world, relation, task, "") == (True, {"P1"}, audited)


def test_the_flag_turns_the_policy_back_to_strict_and_forth_seed_000() -> None:
    world = World()
    world.repo.config = None
    task = world.create(matrix.CREATOR)
    world.take(task, ("start", matrix.MAKER))
    world.submit(matrix.MAKER, task)
    world.app.policy.set_feature(matrix.ADA, "balanced_review_policy", "false")
    assert attempted(world, "creator agent", task, WHY)[:2] == (False, {"P3"})
    assert world.app.lists.reviewable(matrix.CREATOR, ListQuery()) == []
    with pytest.raises(Refused):
        world.app.policy.set_feature(matrix.CREATOR, "balanced_review_policy", "true")
    world.app.policy.set_feature(matrix.ADA, "balanced_review_policy", "true")
    assert attempted(world, "creator agent", task, WHY) == (True, {"P3"}, True)


@pytest.mark.parametrize("variable", ["FOUREYES_FEATURE_BALANCED_REVIEW_POLICY", "TD_FEATURE_BALANCED_REVIEW_POLICY"])
def test_the_flag_in_the_environment_makes_one_process_strict_seed_000(variable: str) -> None:
    world = World({variable: "false"})
    task = stands(world, "creator agent")
    assert attempted(world, "creator agent", task, WHY)[:2] == (False, {"P3"})
    assert world.app.lists.reviewable(matrix.CREATOR, ListQuery()) == []


def test_minor_self_approvals_are_rationed_per_origin_and_day_P10() -> None:
    world = World()
    world.repo.config = "[minor]\nself_approvals_per_day = 2\n"
    world.app.policy.accept(matrix.ADA)

    def minor_by(relation: str) -> tuple[bool, set[str]]:
        task = world.create(matrix.CREATOR, minor=True)
        for step in STORIES[relation].steps:
            world.take(task, step)
        return attempted(world, relation, task, WHY)[:2]

    assert [minor_by("implementer") for _ in range(3)] == [(True, {"P1"}), (True, {"P1"}), (False, {"P2"})]
    assert minor_by("same origin") == (False, {"P2"}), "the origin has used it up, not the session"
    assert minor_by("implementer, a person") == (True, {"P1"}), "another origin has its own"


def test_what_spawned_sessions_approve_for_their_author_uses_up_its_allowance_P10_I4() -> None:
    """A spawned session may do no more than its spawner; otherwise an author spawns itself as many allowances as it likes."""
    world = World()
    world.repo.config = "[minor]\nself_approvals_per_day = 1\n"
    world.app.policy.accept(matrix.ADA)
    answers = []
    for name in ("first", "second", "third"):
        task = world.create(matrix.CREATOR, minor=True)
        world.take(task, ("start", matrix.MAKER))
        world.submit(matrix.MAKER, task)
        child = matrix.agent(f"{name}-child", parent=matrix.MAKER)
        approve = partial(world.app.decisions.approve, child, task, seen=world.diff(task))
        answers.append(refusal(approve))
    assert answers == [None, {"P2"}, {"P2"}]
