"""The board: what stands in which column, in which order, and what its cards say; windows, claims, the status line."""

from __future__ import annotations

import pytest

from foureyes.adapters import process
from foureyes.app.pages import board as module
from foureyes.app.results.board import BoardView, Card, Column
from foureyes.core.nouns.session import Actor
from foureyes.errors import BadInput

from tests.stage.checkout import AT_ONCE
from tests.stage.counting import counting
from tests.stage.gated import AUTO, LINT, check, configure
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX
from tests.stage.world import DeskWorld, GitWorld


def ids(column: Column) -> list[str]:
    return [card.task for card in column.cards]


def card_of(column: Column, task: str) -> Card:
    return next(card for card in column.cards if card.task == task)


def look(desk: DeskWorld, actor: Actor = BOB) -> BoardView:
    with desk.unchanged():
        return desk.app.board.view(actor)


def test_an_empty_project_has_four_empty_columns(desk: DeskWorld) -> None:
    view = look(desk)
    assert [(column.name, column.count, column.cards) for column in (view.open, view.in_progress)] == [
        ("open", 0, ()),
        ("in_progress", 0, ()),
    ]
    assert (view.reviewing.count, view.done.count, view.agents, view.waiting) == (0, 0, (), 0)
    assert (view.project, view.target, view.policy, view.hold) == ("project", "main", "balanced", None)
    assert view.head == desk.app.events.head()


# Open


def test_open_is_ready_first_then_waiting_rejected_blocked_deferred_and_held(desk: DeskWorld) -> None:
    held, deferred, blocked = desk.create(), desk.create(), desk.create()
    rejected = desk.submitted_task()
    ready = desk.create()
    waiting = desk.create(depends_on=[ready])
    urgent = desk.create(priority=0)
    desk.app.stops.hold(ALICE, held, "freeze")
    desk.app.stops.defer(ALICE, deferred, "2027-01-31")
    desk.app.stops.block(ALICE, blocked, "no access yet")
    desk.app.feedback.reject(BOB, rejected, "not wanted")
    column = look(desk).open
    assert ids(column) == [urgent, ready, waiting, rejected, blocked, deferred, held]
    assert [(card.state, card.note) for card in column.cards] == [
        ("ready", ""),
        ("ready", ""),
        ("waiting", ""),
        ("rejected", "not wanted"),
        ("blocked", "no access yet"),
        ("deferred", "until 2027-01-31"),
        ("held", "freeze"),
    ]
    assert card_of(column, waiting).waits_for == (ready,)
    assert column.count == 7


def test_an_epic_is_no_card_that_somebody_could_take_T4(desk: DeskWorld) -> None:
    epic = desk.create(type="epic", priority=0)
    child = desk.create(parent=epic)
    column = desk.app.board.view(ALICE).open
    assert (ids(column), column.count) == ([child, epic], 2)
    assert [(card.state, card.note) for card in column.cards] == [
        ("ready", ""), ("waiting", "an epic, so work happens in its tasks"),
    ]  # fmt: skip
    assert ids(desk.app.board.column(ALICE, "open", after=1)) == [epic]


def test_a_window_of_a_column_begins_where_it_is_told_to(desk: DeskWorld) -> None:
    ready = [desk.create() for _ in range(4)]
    waiting = [desk.create(depends_on=[ready[0]]) for _ in range(3)]
    held = desk.create()
    desk.app.stops.hold(ALICE, held, "freeze")
    everything = [*ready, *waiting, held]
    for after in range(9):
        for limit in (1, 3, 8):
            column = desk.app.board.column(BOB, "open", after=after, limit=limit)
            assert (ids(column), column.count, column.after) == (everything[after : after + limit], 8, after)


def test_there_is_no_other_column(desk: DeskWorld) -> None:
    with pytest.raises(BadInput, match="open, in_progress, reviewing, done"):
        desk.app.board.column(BOB, "closed")


def test_a_task_that_waits_for_its_parent_or_the_lead_says_so(desk: DeskWorld) -> None:
    parent = desk.create()
    child = desk.create(parent=parent)
    desk.app.stops.block(ALICE, parent, "later")
    card = card_of(look(desk).open, child)
    assert (card.state, card.note) == ("waiting", f"its parent {parent} is blocked")


