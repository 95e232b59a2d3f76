"""Y: figures of real work, done with real verbs on both engines, and compared with a plain recount of the journal
(G6).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from typing import Any

import msgspec
import pytest

from foureyes.adapters.store.store import Store
from foureyes.app.results.journal import JournalRow
from foureyes.core import events as e
from foureyes.core.loop.metrics import ReviewerScore, Stats, share
from foureyes.core.nouns.finding import BLOCKING, ReportedFinding
from foureyes.core.rules.four_eyes import Declaration
from foureyes.errors import BadInput, Refused

from tests import engines
from tests.adapters.store.shop import fill
from tests.stage.checkout import PROJECT
from tests.stage.gated import AUTO, LINT, check, configure
from tests.stage.looped import again, findings, issue, play, respond, review, rule
from tests.stage.people import ALICE, BOB, CLAUDE, CODEX, GEMINI
from tests.stage.world import DeskWorld


def figures(world: DeskWorld) -> Stats:
    with world.unchanged():
        return world.app.stats.show()


def card(world: DeskWorld, name: str) -> ReviewerScore:
    return next(one for one in figures(world).reviewers if one.name == name)


def named(world: DeskWorld, task: str) -> dict[str, str]:
    """Ids by title."""
    return {one.title: one.id for one in findings(world, task).values()}


def placed(world: DeskWorld, task: str, title: str = "limit is hard-coded", **more: Any) -> dict[str, Any]:
    """An issue with a place in the first changed file."""
    path = world.show(task).attempts[-1].files[0].path
    world.repo.files.setdefault(path, "one\ntwo\nthree\n")
    return issue(title, file=path, line=2, **more)


# What somebody agreed to


def test_who_agreed_to_an_attempt_in_which_others_found_something_true_missed_it_Y(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    review(desk, task, by=GEMINI)
    (name,) = review(desk, task, [placed(desk, task)], by=CODEX, verdict="concerns").raised
    assert card(desk, "gemini#1").missed == 0, "nobody has ruled on it"
    again(desk, task)
    rule(desk, {name: "VERIFIED"}, by=CODEX)
    assert (card(desk, "gemini#1").missed, card(desk, "codex#1").missed) == (1, 0)


# Iterations and approvals


def test_iterations_to_approval_are_those_of_the_approved_attempt(desk: DeskWorld) -> None:
    desk.approve(CODEX, desk.submitted_task())
    second = desk.submitted_task()
    review(desk, second, [issue()])
    again(desk, second)
    rule(desk, dict.fromkeys(named(desk, second).values(), "VERIFIED"))
    desk.approve(CODEX, second, reason="read the fix")
    desk.submitted_task()
    found = figures(desk)
    assert (found.approved, found.iterations, found.iterations_with_findings) == (2, 1.5, 2.0)


def test_an_approval_that_was_withdrawn_or_only_recorded_is_none_P11(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    desk.approve(CODEX, task)
    desk.app.decisions.withdraw(CODEX, task)
    desk.app.policy.set(ALICE, "review.policy", "delegated")
    other = desk.submitted_task(creator=BOB)
    desk.app.decisions.approve(
        CODEX, other, seen=desk.show(other).attempts[-1].diff_id, declaration=Declaration(record_only=True)
    )
    assert figures(desk).approved == 0
    desk.approve(CLAUDE, other, reason="codex has looked at it")
    assert figures(desk).approved == 1


def test_what_was_approved_by_rule_alone_is_counted_apart_M4(desk: DeskWorld) -> None:
    desk.submitted_task(labels=["review:skip"])
    desk.approve(CODEX, desk.submitted_task())
    assert figures(desk).automatic == share(1, 2)


# What became of findings


def test_rejected_accepted_and_overruled_findings_L9(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    review(desk, task, [issue("a"), issue("b"), issue("c"), issue("d")])
    names = named(desk, task)
    desk.start(CLAUDE, task)
    respond(desk, task, {names["a"]: "REJECTED", names["b"]: "REJECTED", names["c"]: "FIXED", names["d"]: "FIXED"})
    again(desk, task)
    rule(desk, {names["a"]: "ACCEPTED", names["b"]: "OVERRULED", names["c"]: "VERIFIED"})
    found = figures(desk)
    assert (found.rejected, found.rejections_accepted, found.open_blocking) == (share(2, 4), share(1, 2), 2)
    assert card(desk, "codex#1").precision == share(2, 3)


def test_notes_that_were_fixed_or_became_tasks_are_adopted_L16(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    notes = [issue(title, "LOW") for title in ("fixed", "tracked", "skipped", "left")]
    review(desk, task, [issue("a"), *notes])
    names = named(desk, task)
    desk.app.findings.track(BOB, [names["tracked"]])
    desk.start(CLAUDE, task)
    respond(desk, task, {names["a"]: "FIXED", names["fixed"]: "FIXED", names["skipped"]: "SKIPPED"})
    again(desk, task)
    assert figures(desk).notes_adopted == share(2, 4)


def test_a_blocking_finding_after_an_approval_of_the_same_change_was_missed_Y(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    review(desk, task, [issue("before")])
    again(desk, task)
    rule(desk, dict.fromkeys(named(desk, task).values(), "VERIFIED"))
    desk.approve(CODEX, task, reason="read the fix")
    assert figures(desk).missed == share(0, 1)
    desk.app.findings.add(BOB, task, ReportedFinding(severity="CRITICAL", title="loses data", fix="save first"))
    assert figures(desk).missed == share(1, 2)


def test_what_is_found_in_new_work_after_an_earlier_approval_was_not_missed_Y(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    desk.approve(CODEX, task)
    desk.app.feedback.redo(BOB, task, "do more")
    again(desk, task)
    review(desk, task, [issue("in the new part")])
    assert figures(desk).missed == share(0, 1)


def test_what_a_second_reviewer_finds_after_a_recorded_approval_was_not_missed_P11(desk: DeskWorld) -> None:
    desk.app.policy.set(ALICE, "review.policy", "delegated")
    task = desk.submitted_task(creator=BOB)
    desk.app.decisions.approve(
        CODEX, task, seen=desk.show(task).attempts[-1].diff_id, declaration=Declaration(record_only=True)
    )
    review(desk, task, [issue()], by=GEMINI)
    assert figures(desk).missed == share(0, 1)


# Reviews and reviewers


def test_a_ruling_that_was_taken_back_counts_for_nothing_L18(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    review(desk, task, [issue("a"), issue("b")])
    names = named(desk, task)
    again(desk, task)
    rule(desk, {names["a"]: "NOT_FIXED"})
    assert card(desk, "codex#1").precision == share(1, 1)
    desk.app.rulings.take_back(CODEX, names["a"])
    assert card(desk, "codex#1").precision == share(0, 0)


def test_invalid_and_unread_reviews_count_against_the_reviewer(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    desk.repo.commit(f"fe/{task}", sessions=[CLAUDE.session])
    desk.submit(CLAUDE, task)
    with pytest.raises(BadInput):
        desk.app.reviews.submit(GEMINI, task, b"looks good to me")
    review(desk, task, by=GEMINI)
    review(desk, task, [issue("no place")], files_reviewed=[])
    assert (figures(desk).reviews, figures(desk).actionable) == (2, share(1, 2))
    assert (card(desk, "gemini#1").coverage, card(desk, "gemini#1").sent_back) == (share(2, 2), 1)
    assert card(desk, "codex#1").coverage == share(0, 2)


def test_names_with_quotes_and_commas_are_one_file_each_V6(desk: DeskWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = ['a","b.py', '"path":', "c\\", 'd\\","e', ",", "f.py"]
    plain_change = desk.repo.change

    def change(**given: Any) -> Any:
        made = plain_change(**given)
        return msgspec.structs.replace(
            made, files=tuple(msgspec.structs.replace(made.files[0], path=name) for name in odd)
        )

    monkeypatch.setattr(desk.repo, "change", change)
    task = desk.submitted_task()
    review(desk, task, files_reviewed=["f.py"])
    assert card(desk, "codex#1").coverage == share(1, 6)


def test_time_to_review_is_the_median_from_hand_in_Y(desk: DeskWorld) -> None:
    for minutes in (2, 30, 4):
        task = desk.submitted_task()
        desk.clock.advance(minutes=minutes)
        review(desk, task)
    assert card(desk, "codex#1").median_seconds == 240


def test_a_quote_that_is_nowhere_counts_in_the_score_V7(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    for _ in range(2):
        with suppress(Refused):
            review(desk, task, [issue("nowhere", quote="this is in no file"), placed(desk, task)])
    before = card(desk, "codex#1")
    assert (before.unanchored, before.sent_back, before.precision.share) == (share(1, 2), 1, None)
    rule(desk, {named(desk, task)["nowhere"]: "DISMISSED"}, by=GEMINI)
    assert card(desk, "codex#1").precision == share(0, 1)


# Escalations


@pytest.mark.parametrize("place", [True, False])
def test_an_escalation_after_findings_without_a_place_is_unclear(desk: DeskWorld, place: bool) -> None:
    task = desk.submitted_task()
    review(desk, task, [placed(desk, task) if place else issue()])
    for _ in range(2):
        again(desk, task)
        rule(desk, dict.fromkeys(named(desk, task).values(), "NOT_FIXED"))
    assert figures(desk).unclear == share(int(not place), 1)


def test_unclear_feedback_of_an_earlier_tier_does_not_count_again(desk: DeskWorld) -> None:
    task = play(desk, [0] * 4, found=1)
    assert desk.task(task).tier == "lead"
    assert figures(desk).unclear == share(1, 2)


def test_asking_the_lead_is_no_escalation_L14(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    review(desk, task, [issue("a"), issue("b")])
    desk.start(CLAUDE, task)
    respond(desk, task, dict.fromkeys(named(desk, task).values(), "REJECTED"))
    again(desk, task)
    assert figures(desk).escalations == 0


def test_findings_of_a_check_are_no_unclear_feedback(desk: DeskWorld) -> None:
    configure(desk, LINT)
    desk.outside.runner.says("lint", exit_code=1)
    task = desk.submitted_task(labels=AUTO)
    for _ in range(3):
        check(desk, task)
        if desk.task(task).tier == "developer":
            again(desk, task)
    assert figures(desk).unclear == share(0, 1)
    assert [one.kind for one in desk.app.findings.listed(task)] == ["QA"]


# G6: against the journal


def journal(world: DeskWorld) -> list[tuple[JournalRow, e.Event]]:
    with world.store.read() as tx:
        rows = tx.all("journal.all", JournalRow)
    return [(row, msgspec.json.decode(row.payload, type=e.KINDS[row.kind])) for row in rows]


class Recount:
    """The figures counted event by event; knows no table."""

    def __init__(self, rows: list[tuple[JournalRow, e.Event]]) -> None:
        self.undone = {(event.root, event.ruling) for _, event in rows if isinstance(event, e.RulingTakenBack)}
        self.blocking: dict[str, bool] = {}
        self.names: dict[str, str] = {}
        self.rejected: set[str] = set()
        self.accepted: set[str] = set()
        self.judged: dict[str, bool] = {}
        self.raiser: dict[str, str] = {}
        self.counts: Counter[str] = Counter()
        for row, event in rows:
            self.take(row, event)

    def take(self, row: JournalRow, event: e.Event) -> None:
        match event:
            case e.FindingsRaised():
                for one in event.findings:
                    self.names[one.id] = one.root
                    spoken = event.source in ("review", "person", "session")
                    self.raiser.setdefault(one.root, row.session if spoken else "")
                    self.blocking[one.root] = one.severity in BLOCKING
            case e.FindingsAnswered():
                self.rejected |= {self.names[one.finding] for one in event.answers if one.action == "REJECTED"}
            case e.FindingRuled():
                if (event.root, row.seq) not in self.undone and event.ruling != "OBSOLETE":
                    self.accepted |= {event.root} if event.ruling == "ACCEPTED" else set()
                    self.judged[event.root] = event.ruling not in ("ACCEPTED", "DISMISSED")
            case e.FindingWithdrawn():
                self.judged[event.root] = False
            case e.ReviewSubmitted():
                self.counts.update({"reviews": 1, "actionable": event.actionable})
            case e.ReviewReturned():
                self.counts["sent back"] += 1
            case e.TaskEscalated():
                self.counts["escalated"] += not event.requested
            case _:
                pass


def busy(world: DeskWorld) -> DeskWorld:
    """A day's work on top of a store with every kind of row."""
    fill(world)
    play(world, [4, 1, 0, 0], found=6)
    play(world, [0] * 4, found=2)
    task = world.submitted_task()
    review(world, task, [issue("a"), issue("b"), issue("c", "LOW")])
    names = named(world, task)
    world.start(CLAUDE, task)
    respond(world, task, {names["a"]: "REJECTED", names["b"]: "FIXED"})
    again(world, task)
    rule(world, {names["a"]: "ACCEPTED", names["b"]: "NOT_FIXED"})
    world.app.rulings.take_back(CODEX, names["a"])
    return world


