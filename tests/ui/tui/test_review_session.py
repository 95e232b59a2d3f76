"""The review as a machine: every place with every event, as a table."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from foureyes.ui.tui import review_session as review
from foureyes.ui.tui.page_stack import wanted
from foureyes.ui.tui.review_session import IDLE, Flow, FlowEvent, FlowPlace, FlowRow

THREE = (FlowRow("fe-1"), FlowRow("fe-2"), FlowRow("fe-3"))

MOVES: list[tuple[FlowPlace, tuple[FlowPlace, ...], FlowEvent, FlowPlace, int]] = [
    ("idle", (), "open", "idle", 1),
    ("idle", (), "next", "idle", 1),
    ("idle", (), "back", "idle", 1),
    ("idle", (), "diff", "idle", 1),
    ("idle", (), "feedback", "idle", 1),
    ("idle", (), "leave", "idle", 1),
    ("summary", (), "open", "task", 1),
    ("summary", (), "next", "summary", 1),
    ("summary", (), "previous", "summary", 1),
    ("summary", (), "diff", "diff", 1),
    ("summary", (), "feedback", "feedback", 1),
    ("summary", (), "back", "idle", 1),
    ("summary", (), "leave", "idle", 1),
    ("task", (), "open", "task", 1),
    ("task", (), "next", "task", 2),
    ("task", (), "previous", "task", 0),
    ("task", (), "diff", "diff", 1),
    ("task", (), "feedback", "feedback", 1),
    ("task", (), "back", "summary", 1),
    ("task", (), "leave", "idle", 1),
    ("single", (), "open", "single", 1),
    ("single", (), "next", "single", 2),
    ("single", (), "previous", "single", 0),
    ("single", (), "diff", "diff", 1),
    ("single", (), "feedback", "feedback", 1),
    ("single", (), "back", "idle", 1),
    ("single", (), "leave", "idle", 1),
    ("diff", ("task",), "open", "diff", 1),
    ("diff", ("task",), "next", "diff", 2),
    ("diff", ("task",), "previous", "diff", 0),
    ("diff", ("task",), "diff", "diff", 1),
    ("diff", ("task",), "feedback", "feedback", 1),
    ("diff", ("task",), "back", "task", 1),
    ("diff", ("summary",), "back", "summary", 1),
    ("diff", ("single",), "back", "single", 1),
    ("diff", ("task",), "leave", "idle", 1),
    ("feedback", ("task",), "open", "feedback", 1),
    ("feedback", ("task",), "next", "feedback", 1),
    ("feedback", ("task",), "previous", "feedback", 1),
    ("feedback", ("task",), "diff", "feedback", 1),
    ("feedback", ("task",), "feedback", "feedback", 1),
    ("feedback", ("task",), "back", "task", 1),
    ("feedback", ("task", "diff"), "back", "diff", 1),
    ("feedback", ("task",), "leave", "idle", 1),
]


@pytest.mark.parametrize(("place", "before", "event", "leads_to", "at"), MOVES)
def test_every_move_leads_where_the_table_says(
    place: FlowPlace, before: tuple[FlowPlace, ...], event: FlowEvent, leads_to: FlowPlace, at: int
) -> None:
    after = review.step(Flow(place=place, rows=THREE, at=1, before=before), event)
    assert (after.place, after.at) == (leads_to, at)


def test_the_table_knows_every_place_with_every_event() -> None:
    places, events = {row[0] for row in MOVES}, {row[2] for row in MOVES}
    known = {(row[0], row[2]) for row in MOVES}
    assert set(review.MOVES) <= known
    assert len(places) == 6
    assert len(events) == 7


def test_nothing_one_and_several_begin_differently() -> None:
    assert review.start(IDLE, ()).place == "idle"
    assert review.start(IDLE, ()).message == "Nothing waits for you."
    assert review.start(IDLE, ("fe-1",)).place == "single"
    assert review.start(IDLE, ("fe-1", "fe-2")).place == "summary"


def test_next_and_previous_clamp_and_say_so() -> None:
    last = review.step(Flow(place="task", rows=THREE, at=2), "next")
    first = review.step(Flow(place="task", rows=THREE, at=0), "previous")
    assert (last.at, last.message) == (2, "last of 3 · Esc summary")
    assert (first.at, first.message) == (0, "first of 3 · Esc summary")
    alone, diff = Flow(place="single", rows=THREE[:1]), Flow(place="diff", rows=THREE, before=("task",))
    assert review.step(alone, "next").message == "last of 1 · Esc board"
    assert review.step(diff, "previous").message == "first of 3 · Esc task"


def test_after_a_decision_comes_the_next_undecided_task_and_after_the_last_the_closing_line() -> None:
    flow = Flow(place="task", rows=THREE, at=1)
    flow = review.decide(flow, "fe-2", "approved")
    assert (flow.place, flow.task, flow.undo) == ("task", "fe-3", "fe-2")
    flow = review.decide(flow, "fe-3", "redo")
    assert (flow.place, flow.task, flow.undo) == ("task", "fe-1", "fe-2")
    flow = review.decide(flow, "fe-1", "rejected")
    assert flow.place == "summary"
    assert flow.message == "3 decided: 1 approved, 1 redo, 1 rejected · Esc board"
    assert flow.left == 0


def test_a_decision_in_a_form_or_in_the_diff_goes_on_to_the_next_task() -> None:
    flow = Flow(place="feedback", rows=THREE, at=0, before=("task", "diff"))
    after = review.decide(flow, "fe-1", "redo")
    assert (after.place, after.at, after.before) == ("task", 1, ())


def test_a_single_task_ends_on_the_board() -> None:
    after = review.decide(Flow(place="single", rows=THREE[:1]), "fe-1", "approved")
    assert (after.place, after.message) == ("idle", "1 decided: 1 approved")


def test_take_back_makes_the_task_wait_again_and_shows_it() -> None:
    flow = review.decide(Flow(place="task", rows=THREE, at=0), "fe-1", "approved")
    back = review.take_back(flow, "fe-1")
    assert (back.task, back.undo, back.left) == ("fe-1", "", 3)
    assert back.message == "fe-1 is back in review"


def test_approvals_are_taken_back_one_after_the_other_the_newest_first() -> None:
    flow = Flow(place="summary", rows=THREE)
    for task in ("fe-2", "fe-1", "fe-3"):
        flow = review.decide(flow, task, "approved")
    assert review.start(flow, ("fe-8", "fe-9")).undo == "fe-3"
    flow = review.keep(flow, "fe-3")  # it is merged by now
    flow = review.take_back(flow, "fe-1")
    assert (flow.undo, flow.message) == ("fe-2", "fe-1 is back in review · U takes fe-2 back, too")
    flow = review.take_back(review.decide(flow, "fe-2", "approved"), "fe-2")
    assert flow.undo == ""


def test_a_batch_stays_with_its_list() -> None:
    flow = review.gather(Flow(place="summary", rows=THREE))
    assert wanted(flow) == ["board", "summary", "batch"]
    reading = review.step(flow, "diff", at=1)
    assert wanted(reading) == ["board", "summary", "batch", "diff"]
    decided = review.decide(reading, "fe-2", "approved")
    assert wanted(decided) == ["board", "summary", "batch"]
    left = review.step(decided, "back")
    assert (left.place, left.batch) == ("summary", False)
    assert review.gather(Flow(place="task", rows=THREE)).batch is False


def test_what_is_new_joins_at_the_end_and_what_left_keeps_its_number() -> None:
    flow = review.decide(Flow(place="summary", rows=THREE), "fe-1", "approved")
    after = review.take_in(flow, ("fe-9", "fe-3"))
    assert [(row.task, row.decided) for row in after.rows] == [
        ("fe-1", "approved"), ("fe-2", "gone"), ("fe-3", ""), ("fe-9", ""),
    ]  # fmt: skip
    assert after.message == "1 new"


def test_a_number_that_is_not_there_is_said() -> None:
    after = review.step(Flow(place="summary", rows=THREE), "open", at=7)
    assert (after.place, after.message) == ("summary", "there is no number 8")


def test_pages_stand_on_each_other_as_the_places_do() -> None:
    assert wanted(IDLE) == ["board"]
    assert wanted(Flow(place="single", rows=THREE[:1])) == ["board", "task"]
    assert wanted(Flow(place="task", rows=THREE)) == ["board", "summary", "task"]
    deep = Flow(place="feedback", rows=THREE, before=("task", "diff"))
    assert wanted(deep) == ["board", "summary", "task", "diff", "feedback"]


def test_a_task_of_the_open_review_is_looked_at_in_it() -> None:
    flow = Flow(place="summary", rows=THREE, at=0)
    assert review.look(flow, "fe-3") == replace(flow, place="task", at=2)
    other = review.look(flow, "fe-7")
    assert (other.place, other.task) == ("single", "fe-7")


def test_next_previous_and_the_step_after_a_decision_follow_what_the_summary_shows() -> None:
    flow = Flow(place="task", rows=(*THREE, FlowRow("fe-4")), at=2, walk=(2, 0, 3))
    assert review.step(flow, "next").at == 0
    assert review.step(replace(flow, at=3), "next").message == "last of 3 · Esc summary"
    assert review.step(flow, "previous").message == "first of 3 · Esc summary"
    assert [review.step(replace(flow, at=1), event).at for event in ("next", "previous")] == [2, 3]
    flow = review.decide(flow, "fe-3", "approved")
    assert flow.task == "fe-1"
    flow = review.decide(replace(flow, at=3), "fe-4", "redo")
    assert flow.task == "fe-1"
    flow = review.decide(flow, "fe-1", "approved")
    assert (flow.place, flow.left) == ("summary", 1)
    assert flow.message == "all 3 that the filter shows are decided · 1 left · Esc clears the filter"


def test_the_closing_line_says_how_long_it_took_and_who_came_meanwhile() -> None:
    flow = review.decide(Flow(place="single", rows=THREE[:1]), "fe-1", "approved")
    assert review.closing(flow, spent="11 min", fresh=2) == "1 decided in 11 min: 1 approved · 2 others wait [R]"
    assert review.closing(replace(flow, place="summary")) == "1 decided: 1 approved · Esc board"
    assert review.closing(replace(flow, place="summary", batch=True)) == "1 decided: 1 approved · Esc summary"