# In progress, and who is at work


def test_in_progress_says_who_and_since_when(desk: DeskWorld) -> None:
    task = desk.create()
    desk.start(CLAUDE, task)
    desk.clock.advance(minutes=5)
    card = look(desk).in_progress.cards[0]
    assert (card.task, card.owner, card.age_seconds) == (task, "claude#1", 300)


def test_agents_are_the_live_claims_with_what_was_last_heard(desk: DeskWorld) -> None:
    mine, other = desk.create(title="Export orders"), desk.create()
    desk.start(CLAUDE, mine)
    desk.start(CODEX, other)
    desk.clock.advance(minutes=10)
    desk.app.notes.log(CLAUDE, mine, "tests are green\nall of them")
    desk.clock.advance(minutes=3)
    first, second = look(desk).agents
    assert (first.name, first.task, first.title, first.iteration) == ("claude#1", mine, "Export orders", 1)
    assert (first.age_seconds, first.quiet_seconds, first.line) == (780, 180, "tests are green all of them")
    assert (second.name, second.quiet_seconds, second.line, second.silent) == ("codex#1", 780, "", False)


def test_a_claim_is_silent_exactly_where_others_may_release_it_T1(desk: DeskWorld) -> None:
    task = desk.create()
    desk.start(CLAUDE, task)
    desk.clock.advance(minutes=119)
    assert not look(desk).agents[0].silent
    with desk.refused("T1"):
        desk.app.claims.unstart(CODEX, task)
    desk.clock.advance(minutes=1)
    assert look(desk).agents[0].silent
    desk.app.claims.unstart(CODEX, task)
    assert look(desk).agents == ()


# In review


def one_after_the_other(desk: DeskWorld, *sizes: int) -> list[str]:
    """Work of these sizes, each submitted a minute after the one before."""
    tasks = []
    for lines in sizes:
        tasks.append(desk.submitted_task(lines=lines))
        desk.clock.advance(minutes=1)
    return tasks


def test_reviewing_has_the_order_the_risk_and_the_checks_of_the_queue_H1(desk: DeskWorld) -> None:
    configure(desk, LINT)
    tasks = [desk.submitted_task(lines=lines, priority=priority) for lines, priority in ((1, 2), (500, 4), (1, 0))]
    desk.app.stops.hold(ALICE, tasks[0], "not yet")
    check(desk, tasks[2])
    view, queue = look(desk), desk.app.queue.view(BOB)
    assert ids(view.reviewing) == [row.task for row in queue.rows]
    assert [card.review.risk for card in view.reviewing.cards if card.review] == [row.risk for row in queue.rows]
    card = card_of(view.reviewing, tasks[2])
    assert card.review is not None
    assert (card.review.checks, card.iteration, card.owner) == ({"lint": "passed"}, 1, "claude#1")
    assert (view.checks, view.reviewing.count) == (("lint",), 3)


def test_how_many_wait_is_how_many_this_caller_may_approve_P13(desk: DeskWorld) -> None:
    desk.submitted_task()
    desk.submitted_task(CODEX)
    for actor in (ALICE, BOB, CLAUDE, CODEX, CI):
        queue = desk.app.queue.view(actor)
        assert look(desk, actor).waiting == sum(row.you.may_approve for row in queue.rows)
    assert (look(desk).waiting, look(desk, CLAUDE).waiting, look(desk).waiting_more) == (2, 1, False)


