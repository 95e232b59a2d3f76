"""Drafts: what a person has begun to write about a change, kept until it is sent. No decision depends on them.

They are files that every program of the same user can write. Whatever is in their place is read as a draft, or as none
with a note. Nothing in it can affect the terminal that shows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import msgspec

from foureyes.app.results.draft import (
    MOST_BYTES,
    MOST_COMMENTS,
    Draft,
    DraftFile,
    DraftLock,
    NewTaskDraft,
    NewTaskFile,
    Position,
    PositionFile,
)
from foureyes.core.words.text import in_line, visible
from foureyes.errors import BadInput, Conflict, EnvironmentProblem, NotFound
from foureyes.steps import prose

if TYPE_CHECKING:
    from foureyes.app.context import Context
    from foureyes.core.nouns.session import Actor


POSITION, NEW_TASK = "position", "newtask"
"""Names of the files that belong to no task. Ids of tasks have a hyphen."""
EXACT = frozenset({"path", "quote"})
"""Fields by which a comment is found again. They are kept as they are, and made visible only when shown."""
T = TypeVar("T", bound=msgspec.Struct)


class Drafts:
    """The caller's drafts."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def load(self, actor: Actor, task: str) -> DraftFile:
        """Return the draft of a task, or an empty one. An unreadable file is set aside, with a note."""
        name = self._task(task)
        draft, note = self._read(actor, name, Draft)
        if draft is not None and draft.task != name:
            draft, note = None, self._set_aside(actor, name)
        return DraftFile(draft=draft or Draft(task=name), there=draft is not None, note=note)

    def save(self, actor: Actor, draft: Draft) -> Draft:
        """Save a draft. Refuse one that another instance has open."""
        name = self._task(draft.task)
        self._refuse_elsewhere(self._take(actor, name), f"about {name}", name)
        kept = msgspec.structs.replace(draft, task=name, updated_at=self._context.now())
        if (most := max(len(kept.comments), len(kept.half))) > MOST_COMMENTS:
            raise BadInput(
                f"a draft has at most {MOST_COMMENTS} comments, and this one has {most}.",
                next_step=prose("send them with a decision, or take some out"),
            )
        if len(msgspec.json.encode(kept)) > MOST_BYTES:  # what was seen is a comfort, what was said is not
            kept = msgspec.structs.replace(kept, seen={})
        self._write(actor, name, kept)
        return kept

    def drop(self, actor: Actor, task: str) -> bool:
        """Delete a draft that was sent or is no longer needed. Return False if there was none."""
        name = self._task(task)
        return bool(self._take(actor, name)) and self._context.drafts.drop(_owner(actor), name)

    def listed(self, actor: Actor) -> list[str]:
        """Return the tasks for which the caller has a draft."""
        return [name for name in self._context.drafts.names(_owner(actor)) if name not in (POSITION, NEW_TASK)]

    def begun(self, actor: Actor, first: str = "", most: int = 50) -> list[DraftFile]:
        """Return the caller's drafts, that of the task `first` before the others. An unreadable file gives only a
        note.
        """
        try:
            names = sorted(self.listed(actor), key=lambda name: name != first)
        except EnvironmentProblem as problem:
            return [DraftFile(draft=Draft(task=""), note=problem.message)]
        return [self._begun(actor, name) for name in names[:most]]

    def _begun(self, actor: Actor, name: str) -> DraftFile:
        try:
            is_task = self._task(name) == name
        except (NotFound, BadInput):
            is_task = False
        if is_task:
            return self.load(actor, name)
        return DraftFile(
            draft=Draft(task=""), note=f"{in_line(name, 60)}.json is a draft about a task that does not exist here"
        )

    def take(self, actor: Actor, task: str) -> DraftLock:
        """Lock a draft, so that no other instance writes it, or return the process that holds it. Without the lock it
        is read-only.
        """
        return self._try_to_take(actor, self._task(task))

    def release(self, actor: Actor, task: str) -> None:
        """Unlock a draft."""
        self._context.drafts.release(_owner(actor), self._task(task))

    def new_task(self, actor: Actor, *, hold: bool = True) -> NewTaskFile:
        """Return the new task that the caller has begun to write. With `hold`, also lock it, or say which process holds
        it.
        """
        held = self._try_to_take(actor, NEW_TASK) if hold else DraftLock(False)
        draft, note = self._read(actor, NEW_TASK, NewTaskDraft)
        return NewTaskFile(draft=draft or NewTaskDraft(), held=held, note=note)

    def save_new_task(self, actor: Actor, draft: NewTaskDraft) -> None:
        """Save a task that is not planned yet. An empty one leaves no file. Refuse one that another instance has
        open.
        """
        self._refuse_elsewhere(self._take(actor, NEW_TASK), "of a new task", "")
        if draft.has_words:
            self._write(actor, NEW_TASK, draft)
        else:
            self._context.drafts.drop(_owner(actor), NEW_TASK)

    def release_new_task(self, actor: Actor) -> None:
        """Unlock the new task, so that another instance can continue it."""
        self._context.drafts.release(_owner(actor), NEW_TASK)

    def position(self, actor: Actor) -> PositionFile:
        """Return where the caller was."""
        position, note = self._read(actor, POSITION, Position)
        return PositionFile(position=position or Position(), there=position is not None, note=note)

    def save_position(self, actor: Actor, position: Position) -> Position:
        """Save where the caller is."""
        kept = msgspec.structs.replace(position, updated_at=self._context.now())
        if len(msgspec.json.encode(kept)) > MOST_BYTES:  # the place is worth more than the order of so many
            kept = msgspec.structs.replace(kept, tasks=(), decided={})
        self._write(actor, POSITION, kept)
        return kept

    def _task(self, task: str) -> str:
        with self._context.store.read() as tx:
            return self._context.find_id(tx, task)

    def _take(self, actor: Actor, name: str) -> DraftLock:
        pid = self._context.drafts.take(_owner(actor), name)
        return DraftLock(pid == 0, pid)

    def _try_to_take(self, actor: Actor, name: str) -> DraftLock:
        """Lock a draft. Any problem with the lock is returned, not raised."""
        try:
            return self._take(actor, name)
        except EnvironmentProblem as problem:
            return DraftLock(False, -1, problem.message)

    @staticmethod
    def _refuse_elsewhere(held: DraftLock, what: str, task: str) -> None:
        if not held:
            who = f"process {held.pid}" if held.pid > 0 else "another process"
            raise Conflict(
                f"the draft {what} is open elsewhere ({who}). It was not changed.",
                next_step=prose("close it there, then try again"),
                task=task,
            )

    def _read(self, actor: Actor, name: str, into: type[T]) -> tuple[T | None, str]:
        """Return a file's content and a note about it."""
        try:
            document = self._context.drafts.read(_owner(actor), name)
        except EnvironmentProblem as problem:
            return None, problem.message
        if document is None:
            return None, ""
        try:
            draft = msgspec.json.decode(document, type=into)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None, self._set_aside(actor, name)
        shown = _shown(draft)
        return shown, "" if shown == draft else f"the draft {name} has control characters; they are shown as signs"

    def _set_aside(self, actor: Actor, name: str) -> str:
        words = f"the draft {name} could not be read"
        try:
            return f"{words}; kept as {in_line(self._context.drafts.set_aside(_owner(actor), name), 200)}"
        except EnvironmentProblem as problem:
            return f"{words}, and {problem.message}"

    def _write(self, actor: Actor, name: str, draft: msgspec.Struct) -> None:
        document = msgspec.json.encode(draft)
        if len(document) > MOST_BYTES:
            raise BadInput(
                f"a draft has at most {MOST_BYTES:,} bytes, and this one would have {len(document):,}.",
                next_step=prose("shorten it, or send it now"),
            )
        self._context.drafts.write(_owner(actor), name, document)


def _owner(actor: Actor) -> str:
    """Return the owner of the files: the person, or the session if no person is known."""
    return actor.person or str(actor.session)


def _shown(draft: T) -> T:
    """Return the draft with visible signs for control characters."""
    fields = {name: getattr(draft, name) for name in draft.__struct_fields__ if name not in EXACT}
    return msgspec.structs.replace(draft, **{name: _visible(value) for name, value in fields.items()})


def _visible(value: object) -> object:
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, tuple):
        return tuple(_visible(each) for each in value)
    if isinstance(value, dict):
        return {_visible(key): each for key, each in value.items()}
    return _shown(value) if isinstance(value, msgspec.Struct) else value
