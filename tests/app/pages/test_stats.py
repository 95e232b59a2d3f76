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

from foureyes.adapters.store.queries import sql
from foureyes.adapters.store.store import Store
from foureyes.app.pages import stats
from foureyes.app.views.journal import JournalRow
from foureyes.core import events as e
from foureyes.core.events.decision import ApprovalFinished
from foureyes.core.events.project import SecurityRecorded
from foureyes.core.loop.metrics import AFTER, ReviewerScore, ReviewStats, share, times_of
from foureyes.core.loop.metrics_rows import StatusRow
from foureyes.core.nouns.finding import BLOCKING, ReportedFinding
from foureyes.core.rules.four_eyes import Declaration
from foureyes.errors import BadInput, Refused

from tests import engines
from tests.adapters.store.shop import fill
from tests.stage.checkout import PROJECT
from tests.stage.gated import AUTO, LINT, check, configure
from tests.stage.looped import again, findings, issue, play, respond, review, rule, standing
from tests.stage.people import ALICE, BOB, CLAUDE, CODEX, GEMINI
from tests.stage.world import DeskWorld


def figures(world: DeskWorld) -> ReviewStats:
    with world.unchanged():
        return world.app.stats.reviews()


def card(world: DeskWorld, name: str) -> ReviewerScore:
    return next(one for one in world.app.stats.reviewers() if one.name == name)


def named(world: DeskWorld, task: str) -> dict[str, str]:
    """Ids by title."""
    return {one.title: one.id for one in findings(world, task).values()}


def placed(world: DeskWorld, task: str, title: str = "limit is hard-coded", **more: Any) -> dict[str, Any]:
    """An issue with a place in the first changed file."""
    path = world.show(task).attempts[-1].files[0].path
    world.repo.files.setdefault(path, "one\ntwo\nthree\n")
    return issue(title, file=path, line=2, **more)


# Nothing


def test_a_project_without_work_has_no_shares_and_no_errors_Y(desk: DeskWorld) -> None:
    found = figures(desk)
    assert (found.reviews, found.findings, found.iterations.mean, found.rejected.share, found.tokens) == (
        0,
        0,
        None,
        None,
        None,
    )
    assert desk.app.stats.reviewers() == ()
    assert (desk.app.stats.loops().tasks, desk.app.stats.loops().totals.loops) == ((), 0)


# What somebody agreed to


def test_who_agreed_to_an_attempt_in_which_others_found_something_true_missed_it_Y(desk: DeskWorld) -> None:
    task = desk.handed_in()
    review(desk, task, by=GEMINI)
    (name,) = review(desk, task, [placed(desk, task)], by=CODEX, verdict="concerns").raised
    assert card(desk, "gemini#1").missed == 0, "nobody has ruled on it"
    again(desk, task)
    rule(desk, {name: "VERIFIED"}, by=CODEX)
    assert (card(desk, "gemini#1").missed, card(desk, "codex#1").missed) == (1, 0)


# Iterations and approvals


def test_iterations_to_approval_are_those_of_the_attempt_that_was_approved_Y(desk: DeskWorld) -> None:
    desk.approve(CODEX, desk.handed_in())
    second = desk.handed_in()
    review(desk, second, [issue()])
    again(desk, second)
    rule(desk, dict.fromkeys(named(desk, second).values(), "VERIFIED"))
    desk.approve(CODEX, second)
    desk.handed_in()
    found = figures(desk).iterations
    assert (found.tasks, found.total, found.mean, found.median) == (2, 3, 1.5, 1.5)
    assert [(one.iterations, one.tasks) for one in found.distribution] == [(1, 1), (2, 1)]


def test_an_approval_that_was_withdrawn_or_only_recorded_is_none_P11(desk: DeskWorld) -> None:
    task = desk.handed_in()
    desk.approve(CODEX, task)
    desk.app.decisions.withdraw(CODEX, task)
    desk.app.policy.set(ALICE, "review.policy", "delegated")
    other = desk.handed_in(creator=BOB)
    desk.app.decisions.approve(
        CODEX, other, seen=desk.show(other).attempts[-1].diff_id, declaration=Declaration(record_only=True)
    )
    assert figures(desk).iterations.tasks == 0
    desk.approve(CLAUDE, other, reason="codex has looked at it")
    assert figures(desk).iterations.tasks == 1