def test_more_than_a_block_is_judged_block_by_block(desk: DeskWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK", 3)
    tasks = one_after_the_other(desk, *[500 if number % 2 else 1 for number in range(8)])
    view = look(desk)
    assert (view.reviewing.count, len(view.reviewing.cards), view.waiting, view.waiting_more) == (8, 3, 3, True)
    assert ids(view.reviewing) == [tasks[1], tasks[0], tasks[2]]
    everything = [tasks[n] for n in (1, 0, 2, 3, 5, 4, 7, 6)]
    for after in range(9):
        column = desk.app.board.column(BOB, "reviewing", after=after, limit=3)
        assert ids(column) == everything[after : after + 3], after


def test_the_queue_can_be_asked_for_a_part_and_counts_all(desk: DeskWorld) -> None:
    tasks = one_after_the_other(desk, 1, 1, 1, 1)
    view = desk.app.queue.view(BOB, most=2)
    assert ([row.task for row in view.rows], view.count, view.auto_approvable + view.need_attention) == (
        tasks[:2],
        4,
        2,
    )


def test_a_broken_configuration_or_git_leaves_a_board_that_can_be_read(
    desk: DeskWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    from foureyes.errors import GitProblem

    task = desk.submitted_task()

    def gone() -> dict[str, str]:
        raise GitProblem("the repository is gone")

    with monkeypatch.context() as patch:
        patch.setattr(desk.repo, "heads", gone)
        view = look(desk)
        assert (view.problem, ids(view.reviewing), view.waiting) == ("the repository is gone", [task], 0)
    desk.environ["FOUREYES_REVIEW_POLICY"] = "nonsense"
    view = look(desk)
    assert "nonsense" in view.problem
    assert view.reviewing.cards[0].review is None
    assert view.waiting_more


# Done


def test_done_is_what_waits_to_be_merged_with_its_place_then_what_was_merged_last_Q1(desk: DeskWorld) -> None:
    merged = []
    for _ in range(2):
        task = desk.submitted_task()
        desk.approve(BOB, task)
        desk.repo.land(f"fe/{task}")
        desk.app.merges.process(CI)
        desk.clock.advance(minutes=1)
        merged.append(task)
    cancelled = desk.create()
    desk.app.closing.cancel(ALICE, cancelled, reason="no longer needed")
    late, urgent = desk.submitted_task(), desk.submitted_task(priority=0)
    desk.approve(BOB, late)
    desk.approve(BOB, urgent)
    column = look(desk).done
    assert ids(column) == [urgent, late, cancelled, merged[1], merged[0]]
    assert [(card.state, card.place, card.owner) for card in column.cards] == [
        ("approved", 1, "bob@box"),
        ("approved", 2, "bob@box"),
        ("closed", 0, ""),
        ("merged", 0, "bob@box"),
        ("merged", 0, "bob@box"),
    ]
    assert column.count == 5
    assert "its approval can be withdrawn until" in column.cards[0].note
    for after in range(6):
        assert ids(desk.app.board.column(BOB, "done", after=after, limit=2)) == ids(column)[after : after + 2]


def test_what_a_rule_approved_is_marked_and_counted_for_today_M4(desk: DeskWorld) -> None:
    configure(desk, LINT + AT_ONCE)
    before = desk.submitted_task(labels=AUTO)
    check(desk, before)
    desk.clock.advance(hours=48)
    task = desk.submitted_task(labels=AUTO)
    check(desk, task)
    view = look(desk)
    assert desk.status(task) == "approved"
    assert card_of(view.done, task).by_rule
    assert view.auto_approved_today == 1


def test_the_hold_of_the_project_is_there_with_its_reason_D3(desk: DeskWorld) -> None:
    desk.app.stops.hold(ALICE, None, "release freeze")
    assert look(desk).hold == "release freeze"


# What it costs


def test_a_look_asks_the_store_no_more_questions_however_many_tasks_there_are(desk: DeskWorld) -> None:
    def questions() -> int:
        with counting({"fetch": type(desk.store.engine).fetch}) as counted:
            look(desk)
        return counted["fetch"]

    def grow() -> None:
        for _ in range(3):
            desk.submitted_task()
            desk.create()
            desk.start(CLAUDE, desk.create())
            desk.approve(BOB, desk.submitted_task())

    grow()
    questions()
    grow()
    small = questions()
    grow()
    grow()
    assert questions() <= small


@pytest.mark.on("sqlite")
def test_git_is_asked_once_for_all_that_landed_before_its_review_and_not_for_branches(world: GitWorld) -> None:
    for number in range(3):
        world.checkout.switch("main")
        task = world.create()
        world.start(CLAUDE, task)
        world.checkout.commit(f"part{number}.py", "x\n", session=CLAUDE)
        world.submit(CLAUDE, task)
    with counting({"run": process.run}) as asked:
        view = world.app.board.view(BOB)
    assert view.reviewing.count == 3
    assert all(card.review for card in view.reviewing.cards)
    assert asked["run"] == 1
