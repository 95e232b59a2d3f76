"""Every row of the policy matrix, through the pure function and through the Application; C and tables of stories too.

The pure function answers the whole product: policy, relation, minor, required grade, `same_origin`, readable history,
reason. On SQLite the Application answers every row of policy, relation, minor and grade, with `same_origin = "audit"` a
pairwise cover of them; on PostgreSQL, where a row costs several times as much, a pairwise cover of everything.
Everything else here runs on both.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations, product
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from foureyes.app.facts import facts_of
from foureyes.app.results.task_list import ListQuery
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.closing import may_close
from foureyes.core.rules.facts import RecordedApproval
from foureyes.core.rules.four_eyes import NOTHING, Declaration, may_approve
from foureyes.core.rules.policy import POLICIES, PolicyName, SameOrigin
from foureyes.core.words.ids import TaskId
from foureyes.errors import Conflict, Refused

from tests import engines
from tests.app import matrix
from tests.app.matrix import GRADES, MINOR, SAME_ORIGIN, STORIES, Expected, StoryWorld, expected

WHY = "I read every line"
relations = pytest.mark.parametrize("relation", STORIES)


# --------------------------------------------------------------------------------------------- P, the pure function


@pytest.mark.on("sqlite")
@relations
@pytest.mark.parametrize("policy", POLICIES)
def test_the_pure_function_answers_every_row_as_the_rules_do_P(policy: PolicyName, relation: str) -> None:
    wrong: list[str] = []
    actor = matrix.party(STORIES[relation].actor, calling=True)
    for minor, grade, same_origin, readable, reason in product(
        MINOR, GRADES, SAME_ORIGIN, (True, False), (True, False)
    ):
        facts = matrix.facts_of(relation, minor, grade == "label", readable)
        said = Declaration(WHY if reason else "  ")
        answer = may_approve(facts, actor, matrix.policy_of(policy, grade, same_origin), said)
        wanted = expected(policy, relation, minor, grade, same_origin, readable=readable, reason=reason)
        found = (answer.allowed, answer.needs_reason, answer.exception)
        if found != (wanted.allowed, wanted.needs_reason, wanted.exception) or answer.rule not in wanted.rules:
            wrong.append(
                f"minor {minor}, {grade}, {same_origin}, readable {readable}, reason {reason}: {wanted} but {answer}"
            )
    assert not wrong, "\n".join(wrong)


MAKERS = [name for name, row in matrix.ROW.items() if row == "P2"]
DECLARING = [(name, how) for name in MAKERS for how in SAME_ORIGIN if how == "refuse" or name not in matrix.UNDER_AUDIT]


@pytest.mark.on("sqlite")
@pytest.mark.parametrize(("relation", "same_origin"), DECLARING)
def test_under_trusted_makers_approve_only_what_they_declare_P2(relation: str, same_origin: SameOrigin) -> None:
    actor, facts = matrix.party(STORIES[relation].actor, calling=True), matrix.facts_of(relation, "no", False)
    for policy, declares, reason in product(POLICIES, ("", "reviewed by", "self-review"), ("", WHY)):
        said = Declaration(reason, "Bob" if declares == "reviewed by" else "", declares == "self-review")
        answer = may_approve(facts, actor, matrix.policy_of(policy, "origin", same_origin), said)
        passes = policy == "trusted" and (declares == "reviewed by" or (declares == "self-review" and reason == WHY))
        assert answer.allowed == passes, f"{policy}, {declares or 'nothing'} declared, reason {reason!r}: {answer}"
        assert (answer.exception == "self_review") == passes


@pytest.mark.on("sqlite")
@relations
@pytest.mark.parametrize("policy", POLICIES)
def test_the_pure_function_lets_anyone_who_may_decide_finish_what_is_recorded_P11(
    policy: PolicyName, relation: str
) -> None:
    wrong: list[str] = []
    actor = matrix.party(STORIES[relation].actor, calling=True)
    for minor, grade, readable, reason in product(MINOR, GRADES, (True, False), (True, False)):
        facts = matrix.facts_of(relation, minor, grade == "label", readable)
        assert facts.attempt is not None
        parties = {**facts.parties, matrix.FAY.session: matrix.party(matrix.FAY)}
        facts = replace(
            facts, recorded=(RecordedApproval(7, matrix.FAY.session, facts.attempt.diff_id),), parties=parties
        )
        answer = may_approve(facts, actor, matrix.policy_of(policy, grade), Declaration(WHY if reason else ""))
        wanted = matrix.finishing(policy, relation, minor, grade, readable=readable, reason=reason)
        found = (answer.allowed, answer.needs_reason, answer.exception)
        if found != (wanted.allowed, wanted.needs_reason, wanted.exception) or answer.rule not in wanted.rules:
            wrong.append(f"minor {minor}, {grade}, readable {readable}, reason {reason}: {wanted} but {answer}")
    assert not wrong, "\n".join(wrong)


# --------------------------------------------------------------------------------------------- P, the Application


def attempted(
    world: StoryWorld, relation: str, task: str, reason: str, said: Declaration = NOTHING
) -> tuple[bool, set[str], str]:
    """Approve: whether it went through, by which rules, and as what exception."""
    actor = world.actor(STORIES[relation].actor, task)
    try:
        done = world.app.decisions.approve(actor, task, seen=world.diffs[task], declaration=said, reason=reason)
    except (Refused, Conflict) as refused:
        return False, {why.rule for why in refused.reasons}, ""
    assert done.status == ("reviewing" if said.record_only else "approved")
    assert (done.security_event is not None) == done.exception
    if not done.exception:
        return True, {done.rule}, ""
    record = world.app.audit.exceptions(1)[0]
    assert (record.task, record.session, record.seq) == (task, actor.session, done.security_event)
    return True, {done.rule}, record.kind


def listed(world: StoryWorld, relation: str, task: str, wanted: Expected, *, needs_reason: bool) -> str:
    """P13: what disagrees between the list and what approving with a reason would do."""
    rows = world.app.lists.reviewable(world.actor(STORIES[relation].actor, task), ListQuery(label=task)).rows
    if [row.task.id for row in rows] != ([task] if wanted.allowed else []):
        return f"reviewable lists {len(rows)}, approve with a reason says {wanted.allowed}"
    marked = any(row.you.needs_reason for row in rows)
    return f"needs_reason is {marked}, and should be {needs_reason}" if marked != needs_reason else ""


@pytest.fixture(scope="module")
def world(on_engine: str, _modules_engines_are_tidied: None) -> StoryWorld:
    with engines.worlds_on(on_engine):
        return StoryWorld()


@pytest.mark.on("sqlite")
@relations
@pytest.mark.parametrize("minor", MINOR)
@pytest.mark.parametrize("grade", GRADES)
def test_the_application_approves_and_lists_every_row_as_the_rules_say_P13(
    world: StoryWorld, relation: str, minor: str, grade: str
) -> None:
    answers_as_the_rules_say(world, relation, minor, grade)


@pytest.mark.on("sqlite")
@relations
def test_the_application_audits_a_shared_origin_as_the_rules_say_I4(world: StoryWorld, relation: str) -> None:
    turn = list(STORIES).index(relation)
    answers_as_the_rules_say(world, relation, "no", "origin", "audit")
    answers_as_the_rules_say(world, relation, MINOR[1 + turn % 3], GRADES[(turn // 3) % 5], "audit")


class Row(NamedTuple):
    """One question to the Application, asked without and with a reason."""

    relation: str
    policy: PolicyName
    minor: str
    grade: str
    same_origin: str


def pairs() -> list[Row]:
    """Each relation five times, so that every two values of two dimensions meet; and once more as it mostly is, under
    audit.
    """
    found: list[Row] = []
    for n, relation in enumerate(STORIES):
        for m, grade in enumerate(GRADES):
            turn = (n + m) % 4
            found.append(
                Row(relation, POLICIES[turn], MINOR[(turn + n // 4 + m // 4) % 4], grade, SAME_ORIGIN[(n + m // 2) % 2])
            )
        found.append(Row(relation, POLICIES[n % 4], "no", "origin", "audit"))
    return found


@pytest.mark.on("postgres")
@pytest.mark.parametrize("relation", STORIES)
def test_the_application_answers_every_pair_of_the_matrix_on_a_server_P13(world: StoryWorld, relation: str) -> None:
    for row in pairs():
        if row.relation == relation:
            answers_as_the_rules_say(world, relation, row.minor, row.grade, row.same_origin, (row.policy,))


@pytest.mark.on("sqlite")
def test_the_pairs_are_all_pairs() -> None:
    values = {"relation": STORIES, "policy": POLICIES, "minor": MINOR, "grade": GRADES, "same_origin": SAME_ORIGIN}
    have = {(one, getattr(row, one), two, getattr(row, two)) for row in pairs() for one, two in combinations(values, 2)}
    want = {(one, a, two, b) for one, two in combinations(values, 2) for a, b in product(values[one], values[two])}
    assert want - have == set()


def answers_as_the_rules_say(
    world: StoryWorld,
    relation: str,
    minor: str,
    grade: str,
    same_origin: str = "refuse",
    policies: tuple[PolicyName, ...] = POLICIES,
) -> None:
    """A refusal changes nothing, so the task serves on; an approval does, so the story is told again."""
    wrong: list[str] = []
    task = ""
    for policy, reason in product(policies, (False, True)):
        task = task or world.tell(relation, minor, security=grade == "label")
        world.rules(policy, grade, same_origin)
        wanted = expected(policy, relation, minor, grade, same_origin, reason=reason)
        if not reason:
            with_one = expected(policy, relation, minor, grade, same_origin, reason=True)
            problem = listed(world, relation, task, with_one, needs_reason=wanted.needs_reason)
            wrong += [f"{policy}: {problem}"] if problem else []
        allowed, rules, exception = attempted(world, relation, task, WHY if reason else " ")
        if allowed != wanted.allowed or exception != wanted.exception or not rules <= wanted.rules:
            wrong.append(
                f"{policy}, {same_origin}, reason {reason}: {wanted} but allowed {allowed} by {rules}, "
                f"exception {exception}"
            )
        task = "" if allowed else task
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("relation", MAKERS)
def test_who_declares_it_under_trusted_passes_by_P2_audited_and_nobody_else_does_P2(
    world: StoryWorld, relation: str
) -> None:
    task = stands(world, relation)
    for policy, said in product(
        POLICIES, (Declaration(self_review=True), Declaration(WHY, self_review=True), Declaration(reviewed_by="Bob"))
    ):
        world.rules(policy)
        declared = bool(said.reviewed_by or said.reason)
        wanted = (True, {"P2"}, "self_review") if policy == "trusted" and declared else (False, {"P2"}, "")
        assert attempted(world, relation, task, "", said) == wanted
        task = stands(world, relation) if wanted[0] else task


@relations
def test_what_is_recorded_is_listed_and_finished_by_who_recorded_it_or_with_a_reason_P11(
    world: StoryWorld, on_engine: str, relation: str
) -> None:
    """With every policy; on a server each relation with one of them."""
    for policy in POLICIES if on_engine == "sqlite" else [POLICIES[list(STORIES).index(relation) % 4]]:
        record_and_finish(world, relation, policy)


def record_and_finish(world: StoryWorld, relation: str, policy: PolicyName) -> None:
    worktree_of, row = policy in ("delegated", "trusted"), matrix.ROW[relation]
    task = stands(world, relation)
    world.rules(policy)
    own = expected(policy, relation, "no", "origin")
    recorded = attempted(world, relation, task, "", Declaration(record_only=True))
    if worktree_of:
        assert (recorded[0], recorded[2]) == (own.allowed, own.exception)
        assert recorded[1] <= own.rules
    else:
        assert not recorded[0]
        assert recorded[1] <= {"P11", row}
    if worktree_of and own.allowed:
        assert attempted(world, relation, task, "") == (True, {"P11"}, ""), "who recorded it needs no reason"
        task = stands(world, relation)
        world.rules(policy)
    if worktree_of:
        world.app.decisions.approve(matrix.FAY, task, seen=world.diffs[task], declaration=Declaration(record_only=True))
    for reason in (False, True):
        wanted = matrix.finishing(policy, relation, "no", "origin", reason=reason)
        if not reason:
            with_one = matrix.finishing(policy, relation, "no", "origin", reason=True)
            assert listed(world, relation, task, with_one, needs_reason=wanted.needs_reason) == ""
        allowed, rules, exception = attempted(world, relation, task, WHY if reason else " ")
        assert (allowed, exception, rules <= wanted.rules) == (wanted.allowed, wanted.exception, True), (
            f"{wanted} but {rules}"
        )
        if allowed:
            return


def test_a_recorded_approval_that_falls_short_of_a_new_label_is_not_finished_P11_P6(world: StoryWorld) -> None:
    """T, void: an approval stands as long as P holds; the agent's is of no use any more once a person is required."""
    task = stands(world, "uninvolved agent")
    world.rules("delegated")
    assert attempted(world, "uninvolved agent", task, "", Declaration(record_only=True))[:2] == (True, {"P7"})
    world.app.tasks.add_label(matrix.PASSER_BY, task, ["security"])
    assert attempted(world, "uninvolved agent", task, "")[:2] == (False, {"P6"})
    assert attempted(world, "creator agent", task, WHY)[:2] == (False, {"P6"})
    assert attempted(world, "person", task, "")[:2] == (True, {"P7"})


