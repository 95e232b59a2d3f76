"""Results about attempts: submissions, stacks, checks, merges."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from foureyes.errors import Reason
from foureyes.steps import NO_STEP, Steps

# ---- The work of other tasks inside an attempt (A7) ----


class InsideRow(msgspec.Struct, frozen=True, kw_only=True):
    """A task whose work is inside the attempt.

    - how: how it was found
    - standing: its current status
    - first: it has to be merged first
    - refused: why its work cannot stay inside
    - says: all of this in a sentence
    """

    task: str
    how: str
    state: str
    first: bool
    refused: str
    sentence: str


# ---- Attempt ----


class SubmitOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a submission.

    - inside: tasks whose work is inside (A7)
    - person: the rule that demands a person, "" if an agent may approve (P6)
    - unchecked: required checks that have not run on it
    - not_green: those that ran on these files and did not pass (D5)
    - first: what must happen before an approval
    - notes: remarks about its branch
    - repeats: an earlier attempt with exactly these files, after which `fixed_by_nothing` findings were answered FIXED
    (L11)
    - said: how near escalation is (E5)
    - committed: paths that this call committed
    - new: paths that git did not know before
    - sent: the state of the push to the remote, "" without one (Q6)
    """

    task: str
    attempt: int
    base: str
    head: str
    ref: str
    diff_id: str
    seen: str
    status: str
    files: int
    added: int
    removed: int
    commits: int
    landed: bool = False
    no_code: bool = False
    changed: bool = True
    next: Steps = NO_STEP
    signal: str = "DONE"
    mode: str = ""
    reasons: tuple[Reason, ...] = ()
    inside: tuple[InsideRow, ...] = ()
    person: str = ""
    unchecked: tuple[str, ...] = ()
    not_green: tuple[str, ...] = ()
    first: tuple[Reason, ...] = ()
    notes: tuple[str, ...] = ()
    repeats: int = 0
    fixed_by_nothing: int = 0
    escalation: str = ""
    committed: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    sent: str = ""


# ---- The merge queue and its results ----


class MergeRow(msgspec.Struct, frozen=True, kw_only=True):
    """The result for an approved task.

    `outcome` is merged, found (already on the target), waiting, stuck, conflict, checks, void, or cut (after an error
    in between). `next` is the next step after a refusal.
    """

    task: str
    attempt: int
    outcome: str
    sha: str = ""
    message: str = ""
    notes: tuple[str, ...] = ()
    next: Steps = NO_STEP

    @property
    def merged(self) -> bool:
        """True if it is on the target."""
        return self.outcome in ("merged", "found")

    def with_next(self, step: Steps) -> MergeRow:
        return msgspec.structs.replace(self, next=step)

    @property
    def is_trouble(self) -> bool:
        """True if it was sent back or stays blocked until someone acts."""
        return self.outcome in ("conflict", "checks", "void", "stuck")


class MergesGoOn(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a person's decision about where merges continue (Q6). `changed` is False if nothing changed."""

    message: str
    changed: bool = True
    notes: tuple[str, ...] = ()
    next: Steps = NO_STEP


class MergeItem(msgspec.Struct, frozen=True, kw_only=True):
    """An approved task in the merge queue.

    - inside: tasks whose work is inside (A7)
    - passed: those of them that a person overrode (N3)
    - why: why it waits, or why the last try failed
    - ready: it can be merged now
    - next: its next step
    """

    n: int = 0
    task: str
    title: str
    priority: int
    attempt: int
    approval: int
    approver: str
    approver_kind: str
    approved_at: str
    state: str
    tries: int = 0
    why: str = ""
    hold: str | None = None
    open_deps: int = 0
    merge_failures: int = 0
    until: str = ""
    process: str = ""
    host: str = ""
    beacon: str = ""
    inside: tuple[InsideRow, ...] = ()
    exception: str = ""
    passed: tuple[str, ...] = ()
    ready: bool = False
    next: Steps = NO_STEP


def what_brings_it_on(items: Sequence[MergeItem]) -> Steps:
    """Return the next step for the queue: to merge if an item is ready, or else the first item's step."""
    return next((item.next for item in items if item.ready), items[0].next) if items else NO_STEP


# ---- Checks and their results ----


class CheckView(msgspec.Struct, frozen=True, kw_only=True):
    """A check's state for the latest attempt."""

    check: str
    required: bool
    outcome: str
    summary: str
    claimed: bool = False


class CheckRow(CheckView, frozen=True, kw_only=True):
    """A check's state with details. `failing` names the first failures, and `failed` counts all."""

    reused: bool = False
    duration_ms: int = 0
    failing: tuple[str, ...] = ()
    failed: int = 0
    gone: tuple[str, ...] = ()
    flaky: bool = False
    by: str = ""
    at: str = ""
    output: str = ""
    command: str = ""
    program: str = ""


class CheckRun(msgspec.Struct, frozen=True, kw_only=True):
    """A recorded run of a check, identified by `n`.

    `on` is the kind of its tree: an attempt's, the target's or a merge candidate's. It is empty for runs of older
    versions.
    """

    n: int
    task: str
    check: str
    on: str
    tree: str
    outcome: str
    summary: str
    by: str
    at: str
    duration_ms: int = 0
    failing: tuple[str, ...] = ()
    failed: int = 0
    command: str = ""
    program: str = ""
    output: str = ""


class CheckRetry(msgspec.Struct, frozen=True, kw_only=True):
    """A required check that broke, and when it is tried again."""

    task: str
    check: str
    outcome: str
    tries: int
    at: str
    next: Steps


class Pending(msgspec.Struct, frozen=True, kw_only=True):
    """Tasks in review whose checks are due, and later retries. `unaccepted`: the target's foureyes.toml, if it is not
    in force (P12).
    """

    tasks: tuple[str, ...]
    later: tuple[CheckRetry, ...] = ()
    unaccepted: Reason | None = None


class CheckReport(msgspec.Struct, frozen=True, kw_only=True):
    """The checks of one attempt and the gate's decision.

    - runs: other recorded runs, latest first, with the output of failed merge candidates
    - problem: why the attempt could not be read
    - own: the only runs do not count, because the caller is an author (D5)
    - sent_back: this run sent the attempt back
    - unaccepted: see `Pending`
    """

    task: str
    attempt: int
    tree: str
    status: str
    mode: str = ""
    checks: tuple[CheckRow, ...] = ()
    reasons: tuple[Reason, ...] = ()
    next: Steps = NO_STEP
    runs: tuple[CheckRun, ...] = ()
    problem: str = ""
    own: bool = False
    sent_back: bool = False
    unaccepted: Reason | None = None

    @property
    def is_green(self) -> bool:
        return not self.problem and all(row.outcome == "passed" for row in self.checks if row.required)


class EnvironmentRow(msgspec.Struct, frozen=True, kw_only=True):
    """An environment kept on this machine for its user.

    `tree` is the only tree it can be used for. If empty, it can be used for every tree with the target's inputs. `used`
    is its last use.
    """

    key: str
    command: str
    tree: str = ""
    bytes: int = 0
    used: str = ""
