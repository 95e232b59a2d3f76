"""Journal events about runs: runners, runs and their leases, signals, agents' events, pauses. (S)"""

from __future__ import annotations

from typing import Literal

from foureyes.core.events.event import Event
from foureyes.core.nouns.run import EmitType, ErrorKind, Purpose, RunEnding, RunId, Signal, StuckKind
from foureyes.core.nouns.session import Role
from foureyes.core.words.ids import SessionId


class RunnerStarted(Event, frozen=True, kw_only=True):
    """A runner was started by the row's session: a person, or a service named by the policy (I5).

    `session` is the runner's own. `until` is the end of its lease unless it is renewed (J4).
    """

    session: SessionId
    process: str
    host: str
    agents: int
    """Number of parallel runs, 0 for a runner that only checks and merges (`fe watch`)."""
    until: str = ""
    beacon: str = ""
    """The database lock that it holds while connected, or ""."""


class RunnerEnded(Event, frozen=True, kw_only=True):
    """A runner ended, or the next one found it dead (`lost`)."""

    session: SessionId
    reason: str = ""
    lost: bool = False


class RunReserved(Event, frozen=True, kw_only=True):
    """A runner reserved a task for a run, so that no other takes it. It is no history action and makes nobody an
    author. `runner` is the runner's session. (J4)
    """

    run: RunId
    profile: str
    role: Role
    purpose: Purpose
    runner: SessionId
    host: str
    fence: int
    until: str
    iteration: int = 0
    resumes: str = ""
    cycle: str = ""
    """The review cycle of the run."""
    early_review: int = 0


class RunTaken(Event, frozen=True, kw_only=True):
    """Another runner took over a run whose runner is dead or whose lease expired. The fence increases. (J4)"""

    run: RunId
    runner: SessionId
    host: str
    fence: int
    until: str
    why: str = ""


class RunBound(Event, frozen=True, kw_only=True):
    """The run's reaper was recorded, and its token is valid below that process. Only now may the program run. The
    `TokenIssued` event of its session is recorded with this one. (I2)
    """

    run: RunId
    session: SessionId
    process: str
    program: str
    """Path of the started program, as the accepted profile names it. (I5)"""
    digest: str = ""
    """sha256 of that file, or "" if it could not be read."""
    worktree: str = ""
    fence: int = 0


class RunEnded(Event, frozen=True, kw_only=True):
    """Every process of a run is gone. Other rows record what happens to the work.

    `signal` is the one in its final message, if any. It counts as the last (S1).
    """

    run: RunId
    ending: RunEnding
    fence: int = 0
    signal: Signal | None = None
    message: str = ""
    rc: int | None = None
    error: ErrorKind = "none"
    error_text: str = ""
    conversation: str = ""
    final: str = ""
    seconds: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_micros: int = 0
    left: int = 0


class RunStopAsked(Event, frozen=True, kw_only=True):
    """Someone asked to stop a run. Its runner stops it, and the work stays on the branch."""

    run: RunId
    reason: str = ""


class Signalled(Event, frozen=True, kw_only=True):
    """An agent ended its run by a signal. A submission by `fe submit` is a signal too. (S1)"""

    signal: Signal
    message: str = ""
    run: RunId | None = None


class Emitted(Event, frozen=True, kw_only=True):
    """An agent reported something during its work. `payload` is JSON text. (S3)"""

    type: EmitType
    summary: str
    payload: str = ""
    run: RunId | None = None


class ProfileCooled(Event, frozen=True, kw_only=True):
    """A profile is skipped because it is out of quota, logged out or missing. Without `until`, it is skipped until a
    person releases it or the program works again.
    """

    profile: str
    host: str
    until: str
    error: ErrorKind
    error_text: str = ""


class ProfileWarmed(Event, frozen=True, kw_only=True):
    """A skipped profile works again."""

    profile: str
    host: str
    reason: str = ""


class RunsPaused(Event, frozen=True, kw_only=True):
    """New work was paused on the row's task, or everywhere if the row has none. Live runs finish, and the pause
    survives restarts. A pause by a rule names the rule and its cycle. (V9)
    """

    reason: str
    by: Literal["person", "rule"] = "person"
    rule: str = ""
    cycle: str = ""


class RunsResumed(Event, frozen=True, kw_only=True):
    """A person lifted every pause of the row's task, or all pauses, with a note. A rule lifts only the pause that a
    rule set in `cycle`. (V9)
    """

    reason: str
    by: Literal["person", "rule"] = "person"
    rule: str = ""
    cycle: str = ""


class RunStuck(Event, frozen=True, kw_only=True):
    """The runner gave up on the row's task: retry cap, spend cap, or two rounds without a change. It waits for a
    person.
    """

    why: str
    kind: StuckKind


class ChecksTaken(Event, frozen=True, kw_only=True):
    """A runner began to run a task's checks. No other runner does so until it has finished or is gone. The fence
    increases. (J4)
    """

    runner: SessionId
    fence: int
    until: str


class ChecksLeft(Event, frozen=True, kw_only=True):
    """The runner finished the checks of a task. (J4)"""

    fence: int