def test_what_was_approved_by_rule_alone_is_counted_apart_M4(desk: DeskWorld) -> None:
    desk.handed_in(labels=["review:skip"])
    desk.approve(CODEX, desk.handed_in())
    assert figures(desk).automatic == share(1, 2)


# What became of findings


def test_rejected_accepted_and_overruled_findings_L9(desk: DeskWorld) -> None:
    task = desk.handed_in()
    review(desk, task, [issue("a"), issue("b"), issue("c"), issue("d")])
    names = named(desk, task)
    desk.start(CLAUDE, task)
    respond(desk, task, {names["a"]: "REJECTED", names["b"]: "REJECTED", names["c"]: "FIXED", names["d"]: "FIXED"})
    again(desk, task)
    rule(desk, {names["a"]: "ACCEPTED", names["b"]: "OVERRULED", names["c"]: "VERIFIED"})
    found = figures(desk)
    assert (found.rejected, found.rejections_accepted, found.open_blocking) == (share(2, 4), share(1, 2), 2)
    assert card(desk, "codex#1").precision == share(2, 3)


def test_a_fix_that_was_none_is_false_whether_it_is_ruled_so_or_flagged_again_L8(desk: DeskWorld) -> None:
    task = desk.handed_in()
    review(desk, task, [issue("a"), issue("b"), issue("c")])
    names = named(desk, task)
    again(desk, task)
    review(desk, task, [issue("c", id=names["c"])], rulings=[(names["a"], "VERIFIED"), (names["b"], "NOT_FIXED")])
    assert figures(desk).false_fixes == share(2, 3)


def test_a_ruling_that_was_taken_back_counts_for_nothing_L18(desk: DeskWorld) -> None:
    task = desk.handed_in()
    review(desk, task, [issue("a"), issue("b")])
    names = named(desk, task)
    again(desk, task)
    rule(desk, {names["a"]: "NOT_FIXED"})
    assert (figures(desk).false_fixes, card(desk, "codex#1").precision) == (share(1, 1), share(1, 1))
    desk.app.rulings.take_back(CODEX, names["a"])
    assert (figures(desk).false_fixes, card(desk, "codex#1").precision) == (share(0, 0), share(0, 0))


def test_what_was_settled_and_comes_again_is_reopened_Y(desk: DeskWorld) -> None:
    task = desk.handed_in()
    review(desk, task, [issue("a"), issue("b")])
    names = named(desk, task)
    again(desk, task)
    rule(desk, dict.fromkeys(names.values(), "VERIFIED"))
    review(desk, task, [issue("a", id=names["a"], severity="CRITICAL")])
    found = figures(desk)
    assert (found.reopened, found.open_blocking) == (share(1, 2), 1)


def test_notes_that_were_fixed_or_became_tasks_are_adopted_L16(desk: DeskWorld) -> None:
    task = desk.handed_in()
    notes = [issue(title, "LOW") for title in ("fixed", "tracked", "skipped", "left")]
    review(desk, task, [issue("a"), *notes])
    names = named(desk, task)
    desk.app.findings.track(BOB, [names["tracked"]])
    desk.start(CLAUDE, task)
    respond(desk, task, {names["a"]: "FIXED", names["fixed"]: "FIXED", names["skipped"]: "SKIPPED"})
    again(desk, task)
    assert figures(desk).notes_adopted == share(2, 4)


def test_a_blocking_finding_after_an_approval_of_the_same_change_was_missed_Y(desk: DeskWorld) -> None:
    task = desk.handed_in()
    review(desk, task, [issue("before")])
    again(desk, task)
    rule(desk, dict.fromkeys(named(desk, task).values(), "VERIFIED"))
    desk.approve(CODEX, task)
    assert figures(desk).missed == share(0, 1)
    desk.app.findings.add(BOB, task, ReportedFinding(severity="CRITICAL", title="loses data", fix="save first"))
    assert figures(desk).missed == share(1, 2)


def test_what_is_found_in_new_work_after_an_earlier_approval_was_not_missed_Y(desk: DeskWorld) -> None:
    task = desk.handed_in()
    desk.approve(CODEX, task)
    desk.app.feedback.redo(BOB, task, "do more")
    again(desk, task)
    review(desk, task, [issue("in the new part")])
    assert figures(desk).missed == share(0, 1)