@cache
def _busy(on: str) -> DeskWorld:
    """Made once in a process, and never used but copied."""
    return busy(DeskWorld(store=Store(engines.template(on), PROJECT)))


@pytest.fixture
def worked(on_engine: str) -> Iterator[DeskWorld]:
    """A desk after that day."""
    made = _busy(on_engine)
    world = made.copied_to(Store(engines.copied(made.store.engine), PROJECT))
    yield world
    world.sound()
    world.app.close()


def test_the_figures_are_what_a_recount_of_the_journal_says_G6(worked: DeskWorld) -> None:
    found, plain = figures(worked), Recount(journal(worked))
    blocking = {root for root, is_blocking in plain.blocking.items() if is_blocking}
    rejected = plain.rejected & blocking
    assert (found.findings, found.blocking) == (len(plain.blocking), len(blocking))
    assert found.rejected == share(len(rejected), len(blocking))
    assert found.rejections_accepted == share(len(plain.accepted & rejected), len(rejected))
    assert (found.reviews, found.actionable.n) == (plain.counts["reviews"], plain.counts["actionable"])
    assert sum(one.sent_back for one in found.reviewers) == plain.counts["sent back"]
    assert found.escalations == plain.counts["escalated"] > 3
    assert plain.accepted or plain.rejected


def test_the_scorecard_is_what_a_recount_of_the_journal_says_G6(worked: DeskWorld) -> None:
    found, plain = figures(worked), Recount(journal(worked))
    for one in found.reviewers:
        mine = [root for root, session in plain.raiser.items() if session == one.session]
        judged = [plain.judged[root] for root in mine if root in plain.judged]
        assert (one.findings, one.precision) == (len(mine), share(sum(judged), len(judged)))
    assert sum(one.findings for one in found.reviewers) == sum(bool(each) for each in plain.raiser.values()) > 10
