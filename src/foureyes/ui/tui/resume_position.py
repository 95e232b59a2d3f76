"""Coming back: where the reviewer was is kept whenever they move, so that they find it again however the app ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from foureyes.app.results.draft import Draft, DraftFile, NewTaskDraft, NewTaskFile, Position, PositionFile, RedoDraft
from foureyes.ui.tui import review_session as review
from foureyes.ui.tui.sprinting import tell_end
from foureyes.ui.tui.text.summary import ORDERS, QueueOrder
from foureyes.ui.tui.worker import Desk

if TYPE_CHECKING:
    from foureyes.ui.tui.app import FoureyesApp


EMPTY = NewTaskDraft()
LOOKED_THROUGH = 50
"""So many drafts are looked through at the start for one with words in it."""


def position_of(flow: review.Flow, order: str, filter: str) -> Position:
    """Where somebody is in a review. Who is on the board is nowhere in particular."""
    if flow.place == "idle":
        return Position(order=order)
    return Position(
        screen=flow.form if flow.place == "feedback" else flow.place,
        task=flow.task,
        order=order,
        filter=filter,
        tasks=tuple(row.task for row in flow.rows),
        decided={row.task: row.decided for row in flow.rows if row.decided},
    )


def resume(flow: review.Flow, position: Position) -> review.Flow:
    """A review that has just begun, moved on to where somebody was; what is gone since then is not looked for. A form
    is not opened: the keys that led here by habit would send what stands in it.
    """
    places = [number for number, row in enumerate(flow.rows) if row.task == position.task]
    if not places:
        return flow
    opened = review.step(flow, "open", at=places[0])
    return review.step(opened, "diff") if position.screen == "diff" else opened


def welcome(position: Position, drafts: list[Draft], new_task: NewTaskDraft = EMPTY) -> str:
    """One line for who comes back; nothing where nothing was left open."""
    parts = []
    if position.tasks:
        count, decided = len(position.tasks), len(position.decided)
        at = f"{position.tasks.index(position.task) + 1}/" if position.task in position.tasks else ""
        parts.append(f"{at}{count} in review" + (f", {decided} decided" if decided else ""))
    parts += [f"draft {kind_of(draft)} for {draft.task}" for draft in drafts[:1]]
    if len(drafts) > 1:
        parts.append(f"{len(drafts) - 1} more draft{'' if len(drafts) == 2 else 's'}")
    lines = [f"{', '.join(parts)}.  R continues"] if parts else []
    lines += ["a new task is half written.  N continues"] if new_task.has_words else []
    return f"Welcome back: {' · '.join(lines)}" if lines else ""


def too_late(tasks: list[str]) -> str:
    """One line about drafts that cannot be sent: their tasks do not wait any more."""
    if not tasks:
        return ""
    more = f" and {len(tasks) - 1} more" if len(tasks) > 1 else ""
    return f"your draft about {tasks[0]}{more} was not sent, and it does not wait any more: Ctrl+P drafts reads it"


def kind_of(draft: Draft) -> str:
    """What a draft with words would become."""
    if draft.redo != RedoDraft():
        return "redo"
    return "reject" if draft.reject else "comments"


def order_named(name: str) -> QueueOrder:
    """An order by the name that was kept; by risk where there is none of that name."""
    return next((order for order in ORDERS if order == name), "risk")


def come_back(app: FoureyesApp) -> None:
    """At the start: say where the person was. The next R goes on there."""
    from foureyes.ui.tui.reviewing import waiting_now

    def read(desk: Desk) -> tuple[PositionFile, list[DraftFile], set[str], NewTaskFile]:
        drafts = desk.application.drafts
        file = drafts.position(desk.actor)
        begun = drafts.begun(desk.actor, file.position.task, LOOKED_THROUGH)
        waiting = waiting_now(desk) if begun else set()
        return file, begun, waiting, drafts.new_task(desk.actor, hold=False)

    def done(answer: tuple[PositionFile, list[DraftFile], set[str], NewTaskFile]) -> None:
        file, begun, waiting, new = answer
        app.left_at, app.order = file.position, order_named(file.position.order)
        app.told_sprint = file.position.announced
        drafts = [each.draft for each in begun if each.draft.has_words]
        late = [draft.task for draft in drafts if draft.task not in waiting]
        drafts = [draft for draft in drafts if draft.task in waiting]
        parts = [
            welcome(file.position, drafts, new.draft),
            too_late(late),
            file.note,
            new.note,
            *(each.note for each in begun),
        ]
        if text := " · ".join(dict.fromkeys(part for part in parts if part)):
            app.pages[0].note(text)
        tell_end(app, getattr(app.pages[0], "view", None))

    app.desk.ask(app, read, done, lambda _: None)


def keep_position(app: FoureyesApp) -> None:
    """Write down where the reviewer is; one that has not moved is not written again."""
    position = replace(position_of(app.flow, app.order, app.review_filter), announced=app.told_sprint or "")
    if position == app.kept:
        return
    app.kept = position
    app.desk.ask(
        app, lambda desk: desk.application.drafts.save_position(desk.actor, position), lambda _: None, lambda _: None
    )
