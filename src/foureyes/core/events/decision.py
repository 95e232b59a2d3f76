"""Events from submission to merge: attempts and what was decided about them."""

from __future__ import annotations

from typing import Literal

from foureyes.core.events.event import Event
from foureyes.core.nouns.attempt import NOT_MEASURED, Author, Below, ChangedFile, Commit, HandInSignal, Mark, Relation
from foureyes.core.nouns.decision import NOTHING_KNOWN, Looked, PriorityChange, RedoOption
from foureyes.core.words.ids import DiffId, SessionId, Sha, TaskId
from foureyes.core.words.lifecycle import TaskStatus


class AttemptSubmitted(Event, frozen=True, kw_only=True):
    """A frozen submission (A1). `implementer` is whom it counts for; the session of the row did it. `below`: the work of
    other tasks that is inside (A7). `clone`: the machine and repository that it was submitted from, where several share
    the project (D4).
    """

    n: int
    implementer: SessionId
    base: Sha
    head: Sha
    tree: Sha
    ref: str
    diff_id: DiffId
    landed: bool = False
    no_code: bool = False
    files: tuple[ChangedFile, ...] = ()
    commits: tuple[Commit, ...] = ()
    added: int = 0
    removed: int = 0
    authors: tuple[Author, ...] = ()
    message: str = ""
    duration_seconds: int = 0
    relation: Relation | None = None
    signal: HandInSignal = "DONE"
    base_tree: str = ""
    marks: tuple[Mark, ...] = ()
    pieces: tuple[str, ...] = ()
    below: tuple[Below, ...] = ()
    size: int = NOT_MEASURED
    clone: str = ""


class StackFound(Event, frozen=True, kw_only=True):
    """A7: another task submitted what was inside this one's attempt already."""

    attempt: int
    below: Below


class Approved(Event, frozen=True, kw_only=True):
    """Someone other than the author agreed to exactly this diff (D7). `passed`: the tasks whose work is inside and which a
    person who broke the glass passed over (N3, A7). `unasked`: why the remote could not tell where
    the branch is (D4).
    """

    attempt: int
    diff_id: DiffId
    rule: str
    status: TaskStatus
    exception: str = ""
    reason: str = ""
    seen: str = ""
    grade: str = ""
    batch: str = ""
    gone: tuple[str, ...] = ()
    look: Looked = NOTHING_KNOWN
    passed: tuple[TaskId, ...] = ()
    unasked: str = ""


class ApprovalRecorded(Event, frozen=True, kw_only=True):
    """P11: an approval that somebody has yet to finish; the task stays in review."""

    attempt: int
    diff_id: DiffId
    rule: str
    exception: str = ""
    reason: str = ""
    seen: str = ""
    grade: str = ""
    look: Looked = NOTHING_KNOWN


class ApprovalFinished(Event, frozen=True, kw_only=True):
    """P11: a recorded approval of the current diff took effect."""

    approval: int
    status: TaskStatus
    reason: str = ""


class ApprovalWithdrawn(Event, frozen=True, kw_only=True):
    """Who approved took it back."""

    approval: int
    reason: str = ""


class ApprovalEnded(Event, frozen=True, kw_only=True):
    """An approval stopped holding: the task's text was edited (T8)."""

    approval: int
    why: str


class RedoRequested(Event, frozen=True, kw_only=True):
    """Back to open with feedback (F1). `reset_to` is where the branch begins again, unless the work is kept. `source`:
    the lead's decision (E3), or a review.
    """

    iteration: int
    feedback: str
    quick_issues: tuple[str, ...] = ()
    option: RedoOption = "keep"
    reset_to: Sha | None = None
    priority: PriorityChange = "same"
    look: Looked = NOTHING_KNOWN
    source: Literal["", "lead"] = ""


class TaskRejected(Event, frozen=True, kw_only=True):
    """Blocked by a decision, with its reason and how the work was looked at (H5)."""

    iteration: int
    reason: str
    look: Looked = NOTHING_KNOWN


class TaskMerged(Event, frozen=True, kw_only=True):
    """The approved head is on the target branch: by the merge queue, or found there. `onto`: the tip that the queue
    merged it onto. `newest`: the merge that the target has to have from now on; `clone`: where that was seen (Q6).
    """

    sha: Sha
    via: SessionId | None = None
    onto: str = ""
    newest: str = ""
    clone: str = ""


class UnapprovedMergeSeen(Event, frozen=True, kw_only=True):
    """Work that was closed without an approval turned up on the target branch."""

    sha: Sha
