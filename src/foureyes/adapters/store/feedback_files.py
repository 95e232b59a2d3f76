"""Writes `.foureyes/feedback/<task>.json`: the decisions about a task, for people and tools. (F2)

Each file mirrors the store, is replaced atomically after the commit and is never read back. From before the commit
until then, a marker in `.foureyes/feedback.owed/` records that the file is pending. If the process is killed in
between, the next writer creates the file.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from foureyes.adapters.folders import content, entries, folder, is_plain, opened, read, rename_unreadable, replace
from foureyes.app.results.journal import Discrepancy
from foureyes.core.words.ids import TASK_INPUT
from foureyes.errors import FoureyesError

if TYPE_CHECKING:
    from foureyes.app.ports import Tx


# ---- `.foureyes/feedback/<task>.json` ----


DECIDING = frozenset(
    {"Approved", "ApprovalFinished", "RedoRequested", "TaskRejected", "AttemptSentBack", "MergeFailed", "LeadDecided"}
)
"""The event kinds that add a decision about their task."""
STARTING = "TaskStarted"
"""Starting a task also writes its file again if someone deleted it."""
FEEDBACK = "feedback"
AT_ONCE = 20
LISTED = 1_000
LARGEST = 64 << 20


class Written(msgspec.Struct, frozen=True):
    """The outcome of writing a file, with a note for the user."""

    done: bool
    note: str = ""


class RowCount(msgspec.Struct, frozen=True):
    """A number of rows."""

    n: int


class FeedbackFiles:
    """The feedback files of a project, and which of them are pending. `shared`: other machines decide too and write
    files of their own.
    """

    def __init__(self, folder: str, *, shared: bool = False) -> None:
        self._folder = os.path.join(folder, FEEDBACK)
        self._owed = os.path.join(folder, "feedback.owed")
        self._shared = shared
        self._markers: dict[str, int] = {}
        self._checked = shared

    def owe(self, tasks: Iterable[str]) -> None:
        """Mark the files that the coming commit makes pending. If a marker cannot be written, the next decision writes
        the file."""
        for task in tasks:
            with suppress(OSError), folder(self._owed, make=True) as owed:
                marker = _lock(owed, task, os.O_CREAT)
                if marker is not None:
                    self._markers[task] = marker

    def follow(self, tx: Tx, decided: Collection[str], started: Collection[str]) -> list[str]:
        """Write the files of these tasks after the commit. Return notes for the user."""
        notes = [self.bring(tx, task) for task in decided]
        notes += [self._bring_again(tx, task) for task in started if task not in decided]
        return [note for note in notes if note]

    def bring(self, tx: Tx, task: str) -> str:
        """Write the file of a task and remove its marker. Return a note for the user. A failed file stays pending."""
        try:
            written = self._mirror(tx, task)
        except FoureyesError as problem:  # what was decided stands
            written = Written(False, f".foureyes/feedback/{task}.json was not written: {problem.message}")
        if written.done and task in self._markers:
            with suppress(OSError), folder(self._owed) as owed:
                os.unlink(task, dir_fd=owed)
        self._let_go(task)
        return written.note

    def _bring_again(self, tx: Tx, task: str) -> str:
        """Write the file of a started task if it was sent back before."""
        rows = tx.one("attempt.count_feedback", RowCount, task=task)
        return self.bring(tx, task) if rows and rows.n else ""

    def bring_owed(self, tx: Tx) -> None:
        """Write files that other processes left pending, except those still in progress. A problem here never makes the
        write fail.
        """
        for task in list(self._markers):
            self._let_go(task)  # of a transaction that came to nothing
        if not self._checked:
            self._checked = True
            with suppress(Exception):
                self._bring_if_decided(tx)
        if not os.access(self._owed, os.F_OK):
            return
        with suppress(Exception), folder(self._owed) as owed:
            for task in _left(owed):
                marker = _lock(owed, task)
                if marker is not None:
                    self._markers[task] = marker
                    with suppress(Exception):
                        self.bring(tx, task)
                    self._let_go(task)

    def _bring_if_decided(self, tx: Tx) -> None:
        """Write all files once if the folder is missing, as in an older project."""
        if not os.path.lexists(self._folder) and tx.one("attempt.any_decision", RowCount) is not None:
            self.bring_all(tx)

    def bring_all(self, tx: Tx) -> list[str]:
        """Write the file of every task with a decision and rename unknown files. Return notes for the user."""
        expected = expected_files(tx)
        notes = [note for task, document in expected.items() if (note := self.put(task, document).note)]
        return [*notes, *self._keep_unknown(expected)]

    def _keep_unknown(self, expected: Collection[str]) -> list[str]:
        """Rename files of decisions unknown to the store, as after a restore of an older backup. Return notes for the
        user."""
        notes = []
        with suppress(OSError), folder(self._folder) as place:
            for name in sorted(entries(place, LISTED)):
                task = name.removesuffix(".json")
                if task != name and task not in expected and task.isascii() and TASK_INPUT.match(task):
                    kept = rename_unreadable(place, name)
                    notes.append(
                        f".foureyes/feedback/{name} contains decisions that are not in the journal. It was kept as {kept}"
                    )
        return notes

    def differences(self, before: Mapping[str, bytes], after: Mapping[str, bytes]) -> list[Discrepancy]:
        """Return the differences between files and store.

        `before` and `after` are the expected contents before and after the files were read. In a shared store, a
        missing or outdated file is no difference.
        """
        from foureyes.app.results.journal import Discrepancy

        discrepancies: list[Discrepancy] = []
        try:
            with folder(self._folder) as place:
                discrepancies = compared(place, before, after)
        except FileNotFoundError:
            discrepancies = [lacking(task) for task in before]
        except OSError as problem:
            return [Discrepancy("completeness", f"{FEEDBACK} cannot be read: {problem.strerror}")] if before else []
        owed = self._owing() if discrepancies else ()
        kept = [each for each in discrepancies if each.area == "integrity" or not self._shared]
        return [each for each in kept if each.task not in owed or each.area == "integrity"]

    def _owing(self) -> Collection[str]:
        try:
            with folder(self._owed) as owed:
                return entries(owed, LISTED)
        except OSError:
            return ()

    def _let_go(self, task: str) -> None:
        if task in self._markers:
            os.close(self._markers.pop(task))

    def _mirror(self, tx: Tx, task: str) -> Written:
        from foureyes.app.results.review import ApprovalView, FeedbackView, decisions_in
        from foureyes.core.nouns.decision import mirror

        tx.ahead(("attempt.feedback", {"task": task}), ("attempt.approvals", {"task": task}))
        history = decisions_in(
            tx.all("attempt.feedback", FeedbackView, task=task), tx.all("attempt.approvals", ApprovalView, task=task)
        )
        return self.put(task, mirror(task, history)) if history else Written(True)

    def put(self, task: str, document: bytes) -> Written:
        """Write `<task>.json`. The note tells of a renamed foreign file or a failure."""
        name = f"{task}.json"
        try:
            with folder(self._folder, make=True) as place:
                note = _set_aside(place, name, task)
                replace(place, name, document, 0o644)
        except OSError as problem:
            why = f".foureyes/feedback/{name} could not be written: {problem.strerror}. The store has it"
            return Written(False, why)
        return Written(True, note)


def expected_files(tx: Tx) -> dict[str, bytes]:
    """Return the expected file of every task with a decision."""
    from foureyes.app.results.review import ApprovalView, FeedbackView, decisions_in
    from foureyes.core.nouns.decision import mirror

    class Decided(FeedbackView, frozen=True, kw_only=True):
        task: str

    feedback: dict[str, list[FeedbackView]] = {}
    approvals: dict[str, list[ApprovalView]] = {}
    for row in tx.all("attempt.all_feedback", Decided):
        feedback.setdefault(row.task, []).append(row)
    for given in tx.all("attempt.all_approvals", ApprovalView):
        approvals.setdefault(given.task, []).append(given)
    files = {}
    for task in sorted({*feedback, *approvals}):
        history = decisions_in(feedback.get(task, ()), approvals.get(task, ()))
        with suppress(ValueError, OverflowError):  # a manually edited row, which the audit reports
            if history:
                files[task] = mirror(task, history)
    return files


def _left(owed: int) -> list[str]:
    """Return the names of tasks with pending files. Other names are ignored."""
    return [name for name in sorted(entries(owed, LISTED)) if name.isascii() and TASK_INPUT.match(name)][:AT_ONCE]


def _lock(owed: int, task: str, flags: int = 0) -> int | None:
    """Lock the marker of a task and return its handle, None if another process has it. A marker with content is not
    ours.
    """
    try:
        marker = opened(task, os.O_RDONLY | flags, at=owed)
    except OSError:
        return None
    try:
        fcntl.flock(marker, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(marker).st_size == 0:
            return marker
    except OSError:
        pass
    os.close(marker)
    return None


def _set_aside(place: int, name: str, task: str) -> str:
    """Rename a foreign or unreadable file and return a note, or an empty string."""
    try:
        if is_plain(place, name, LARGEST) and _is_ours(place, name, task):
            return ""
    except FileNotFoundError:
        return ""
    kept = rename_unreadable(place, name)
    return f".foureyes/feedback/{name} was unreadable. It was kept as {kept} and written again from the store"


def _is_ours(place: int, name: str, task: str) -> bool:
    try:
        document = msgspec.json.decode(content(place, name, LARGEST), type=dict[str, object])
    except (msgspec.MsgspecError, OSError, UnicodeDecodeError, RecursionError):
        return False
    return document.get("taskId") == task and isinstance(document.get("history"), list)


# ---- Feedback audit (F2, J2) ----

AUDITED = 200_000
ENDING = ".json"


def lacking(task: str) -> Discrepancy:
    """Return the finding for a missing file."""
    return _about(task, "completeness", "is missing")


def compared(place: int, before: Mapping[str, bytes], after: Mapping[str, bytes]) -> list[Discrepancy]:
    """Return a finding for each file that is missing, outdated, changed, or about a task without decisions."""
    names = sorted(name.removesuffix(ENDING) for name in entries(place, AUDITED) if name.endswith(ENDING))
    discrepancies = [lacking(task) for task in before if task not in set(names)]
    for task in names:
        if task in after:
            discrepancies += _compare(place, task, before.get(task, b""), after[task])
        elif task.isascii() and TASK_INPUT.match(task):
            discrepancies.append(_altered(task, "contains decisions that are not in the journal"))
    return discrepancies


def _compare(place: int, task: str, before: bytes, after: bytes) -> list[Discrepancy]:
    try:
        document = read(task + ENDING, LARGEST, at=place)
    except FileNotFoundError:
        return [lacking(task)] if before else []
    except OSError as problem:
        return [_altered(task, f"cannot be read: {problem.strerror}")]
    if document in (before, after):
        return []
    written, should = _history(document), _history(after)
    if written is not None and should is not None and written == should[: len(written)]:
        missing = len(should) - len(written)
        if missing:
            return [_about(task, "completeness", f"lacks the last {missing} of {len(should)} decisions")]
    return [_altered(task, "was changed")]


def _history(document: bytes) -> list[Any] | None:
    """Return the decisions in a file, or None if it is not one of ours."""
    try:
        history = msgspec.json.decode(document, type=dict[str, Any]).get("history")
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return history if isinstance(history, list) else None


def _altered(task: str, what: str) -> Discrepancy:
    return _about(task, "integrity", what)


def _about(task: str, area: Literal["integrity", "completeness"], what: str) -> Discrepancy:
    file = f"feedback/{task}{ENDING}"
    return Discrepancy(area, f"{file} {what}", task=task, file=file)
