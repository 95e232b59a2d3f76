"""Keeping drafts: what somebody has begun to say outlives the app, however it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.results.draft import NewTaskDraft
from foureyes.errors import Conflict, FoureyesError
from foureyes.ui.tui.marks import visible
from foureyes.ui.tui.worker import Desk

if TYPE_CHECKING:
    from foureyes.app.results.draft import DraftFile, DraftLock
    from foureyes.ui.tui.app import FoureyesApp
    from foureyes.ui.tui.review_session import FlowForm
    from foureyes.ui.tui.screens.page import Page
    from foureyes.ui.tui.view_record import LookSoFar


def bring_back(page: Page, task: str, *, hold: bool = False) -> None:
    """What was begun about a task in an earlier session; with `hold` it is this window's to write from now on, or it is
    known whose it is.
    """
    looking = page.app.looks.of(task)

    def read(desk: Desk) -> tuple[DraftFile | None, DraftLock | None]:
        drafts = desk.application.drafts
        held = drafts.take(desk.actor, task) if hold else None
        return (None if looking.read else drafts.load(desk.actor, task)), held

    def done(answer: tuple[DraftFile | None, DraftLock | None]) -> None:
        file, held = answer
        if file is not None:
            looking.bring_back(file.draft)
            notes = [*([file.note] if file.note else []), *([] if hold else kept_in_words(looking))]
            if notes:
                page.note(" · ".join(part for part in (page.noted.strip(), *notes) if part))
        if held is not None:
            take_lock(looking, held)
        page.draw()

    page.ask(read, done, lambda problem: page.note(problem.message))


def kept_in_words(looking: LookSoFar) -> list[str]:
    """What was begun in an earlier session, and the key that opens it."""
    keys: dict[FlowForm, str] = {"redo": "R", "reject": "X"}
    return [f"draft {form} kept: {key} opens it" for form, key in keys.items() if form in looking.kept]


def half_in_words(looking: LookSoFar) -> str:
    """Where a comment was left half written, and how it goes on."""
    places = [
        visible(comment.place) + (" (its line is gone)" if comment.lost else "") for comment in looking.half.values()
    ]
    more = f" and {len(places) - 1} more" if len(places) > 1 else ""
    return f"half written: a comment on {places[0]}{more} · C on the line goes on" if places else ""


def take_lock(looking: LookSoFar, held: DraftLock) -> None:
    """Whose a draft is. That of another process stops nobody from deciding: it is only not kept from here."""
    looking.held_by, looking.lock_note = 0 if held else held.pid or -1, held.note


def not_kept_in_words(looking: LookSoFar) -> str:
    """What is said where another process has the draft, or its lock cannot be taken."""
    who = f"process {looking.held_by}" if looking.held_by > 0 else "another process"
    return f"draft not saved: {looking.lock_note.rstrip('.') or f'{who} is editing it'}"


def keep_draft(app: FoureyesApp, task: str) -> None:
    """Write a task's draft to its file; nothing that is not there yet is made for an empty one."""
    looking = app.looks.of(task)
    if looking.held_by:
        return
    draft = looking.draft

    def work(desk: Desk) -> None:
        if draft.has_words or draft.seen or desk.application.drafts.load(desk.actor, task).there:
            desk.application.drafts.save(desk.actor, draft)

    app.desk.ask(app, work, lambda _: None, lambda problem: _not_kept(app, task, problem))


def _not_kept(app: FoureyesApp, task: str, problem: FoureyesError) -> None:
    if isinstance(problem, Conflict):
        app.looks.of(task).held_by = app.looks.of(task).held_by or -1
    app.pages[-1].note(f"the draft was not kept: {problem.message}")


def forget_draft(app: FoureyesApp, task: str) -> None:
    """It was sent: what was seen is kept for the next look, and words that were not sent. A file that nobody opened
    here stays as it is where it has some.
    """
    looking = app.looks.of(task)
    looking.attempt = looking.current or looking.attempt
    draft, read = looking.draft, looking.read

    def work(desk: Desk) -> None:
        drafts = desk.application.drafts
        if not read and drafts.load(desk.actor, task).draft.has_words:
            pass
        elif draft.has_words or draft.seen:
            drafts.save(desk.actor, draft)
        else:
            drafts.drop(desk.actor, task)
        drafts.release(desk.actor, task)

    app.desk.ask(app, work, lambda _: None, lambda _: None)


def keep_new_task(app: FoureyesApp, draft: NewTaskDraft, *, release: bool = False) -> None:
    """Write the draft of a task to its file, an empty one removes it. With `release` the form was left: then the file
    is what the next one begins with, in whatever window that is.
    """

    def work(desk: Desk) -> None:
        desk.application.drafts.save_new_task(desk.actor, draft)
        if release:
            desk.application.drafts.release_new_task(desk.actor)

    def done(_: None) -> None:
        if release and app.new_task == draft:
            app.new_task = NewTaskDraft()

    app.desk.ask(app, work, done, lambda problem: app.pages[-1].note(f"the draft was not kept: {problem.message}"))