def test_a_self_review_recorded_under_trusted_is_not_finished_under_delegated_P11_P2(world: StoryWorld) -> None:
    task = stands(world, "implementer")
    world.rules("trusted")
    assert attempted(world, "implementer", task, "", Declaration(WHY, self_review=True, record_only=True)) == (
        True,
        {"P2"},
        "self_review",
    )
    world.rules("delegated")
    assert attempted(world, "implementer", task, WHY)[:2] == (False, {"P2"})


@pytest.mark.parametrize("verb", ["redo", "reject"])
def test_a_recorded_approval_lets_no_maker_send_its_own_work_back_T2_P2(world: StoryWorld, verb: str) -> None:
    """T: redo and reject are for people and for sessions that P would let approve; finishing another's approval is not
    that.
    """
    task = stands(world, "implementer")
    world.rules("delegated")
    world.app.decisions.approve(matrix.FAY, task, declaration=Declaration(record_only=True))
    assert refusal(partial(getattr(world.app.feedback, verb), matrix.MAKER, task, "once more")) == {"P2"}


DAMAGE = {"history": ("history",), "author set": ("authors",), "both": ("history", "authors")}


@pytest.mark.parametrize("lost", DAMAGE)
def test_where_the_journal_has_nothing_left_nobody_approves_however_minor_it_is_P0(
    world: StoryWorld, lost: str
) -> None:
    """Each relation with one kind of loss; which one does not depend on who asks."""
    wrong: list[str] = []
    for relation in list(STORIES)[list(DAMAGE).index(lost) :: len(DAMAGE)]:
        task = world.tell(relation, "at creation")
        world.rules("trusted")
        actor = world.actor(STORIES[relation].actor, task)
        for table in DAMAGE[lost]:
            engines.plain_sql(world.store.engine, f"DELETE FROM {table} WHERE task = ?", task)
        answer = attempted(world, relation, task, WHY, Declaration(reviewed_by="Bob"))
        wanted = expected("trusted", relation, "at creation", "origin", readable=False)
        if answer[0] or not answer[1] <= wanted.rules or world.app.lists.reviewable(actor, ListQuery(label=task)).rows:
            wrong.append(f"{relation}: {answer}")
    assert not wrong, "\n".join(wrong)