def test_what_a_second_reviewer_finds_after_a_recorded_approval_was_not_missed_P11(desk: DeskWorld) -> None:
    desk.app.policy.set(ALICE, "review.policy", "delegated")
    task = desk.handed_in(creator=BOB)
    desk.app.decisions.approve(
        CODEX, task, seen=desk.show(task).attempts[-1].diff_id, declaration=Declaration(record_only=True)
    )
    review(desk, task, [issue()], by=GEMINI)
    assert figures(desk).missed == share(0, 1)


# Reviews and reviewers


def test_reviews_that_help_that_are_incomplete_and_that_are_none_V3_V6(desk: DeskWorld) -> None:
    task = desk.handed_in()
    desk.repo.commit(f"fe/{task}", sessions=[CLAUDE.session])
    desk.submit(CLAUDE, task)
    with pytest.raises(BadInput):
        desk.app.reviews.submit(GEMINI, task, b"looks good to me")
    review(desk, task, by=GEMINI)
    review(desk, task, [issue("no place")], files_reviewed=[])
    found = figures(desk)
    assert (found.reviews, found.actionable, found.incomplete, found.invalid) == (
        2,
        share(1, 2),
        share(1, 2),
        share(1, 3),
    )
    assert (card(desk, "gemini#1").coverage, card(desk, "gemini#1").invalid) == (share(2, 2), 1)
    assert (card(desk, "codex#1").coverage, card(desk, "codex#1").incomplete) == (share(0, 2), 1)


