"""What a change is compared with: since I looked, since the attempt before, the whole."""

from __future__ import annotations

import pytest

from foureyes.app.results.diff import DiffView
from foureyes.app.results.review import FeedbackView
from foureyes.app.results.task import TaskDetail
from foureyes.core.documents.unified_diff import DiffLine, FileDiff, Hunk
from foureyes.core.nouns.attempt import Attempt
from foureyes.core.nouns.task import Task
from foureyes.core.words.ids import DiffId, SessionId, Sha, TaskId
from foureyes.ui.tui.reading import ChangeReading, Compared, LoadedChange, comparisons, last_look, since_of
from foureyes.ui.tui.view_record import LookSoFar


def detail(*attempts: int, looked: int = 0) -> TaskDetail:
    rows = [
        Attempt(
            n=n, base=Sha("b"), head=Sha("h"), tree=Sha("t"), ref="r", diff_id=DiffId(f"d{n}"),
            submitted_by=SessionId("s"), submitted_at="",
        )
        for n in attempts
    ]  # fmt: skip
    said = [FeedbackView(seq=1, iteration=looked, session="me", decision="redo", text="", at="")] if looked else []
    task = Task(
        id=TaskId("fe-1"),
        title="t",
        status="reviewing",
        creator=SessionId("s"),
        version=1,
        created_at="",
        updated_at="",
    )
    return TaskDetail(task=task, attempts=rows, feedback=said)


def view(attempt: int, *names: str, since: int | None = None, folded: bool = False) -> DiffView:
    files = tuple(
        FileDiff(path=f"{name}.py", folded=folded and name == names[-1], hunks=(
            Hunk(name, "", 0, 0, 1, 1, (DiffLine("added", None, 1, name),)),
        ))
        for name in names
    )  # fmt: skip
    return DiffView(task="fe-1", attempt=attempt, diff_id=f"d{attempt}", base="b", head="h", files=files, since=since)


@pytest.mark.parametrize(
    ("attempts", "looked", "expected"),
    [
        ((1,), 0, ("base",)),
        ((1,), 1, ("base",)),
        ((1, 2), 0, ("previous", "base")),
        ((1, 2), 1, ("looked", "base")),
        ((1, 2, 3), 1, ("looked", "previous", "base")),
        ((1, 2, 3), 3, ("previous", "base")),
    ],
)
def test_what_there_is_to_compare_with_is_offered_and_each_thing_once(
    attempts: tuple[int, ...], looked: int, expected: tuple[Compared, ...]
) -> None:
    it = detail(*attempts)
    assert comparisons(it, attempts[-1], looked) == expected
    since = [since_of(mode, it, attempts[-1], looked) for mode in expected]
    assert len(set(since)) == len(since)
    assert since[-1] is None


def test_a_decision_on_record_is_a_look() -> None:
    assert last_look(detail(1, 2, looked=1), "me") == 1
    assert last_look(detail(1, 2, looked=1), "somebody") == 0


def test_i_goes_round() -> None:
    reading = ChangeReading(LoadedChange(detail(1, 2, 3), view(3, "a"), view(3, "a", since=1), 1), LookSoFar("fe-1"))
    assert reading.mode == "looked"
    assert reading.next_mode() == "previous"
    reading = ChangeReading(LoadedChange(detail(1, 2, 3), view(3, "a"), view(3, "a"), 1), LookSoFar("fe-1"))
    assert reading.next_mode() == "looked"
    reading = ChangeReading(LoadedChange(detail(1), view(1, "a"), view(1, "a"), 0), LookSoFar("fe-1"))
    assert reading.next_mode() is None


def test_a_hunk_that_did_not_change_stays_seen_in_a_later_attempt_H4() -> None:
    looking = LookSoFar("fe-1")
    first = ChangeReading(LoadedChange(detail(1), view(1, "a", "b"), view(1, "a", "b"), 0), looking)
    first.look([0], 0.0)
    assert first.look([], 1.0)
    assert looking.unseen == 1
    looking.leave()
    later = ChangeReading(LoadedChange(detail(1, 2), view(2, "a", "c"), view(2, "a", "c"), 1), looking)
    assert looking.unseen == 1
    assert looking.attempt == 1
    assert later.next_unseen_file(0) == 1
    later.look([1], 2.0)
    later.look([], 3.0)
    looking.leave()
    assert (looking.unseen, looking.attempt) == (0, 2)


def test_marked_by_hand_is_not_shown_until_it_is_H4() -> None:
    looking = LookSoFar("fe-1")
    reading = ChangeReading(LoadedChange(detail(1), view(1, "a"), view(1, "a"), 0), looking)
    looking.mark(["a"])
    assert (looking.unseen, looking.marked, looking.shown) == (0, {"a"}, set())
    reading.look([0], 0.0)
    reading.look([], 1.0)
    assert (looking.marked, looking.shown) == (set(), {"a"})


def test_folded_files_are_not_read_on_to_and_stay_unseen() -> None:
    it = view(1, "a", "lock", folded=True)
    reading = ChangeReading(LoadedChange(detail(1), it, it, 0), LookSoFar("fe-1"))
    reading.look([0], 0.0)
    reading.look([], 1.0)
    assert reading.next_unseen_file(0) is None
    assert reading.first_unseen_hunk() is None
    assert reading.unseen_here() == 1
    reading.unfolded.add("lock.py")
    reading.arrange()
    assert reading.next_unseen_file(0) == 1


def test_another_attempt_was_looked_at_by_nobody_yet_H5() -> None:
    looking = LookSoFar("fe-1")
    looking.take(view(1, "a"))
    looking.pager = True
    looking.watch.touch(1.0)
    looking.watch.touch(31.0)
    looking.take(view(1, "a"))
    assert (looking.look(31.0).pager, looking.look(31.0).seconds) == (True, 30)
    looking.take(view(2, "a"))
    assert (looking.look(31.0).pager, looking.look(31.0).seconds) == (False, 0)