def test_agents_that_one_agent_started_are_of_one_origin_P2(world: StoryWorld) -> None:
    task = world.tell("same origin: started the author", "no")
    approve = partial(world.app.decisions.approve, matrix.OTHER_HAND, task, seen=world.diffs[task], reason=WHY)
    for policy in POLICIES:
        world.rules(policy)
        assert refusal(approve) == {"P2"}


def test_agents_that_one_agent_started_are_audited_where_a_shared_origin_is_I4(world: StoryWorld) -> None:
    """Neither is below the other's process, and neither was spawned by it: they only share an origin."""
    task = world.tell("same origin: started the author", "no")
    world.rules("strict", same_origin="audit")
    done = world.app.decisions.approve(matrix.OTHER_HAND, task, seen=world.diffs[task])
    assert (done.rule, done.exception, world.app.audit.exceptions(1)[0].kind) == ("P7", True, "same_origin")


def stands(world: StoryWorld, relation: str) -> str:
    """A task in review that is not the first of its kind, listed to nobody in particular."""
    world.rules("balanced")
    return world.tell(relation, "no")


def test_what_is_held_is_not_listed_and_not_approved_P13_D3(world: StoryWorld) -> None:
    task = stands(world, "uninvolved agent")
    world.app.stops.hold(matrix.ADA, task, "wait")
    assert world.app.lists.reviewable(matrix.STRANGER, ListQuery(label=task)).rows == []
    allowed, rules, _ = attempted(world, "uninvolved agent", task, WHY)
    assert (allowed, rules) == (False, {"D3"})


