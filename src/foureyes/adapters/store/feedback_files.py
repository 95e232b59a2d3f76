"""`.foureyes/feedback/<task>.json`: the decisions about a task as a file that people and tools can read (F2).

A mirror of the store, written in one step after the commit and never read back. From before the commit until the file
is there, a marker in `.foureyes/feedback.owed/` says that it is owed: of a process that was killed in between, the next
write of anybody writes the file.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Collection, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from foureyes.errors import FoureyesError

if TYPE_CHECKING:
    from foureyes.app.ports import Tx

DECIDING = frozenset(
    {"Approved", "ApprovalFinished", "RedoRequested", "TaskRejected", "AttemptSentBack", "MergeFailed", "LeadDecided"}
)
"""The events that add to what was decided about their task."""
STARTING = "TaskStarted"
"""Whoever takes a task up finds its file there, also where somebody removed it."""
AT_ONCE = 20


class Written(msgspec.Struct, frozen=True):
    """A file that was written or not, and what there is to say about it."""

    done: bool
    note: str = ""


class Count(msgspec.Struct, frozen=True):
    """A number of rows."""

    n: int


class FeedbackFiles:
    """The files of a project, and which of them are owed."""

    def __init__(self, folder: str) -> None:
        self._folder = os.path.join(folder, "feedback")
        self._owed = os.path.join(folder, "feedback.owed")
        self._markers: dict[str, int] = {}

    def owe(self, tasks: Iterable[str]) -> None:
        """Before the commit: mark the files that it will owe. Without a marker the next decision writes the file."""
        for task in tasks:
            with suppress(OSError):
                os.makedirs(self._owed, exist_ok=True)
                marker = self._lock(task, os.O_CREAT)
                if marker is not None:
                    self._markers[task] = marker

    def follow(self, tx: Tx, decided: Collection[str], started: Collection[str]) -> list[str]:
        """After the commit: write the files of these tasks; what there is to say about them."""
        notes = [self.bring(tx, task) for task in decided]
        notes += [self._bring_again(tx, task) for task in started if task not in decided]
        return [note for note in notes if note]

    def bring(self, tx: Tx, task: str) -> str:
        """Write the file of a task and strike it off; what there is to say. A file that fails stays owed."""
        try:
            written = self._mirror(tx, task)
        except FoureyesError as problem:  # what was decided stands
            written = Written(False, f".foureyes/feedback/{task}.json was not written: {problem.message}")
        if written.done:
            with suppress(OSError):
                os.unlink(os.path.join(self._owed, task))
        self._let_go(task)
        return written.note

    def _bring_again(self, tx: Tx, task: str) -> str:
        """Write the file of a task that somebody takes up, if it was sent back before."""
        count = tx.one("attempt.count_feedback", Count, task=task)
        return self.bring(tx, task) if count and count.n else ""

    def bring_owed(self, tx: Tx) -> None:
        """Write what others left owing; whoever is still at it holds its marker."""
        for task in list(self._markers):
            self._let_go(task)  # of a transaction that came to nothing
        for task in self._left():
            marker = self._lock(task, os.O_NONBLOCK)
            if marker is not None:
                self._markers[task] = marker
                self.bring(tx, task)

    def _let_go(self, task: str) -> None:
        if task in self._markers:
            os.close(self._markers.pop(task))

    def _left(self) -> list[str]:
        try:
            return os.listdir(self._owed)[:AT_ONCE]
        except OSError:
            return []

    def _lock(self, task: str, flags: int) -> int | None:
        """The marker of a task, if nobody else holds it."""
        try:
            marker = os.open(os.path.join(self._owed, task), os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | flags, 0o644)
        except OSError:
            return None
        try:
            fcntl.flock(marker, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(marker)
            return None
        return marker

    def _mirror(self, tx: Tx, task: str) -> Written:
        from foureyes.app.views.review import ApprovalView, FeedbackView, decisions_in
        from foureyes.core.nouns.feedback import mirror

        history = decisions_in(
            tx.all("attempt.feedback", FeedbackView, task=task), tx.all("attempt.approvals", ApprovalView, task=task)
        )
        return self.put(task, mirror(task, history)) if history else Written(True)

    def put(self, task: str, document: bytes) -> Written:
        """Write `<task>.json`; what there is to say, if something else lay there or it could not be written."""
        path = os.path.join(self._folder, f"{task}.json")
        temporary = f"{path}.new-{os.getpid()}"
        try:
            os.makedirs(self._folder, exist_ok=True)
            note = _set_aside(path, task)
            with open(temporary, "wb") as file:
                file.write(document)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except OSError as problem:
            why = f".foureyes/feedback/{task}.json could not be written: {problem.strerror}; the store has it"
            return Written(False, why)
        return Written(True, note)


def _set_aside(path: str, task: str) -> str:
    """What is there and is not ours is kept under another name, and said (lesson 57)."""
    import stat

    content: dict[str, object] = {}
    try:
        if stat.S_ISREG(os.lstat(path).st_mode):  # a pipe would be waited for, a link may lead anywhere
            with open(path, "rb") as file:
                content = msgspec.json.decode(file.read(), type=dict[str, object])
    except FileNotFoundError:
        return ""
    except (msgspec.MsgspecError, OSError, UnicodeDecodeError, RecursionError):
        content = {}
    if content.get("taskId") == task and isinstance(content.get("history"), list):
        return ""
    number = 1
    while os.path.lexists(f"{path}.bad-{number}"):
        number += 1
    os.rename(path, f"{path}.bad-{number}")
    kept = f"{task}.json.bad-{number}"
    return f".foureyes/feedback/{task}.json was unreadable; kept as {kept}, written anew from the store"
