"""Judgements that are kept (H1, M8): whatever happens, the queue is what somebody who judges anew would see."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from foureyes.app import facts as reading
from foureyes.app.context import Context
from foureyes.app.pages.review_queue import AHEAD, Queue
from foureyes.app.results.review import QueueView
from foureyes.core.nouns.session import Actor

from tests.stage.gated import AUTO, LINT, check, configure
from tests.stage.looped import again, issue, review, states
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, agent
from tests.stage.world import DeskWorld


def anew(desk: DeskWorld, actor: Actor) -> QueueView:
    """The queue, judged by somebody who has kept nothing."""
    mine = desk.app.context
    return Queue(Context(mine.store, lambda: mine.repo, mine.clock, mine.ids, mine.environ)).view(actor)


@contextmanager
def reads() -> Iterator[list[str]]:
    """The tasks whose facts are read inside."""
    asked: list[str] = []
    real = reading._read

    def read(tx: object, ids: list[str]) -> object:
        asked.extend(ids)
        return real(tx, ids)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "_read", read)
        yield asked


def moved(desk: DeskWorld, task: str) -> None:
    desk.repo.commit(f"fe/{task}", sessions=[CLAUDE.session])


def sent_back_and_again(desk: DeskWorld, task: str) -> None:
    desk.app.feedback.redo(BOB, task, "again")
    again(desk, task)


def reviewed(desk: DeskWorld, task: str) -> None:
    review(desk, task, [issue()])
    if desk.status(task) == "open":
        again(desk, task)


def waived(desk: DeskWorld, task: str) -> None:
    reviewed(desk, task)
    desk.app.findings.waive(BOB, next(iter(states(desk, task))), "for now", days=1)
    desk.app.queue.view(BOB)
    desk.clock.advance(hours=30)


def grown(desk: DeskWorld, task: str) -> None:
    """I3: a session turns up that makes one origin of the maker and of whoever put a label on."""
    other = agent("gemini", 3)
    desk.create(agent("joiner", 9, evidence=[other.evidence[0], CLAUDE.evidence[0]]))


def approved(desk: DeskWorld, task: str) -> None:
    check(desk, task)
    desk.approve(BOB, task)


def held_and_resumed(desk: DeskWorld, task: str) -> None:
    desk.app.stops.hold(ALICE, None, "a freeze")
    assert not any(row.auto_approvable for row in desk.app.queue.view(BOB).rows)
    assert desk.app.queue.view(BOB) == anew(desk, BOB)
    desk.app.stops.resume(ALICE, None, "go on")


HAPPENS: dict[str, Callable[[DeskWorld, str], object]] = {
    "nothing": lambda desk, task: None,
    "time": lambda desk, task: desk.clock.advance(hours=2),
    "an edit": lambda desk, task: desk.app.tasks.edit(ALICE, task, title="another title", priority=0),
    "a label": lambda desk, task: desk.app.tasks.add_label(ALICE, task, ["security"]),
    "a label off": lambda desk, task: desk.app.tasks.remove_label(CLAUDE, task, ["docs"]),
    "a check": check,
    "a hold": lambda desk, task: desk.app.stops.hold(ALICE, task, "not yet"),
    "a hold on all": held_and_resumed,
    "other rules": lambda desk, task: configure(desk, LINT + "\n[review]\npolicy = 'strict'\n"),
    "a commit": moved,
    "another round": sent_back_and_again,
    "a finding": reviewed,
    "a waiver that runs out": waived,
    "an approval": approved,
    "a task that waits for it": lambda desk, task: desk.create(depends_on=[task]),
    "more work": lambda desk, task: desk.submitted_task(CODEX, lines=500),
    "somebody new": lambda desk, task: desk.create(agent("qwen", 4)),
    "an origin that grew": grown,
}


def test_what_was_judged_is_forgotten_when_it_no_longer_holds_H1_M8(desk: DeskWorld) -> None:
    configure(desk, LINT)
    desk.submitted_task(labels=AUTO)
    desk.submitted_task(minor=True)
    for name, happens in HAPPENS.items():
        task = desk.submitted_task(creator=CODEX, labels=["docs"])
        assert desk.app.queue.view(BOB) == anew(desk, BOB), name
        happens(desk, task)
        assert desk.app.queue.view(BOB) == anew(desk, BOB), name
    assert desk.app.queue.view(CODEX) == anew(desk, CODEX), "another caller is judged for himself"


def test_an_origin_that_grew_takes_a_label_out_of_force_I3_M6(desk: DeskWorld) -> None:
    task = desk.create()
    desk.app.tasks.add_label(agent("gemini", 3), task, AUTO)
    desk.start(CLAUDE, task)
    desk.repo.commit(f"fe/{task}", sessions=[CLAUDE.session])
    desk.submit(CLAUDE, task)
    assert [row.mode for row in desk.app.queue.view(BOB).rows] == ["auto-approve"]
    grown(desk, task)
    assert [row.mode for row in desk.app.queue.view(BOB).rows] == ["batch"]


def test_only_what_changed_is_judged_again(desk: DeskWorld) -> None:
    tasks = [desk.submitted_task() for _ in range(4)]
    with reads() as asked:
        desk.app.queue.view(BOB)
        desk.app.queue.view(BOB)
        desk.app.board.view(BOB)
    assert sorted(asked) == sorted(tasks), "the board and the queue know the same judgements"
    desk.app.notes.log(CLAUDE, tasks[1], "a line")
    with reads() as asked:
        desk.app.queue.view(BOB)
    assert asked == [tasks[1]]
    moved(desk, tasks[2])
    with reads() as asked:
        desk.app.queue.view(BOB)
    assert asked == [tasks[2]]


def test_a_result_on_a_tree_is_one_for_every_attempt_of_that_tree_D5(desk: DeskWorld) -> None:
    configure(desk, LINT)
    one, other = desk.submitted_task(), desk.submitted_task()
    tree, own = (desk.show(task).attempts[-1].tree for task in (one, other))
    desk.sql("UPDATE attempts SET tree = ? WHERE task = ?", tree, other)
    assert [row.checks["lint"] for row in desk.app.queue.view(BOB).rows] == ["not_run", "not_run"]
    check(desk, one, CI)
    assert [row.checks["lint"] for row in desk.app.queue.view(BOB).rows] == ["passed", "passed"]
    desk.sql("UPDATE attempts SET tree = ? WHERE task = ?", own, other)


def test_what_is_judged_ahead_is_not_judged_again(desk: DeskWorld) -> None:
    tasks = [desk.submitted_task() for _ in range(3)]
    with desk.unchanged():
        assert desk.app.queue.ahead(BOB) == 0, "fewer than a piece of work"
    with reads() as asked:
        assert {row.task for row in desk.app.queue.view(BOB).rows} == set(tasks)
    assert asked == []
    assert desk.app.queue.ahead(BOB, after=AHEAD) == 0


def test_another_journal_is_another_queue(desk: DeskWorld) -> None:
    """A store that was restored goes on from an earlier row: what was judged after it is gone."""
    task = desk.submitted_task()
    desk.app.queue.view(BOB)
    ((own,),) = desk.sql("SELECT hash FROM head")
    desk.sql("UPDATE head SET hash = 'sha256:another'")
    with reads() as asked:
        desk.app.queue.view(BOB)
    assert asked == [task]
    desk.sql("UPDATE head SET hash = ?", own)