def test_what_is_not_in_review_is_not_listed_P13_D1(world: StoryWorld) -> None:
    task = stands(world, "uninvolved agent")
    world.app.feedback.redo(matrix.EVE, task, "once more")
    assert world.app.lists.reviewable(matrix.STRANGER, ListQuery(label=task)).rows == []
    assert attempted(world, "uninvolved agent", task, WHY)[:2] == (False, {"D1"})


def test_a_moved_branch_is_listed_and_marked_stale_P13_D4(world: StoryWorld) -> None:
    task = stands(world, "uninvolved agent")
    (fresh,) = world.app.lists.reviewable(matrix.STRANGER, ListQuery(label=task)).rows
    assert not fresh.you.stale
    world.repo.commit(f"fe/{task}")
    (row,) = world.app.lists.reviewable(matrix.STRANGER, ListQuery(label=task)).rows
    assert row.you.stale
    assert attempted(world, "uninvolved agent", task, WHY)[:2] == (False, {"D4"})


def test_landed_work_that_left_the_target_is_listed_and_marked_stale_P13_D4(world: StoryWorld) -> None:
    task = world.create(matrix.CREATOR, labels=["landed"])
    world.take(task, ("start", matrix.MAKER))
    head = world.repo.commit("main-work")
    world.repo.land("main-work")
    world.diffs[task] = world.app.attempts.submit(matrix.MAKER, task).diff_id
    (fresh,) = world.app.lists.reviewable(matrix.STRANGER, ListQuery(label="landed")).rows
    assert not fresh.you.stale
    world.repo.branches["refs/heads/main"].remove(head)
    assert attempted(world, "uninvolved agent", task, WHY)[:2] == (False, {"D4"})
    (row,) = world.app.lists.reviewable(matrix.STRANGER, ListQuery(label="landed")).rows
    assert row.you.stale


