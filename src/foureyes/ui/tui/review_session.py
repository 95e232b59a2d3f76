"""The review as a small machine: where the reviewer is, what was decided, what comes next. Pure: no Textual, no clock.

A review is a snapshot: its rows and their numbers stay while it is open, whatever others do meanwhile.
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec.structs import replace

FlowPlace = Literal["idle", "summary", "task", "single", "feedback", "diff"]
FlowDecision = Literal["approved", "redo", "rejected", "gone"]
FlowForm = Literal["redo", "reject"]
FlowEvent = Literal["open", "next", "previous", "diff", "feedback", "back", "leave"]

MOVES: dict[tuple[FlowPlace, FlowEvent], str] = {
    ("summary", "open"): "task",
    ("summary", "diff"): "diff",
    ("summary", "feedback"): "feedback",
    ("summary", "back"): "idle",
    ("task", "next"): "+1",
    ("task", "previous"): "-1",
    ("task", "diff"): "diff",
    ("task", "feedback"): "feedback",
    ("task", "back"): "summary",
    ("single", "diff"): "diff",
    ("single", "feedback"): "feedback",
    ("single", "next"): "+1",
    ("single", "previous"): "-1",
    ("single", "back"): "idle",
    ("diff", "next"): "+1",
    ("diff", "previous"): "-1",
    ("diff", "feedback"): "feedback",
    ("diff", "back"): "before",
    ("feedback", "back"): "before",
}
"""Where each move leads: a place, a neighbour, or where it was opened from. What is not here changes nothing."""


class FlowRow(msgspec.Struct, frozen=True):
    """A task of the review, and what became of it here."""

    task: str
    decided: FlowDecision | Literal[""] = ""


class Flow(msgspec.Struct, frozen=True, kw_only=True):
    """Where the reviewer is. `before`: the places that a diff or a form were opened from, the last one last.
    `approved`: the tasks whose approvals `U` takes back, the newest last. `batch`: the list for approving several lies
    over the summary. `walk`: the rows that the summary shows, in its order; all of them where it is empty. `message`:
    one line about the last step.
    """

    place: FlowPlace = "idle"
    rows: tuple[FlowRow, ...] = ()
    at: int = 0
    before: tuple[FlowPlace, ...] = ()
    form: FlowForm = "redo"
    batch: bool = False
    approved: tuple[str, ...] = ()
    walk: tuple[int, ...] = ()
    message: str = ""

    @property
    def task(self) -> str:
        """The task that is looked at, if there is one."""
        return self.rows[self.at].task if self.rows and self.place not in ("idle", "summary") else ""

    @property
    def undo(self) -> str:
        """The task whose approval `U` takes back next, if there is one."""
        return self.approved[-1] if self.approved else ""

    @property
    def left(self) -> int:
        """How many are not decided yet."""
        return sum(not row.decided for row in self.rows)

    @property
    def path(self) -> tuple[int, ...]:
        """The rows in the order that the reviewer goes through them."""
        return self.walk or tuple(range(len(self.rows)))

    def counted(self, decision: FlowDecision) -> int:
        """How many were decided in this way."""
        return sum(row.decided == decision for row in self.rows)


IDLE = Flow()


def start(flow: Flow, tasks: tuple[str, ...]) -> Flow:
    """R: nothing waits, one task opens at once, several begin with the summary."""
    if not tasks:
        return replace(flow, place="idle", message="Nothing waits for you.")
    place: FlowPlace = "single" if len(tasks) == 1 else "summary"
    return Flow(place=place, rows=tuple(FlowRow(task) for task in tasks), approved=flow.approved)


def take_in(flow: Flow, tasks: tuple[str, ...]) -> Flow:
    """F5: what is new joins; what was decided here keeps its place and its number."""
    known = {row.task for row in flow.rows}
    fresh = tuple(FlowRow(task) for task in tasks if task not in known)
    gone = tuple(row if row.decided or row.task in tasks else replace(row, decided="gone") for row in flow.rows)
    return replace(flow, rows=gone + fresh, message=f"{len(fresh)} new" if fresh else "nothing new")


def look(flow: Flow, task: str) -> Flow:
    """Open one task from anywhere: in the review that is open if it is part of it, else for itself."""
    for number, row in enumerate(flow.rows):
        if row.task == task and flow.place != "idle":
            place: FlowPlace = "task" if len(flow.rows) > 1 else "single"
            return replace(flow, place=place, at=number, before=(), batch=False, message="")
    return Flow(place="single", rows=(FlowRow(task),), approved=flow.approved)


def gather(flow: Flow) -> Flow:
    """A in the summary: the list of what can be approved in one go."""
    return replace(flow, batch=True, message="") if flow.place == "summary" else flow


def write(flow: Flow, form: FlowForm) -> Flow:
    """R and X: the form of a decision that needs words."""
    return replace(step(flow, "feedback"), form=form)


def step(flow: Flow, event: FlowEvent, at: int | None = None) -> Flow:
    """One move of the reviewer. What makes no sense where they are changes nothing."""
    if event == "leave":
        return replace(flow, place="idle", before=(), message="")
    if event == "back" and flow.place == "summary" and flow.batch:
        return replace(flow, batch=False, message="")
    where = MOVES.get((flow.place, event), "")
    if not where:
        return replace(flow, message="")
    if where in ("+1", "-1"):
        return _neighbour(flow, int(where))
    if where == "before":
        return replace(flow, place=flow.before[-1], before=flow.before[:-1], message="")
    number = flow.at if at is None else at
    if not 0 <= number < len(flow.rows):
        return replace(flow, message=f"there is no number {number + 1}")
    place: FlowPlace = where  # type: ignore[assignment]
    before = (*flow.before, flow.place) if place in ("diff", "feedback") else ()
    return replace(flow, place=place, at=number, before=before, message="")


def _neighbour(flow: Flow, by: int) -> Flow:
    """N and P go through what the summary shows, and clamp. Who stands outside of it enters it at its near end."""
    path = flow.path
    if flow.at not in path:
        return replace(flow, at=path[0 if by > 0 else -1], message="")
    number = path.index(flow.at) + by
    if not 0 <= number < len(path):
        end = "last" if by > 0 else "first"
        return replace(flow, message=f"{end} of {len(path)} · Esc {_up(flow)}")
    return replace(flow, at=path[number], message="")


def _up(flow: Flow) -> str:
    """What Esc leads to, in a word."""
    place = flow.before[-1] if flow.before else "idle" if flow.place == "single" else "summary"
    return {"idle": "board", "summary": "summary"}.get(place, "task")


def decide(flow: Flow, task: str, decision: FlowDecision) -> Flow:
    """A decision has been made: on to the next task of what the summary shows that has none, or, after the last one,
    to the closing line. Who looks at something else by now stays there.
    """
    rows = tuple(replace(row, decided=decision) if row.task == task else row for row in flow.rows)
    approved = (*keep(flow, task).approved, task) if decision == "approved" else flow.approved
    after = replace(flow, rows=rows, approved=approved, message="")
    if flow.task != task:  # the reader is somewhere else by now: nothing moves under their eyes
        return after
    after = replace(after, before=())
    if flow.batch:  # the reader goes back to the list
        return replace(after, place="summary")
    here = flow.path.index(flow.at) + 1 if flow.at in flow.path else 0
    following = [number for number in (*flow.path[here:], *flow.path[:here]) if not rows[number].decided]
    if following:
        return replace(after, place="task", at=following[0], message="")
    if after.left:
        shown = f"all {len(flow.path)} that the filter shows are" if len(flow.path) > 1 else "what the filter shows is"
        words = f"{shown} decided · {after.left} left · Esc clears the filter"
        return replace(after, place="summary", message=words)
    over = replace(after, place="idle" if len(rows) == 1 else "summary")
    return replace(over, message=closing(over))


def take_back(flow: Flow, task: str) -> Flow:
    """U: the task waits again, and is what the reviewer looks at if they looked at tasks."""
    rows = tuple(replace(row, decided="") if row.task == task else row for row in flow.rows)
    at = next((number for number, row in enumerate(rows) if row.task == task), flow.at)
    looking = flow.place in ("task", "single")
    after = replace(keep(flow, task), rows=rows, at=at if looking else flow.at)
    more = f" · U takes {after.undo} back, too" if after.undo else ""
    return replace(after, message=f"{task} is back in review{more}")


def keep(flow: Flow, task: str) -> Flow:
    """An approval that is not to be taken back any more."""
    return replace(flow, approved=tuple(each for each in flow.approved if each != task))


CLOSING: tuple[tuple[FlowDecision, str], ...] = (
    ("approved", "approved"),
    ("redo", "redo"),
    ("rejected", "rejected"),
    ("gone", "elsewhere"),
)


def closing(flow: Flow, *, spent: str = "", fresh: int = 0) -> str:
    """After the last one: what was decided, in which time, and how many others wait by now."""
    parts = [f"{flow.counted(decision)} {word}" for decision, word in CLOSING if flow.counted(decision)]
    decided = f"{len(flow.rows)} decided{f' in {spent}' if spent else ''}: {', '.join(parts)}"
    up = [] if flow.place == "idle" else ["Esc summary" if flow.batch else "Esc board"]
    return " · ".join([decided, *([f"{fresh:,} others wait [R]"] if fresh else []), *up])