def test_names_with_quotes_and_commas_are_one_file_each_V6(desk: DeskWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = ['a","b.py', '"path":', "c\\", 'd\\","e', ",", "f.py"]
    plain_change = desk.repo.change

    def change(**given: Any) -> Any:
        made = plain_change(**given)
        return msgspec.structs.replace(
            made, files=tuple(msgspec.structs.replace(made.files[0], path=name) for name in odd)
        )

    monkeypatch.setattr(desk.repo, "change", change)
    task = desk.handed_in()
    review(desk, task, files_reviewed=["f.py"])
    assert card(desk, "codex#1").coverage == share(1, 6)


def test_time_to_review_is_the_median_from_hand_in_Y(desk: DeskWorld) -> None:
    for minutes in (2, 30, 4):
        task = desk.handed_in()
        desk.clock.advance(minutes=minutes)
        review(desk, task)
    assert card(desk, "codex#1").median_seconds == 240


def test_a_quote_that_is_nowhere_counts_in_the_score_V7(desk: DeskWorld) -> None:
    task = desk.handed_in()
    for _ in range(2):
        with suppress(Refused):
            review(desk, task, [issue("nowhere", quote="this is in no file"), placed(desk, task)])
    before = card(desk, "codex#1")
    assert (before.unanchored, before.misquoted, before.precision.share) == (share(1, 2), 1, None)
    rule(desk, {named(desk, task)["nowhere"]: "DISMISSED"}, by=GEMINI)
    assert card(desk, "codex#1").precision == share(0, 1)


# Escalations and loops


@pytest.mark.parametrize("place", [True, False])
def test_an_escalation_after_findings_without_a_place_came_after_unclear_feedback_Y(
    desk: DeskWorld, place: bool
) -> None:
    task = desk.handed_in()
    review(desk, task, [placed(desk, task) if place else issue()])
    for _ in range(2):
        again(desk, task)
        rule(desk, dict.fromkeys(named(desk, task).values(), "NOT_FIXED"))
    found = figures(desk)
    assert [(one.tier, one.n, one.unclear) for one in found.escalations] == [("senior", 1, int(not place))]
    assert found.after_unclear_feedback == share(int(not place), 1)


def test_unclear_feedback_of_an_earlier_tier_is_not_held_against_the_next_Y(desk: DeskWorld) -> None:
    task = play(desk, [0] * 4, found=1)
    assert desk.task(task).tier == "lead"
    assert [(one.tier, one.n, one.unclear) for one in figures(desk).escalations] == [("senior", 1, 1), ("lead", 1, 0)]


def test_asking_the_lead_is_a_step_and_no_escalation_L14(desk: DeskWorld) -> None:
    task = desk.handed_in()
    review(desk, task, [issue("a"), issue("b")])
    desk.start(CLAUDE, task)
    respond(desk, task, dict.fromkeys(named(desk, task).values(), "REJECTED"))
    again(desk, task)
    assert figures(desk).escalations == ()
    view = desk.app.stats.loops()
    assert [(row.task, row.pressure, row.waiting_for) for row in view.tasks] == [(task, "stuck", "lead")]
    assert [(one.kind, one.n) for one in view.totals.steps] == [("asked", 1)]


def test_what_a_check_found_without_a_place_is_no_unclear_feedback_of_a_reviewer_Y(desk: DeskWorld) -> None:
    configure(desk, LINT)
    desk.outside.runner.says("lint", exit_code=1)
    task = desk.handed_in(labels=AUTO)
    for _ in range(3):
        check(desk, task)
        if desk.task(task).tier == "developer":
            again(desk, task)
    found = figures(desk)
    assert [(one.tier, one.n, one.unclear) for one in found.escalations] == [("senior", 1, 0)]
    assert [one.kind for one in desk.app.findings.listed(task)] == ["QA"]


def test_loops_say_what_the_engine_says_and_the_stuck_come_first_E5(desk: DeskWorld) -> None:
    fine = play(desk, [], found=1)
    near = play(desk, [0], found=1)
    stuck = play(desk, [0] * 4, found=2)
    quiet, done = desk.handed_in(), play(desk, [1], found=1)
    desk.approve(CODEX, done)
    view = desk.app.stats.loops()
    assert [(row.task, row.pressure) for row in view.tasks] == [(stuck, "stuck"), (near, "near"), (fine, "")]
    assert quiet not in {row.task for row in view.tasks}
    for row in view.tasks:
        now = standing(desk, row.task)
        assert (row.tier, row.round, row.iterations, row.no_progress) == (
            now.tier,
            now.round,
            now.iteration,
            now.no_progress,
        )
        assert (row.warning, row.waiting_for, row.escalations) == (now.warning, now.waiting_for, now.escalations)
    totals = view.totals
    assert (totals.loops, totals.stuck, totals.near, totals.left_off) == (3, 1, 1, 0)
    assert [(one.kind, one.n) for one in totals.tiers] == [("developer", 2), ("lead", 1)]
    assert [(one.kind, one.n) for one in totals.steps] == [("escalated", 2)]


def test_more_loops_than_are_looked_at_are_counted_Y(desk: DeskWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stats, "MOST_LOOPS", 1)
    stuck = [play(desk, [], found=1), play(desk, [0] * 4, found=1)][1]
    view = desk.app.stats.loops()
    assert ([row.task for row in view.tasks], view.totals.loops, view.totals.left_off) == ([stuck], 2, 1)


# Time


def test_time_in_each_status_is_that_of_closed_tasks_Y(desk: DeskWorld) -> None:
    task = desk.create()
    desk.clock.advance(minutes=1)
    desk.start(CLAUDE, task)
    desk.repo.commit(f"fe/{task}", sessions=[CLAUDE.session])
    desk.clock.advance(minutes=10)
    desk.submit(CLAUDE, task)
    desk.clock.advance(minutes=5)
    desk.approve(CODEX, task)
    desk.clock.advance(hours=1)
    assert figures(desk).statuses == ()
    desk.repo.land(f"fe/{task}")
    desk.app.merges.process(ALICE)
    assert desk.status(task) == "closed"
    found = figures(desk)
    assert {one.status: one.total_seconds for one in found.statuses} == {
        "open": 60, "in_progress": 600, "reviewing": 300, "approved": 3_600,
    }  # fmt: skip
    assert found.timed_tasks == share(1, 1)


def test_taking_back_an_approval_that_was_only_recorded_moves_no_task_P11(desk: DeskWorld) -> None:
    desk.app.policy.set(ALICE, "review.policy", "delegated")
    task = desk.handed_in(creator=BOB)
    for who in (CODEX, GEMINI):
        desk.app.decisions.approve(
            who, task, seen=desk.show(task).attempts[-1].diff_id, declaration=Declaration(record_only=True)
        )
    desk.approve(CLAUDE, task, reason="both have looked at it")
    left = GEMINI if desk.show(task).approvals[-1].recorded else CODEX
    desk.clock.advance(minutes=3)
    desk.app.decisions.withdraw(left, task)
    assert desk.status(task) == "approved"
    desk.clock.advance(minutes=4)
    desk.repo.land(f"fe/{task}")
    desk.app.merges.process(ALICE)
    assert {one.status: one.total_seconds for one in figures(desk).statuses if one.total_seconds} == {"approved": 420}


def test_only_the_tasks_closed_last_are_timed_and_that_is_said_Y(
    desk: DeskWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stats, "TIMED", 2)
    for minutes in (100, 2, 3):
        task = desk.create()
        desk.clock.advance(minutes=minutes)
        desk.app.closing.cancel(ALICE, task, reason="not needed")
    found = figures(desk)
    assert (found.timed_tasks, [(one.status, one.total_seconds) for one in found.statuses]) == (
        share(2, 3),
        [("open", 300)],
    )


# G6: against the journal


def journal(world: DeskWorld) -> list[tuple[JournalRow, e.Event]]:
    with world.store.read() as tx:
        rows = tx.all("journal.all", JournalRow)
    return [(row, msgspec.json.decode(row.payload, type=e.KINDS[row.kind])) for row in rows]


class Recount:
    """The figures counted event by event, the plainest way there is; knows no table."""

    def __init__(self, rows: list[tuple[JournalRow, e.Event]]) -> None:
        self.undone = {(event.root, event.ruling) for _, event in rows if isinstance(event, e.RulingTakenBack)}
        self.state: dict[str, str] = {}
        self.before: dict[str, str] = {}
        self.blocking: dict[str, bool] = {}
        self.names: dict[str, str] = {}
        self.rejected: set[str] = set()
        self.accepted: set[str] = set()
        self.settled: set[str] = set()
        self.reopened: set[str] = set()
        self.judged: dict[str, bool] = {}
        self.raiser: dict[str, str] = {}
        self.false = self.right = 0
        self.counts: Counter[str] = Counter()
        for row, event in rows:
            self.take(row, event)

    def take(self, row: JournalRow, event: e.Event) -> None:
        match event:
            case e.FindingsRaised():
                self.raise_all(row, event)
            case e.FindingsAnswered():
                for answer in event.answers:
                    root = self.names[answer.finding]
                    self.rejected |= {root} if answer.action == "REJECTED" else set()
                    self.move(root, {"FIXED": "claimed", "REJECTED": "disputed"}.get(answer.action, "put off"))
            case e.FindingRuled():
                self.rule(row, event)
            case e.RulingTakenBack():
                self.state[event.root] = self.before[event.root]
            case e.FindingsCleared():
                for root in event.roots:
                    self.right += self.state[root] == "claimed" and event.why == "check"
                    self.move(root, "settled")
            case e.FindingWithdrawn():
                self.judged[event.root] = False
                self.move(event.root, "settled")
            case e.FindingWaived():
                self.move(event.root, "waived")
            case e.ReviewSubmitted():
                self.counts.update({"reviews": 1, "actionable": event.actionable, "incomplete": bool(event.missing)})
            case e.ReviewReturned():
                self.counts[event.why] += 1
            case e.TaskEscalated():
                self.counts["escalated"] += not event.asked
            case SecurityRecorded():
                self.counts["exceptions"] += 1
            case _:
                pass

    def raise_all(self, row: JournalRow, event: e.FindingsRaised) -> None:
        for one in event.findings:
            again = one.id != one.root
            self.names[one.id] = one.root
            self.raiser.setdefault(one.root, row.session if event.source in ("review", "person", "session") else "")
            self.blocking[one.root] = one.severity in BLOCKING
            self.false += again and self.state[one.root] == "claimed" and one.state == "open"
            self.reopened |= (
                {one.root} if again and self.state[one.root] == "settled" and one.state == "open" else set()
            )
            if not again or one.state == "open":
                self.move(one.root, "open")

    def rule(self, row: JournalRow, event: e.FindingRuled) -> None:
        stands = (event.root, row.seq) not in self.undone
        if stands:
            self.false += event.ruling == "NOT_FIXED"
            self.right += event.ruling == "VERIFIED"
            self.accepted |= {event.root} if event.ruling == "ACCEPTED" else set()
            if event.ruling != "OBSOLETE":
                self.judged[event.root] = event.ruling not in ("ACCEPTED", "DISMISSED")
        after = "settled" if event.ruling in ("VERIFIED", "ACCEPTED", "DISMISSED", "OBSOLETE") else "open"
        self.before[event.root] = self.state[event.root]
        self.state[event.root] = after
        self.settled |= {event.root} if stands and after == "settled" else set()

    def move(self, root: str, state: str) -> None:
        self.state[root] = state
        self.settled |= {root} if state == "settled" else set()


def busy(world: DeskWorld) -> DeskWorld:
    """A day's work on top of a store with every kind of row."""
    fill(world)
    play(world, [4, 1, 0, 0], found=6)
    play(world, [0] * 4, found=2)
    task = world.handed_in()
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
    assert (found.findings, found.blocking) == (len(plain.blocking), len(blocking))
    assert found.rejected == share(len(plain.rejected & blocking), len(blocking))
    assert found.rejections_accepted == share(
        len(plain.accepted & plain.rejected & blocking), len(plain.rejected & blocking)
    )
    assert found.false_fixes == share(plain.false, plain.false + plain.right)
    assert found.reopened == share(len(plain.reopened), len(plain.settled))
    counts = plain.counts
    assert (found.reviews, found.actionable.n, found.incomplete.n) == (
        counts["reviews"],
        counts["actionable"],
        counts["incomplete"],
    )
    assert found.invalid == share(counts["document"], counts["document"] + counts["reviews"])
    assert sum(one.n for one in found.escalations) == counts["escalated"] > 3
    assert sum(one.n for one in found.exceptions) == counts["exceptions"] > 3
    assert plain.false > 3
    assert plain.accepted or plain.rejected


def test_the_scorecard_is_what_a_recount_of_the_journal_says_G6(worked: DeskWorld) -> None:
    plain = Recount(journal(worked))
    for one in worked.app.stats.reviewers():
        mine = [root for root, session in plain.raiser.items() if session == one.session]
        judged = [plain.judged[root] for root in mine if root in plain.judged]
        assert (one.findings, one.precision) == (len(mine), share(sum(judged), len(judged)))
    assert (
        sum(one.findings for one in worked.app.stats.reviewers())
        == sum(bool(session) for session in plain.raiser.values())
        > 10
    )


def test_the_statuses_that_are_timed_are_those_the_tasks_have_T2(worked: DeskWorld) -> None:
    kinds = {kind for kind in AFTER if f"'{kind}'" in sql("metric.statuses")}
    assert kinds == set(AFTER)
    recorded = {str(row[0]) for row in worked.sql("SELECT seq FROM approvals WHERE recorded = 1")}
    status: dict[str, str] = {}
    for row, event in journal(worked):
        ends = getattr(event, "approval", None) if not isinstance(event, (ApprovalFinished, e.MergeLeased)) else None
        if row.kind in AFTER and str(ends) not in recorded:
            status[row.task] = getattr(event, "status", AFTER[row.kind])
    assert status == {str(row[0]): str(row[1]) for row in worked.sql("SELECT id, status FROM tasks")}


def test_times_of_closed_tasks_add_up_to_their_lives_G6(desk: DeskWorld) -> None:
    for hours in (1, 2, 5):
        task = desk.handed_in()
        desk.clock.advance(hours=hours)
        desk.approve(CODEX, task)
        desk.clock.advance(minutes=7)
        desk.repo.land(f"fe/{task}")
        desk.app.merges.process(ALICE)
    lives = [
        times_of(
            [
                StatusRow(task="t", at=str(made), kind="TaskCreated"),
                StatusRow(task="t", at=str(ended), kind="TaskClosed"),
            ]
        )
        for made, ended in desk.sql("SELECT created_at, closed_at FROM tasks WHERE status = 'closed'")
    ]
    assert len(lives) == 3
    assert (
        sum(one.total_seconds for one in figures(desk).statuses)
        == sum(life[0].total_seconds for life in lives)
        == 8 * 3_600 + 21 * 60
    )
