"""Opening a batch (H3): samples are drawn by a number on record, once, and stay until they were seen."""

from __future__ import annotations

import msgspec

from foureyes.app.views.review import ApprovalOutcome, FaceLook
from foureyes.core.events.decision import BatchOpened
from foureyes.errors import FoureyesError

from tests.stage.gated import LINT, check, configure
from tests.stage.people import ALICE, BOB, CLAUDE, CODEX
from tests.stage.world import DeskWorld

KNOWN = "\n[review.risk]\nnew_agent = 0\n"


def waiting(desk: DeskWorld, count: int) -> list[str]:
    """Tasks that are green and wait for a person in batch mode."""
    found = [desk.handed_in() for _ in range(count)]
    for task in found:
        check(desk, task)
    return found


def opened(desk: DeskWorld) -> list[BatchOpened]:
    rows = desk.store.engine.fetch("SELECT payload FROM journal WHERE kind = 'BatchOpened' ORDER BY seq", {})[1]
    return [msgspec.json.decode(str(row[0]), type=BatchOpened) for row in rows]


def test_a_batch_is_opened_on_record_once_with_the_number_that_drew_it_H3(desk: DeskWorld) -> None:
    configure(desk, KNOWN + LINT)
    waiting(desk, 5)
    with desk.unchanged():
        assert not any(row.sample for row in desk.app.queue.view(BOB).rows), "looking draws nothing"
    (sample,) = desk.app.queue.batch(BOB).sampled
    (event,) = opened(desk)
    assert (len(event.drawn), len(event.number)) == (5, 32)
    assert [each.task for each in event.drawn if each.sample] == [sample.task]
    with desk.unchanged():
        desk.app.queue.batch(ALICE)
        assert [row.task for row in desk.app.queue.view(BOB).rows if row.sample] == [sample.task]
    waiting(desk, 5)
    desk.app.queue.batch(ALICE)
    assert {each.task for each in opened(desk)[1].drawn}.isdisjoint(each.task for each in event.drawn)
    assert opened(desk)[1].number != event.number, "what comes later is drawn by a number that nobody knew"


def test_a_sample_that_nobody_saw_stays_and_blocks_nothing_however_it_is_batched_H3_G6(desk: DeskWorld) -> None:
    configure(desk, KNOWN + LINT)
    tasks = waiting(desk, 6)
    chosen: list[tuple[str, int | None]] = [(task, None) for task in tasks]
    answers = list(desk.app.decisions.approve_many(BOB, chosen, look=FaceLook("cli")))
    left = [answer for answer in answers if isinstance(answer, FoureyesError)]
    (sample,) = [task for task in tasks if desk.task(task).status == "reviewing"]
    assert [reason.rule for answer in left for reason in answer.reasons] == ["H3"]
    assert [row.task for row in desk.app.queue.view(BOB).rows if row.sample] == [sample]
    again = list(desk.app.decisions.approve_many(BOB, [(sample, None)], look=FaceLook("tui")))
    assert isinstance(again[0], FoureyesError), "alone it is a batch, too, and was not shown"
    assert desk.approve(BOB, sample).status == "approved"
    assert desk.show(sample).approvals[-1].look.sampled


def test_a_sample_whose_hunks_were_shown_goes_with_the_others_H3_H4(desk: DeskWorld) -> None:
    configure(desk, KNOWN + LINT)
    waiting(desk, 5)
    (sample,) = desk.app.queue.batch(BOB).sampled
    view = desk.app.attempts.changes(sample.task)
    shown = tuple(hunk.id for file in view.files for hunk in file.hunks)
    looks = {sample.task: FaceLook("tui", shown=shown)}
    (answer,) = desk.app.decisions.approve_many(BOB, [(sample.task, None)], looks=looks)
    assert isinstance(answer, ApprovalOutcome)


def test_a_sample_stays_one_when_it_is_handed_in_again_H3(desk: DeskWorld) -> None:
    configure(desk, KNOWN + LINT)
    waiting(desk, 5)
    (sample,) = desk.app.queue.batch(BOB).sampled
    desk.repo.commit(f"fe/{sample.task}", sessions=[CLAUDE.session])
    desk.submit(CLAUDE, sample.task)
    check(desk, sample.task)
    assert sample.task in [row.task for row in desk.app.queue.batch(ALICE).sampled]


def test_opening_a_batch_is_for_people_H3(desk: DeskWorld) -> None:
    configure(desk, KNOWN + LINT)
    chosen: list[tuple[str, int | None]] = [(task, None) for task in waiting(desk, 5)]
    list(desk.app.decisions.approve_many(CODEX, chosen))
    assert opened(desk) == [], "an agent says of each which diff it saw, and draws nothing"


def test_what_is_ticked_by_hand_is_drawn_when_it_is_ticked_and_not_only_when_it_is_decided_H3(desk: DeskWorld) -> None:
    configure(desk, KNOWN + LINT)
    tasks = waiting(desk, 5)
    with desk.unchanged():
        assert desk.app.queue.draw(BOB, tasks[:4]) == frozenset(), "of a few nothing is drawn"
    (sample,) = desk.app.queue.draw(BOB, tasks)
    with desk.unchanged():
        assert desk.app.queue.draw(ALICE, tasks) == {sample}
    answers = desk.app.decisions.approve_many(BOB, [(task, None) for task in tasks], look=FaceLook("tui"))
    refused = [answer for answer in answers if isinstance(answer, FoureyesError)]
    assert [(answer.task, answer.reasons[0].rule) for answer in refused] == [(sample, "H3")]
    with desk.refused("D7"):
        desk.app.queue.draw(CODEX, tasks)