@pytest.mark.parametrize("who", [matrix.MAKER, matrix.TALKER, matrix.HELPER], ids=lambda who: str(who.session))
def test_a_label_that_a_maker_takes_off_still_asks_for_a_person_M6(world: StoryWorld, who: Actor) -> None:
    world.rules("balanced")
    task = world.tell("uninvolved agent", "no", security=True)
    world.app.tasks.remove_label(who, task, ["security"])
    assert world.app.lists.reviewable(matrix.STRANGER, ListQuery(label=task)).rows == []
    assert attempted(world, "uninvolved agent", task, WHY)[:2] == (False, {"P6"})
    assert attempted(world, "person", task, WHY)[:2] == (True, {"P7"})


def test_a_label_that_a_delegator_takes_off_still_asks_for_a_person_and_no_token_takes_one_off_M6_I2(
    world: StoryWorld,
) -> None:
    world.rules("balanced")
    task = world.tell("sibling", "no", security=True)
    for child in (matrix.WORKER, matrix.SIBLING):
        assert refusal(partial(world.app.tasks.remove_label, world.actor(child, task), task, ["security"])) == {"I2"}
    world.app.tasks.remove_label(matrix.LEAD, task, ["security"])
    assert attempted(world, "uninvolved agent", task, WHY)[:2] == (False, {"P6"})


