"""Drafts: what a person has begun to say about a change, kept until it is sent. No decision rests on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import msgspec

from foureyes.app.views.draft import Draft, DraftFile, Held, NewTaskDraft, NewTaskFile, Position, PositionFile
from foureyes.errors import Conflict
from foureyes.steps import prose

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.core.nouns.session import Actor

POSITION, NEW_TASK = "position", "newtask"
"""The names of the files that are of no task; ids of tasks have a hyphen."""
T = TypeVar("T")


class Drafts:
    """The drafts of whoever calls."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def load(self, actor: Actor, task: str) -> DraftFile:
        """The draft of a task; an empty one where there is none. What cannot be read is kept aside, and said."""
        name = self._task(task)
        draft, note = self._read(actor, name, Draft)
        if draft is not None and draft.task != name:
            draft, note = None, self._set_aside(actor, name)
        return DraftFile(draft=draft or Draft(task=name), there=draft is not None, note=note)

    def save(self, actor: Actor, draft: Draft) -> Draft:
        """Keep a draft. It must be this process's to write: one that another instance has open is refused."""
        name = self._task(draft.task)
        self._refuse_elsewhere(self._take(actor, name), f"about {name}", name)
        kept = msgspec.structs.replace(draft, task=name, updated_at=self._context.now())
        self._context.drafts.write(_owner(actor), name, msgspec.json.encode(kept))
        return kept

    def drop(self, actor: Actor, task: str) -> bool:
        """Forget a draft that was sent, or is not wanted any more; whether there was one."""
        name = self._task(task)
        return bool(self._take(actor, name)) and self._context.drafts.drop(_owner(actor), name)

    def listed(self, actor: Actor) -> list[str]:
        """The tasks that the caller has a draft about."""
        return [name for name in self._context.drafts.names(_owner(actor)) if name not in (POSITION, NEW_TASK)]

    def take(self, actor: Actor, task: str) -> Held:
        """Hold a draft, so that no other instance writes it; or learn which process has it. Until then it is only to
        be read.
        """
        return self._take(actor, self._task(task))

    def release(self, actor: Actor, task: str) -> None:
        """Let go of a draft."""
        self._context.drafts.release(_owner(actor), self._task(task))

    def new_task(self, actor: Actor, *, hold: bool = True) -> NewTaskFile:
        """The task that the caller has begun to write. With `hold` it is this process's to write from now on, or it is
        known whose it is.
        """
        held = self._take(actor, NEW_TASK) if hold else Held(False)
        draft, note = self._read(actor, NEW_TASK, NewTaskDraft)
        return NewTaskFile(draft=draft or NewTaskDraft(), held=held, note=note)

    def save_new_task(self, actor: Actor, draft: NewTaskDraft) -> None:
        """Keep a task that is not planned yet; an empty one leaves no file. One that another instance has open is
        refused.
        """
        self._refuse_elsewhere(self._take(actor, NEW_TASK), "of a new task", "")
        if draft.has_words:
            self._context.drafts.write(_owner(actor), NEW_TASK, msgspec.json.encode(draft))
        else:
            self._context.drafts.drop(_owner(actor), NEW_TASK)

    def release_new_task(self, actor: Actor) -> None:
        """Let another instance go on with it."""
        self._context.drafts.release(_owner(actor), NEW_TASK)

    def position(self, actor: Actor) -> PositionFile:
        """Where the caller was."""
        position, note = self._read(actor, POSITION, Position)
        return PositionFile(position=position or Position(), there=position is not None, note=note)

    def save_position(self, actor: Actor, position: Position) -> Position:
        """Keep where the caller is."""
        kept = msgspec.structs.replace(position, updated_at=self._context.now())
        self._context.drafts.write(_owner(actor), POSITION, msgspec.json.encode(kept))
        return kept

    def _task(self, task: str) -> str:
        with self._context.store.read() as tx:
            return self._context.find_id(tx, task)

    def _take(self, actor: Actor, name: str) -> Held:
        pid = self._context.drafts.take(_owner(actor), name)
        return Held(pid == 0, pid)

    @staticmethod
    def _refuse_elsewhere(held: Held, what: str, task: str) -> None:
        if not held:
            who = f"process {held.pid}" if held.pid > 0 else "another process"
            raise Conflict(
                f"the draft {what} is open elsewhere ({who}). It was not changed.",
                next_step=prose("close it there, then try again"),
                task=task,
            )

    def _read(self, actor: Actor, name: str, into: type[T]) -> tuple[T | None, str]:
        """What a file holds, and what there is to say about it."""
        document = self._context.drafts.read(_owner(actor), name)
        if document is None:
            return None, ""
        try:
            return msgspec.json.decode(document, type=into), ""
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None, self._set_aside(actor, name)

    def _set_aside(self, actor: Actor, name: str) -> str:
        return f"the draft {name} could not be read; kept as {self._context.drafts.set_aside(_owner(actor), name)}"


def _owner(actor: Actor) -> str:
    """Whose files: a person's, or a session's where nobody is known behind it."""
    return actor.person or str(actor.session)
