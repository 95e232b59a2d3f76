"""Checks and their results."""

from __future__ import annotations

import msgspec

from foureyes.errors import Reason
from foureyes.steps import NO_STEP, Steps


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