def test_a_label_that_an_outsider_takes_off_asks_for_nothing_M6(world: StoryWorld) -> None:
    world.rules("balanced")
    task = world.tell("uninvolved agent", "no", security=True)
    world.app.tasks.remove_label(matrix.EVE, task, ["security"])
    assert attempted(world, "uninvolved agent", task, WHY)[:2] == (True, {"P7"})


def test_what_show_says_is_what_approve_does_G3(world: StoryWorld) -> None:
    for relation in STORIES:
        task = stands(world, relation)
        you = world.app.lists.show(world.actor(STORIES[relation].actor, task), task).you
        assert you is not None
        wanted = expected("balanced", relation, "no", "origin", reason=True)
        assert (you.may_approve, you.needs_reason) == (wanted.allowed, wanted.needs_reason), relation
        assert wanted.allowed or {reason.rule for reason in you.reasons} <= wanted.rules


def test_reasons_of_the_gate_come_before_those_of_the_policy_and_none_is_left_out_G2(world: StoryWorld) -> None:
    task = stands(world, "implementer")
    world.app.stops.hold(matrix.ADA, task, "wait")
    world.repo.commit(f"fe/{task}")
    with pytest.raises(Refused) as refused:
        world.app.decisions.approve(matrix.MAKER, task)
    assert [reason.rule for reason in refused.value.reasons] == ["D3", "D4", "D7", "P2"]


# ---------------------------------------------------------------------------------------------------------------- C


@pytest.mark.parametrize("done", matrix.DONE)
@pytest.mark.parametrize("closer", matrix.CLOSERS)
def test_every_row_of_who_may_close_C1(world: StoryWorld, closer: str, done: str) -> None:
    if done.startswith("self") and not matrix.can_self(closer):
        task = world.create(matrix.CREATOR)
        assert (refusal(partial(world.take, task, ("start", matrix.CLOSERS[closer]))) or set()) <= {"I1", "I2", "I5"}
        assert world.app.lists.show(matrix.ADA, task).task.status == "open"
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


def closed(world: StoryWorld, closer: str, task: str, exception: str) -> str:
    """What closing does; the pure function, asked with the store's facts, must say the same."""
    actor, context = world.actor(matrix.CLOSERS[closer], task), world.app.context
    with context.store.read() as tx:
        me = context.party(tx, actor)
        facts = facts_of(context, tx, TaskId(task), me)
        pure = may_close(facts, me, context.policy(tx, actor), exception)
    before = len(world.app.audit.exceptions(10_000))
    refused = refusal(lambda: world.app.closing.close(actor, task, exception=exception))
    shown = world.app.lists.show(actor, task)
    assert (refused is None) == (shown.task.status == "closed")
    if actor.trust == "issued":
        assert refused == {"I2"}, "no role has close among its rights, whatever C says"
        return "refuse"
    assert pure.allowed == (refused is None)
    if refused is not None:
        assert refused <= {"C1", "I1", "I5"}
        return "refuse"
    records = world.app.audit.exceptions(10_000)
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


