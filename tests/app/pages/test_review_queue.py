"""The review queue (H1, M8): what waits, in which order and why; what one batch would approve (H2)."""

from __future__ import annotations

import msgspec
import pytest

from foureyes.app.pages import review_queue
from foureyes.app.results.review import ApprovalOutcome, QueueRow
from foureyes.app.review import decisions
from foureyes.core.nouns.check import Ran
from foureyes.core.nouns.session import Actor
from foureyes.core.rules import risk as risk_rule
from foureyes.errors import BadInput, Refused
from foureyes.ui.steps import steps_text

from tests.stage.gated import AUTO, KNIP, LINT, check, configure, deliver
from tests.stage.looped import issue, respond, review, rule
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX
from tests.stage.world import DeskWorld, GitWorld


@pytest.fixture(autouse=True)
def _no_agent_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left to look at is the test's own."""
    monkeypatch.setattr(risk_rule, "NEW_AGENT", 0)


def order(desk: DeskWorld, actor: Actor = BOB) -> list[str]:
    return [row.task for row in desk.app.queue.view(actor).rows]


def row_of(world: DeskWorld | GitWorld, task: str, actor: Actor = BOB) -> QueueRow:
    return next(row for row in world.app.queue.view(actor).rows if row.task == task)


def risk(world: DeskWorld | GitWorld, task: str) -> tuple[str, str]:
    found = row_of(world, task).risk
    return found.level, "; ".join(reason.message for reason in found.reasons)


# What waits, and in which order


def test_an_empty_queue_counts_nothing(desk: DeskWorld) -> None:
    view = desk.app.queue.view(BOB)
    assert (view.count, view.auto_approvable, view.need_attention, view.rows) == (0, 0, 0, ())


def test_looking_writes_nothing_and_everybody_sees_the_same_order_H1(desk: DeskWorld) -> None:
    for _ in range(3):
        desk.submitted_task()
    with desk.unchanged():
        assert order(desk, ALICE) == order(desk, CODEX) == order(desk, CI)


def test_per_task_and_held_first_then_risk_priority_what_waits_and_age_H1(desk: DeskWorld) -> None:
    new = desk.submitted_task()
    desk.clock.advance(hours=-1)
    old = desk.submitted_task()
    desk.clock.advance(hours=1)
    urgent = desk.submitted_task(priority=0)
    awaited = desk.submitted_task()
    desk.create(depends_on=[awaited])
    large = desk.submitted_task(lines=500, priority=4)
    held = desk.submitted_task(priority=3)
    desk.app.stops.hold(ALICE, held, "not yet")
    per_task = desk.submitted_task(labels=["review:per-task"], priority=2)
    assert order(desk) == [per_task, held, large, urgent, awaited, old, new]
    assert [row.n for row in desk.app.queue.view(BOB).rows] == list(range(1, 8))


def test_what_shares_a_file_stands_side_by_side_H1(world: GitWorld) -> None:
    tasks: list[str] = []
    for name in ("a.py", "b.py", "a.py"):
        tasks.append(deliver(world, {name: f"{len(tasks)}\n"}))
        world.clock.advance(hours=1)
    first, alone, beside = tasks
    assert [row.task for row in world.app.queue.view(BOB).rows] == [first, beside, alone]


def test_a_row_says_what_a_decision_is_prepared_by(desk: DeskWorld) -> None:
    configure(desk, LINT + KNIP)
    desk.outside.runner.says("knip", exit_code=1)
    task = desk.submitted_task(lines=7)
    check(desk, task)
    desk.clock.advance(hours=2)
    row = row_of(desk, task)
    assert (row.mode, row.attempt, row.files, row.added, row.removed, row.age_seconds) == ("batch", 1, 1, 7, 0, 7200)
    assert (row.checks, row.claimed, row.you.may_approve, row.you.rule) == (
        {"lint": "passed", "knip": "failed"},
        (),
        True,
        "P7",
    )
    assert row_of(desk, task, CLAUDE).you.may_approve is False
    assert desk.app.queue.view(BOB).checks == ("lint", "knip")


def test_claimed_checks_are_marked_D5(desk: DeskWorld) -> None:
    configure(desk, LINT)
    task = desk.submitted_task()
    check(desk, task, CLAUDE)
    row = row_of(desk, task)
    assert (row.checks, row.claimed, row.auto_approvable) == ({"lint": "passed"}, ("lint",), False)


@pytest.mark.parametrize("settled", ["approved", "closed", "open", "rejected"])
def test_what_is_decided_does_not_wait_M5(desk: DeskWorld, settled: str) -> None:
    task = desk.submitted_task()
    match settled:
        case "approved":
            desk.approve(BOB, task)
        case "closed":
            desk.app.closing.close(BOB, task, reason="no more")
        case "open":
            desk.app.feedback.redo(BOB, task, "again")
        case _:
            desk.app.feedback.reject(BOB, task, "never")
    assert order(desk) == []


# Risk (H1): from git, checks and the journal


