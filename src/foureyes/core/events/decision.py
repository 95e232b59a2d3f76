"""Journal events from submission to merge: attempts and the decisions about them."""

from __future__ import annotations

from typing import Literal

from foureyes.core.events.event import Event
from foureyes.core.nouns.attempt import NOT_MEASURED, Author, Below, ChangedFile, Commit, Mark, Relation, SubmitSignal
from foureyes.core.nouns.decision import NOTHING_KNOWN, PriorityChange, RedoOption, Viewing
from foureyes.core.words.ids import DiffId, SessionId, Sha, TaskId
from foureyes.core.words.lifecycle import TaskStatus


class AttemptSubmitted(Event, frozen=True, kw_only=True):
    """A task was submitted and the attempt frozen. (A1)

    `implementer` is its author, and the row's session submitted it. `below` is the work of other tasks inside it (A7).
    `clone` is the machine and repository it came from, if several share the project (D4).
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
    signal: SubmitSignal = "DONE"
    base_tree: str = ""
    marks: tuple[Mark, ...] = ()
    pieces: tuple[str, ...] = ()
    below: tuple[Below, ...] = ()
    size: int = NOT_MEASURED
    clone: str = ""


class StackFound(Event, frozen=True, kw_only=True):
    """Another task submitted work that this attempt already contained. (A7)"""

    attempt: int
    below: Below


class Approved(Event, frozen=True, kw_only=True):
    """Someone other than the author approved exactly this diff. (D7)

    `passed` lists tasks inside it that a break-glass approval overrode (N3, A7). `remote_problem` says why the branch's
    position at the remote is unknown (D4).
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
    viewed: Viewing = NOTHING_KNOWN
    passed: tuple[TaskId, ...] = ()
    remote_problem: str = ""


class ApprovalRecorded(Event, frozen=True, kw_only=True):
    """An approval was recorded and still has to be finished. The task stays in review. (P11)"""

    attempt: int
    diff_id: DiffId
    rule: str
    exception: str = ""
    reason: str = ""
    seen: str = ""
    grade: str = ""
    viewed: Viewing = NOTHING_KNOWN


class ApprovalFinished(Event, frozen=True, kw_only=True):
    """A recorded approval of the current diff took effect. (P11)"""

    approval: int
    status: TaskStatus
    reason: str = ""


class ApprovalWithdrawn(Event, frozen=True, kw_only=True):
    """The approver withdrew the approval."""

    approval: int
    reason: str = ""


class ApprovalEnded(Event, frozen=True, kw_only=True):
    """An approval ended because the task's text was edited. (T8)"""

    approval: int
    why: str


class RedoRequested(Event, frozen=True, kw_only=True):
    """The task is open again, with feedback (F1).

    `reset_to` is where the branch starts over, unless the work is kept. `source` is `lead` for a lead's decision (E3),
    "" for a review.
    """

    iteration: int
    feedback: str
    quick_issues: tuple[str, ...] = ()
    option: RedoOption = "keep"
    reset_to: Sha | None = None
    priority: PriorityChange = "same"
    viewed: Viewing = NOTHING_KNOWN
    source: Literal["", "lead"] = ""


class TaskRejected(Event, frozen=True, kw_only=True):
    """The task was rejected and is blocked. Its reason and the reviewer's viewing record are kept. (H5)"""

    iteration: int
    reason: str
    viewed: Viewing = NOTHING_KNOWN


class TaskMerged(Event, frozen=True, kw_only=True):
    """The approved head is on the target branch. The merge queue put it there, or it was found there.

    `onto` is the tip that the queue merged onto. `newest` is the merge that the target must contain from now on, and
    `clone` the place where that was seen (Q6).
    """

    sha: Sha
    via: SessionId | None = None
    onto: str = ""
    newest: str = ""
    clone: str = ""


class UnapprovedMergeSeen(Event, frozen=True, kw_only=True):
    """Work that was closed without an approval appeared on the target branch."""

    sha: Sha
