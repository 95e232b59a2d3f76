"""The findings loop with several at once: every id once, no answer or ruling misses its attempt, nothing passes over a
finding (D2, L).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from foureyes.app.application import Application
from foureyes.app.git_ports import Repo
from foureyes.app.results.journal import JournalRow
from foureyes.core.nouns.finding import Answer, ReportedFinding, Ruling
from foureyes.core.nouns.session import Actor
from foureyes.errors import FoureyesError

from tests.races.crowd import founded, opened, sound, wait_before_writing, worker
from tests.races.test_decisions import moved_repo
from tests.stage.documents import review_result, sarif
from tests.stage.fork import Gate, swarm
from tests.stage.looped import GROUND, REASON, issue
from tests.stage.night import plays
from tests.stage.people import ALICE, BOB, CLAUDE, CODEX, GEMINI
from tests.stage.places import Desk, Place

ROUNDS = plays("rounds of a race of two")
REVIEWERS = 4
Act = Callable[[Application], object]


def at_once(place: Place, *acts: tuple[Repo, Act]) -> list[str]:
    """Each in a process of its own: all of them have read before the first one writes. What they were told; empty: it
    is done.
    """

    def one(number: int, gate: Gate) -> str:
        repo, act = acts[number]
        with opened(place, repo) as app:
            wait_before_writing(app, gate)
            try:
                act(app)
            except FoureyesError as problem:
                return " ".join([problem.message, *[f"{reason.rule} {reason.message}" for reason in problem.reasons]])
            return ""

    return swarm(len(acts), one)


def said(desk: Desk, task: str, *issues: dict[str, Any], rulings: tuple[dict[str, str], ...] = ()) -> bytes:
    """A review of what is submitted now."""
    return json.dumps(
        review_result(issues, rulings=rulings, diff_id=desk.seen(task), files_reviewed=["app.py"])
    ).encode()


def payloads(rows: list[JournalRow], task: str, *kinds: str) -> list[tuple[str, dict[str, Any]]]:
    return [(row.kind, json.loads(row.payload)) for row in rows if row.task == task and row.kind in kinds]


def found_at(desk: Desk) -> str:
    """Sent back with one blocking finding, and taken up again with a new commit."""
    task = desk.submitted_task()
    desk.app.reviews.submit(CODEX, task, said(desk, task, issue("leaks")))
    desk.app.claims.start(CLAUDE, task)
    desk.script.commit(f"fe/{task}", sessions=[CLAUDE.session])
    return task


def answer(task: str, word: Any = "FIXED") -> Answer:
    return Answer(finding=f"TL-{task}-1-001", action=word, text=REASON, ground=GROUND if word == "REJECTED" else "")


def reviews(who: Actor, task: str, review: bytes) -> Act:
    return lambda app: app.reviews.submit(who, task, review)


def responds(task: str, word: str) -> Act:
    return lambda app: app.answers.respond(CLAUDE, task, [answer(task, word)])


def submits(task: str) -> Act:
    return lambda app: app.attempts.submit(CLAUDE, task)


def rules(who: Actor, task: str, word: Any, seen: str = "") -> Act:
    return lambda app: app.rulings.rule(who, [Ruling(f"TL-{task}-1-001", word, "looked at it")], seen=seen)


def approves(task: str, seen: str) -> Act:
    return lambda app: app.decisions.approve(CODEX, task, seen=seen, reason="read it")


def test_reviewers_who_submit_at_once_are_all_stored_and_every_id_is_given_out_once_L2(place: Place) -> None:
    desk = founded(place)
    task = desk.submitted_task(labels=("review:per-task",))
    own = [
        said(desk, task, issue(f"only {n} saw it"), issue("everybody saw it"), issue("naming", "LOW"))
        for n in range(REVIEWERS)
    ]
    desk.close()
    given = [(desk.script, reviews(worker(number), task, own[number])) for number in range(REVIEWERS)]
    assert at_once(place, *given) == [""] * REVIEWERS
    rows = sound(place)
    raised = [one for _, event in payloads(rows, task, "FindingsRaised") for one in event["findings"]]
    assert sorted(one["id"] for one in raised) == [f"TL-{task}-1-{n:03}" for n in range(1, 3 * REVIEWERS + 1)]
    assert len({one["root"] for one in raised}) == REVIEWERS + 2, "what everybody saw is one finding"
    assert len(payloads(rows, task, "ReviewSubmitted")) == REVIEWERS


def test_of_two_reviews_that_would_send_back_one_does_and_of_the_other_nothing_is_stored_D1_G4(place: Place) -> None:
    desk = founded(place)
    for _ in range(ROUNDS):
        task = desk.submitted_task()
        own = [said(desk, task, issue(f"seen by {n}")) for n in range(2)]
        desk.close()
        told = at_once(
            place,
            (desk.script, reviews(CODEX, task, own[0])),
            (desk.script, reviews(GEMINI, task, own[1])),
        )
        assert sorted(map(bool, told)) == [False, True], told
        assert "D1" in "".join(told)
        rows = sound(place)
        assert [
            len(payloads(rows, task, kind)) for kind in ("ReviewSubmitted", "FindingsRaised", "AttemptSentBack")
        ] == [1, 1, 1]


def test_nothing_is_handed_in_before_its_answers_however_close_they_come_L6(place: Place) -> None:
    desk = founded(place)
    for _ in range(ROUNDS):
        task = found_at(desk)
        desk.close()
        told = at_once(
            place,
            (desk.script, responds(task, "FIXED")),
            (desk.script, submits(task)),
        )
        assert told[0] == "", told
        kinds = [kind for kind, _ in payloads(sound(place), task, "FindingsAnswered", "AttemptSubmitted")]
        assert kinds == ["AttemptSubmitted", "FindingsAnswered", *([] if told[1] else ["AttemptSubmitted"])]


def test_an_answer_that_is_changed_while_it_is_handed_in_is_before_it_or_in_the_next_round_L6(place: Place) -> None:
    """Whichever is first: the lead is asked exactly if the attempt that was submitted carries the rejection (L14)."""
    desk = founded(place)
    for _ in range(ROUNDS):
        task = found_at(desk)
        desk.app.answers.respond(CLAUDE, task, [answer(task)])
        desk.close()
        told = at_once(
            place,
            (desk.script, responds(task, "REJECTED")),
            (desk.script, submits(task)),
        )
        assert "" in told, told
        rows = payloads(sound(place), task, "FindingsAnswered", "AttemptSubmitted", "TaskEscalated")
        handed = max(n for n, (kind, _) in enumerate(rows) if kind == "AttemptSubmitted")
        if not told[1]:
            last = [event for kind, event in rows[:handed] if kind == "FindingsAnswered"][-1]
            asked = any(event.get("requested") for kind, event in rows[handed:] if kind == "TaskEscalated")
            assert (last["answers"][0]["action"] == "REJECTED") == asked


def test_a_ruling_is_never_about_an_attempt_that_its_giver_did_not_see_D7_L8(place: Place) -> None:
    desk = founded(place)
    for _ in range(ROUNDS):
        task = found_at(desk)
        desk.app.answers.respond(CLAUDE, task, [answer(task)])
        desk.app.attempts.submit(CLAUDE, task)
        seen = desk.seen(task)
        desk.close()
        told = at_once(
            place,
            (desk.script, rules(CODEX, task, "NOT_FIXED", seen)),
            (moved_repo(desk.script, task), submits(task)),
        )
        assert sorted(map(bool, told)) == [False, True], told
        rows = payloads(sound(place), task, "AttemptSubmitted", "FindingRuled", "AttemptSentBack")
        handed = 0
        for kind, event in rows:
            handed = event["n"] if kind == "AttemptSubmitted" else handed
            assert kind == "AttemptSubmitted" or event["iteration"] == handed
        assert [kind for kind, _ in rows].count("FindingRuled") == (told[0] == "")


def test_of_two_leads_at_once_one_decides_and_the_other_is_told_so_E3(place: Place) -> None:
    desk = founded(place)
    task = found_at(desk)
    desk.app.answers.respond(CLAUDE, task, [answer(task, "REJECTED")])
    desk.app.attempts.submit(CLAUDE, task)
    desk.close()
    told = at_once(
        place,
        (desk.script, lambda app: app.loops.lead(ALICE, task, "split", "too much", into=["one half", "the other"])),
        (desk.script, lambda app: app.loops.lead(BOB, task, "senior", "it needs more")),
    )
    assert sorted(map(bool, told)) == [False, True], told
    assert "E3" in "".join(told)
    rows = sound(place)
    ((_, event),) = payloads(rows, task, "LeadDecided")
    assert (event["option"] == "split") == (told[0] == "")
    assert [row.kind for row in rows].count("TaskCreated") == (3 if event["option"] == "split" else 1)


REPORT = sarif(("app.py", 1, "leaks"))


def raises(how: str, desk: Desk, task: str) -> Act:
    """Three ways to say that something blocks."""
    ways: dict[str, Act] = {
        "add": lambda app: app.findings.add(BOB, task, ReportedFinding(severity="HIGH", title="leaks")),
        "import": lambda app: app.exchange.take_in(GEMINI, task, REPORT, "r.sarif", whole=True),
        "review": reviews(GEMINI, task, said(desk, task, issue("leaks"))),
    }
    return ways[how]


@pytest.mark.parametrize("how", ["add", "import", "review"])
def test_a_finding_and_an_approval_at_once_never_leave_an_approval_over_an_open_blocking_finding_D2(
    place: Place, how: str
) -> None:
    desk = founded(place)
    for _ in range(ROUNDS):
        task = desk.submitted_task()
        seen, act = desk.seen(task), raises(how, desk, task)
        desk.close()
        told = at_once(
            place,
            (desk.script, act),
            (desk.script, approves(task, seen)),
        )
        assert "" in told, told
        kinds = [row.kind for row in sound(place) if row.task == task]
        with opened(place, desk.script) as app:
            status = app.lists.show(BOB, task).task.status
            blocking = app.findings.listed(task, open_only=True, blocking=True)
        assert bool(blocking) == (told[0] == ""), "a finding whose caller read that it was raised is there"
        if how == "review" and blocking and status == "approved":
            # A review counts on approved work, too: the merge voids the approval (Q2). It never comes before one.
            assert kinds.index("Approved") < kinds.index("FindingsRaised"), kinds
        else:
            assert (status == "approved") == (not blocking), (status, told)


def test_of_rulings_that_disagree_one_is_given_and_the_other_is_told_what_it_is_now_L8(place: Place) -> None:
    desk = founded(place)
    for _ in range(ROUNDS):
        task = found_at(desk)
        desk.app.answers.respond(CLAUDE, task, [answer(task)])
        desk.app.attempts.submit(CLAUDE, task)
        desk.close()
        told = at_once(
            place, (desk.script, rules(CODEX, task, "VERIFIED")), (desk.script, rules(GEMINI, task, "NOT_FIXED"))
        )
        assert sorted(map(bool, told)) == [False, True], told
        ((_, event),) = payloads(sound(place), task, "FindingRuled")
        assert (event["ruling"] == "VERIFIED") == (told[0] == "")