def test_what_is_high_and_why_H1(desk: DeskWorld) -> None:
    configure(desk, LINT)
    large = desk.submitted_task(lines=401)
    secret = desk.submitted_task(labels=["security"])
    red = desk.submitted_task(via=ALICE)
    desk.outside.runner.says("lint", exit_code=1)
    check(desk, red)
    assert risk(desk, large)[0] == "high"
    assert "401 lines in 1 file" in risk(desk, large)[1]
    assert risk(desk, secret)[1].startswith("security label")
    assert risk(desk, red)[1].startswith("lint failed")
    assert {risk(desk, task)[0] for task in (large, secret, red)} == {"high"}


def test_many_iterations_and_a_tier_are_high_H1(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    for _ in range(2):
        desk.app.feedback.redo(ALICE, task, "again")
        desk.start(CLAUDE, task)
        desk.repo.commit(f"fe/{task}")
        desk.submit(CLAUDE, task)
    assert risk(desk, task) == ("high", "iteration 3; code changed, no test changed")


@pytest.mark.parametrize(
    ("path", "text", "level", "words"),
    [
        ("tests/test_a.py", "def test_a(): assert True\n", "low", ""),
        ("docs/a.md", "hello\n", "low", ""),
        ("work.py", "x\n", "medium", "code changed, no test changed"),
        ("work.py", "x\n" * 150, "medium", "150 changed lines"),
        ("sub/pyproject.toml", "[x]\n", "high", "touches sub/pyproject.toml"),
        ("CLAUDE.md", "obey\n", "high", "gate file CLAUDE.md"),
        ("work.py", "a = '\u202eb'\n", "high", "hidden characters: work.py"),
        ("tests/test_a.py", "@pytest.mark.skip\ndef test_a(): ...\n", "high", "test skipped: tests/test_a.py"),
        ("blob.bin", "\0\1\2", "high", "binary file: blob.bin"),
    ],
)
def test_what_git_shows_decides_the_class_H1(world: GitWorld, path: str, text: str, level: str, words: str) -> None:
    task = deliver(world, {path: text})
    assert risk(world, task)[0] == level
    assert words in risk(world, task)[1]


def test_new_agents_unusual_signals_and_shared_files_are_to_look_at_H1(
    world: GitWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(risk_rule, "NEW_AGENT", 5)
    one = deliver(world, {"docs/shared.md": "x\n"}, signal="NEEDS_REVIEW")
    two = deliver(world, {"docs/shared.md": "y\n"}, actor=CODEX)
    assert "signal NEEDS_REVIEW" in risk(world, one)[1]
    assert "a new agent: only 0 of its attempts were decided so far" in risk(world, two)[1]
    assert "docs/shared.md is touched by another waiting task" in risk(world, two)[1]
    world.app.feedback.reject(BOB, one, "no")
    assert "touched by another" not in risk(world, two)[1]


def test_a_person_is_no_new_agent_H1(desk: DeskWorld) -> None:
    task = desk.submitted_task(ALICE, creator=BOB)
    assert "new agent" not in risk(desk, task)[1]


def test_nothing_that_an_author_says_changes_its_risk_H1(desk: DeskWorld) -> None:
    plain = desk.submitted_task(lines=500)
    told = desk.create(title="trivial, routine, approved by the lead", description="low risk")
    desk.start(CLAUDE, told)
    desk.repo.commit(f"fe/{told}", lines=500)
    desk.submit(CLAUDE, told, message="safe: no need to look")
    assert risk(desk, told) == risk(desk, plain)


# M8


def test_auto_approvable_ignores_the_mode_but_not_per_task_nor_a_barring_label_M8(desk: DeskWorld) -> None:
    configure(desk, "[review.label_rules]\napi = { auto_approve = false }\n" + LINT)
    batch, per_task, barred = (
        desk.submitted_task(),
        desk.submitted_task(labels=["review:per-task"]),
        desk.submitted_task(labels=["api"]),
    )
    red, broke, claimed = desk.submitted_task(via=ALICE), desk.submitted_task(), desk.submitted_task(labels=AUTO)
    for task in (batch, per_task, barred):
        check(desk, task)
    check(desk, claimed, CODEX)
    desk.outside.runner.says("lint", exit_code=1)
    check(desk, red)
    desk.outside.runner.answers["lint"] = Ran(exit_code=127)
    check(desk, broke)
    view = desk.app.queue.view(BOB)
    assert [row.task for row in view.rows if row.auto_approvable] == [batch]
    assert (view.count, view.auto_approvable, view.need_attention) == (6, 1, 5)
    assert all(row.auto_reasons for row in view.rows if row.task != batch), "each says why (G2)"


# Batches


def waiting(desk: DeskWorld, count: int, *, lines: int = 1) -> list[str]:
    """Tasks that are green and wait for a person in batch mode."""
    found = [desk.submitted_task(lines=lines) for _ in range(count)]
    for task in found:
        check(desk, task)
    return found


def test_all_auto_takes_what_the_caller_may_approve_and_leaves_high_risk_H2(desk: DeskWorld) -> None:
    configure(desk, LINT)
    mine = desk.submitted_task(ALICE, creator=BOB)
    (green,), (large,) = waiting(desk, 1), waiting(desk, 1, lines=500)
    check(desk, mine, CI)
    unchecked = desk.submitted_task()
    batch = desk.app.queue.batch(ALICE)
    assert [row.task for row in batch.tasks] == [green]
    assert [row.task for row in batch.high] == [large]
    assert desk.app.queue.view(ALICE).auto_approvable == 1, "what it takes is what is counted"
    assert unchecked not in [row.task for row in (*batch.tasks, *batch.high)]
    assert {row.task for row in desk.app.queue.batch(BOB).tasks} == {green, mine}
    for who in (CLAUDE, CODEX, CI):
        with desk.refused("D7"):
            desk.app.queue.batch(who)


def test_all_of_a_large_batch_are_taken_and_reading_it_writes_nothing_H2(desk: DeskWorld) -> None:
    configure(desk, LINT)
    tasks = waiting(desk, 11)
    with desk.unchanged():
        batch = desk.app.queue.batch(BOB)
    assert {row.task for row in batch.tasks} == set(tasks)
    answers = desk.app.decisions.approve_many(BOB, [(row.task, row.version) for row in batch.tasks])
    assert [type(answer) for answer in answers] == [ApprovalOutcome] * 11


def test_a_batch_has_an_end_and_says_what_is_left_H2(desk: DeskWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (review_queue, decisions):
        monkeypatch.setattr(module, "BATCH_MAX", 3)
    configure(desk, LINT)
    waiting(desk, 5)
    batch = desk.app.queue.batch(BOB)
    assert ([row.task for row in batch.tasks], batch.left_off) == (order(desk)[:3], 2)
    with pytest.raises(BadInput, match="4 tasks are too many for one batch, which has 3"):
        desk.app.decisions.approve_many(BOB, [(row.task, row.version) for row in desk.app.queue.view(BOB).rows[:4]])


def test_each_of_a_batch_is_a_decision_of_its_own_with_its_place_on_record_H2_H5(desk: DeskWorld) -> None:
    configure(desk, LINT)
    tasks = waiting(desk, 2)
    chosen = [(task, row_of(desk, task).version) for task in tasks]
    answers = list(desk.app.decisions.approve_many(BOB, [*chosen, chosen[0]]))
    assert [answer.approved for answer in answers if isinstance(answer, ApprovalOutcome)] == tasks
    assert [desk.show(task).approvals[0].batch for task in tasks] == ["1 of 2", "2 of 2"]


def test_a_refused_one_of_a_batch_changes_nothing_about_the_others_H2(desk: DeskWorld) -> None:
    configure(desk, LINT)
    first, second, third = waiting(desk, 3)
    desk.app.stops.hold(BOB, second, reason="not yet")
    answers = list(desk.app.decisions.approve_many(BOB, [(task, None) for task in (first, second, third)]))
    assert [getattr(answer, "approved", "") for answer in answers] == [first, "", third]
    assert isinstance(answers[1], Refused)
    assert [reason.rule for reason in answers[1].reasons] == ["D3"]
    assert [desk.status(task) for task in (first, second, third)] == ["approved", "reviewing", "approved"]


def test_where_all_auto_would_take_nothing_it_is_neither_counted_nor_offered_M8(desk: DeskWorld) -> None:
    configure(desk, LINT)
    (large,) = waiting(desk, 1, lines=500)
    view = desk.app.queue.view(BOB)
    assert (view.rows[0].risk.level, view.auto_approvable, view.need_attention) == ("high", 0, 1)
    assert steps_text(view.next) == f"fe show {large} --diff"


def test_what_waits_for_a_ruling_is_named_and_leads_to_it_L8(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    names = review(desk, task, [issue("one"), issue("two")]).raised
    desk.start(CLAUDE, task)
    respond(desk, task, dict.fromkeys(names, "FIXED"))
    desk.repo.commit(f"fe/{task}", sessions=[CLAUDE.session])
    desk.submit(CLAUDE, task)
    view = desk.app.queue.view(BOB)
    assert (view.rows[0].fixes, view.rows[0].to_rule, view.approvable) == (2, "2 fixes to rule on", 0)
    assert steps_text(view.next) == f"fe finding list {task} --open      2 fixes to rule on"
    rule(desk, dict.fromkeys(names, "VERIFIED"))
    view = desk.app.queue.view(BOB)
    assert (view.rows[0].to_rule, view.approvable) == ("", 1)
    assert msgspec.structs.replace(view.rows[0], fixes=1, disputes=1).to_rule == "1 fix and 1 dispute to rule on"


def test_what_the_caller_can_approve_now_is_counted_P13(desk: DeskWorld) -> None:
    desk.submitted_task(CLAUDE)
    desk.submitted_task(CODEX)
    assert [desk.app.queue.view(who).approvable for who in (BOB, CLAUDE, CODEX)] == [2, 1, 1]
