"""Findings (L1, L2, L9, L10): severities, ids, roots; what is the same finding again, what only could be, and what
never is.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from foureyes.core.nouns.finding import ReportedFinding
from foureyes.core.nouns.session import Actor
from foureyes.errors import BadInput, NotFound, Refused

from tests.stage.gated import configure, deliver
from tests.stage.looped import (
    again,
    answer,
    findings,
    issue,
    next_attempt,
    open_ids,
    respond,
    review,
    rule,
    states,
    texts,
    why_not_approved,
)
from tests.stage.people import ALICE, BOB, CLAUDE, CODEX, GEMINI
from tests.stage.world import DeskWorld, GitWorld

KEPT = '\n[review]\ndefault_mode = "per-task"\n'
"""Nothing is sent back by itself: what a test looks at stays in review."""
PAY = "def pay(amount):\n    limit = 10\n    return amount < limit\n"


def test_severities_are_read_as_others_write_them_L1(desk: DeskWorld) -> None:
    configure(desk, KEPT)
    task = desk.submitted_task()
    words = ["BLOCKER", "critical", "Important", "HIGH", "suggestion", "Medium", "minor", "NIT", "low", "fyi"]
    review(desk, task, [issue(f"problem {word}", word) for word in words])
    found = [one.severity for one in findings(desk, task).values()]
    assert found == ["CRITICAL", "CRITICAL", "HIGH", "HIGH", "MEDIUM", "MEDIUM", "LOW", "LOW", "LOW"]
    assert [one.blocking for one in findings(desk, task).values()] == [True] * 4 + [False] * 5


# Ids and roots


def test_ids_say_task_iteration_and_number_and_are_given_by_the_store_L2(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    done = review(desk, task, [issue("one"), issue("two", "LOW")])
    assert done.raised == (f"TL-{task}-1-001", f"TL-{task}-1-002")
    again(desk, task)
    assert review(desk, task, [issue("three")]).raised == (f"TL-{task}-2-001",)


def test_two_tasks_of_one_group_never_share_an_id_L2(desk: DeskWorld) -> None:
    one, other = desk.submitted_task(group="auth flow"), desk.submitted_task(GEMINI, group="auth flow")
    names = [*review(desk, one, [issue("a"), issue("b")]).raised, *review(desk, other, [issue("a")]).raised]
    assert names == ["TL-auth-flow-1-001", "TL-auth-flow-1-002", "TL-auth-flow-1-003"]
    assert [one.task for one in (desk.app.findings.show(CODEX, name) for name in names)] == [one, one, other]


def test_a_group_with_the_name_of_a_task_or_without_letters_takes_nobodys_ids_L2(desk: DeskWorld) -> None:
    first = desk.submitted_task()
    names = list(review(desk, first, [issue()]).raised)
    for group in (first, first.upper(), "///", "ä", "a-1", "a"):
        names += review(desk, desk.submitted_task(group=group), [issue()]).raised
    assert len(set(names)) == len(names) == 7
    assert all(re.fullmatch(r"TL-[A-Za-z0-9-]+-1-\d{3}", name) for name in names)


def test_a_thousand_findings_of_one_review_have_ids_of_their_own_L2(desk: DeskWorld) -> None:
    configure(desk, KEPT)
    task = desk.submitted_task()
    done = review(desk, task, [issue(f"problem {n}", "LOW") for n in range(1001)])
    assert len(set(done.raised)) == 1001
    assert done.raised[-1] == f"TL-{task}-1-1001"
    assert len(desk.app.findings.listed()) == 1001


def test_a_re_flag_by_id_keeps_its_root_and_has_a_new_id_L2(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    (first,) = review(desk, task, [issue()]).raised
    again(desk, task)
    (second,) = review(desk, task, [issue("something else entirely", id=first)]).raised
    (one,) = findings(desk, task).values()
    assert (one.root, one.id, one.raised, one.flagged, one.flags, one.state) == (first, second, 1, 2, 2, "open")
    assert desk.app.findings.show(CODEX, first).id == desk.app.findings.show(CODEX, second).id == second
    assert one.false_fixes == 1, "it was claimed to be fixed"


def test_every_earlier_id_names_the_finding_for_ever_L2(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    names = list(review(desk, task, [issue()]).raised)
    for _ in range(2):
        again(desk, task)
        names += review(desk, task, [issue(id=names[0])]).raised
    assert {desk.app.findings.show(CODEX, name).root for name in names} == {names[0]}
    desk.start(CLAUDE, task)
    respond(desk, task, {names[1]: "FIXED"})
    assert list(states(desk, task).values()) == ["claimed"]


def test_two_ids_of_one_root_in_one_document_are_one_finding_L2(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    (first,) = review(desk, task, [issue()]).raised
    again(desk, task)
    (second,) = review(desk, task, [issue(id=first)]).raised
    again(desk, task)
    with desk.refused("L2") as caught:
        review(desk, task, [issue("one", id=first), issue("two", "CRITICAL", id=second)])
    assert first in texts(caught[0].reasons) or second in texts(caught[0].reasons)


def test_what_a_document_names_by_id_is_not_guessed_for_another_of_its_issues_L2(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    (first,) = review(desk, task, [issue("the limit")]).raised
    again(desk, task)
    done = review(desk, task, [issue("the limit"), issue("the limit, again", id=first)])
    assert {one.root: one.title for one in findings(desk, task).values()} == {
        first: "the limit, again",
        done.raised[0]: "the limit",
    }


@pytest.mark.parametrize("name", ["TL-nobody-1-001", "TL-{other}-1-001", "QA-x-1-001", "../../x", "1"])
def test_an_id_that_is_no_finding_of_the_task_is_refused_L2(desk: DeskWorld, name: str) -> None:
    task, other = desk.submitted_task(), desk.submitted_task(GEMINI)
    review(desk, other, [issue()])
    with desk.refused("L2"):
        review(desk, task, [issue(id=name.format(other=other))])


# The same finding


def test_a_rephrased_finding_about_the_same_code_is_the_same_finding_L2(world: GitWorld) -> None:
    task = deliver(world, {"pay.py": PAY})
    (first,) = review(world, task, [issue("limit is hard-coded", file="pay.py", line=2)]).raised
    next_attempt(world, task, {"other.py": "x = 1\n"})
    review(world, task, [issue("magic number ten", file="pay.py", quote="limit =  10")])
    assert list(findings(world, task)) == [first]


def test_two_reviewers_of_one_attempt_at_one_line_in_different_words_are_two_findings_L2(world: GitWorld) -> None:
    task = deliver(world, {"pay.py": PAY})
    (first,) = review(world, task, [issue("limit is hard-coded", "MEDIUM", file="pay.py", line=2)], by=CODEX).raised
    (second,) = review(world, task, [issue("No docstring", "LOW", file="pay.py", line=2)], by=GEMINI).raised
    (same,) = review(world, task, [issue("Limit is hard coded", "MEDIUM", file="pay.py", line=2)], by=GEMINI).raised
    known = findings(world, task)
    assert {one.root: (one.title.lower(), one.severity) for one in known.values()} == {
        first: ("limit is hard coded", "MEDIUM"),
        second: ("no docstring", "LOW"),
    }
    assert (known[second].alike, same in (first, second)) == ([first], False)


def test_the_same_words_about_other_code_of_the_file_are_the_same_finding_L2(world: GitWorld) -> None:
    task = deliver(world, {"pay.py": PAY})
    (first,) = review(world, task, [issue("Limit is hard-coded!", file="pay.py", line=2)]).raised
    next_attempt(world, task, {"pay.py": PAY.replace("10", "TEN")})
    review(world, task, [issue("limit is  hard coded", file="pay.py", line=2)])
    assert list(findings(world, task)) == [first]


def test_what_could_be_several_is_shown_and_never_merged_by_itself_L2(world: GitWorld) -> None:
    text = "def count(n):\n    n += 1\n    print(n)\n    n += 1\n    return n\n"
    task = deliver(world, {"count.py": text})
    names = review(
        world, task, [issue("first", file="count.py", line=2), issue("second", file="count.py", line=4)]
    ).raised
    next_attempt(world, task, {"other.py": "x = 1\n"})
    done = review(world, task, [issue("third", file="count.py", quote="n += 1")])
    one = findings(world, task)[done.raised[0]]
    assert (one.root, sorted(one.alike)) == (one.id, sorted(names))
    assert any("may be the same" in note for note in done.notes)
    assert {state for name, state in states(world, task).items() if name in names} == {"claimed"}


def test_a_finding_without_location_and_title_of_its_own_matches_nothing_L2(world: GitWorld) -> None:
    task = deliver(world, {"pay.py": PAY})
    (first,) = review(world, task, [issue("limit", file="pay.py", line=2)]).raised
    next_attempt(world, task, {"pay.py": PAY.replace("10", "TEN")})
    (second,) = review(world, task, [issue("limit")]).raised
    assert set(findings(world, task)) == {first, second}


def test_the_same_title_in_another_file_is_another_finding_L2(world: GitWorld) -> None:
    task = deliver(world, {"pay.py": PAY, "loan.py": PAY})
    (first,) = review(world, task, [issue("limit", file="pay.py", line=2)]).raised
    next_attempt(world, task, {"x.py": "x\n"})
    (second,) = review(world, task, [issue("limit", file="loan.py", line=2)]).raised
    assert set(findings(world, task)) == {first, second}


def test_what_a_document_says_twice_is_one_finding_L2(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    assert len(review(desk, task, [issue("no test"), issue("no test"), issue("No  test!")]).raised) == 1


@pytest.mark.parametrize("order", [("LOW", "CRITICAL"), ("CRITICAL", "LOW")])
def test_what_a_document_says_twice_counts_at_its_worst_and_never_vanishes_L2_D2(
    desk: DeskWorld, order: tuple[str, str]
) -> None:
    task = desk.submitted_task()
    done = review(desk, task, [issue("no test", word) for word in order], verdict="concerns")
    assert [one.severity for one in findings(desk, task).values()] == ["CRITICAL"]
    assert done.sent_back


def test_the_same_words_at_two_places_are_two_findings_L2(world: GitWorld) -> None:
    text = "def a():\n    return None\n\n\ndef b():\n    return None\n"
    task = deliver(world, {"none.py": text})
    done = review(
        world,
        task,
        [issue("returns nothing", file="none.py", line=2), issue("returns nothing", file="none.py", line=6)],
    )
    assert [findings(world, task)[name].location.line for name in done.raised] == [2, 6]


# What a re-flag may not do


@pytest.mark.parametrize("state", ["open", "claimed", "disputed"])
def test_a_re_flag_never_makes_an_unresolved_finding_harmless_L8_D2(desk: DeskWorld, state: str) -> None:
    configure(desk, KEPT)
    task = desk.submitted_task()
    (name,) = review(desk, task, [issue(severity="CRITICAL")]).raised
    if state != "open":
        respond(desk, task, {name: "FIXED" if state == "claimed" else "REJECTED"})
    review(desk, task, [issue("only a matter of taste", "LOW", id=name)], by=GEMINI)
    assert [one.severity for one in findings(desk, task).values()] == ["CRITICAL"]
    assert {reason.rule for reason in why_not_approved(desk, task)} == {"D2"}


REWRITES: dict[str, Callable[[DeskWorld, str, str], object]] = {
    "review": lambda desk, task, name: review(
        desk, task, [issue("all is fine", "LOW", id=name, problem="nothing")], by=CLAUDE
    ),
    "add": lambda desk, task, _: desk.app.findings.add(
        CLAUDE, task, ReportedFinding(severity="LOW", title="limit is hard-coded", problem="none")
    ),
    "handoff": lambda desk, task, _: desk.app.handoffs.take_in(
        CLAUDE, task, b'{"issues": [{"severity": "LOW", "title": "limit is hard-coded"}]}', seen=desk.seen(task)
    ),
}


@pytest.mark.parametrize("way", REWRITES)
def test_who_made_the_work_cannot_rewrite_what_others_found_in_it_L8(desk: DeskWorld, way: str) -> None:
    configure(desk, KEPT)
    task = desk.submitted_task()
    (name,) = review(desk, task, [issue(severity="CRITICAL", problem="money is lost")]).raised
    before = desk.app.findings.show(CODEX, name)
    with desk.unchanged(), pytest.raises(Refused):
        REWRITES[way](desk, task, name)
    assert desk.app.findings.show(CODEX, name) == before


def test_a_re_flag_may_be_more_severe_and_then_blocks_L1_L10(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    (name,) = review(desk, task, [issue("untested", "LOW")]).raised
    again(desk, task)
    assert list(states(desk, task).values()) == ["skipped"]
    done = review(desk, task, [issue("untested", "HIGH", id=name)])
    assert (list(states(desk, task).values()), done.sent_back) == (["open"], True)


# Late suggestions


def test_late_suggestions_are_notes_and_late_blockers_are_loop_items_L10(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    review(desk, task, [issue("first", "HIGH"), issue("early", "MEDIUM")])
    again(desk, task)
    done = review(desk, task, [issue("late", "MEDIUM"), issue("also late", "LOW"), issue("a new blocker", "HIGH")])
    note = {one.title: one.note for one in findings(desk, task).values()}
    assert note == {"first": False, "early": False, "late": True, "also late": True, "a new blocker": False}
    assert done.sent_back is False, "the first one waits for a ruling"
    rule(desk, {next(iter(findings(desk, task))): "VERIFIED"})
    desk.start(CLAUDE, task)
    assert open_ids(desk, task) == [done.raised[2]]


def test_an_early_suggestion_flagged_again_stays_a_loop_item_L10(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    (name,) = review(desk, task, [issue("early", "MEDIUM")]).raised
    again(desk, task)
    review(desk, task, [issue("early", "MEDIUM", id=name)])
    assert [one.note for one in findings(desk, task).values()] == [False]


# Looking


def test_lists_are_of_a_task_or_of_everything_and_can_leave_out_what_is_settled(desk: DeskWorld) -> None:
    configure(desk, KEPT)
    task, other = desk.submitted_task(), desk.submitted_task(GEMINI)
    high, low = review(desk, task, [issue("a"), issue("b", "LOW")]).raised
    review(desk, other, [issue("c")])
    assert len(desk.app.findings.listed()) == 3
    assert [one.id for one in desk.app.findings.listed(task, blocking=True)] == [high]
    assert [row.open for row in desk.app.findings.listed()] == [True, True, True]
    respond(desk, task, {high: "REJECTED", low: "SKIPPED"})
    rule(desk, {high: "ACCEPTED"})
    assert desk.app.findings.listed(task, open_only=True) == []
    assert [row.open for row in desk.app.findings.listed(task)] == [False, False]


@pytest.mark.parametrize("name", ["", "TL-x-1-001", "x" * 10_000, "TL-\x1b[2J-1-001"])
def test_a_finding_that_is_not_there_is_not_found(desk: DeskWorld, name: str) -> None:
    desk.submitted_task()
    with pytest.raises(NotFound) as caught:
        desk.app.findings.show(CODEX, name)
    assert "\x1b" not in caught.value.message
    assert len(caught.value.message) < 300


def test_what_happened_to_a_finding_is_told_in_order_with_names_G4(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    (name,) = review(desk, task, [issue()]).raised
    again(desk, task)
    rule(desk, {name: "NOT_FIXED"}, by=BOB)
    shown = desk.app.findings.show(CODEX, name)
    told = [(move.kind, move.word, move.was, move.now, shown.names[move.session]) for move in shown.moves]
    assert told == [
        ("raised", "HIGH", "", "open", "codex#1"),
        ("answered", "FIXED", "open", "claimed", "claude#1"),
        ("ruled", "NOT_FIXED", "claimed", "open", "bob@box"),
    ]


@pytest.mark.parametrize("who", [CODEX, BOB, ALICE, CLAUDE])
def test_anybody_may_add_a_finding_to_what_is_handed_in_and_services_may_not(desk: DeskWorld, who: Actor) -> None:
    configure(desk, KEPT)
    task = desk.submitted_task()
    one = desk.app.findings.add(who, task, ReportedFinding(severity="HIGH", title="untested"))
    assert (one.state, one.blocking) == ("open", True)
    assert desk.status(task) == "reviewing"


def test_adding_needs_a_title_and_a_path_of_the_repository(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    for wrong in (
        ReportedFinding(severity="HIGH", title="  "),
        ReportedFinding(severity="HIGH", title="x", path="../x"),
        ReportedFinding(severity="HIGH", title="x", path="/x"),
    ):
        with desk.unchanged(), pytest.raises(BadInput):
            desk.app.findings.add(BOB, task, wrong)
    unstarted = desk.create()
    with desk.unchanged(), pytest.raises(NotFound):
        desk.app.findings.add(BOB, unstarted, ReportedFinding(severity="HIGH", title="x"))


def test_an_answer_given_twice_in_review_is_the_last_one_L6(desk: DeskWorld) -> None:
    configure(desk, KEPT)
    task = desk.submitted_task()
    (name,) = review(desk, task, [issue()]).raised
    desk.app.answers.respond(CLAUDE, task, [answer(name, "FIXED")])
    desk.app.answers.respond(CLAUDE, task, [answer(name, "REJECTED")])
    assert states(desk, task) == {name: "disputed"}
