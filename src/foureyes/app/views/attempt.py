"""Attempts: submissions, stacks, checks, merges."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from foureyes.errors import Reason
from foureyes.steps import NO_STEP, Steps

# ---- The work of other tasks inside an attempt (A7), as every face says it ----


class InsideRow(msgspec.Struct, frozen=True, kw_only=True):
    """A task whose work is inside. `how`: how it was found; `standing`: how the task stands now; `first`: it is merged
    first; `refused`: why its work cannot stay inside; `says`: all of this in a sentence.
    """

    task: str
    how: str
    standing: str
    first: bool
    refused: str
    says: str


# ---- Attempt ----


class SubmitOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What was submitted. `inside`: the tasks whose work is inside (A7); `person`: what asks for a person, empty where
    an agent may approve (P6); `unchecked`: required checks that nobody ran on it yet, `not_green`: those that ran on
    these files before and did not pass (D5); `first`: what else has to happen before anybody can approve. `notes`: what there is to say about where it came from. `repeats`: the
    attempt before, where this one is exactly its files again (L11), with `fixed_by_nothing` findings answered FIXED;
    `said`: how near escalation is (E5). `committed`: the paths that were committed on the way; `new`: those that git
    did not know before. `sent`: whether the project's remote has it by now (Q6); empty where it has none.
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
    said: str = ""
    committed: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    sent: str = ""


# ---- The merge queue and what became of an item ----


class MergeRow(msgspec.Struct, frozen=True, kw_only=True):
    """What became of an approved task. `outcome`: merged, found (on the target already), waiting, stuck, conflict,
    checks, void; cut, where something went wrong meanwhile. `next` is what a refusal says to do.
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
        """Whether it is on the target now."""
        return self.outcome in ("merged", "found")

    def with_next(self, step: Steps) -> MergeRow:
        return msgspec.structs.replace(self, next=step)

    @property
    def is_trouble(self) -> bool:
        """Whether it came back, or cannot be merged until somebody does something about it."""
        return self.outcome in ("conflict", "checks", "void", "stuck")


class MergesGoOn(msgspec.Struct, frozen=True, kw_only=True):
    """What a person said about where merges go on (Q6). `changed` is false where it was so already."""

    message: str
    changed: bool = True
    notes: tuple[str, ...] = ()
    next: Steps = NO_STEP


class MergeItem(msgspec.Struct, frozen=True, kw_only=True):
    """An approved task in the queue, in its place. `inside`: the tasks whose work is inside (A7); `passed`: those that a
    person passed over (N3). `why`: what it waits for, or why it was left the last time. `ready`: nothing keeps it from
    being merged now. `next`: what brings it on.
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
    """What brings the queue on: the merge, where something can be taken; else what the first item waits for."""
    return next((item.next for item in items if item.ready), items[0].next) if items else NO_STEP


# ---- Checks and their results ----


class CheckView(msgspec.Struct, frozen=True, kw_only=True):
    """Where a check stands for the latest attempt."""

    check: str
    required: bool
    outcome: str
    summary: str
    claimed: bool = False


class CheckRow(CheckView, frozen=True, kw_only=True):
    """Where a check stands for a task's attempt, with how it came to that. `failing` names the first of those that
    failed, `failed` says how many they are.
    """

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
    """One run of a check, as it is on record. `n` names it; `on`: what the tree is (an attempt's, the target's, what a
    merge would make of the target; empty where an older version did not say).
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
    """A required check of a task that broke itself, and when it is tried again."""

    task: str
    check: str
    outcome: str
    tries: int
    at: str
    next: Steps


class Pending(msgspec.Struct, frozen=True, kw_only=True):
    """The tasks in review whose checks are to be run now, and what is tried again later. `unaccepted`: the
    foureyes.toml on the target, where that is not the one in force (P12).
    """

    tasks: tuple[str, ...]
    later: tuple[CheckRetry, ...] = ()
    unaccepted: Reason | None = None


class CheckReport(msgspec.Struct, frozen=True, kw_only=True):
    """The checks of one attempt, and what the gate did about them. `runs`: the other runs for its task that are on
    record, the latest first; with what was printed where a merge result is not green. `problem`: why the attempt could
    not be looked at; then nothing else is said. `own`: it is a person who asks, and only runs are there that do not
    count because this person is among the makers (D5). `sent_back`: this run sent it back. `unaccepted`: as of
    `Pending`.
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
    """An environment that is kept on this machine for its user. `tree`: the only one that it serves; empty: every tree
    with the target's inputs. `used`: when a check last had it.
    """

    key: str
    command: str
    tree: str = ""
    bytes: int = 0
    used: str = ""