def test_closing_never_merges_and_what_was_not_merged_is_listed_C2(world: StoryWorld) -> None:
    task = matrix.closing_story(world, "creator agent", "other submitted", minor=False)
    world.app.closing.close(matrix.CREATOR, task)
    shown = world.app.lists.show(matrix.CREATOR, task).task
    assert shown.merge is None
    assert task in {row.id for row in world.app.lists.page(ListQuery(unmerged=True, limit=1000))}


def test_what_is_stale_is_not_closed_from_review_C3(world: StoryWorld) -> None:
    task = matrix.closing_story(world, "uninvolved agent", "other submitted", minor=False)
    world.repo.commit(f"fe/{task}")
    with pytest.raises(Refused) as refused:
        world.app.closing.close(matrix.STRANGER, task)
    assert [reason.rule for reason in refused.value.reasons] == ["D4"]


# ----------------------------------------------------------------------------------------------- tables of stories


UNDER_STRICT = {
    # scenario: who, what was done, verb, allowed?
    "Creator closes (no one implemented)": ("creator agent", "nobody", "close", False),
    "Creator closes (other implemented)": ("creator agent", "other submitted", "close", True),
    "Implementer closes": ("uninvolved agent", "self submitted", "close", False),
    "Session that unstarted approves": ("former implementer", "", "approve", False),
    "Creator approves": ("creator agent", "", "approve", False),
    "Minor task self-approve": ("implementer", "minor", "approve", True),
    "Unrelated session approves": ("uninvolved agent", "", "approve", True),
}


@pytest.mark.parametrize("scenario", UNDER_STRICT)
def test_every_story_under_strict_P_C(scenario: str) -> None:
    who, done, verb, allowed = UNDER_STRICT[scenario]
    world = StoryWorld()
    if verb == "close":
        task = matrix.closing_story(world, who, done, minor=False)
        world.rules("strict")
        refused = refusal(lambda: world.app.closing.close(world.actor(matrix.CLOSERS[who], task), task)) == {"C1"}
    else:
        task = world.tell(who, "at creation" if done == "minor" else "no")
        world.rules("strict")
        refused = not attempted(world, who, task, WHY)[0]
    assert refused != allowed


def test_closing_after_creating_does_not_bypass_the_review(world: StoryWorld) -> None:
    """Bypass 1: nobody has started it, so there is no implementer to compare with."""
    task = world.create(matrix.CREATOR)
    assert refusal(lambda: world.app.closing.close(matrix.CREATOR, task)) == {"C1"}
    assert refusal(lambda: world.app.attempts.submit(matrix.CREATOR, task)) == {"T2"}


@pytest.mark.parametrize("policy", POLICIES)
def test_giving_a_task_back_does_not_bypass_the_review(world: StoryWorld, policy: PolicyName) -> None:
    """Bypasses 2 and 3: A starts, gives back, B starts and submits; A neither approves nor closes, whatever the
    policy.
    """
    task = stands(world, "former implementer")
    world.rules(policy)
    assert attempted(world, "former implementer", task, WHY)[:2] == (False, {"P2"})
    assert refusal(lambda: world.app.closing.close(matrix.FORMER, task)) == {"C1"}


def test_implementers_stay_blocked_under_balanced(world: StoryWorld) -> None:
    for relation in ("implementer", "implementer and creator", "former implementer"):
        assert attempted(world, relation, stands(world, relation), WHY)[:2] == (False, {"P2"})


def test_the_creator_approves_others_work_with_a_reason_and_is_audited(world: StoryWorld) -> None:
    task = stands(world, "creator agent")
    assert attempted(world, "creator agent", task, "")[:2] == (False, {"P3"})
    assert attempted(world, "creator agent", task, " \t ")[:2] == (False, {"P3"})
    assert attempted(world, "creator agent", task, WHY) == (True, {"P3"}, "creator_approval")
    (line,) = [log for log in world.app.lists.show(matrix.ADA, task).logs if log.type == "security"]
    assert "creator_approval" in line.text
    assert WHY in line.text
    record = world.app.audit.exceptions(1)[0]
    assert (record.kind, record.task, record.session, record.reason) == (
        "creator_approval",
        task,
        matrix.CREATOR.session,
        WHY,
    )


def test_needs_a_different_implementer(world: StoryWorld) -> None:
    assert attempted(world, "implementer and creator", stands(world, "implementer and creator"), WHY)[:2] == (
        False,
        {"P2"},
    )


def test_who_was_involved_before_approves_with_a_reason_as_P5_says(world: StoryWorld) -> None:
    task = stands(world, "prior approver")
    assert attempted(world, "prior approver", task, "")[:2] == (False, {"P5"})
    assert attempted(world, "prior approver", task, WHY) == (True, {"P5"}, "repeat_reviewer")


def test_minor_tasks_stay_a_full_bypass_and_are_audited(world: StoryWorld) -> None:
    for relation, audited in (("implementer", "minor"), ("creator agent", ""), ("uninvolved agent", "")):
        world.rules("balanced")
        task = world.tell(relation, "at creation")
        assert attempted(world, relation, task, "") == (True, {"P1"}, audited)


def test_the_flag_turns_the_policy_back_to_strict_and_forth() -> None:
    world = StoryWorld()
    task = world.create(matrix.CREATOR)
    world.take(task, ("start", matrix.MAKER))
    world.commit_and_submit(matrix.MAKER, task)
    world.app.policy.set_feature(matrix.ADA, "balanced_review_policy", "false")
    assert attempted(world, "creator agent", task, WHY)[:2] == (False, {"P3"})
    assert world.app.lists.reviewable(matrix.CREATOR, ListQuery()).rows == []
    with pytest.raises(Refused):
        world.app.policy.set_feature(matrix.CREATOR, "balanced_review_policy", "true")
    world.app.policy.set_feature(matrix.ADA, "balanced_review_policy", "true")
    assert attempted(world, "creator agent", task, WHY) == (True, {"P3"}, "creator_approval")


@pytest.mark.parametrize("variable", ["FOUREYES_FEATURE_BALANCED_REVIEW_POLICY", "TD_FEATURE_BALANCED_REVIEW_POLICY"])
def test_the_flag_in_the_environment_makes_one_process_strict(variable: str) -> None:
    world = StoryWorld({variable: "false"})
    task = stands(world, "creator agent")
    assert attempted(world, "creator agent", task, WHY)[:2] == (False, {"P3"})
    assert world.app.lists.reviewable(matrix.CREATOR, ListQuery()).rows == []


def test_minor_self_approvals_are_rationed_per_origin_and_day_P10() -> None:
    world = StoryWorld()
    world.accept("[minor]\nself_approvals_per_day = 2\n")

    def minor_by(relation: str) -> tuple[bool, set[str]]:
        task = world.create(matrix.CREATOR, minor=True)
        for step in STORIES[relation].steps:
            world.take(task, step)
        return attempted(world, relation, task, WHY)[:2]

    assert [minor_by("implementer") for _ in range(3)] == [(True, {"P1"}), (True, {"P1"}), (False, {"P2"})]
    assert minor_by("same origin: in the author's conversation") == (False, {"P2"}), (
        "the origin has used it up, not the session"
    )
    assert minor_by("implementer, a person") == (True, {"P1"}), "another origin has its own"


def test_what_spawned_sessions_approve_for_their_author_uses_up_its_allowance_P10_I4() -> None:
    """A spawned session may do no more than its spawner; otherwise an author spawns itself as many allowances as it
    likes.
    """
    world = StoryWorld()
    world.accept("[minor]\nself_approvals_per_day = 1\n")
    answers = []
    for name in ("first", "second", "third"):
        task = world.create(matrix.CREATOR, minor=True)
        world.take(task, ("start", matrix.MAKER))
        world.commit_and_submit(matrix.MAKER, task)
        child = world.actor(matrix.Spawned(name, matrix.MAKER, "review"), task)
        approve = partial(world.app.decisions.approve, child, task, seen=world.diffs[task])
        answers.append(refusal(approve))
    assert answers == [None, {"P2"}, {"P2"}]
