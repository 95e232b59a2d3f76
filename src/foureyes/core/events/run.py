"""The vocabulary of the journal about runs: runners, runs and their leases, signals, what agents emit, pauses (S)."""

from __future__ import annotations

from typing import Literal

from foureyes.core.events.event import Event
from foureyes.core.nouns.run import EmitType, ErrorKind, Purpose, RunEnding, RunId, Signal, StuckKind
from foureyes.core.nouns.session import Role
from foureyes.core.words.ids import SessionId


class RunnerStarted(Event, frozen=True, kw_only=True):
    """A runner began (I5): by the row's session, a person or a service that the policy names. `session` is the runner's
    own, `until` when its lease ends unless it is renewed (J4).
    """

    session: SessionId
    process: str
    host: str
    agents: int
    """How many runs at once; 0 for one that only checks and merges (`fe watch`)."""
    until: str = ""
    beacon: str = ""
    """The lock of the database that it holds as long as it is connected; empty where there is none."""


class RunnerEnded(Event, frozen=True, kw_only=True):
    """A runner came to its end, or was found dead by the next one (`lost`)."""

    session: SessionId
    reason: str = ""
    lost: bool = False


class RunReserved(Event, frozen=True, kw_only=True):
    """J4: a runner takes a task for a run: nobody else does from here on. No history action, no author yet. `runner` is
    the runner's session.
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
    """The review cycle that it works for."""
    look: int = 0


class RunTaken(Event, frozen=True, kw_only=True):
    """J4: another runner takes a run over whose runner is dead, or whose lease has ended; the fence goes up."""

    run: RunId
    runner: SessionId
    host: str
    fence: int
    until: str
    why: str = ""


class RunBound(Event, frozen=True, kw_only=True):
    """I2: the reaper above the program is on record, and the token holds below it; only now the program is let go.
    The `TokenIssued` of its session stands beside it.
    """

    run: RunId
    session: SessionId
    process: str
    program: str
    """Path of the program that is started, as the accepted profile names it (I5)."""
    digest: str = ""
    """sha256 of that file; empty where it could not be read."""
    worktree: str = ""
    fence: int = 0


class RunEnded(Event, frozen=True, kw_only=True):
    """Every process of a run is gone. What becomes of the work stands in other rows. `signal` is the one of its final
    message (S1), where it has one: it was said last.
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
    """Somebody wants a run to end; its runner does it, and the work stays on the branch."""

    run: RunId
    reason: str = ""


class Signalled(Event, frozen=True, kw_only=True):
    """S1: an agent says that its run is over. A submission by `fe submit` is a signal of its own."""

    signal: Signal
    message: str = ""
    run: RunId | None = None


class Emitted(Event, frozen=True, kw_only=True):
    """S3: what an agent says in the middle of its work. `payload` is JSON text."""

    type: EmitType
    summary: str
    payload: str = ""
    run: RunId | None = None


class ProfileCooled(Event, frozen=True, kw_only=True):
    """A profile is skipped until then: out of quota, logged out, not there. `until` empty: until a person says so
    or the program works again.
    """

    profile: str
    host: str
    until: str
    error: ErrorKind
    error_text: str = ""


class ProfileWarmed(Event, frozen=True, kw_only=True):
    """A profile that cooled down works again."""

    profile: str
    host: str
    reason: str = ""


class RunsPaused(Event, frozen=True, kw_only=True):
    """V9: no new work begins, on the row's task, or anywhere if it names none; what runs comes to its end. It survives
    restarts. One by a rule names the rule and its cycle.
    """

    reason: str
    by: Literal["person", "rule"] = "person"
    rule: str = ""
    cycle: str = ""


class RunsResumed(Event, frozen=True, kw_only=True):
    """V9: a person lifts every pause of the row's task, or of everything, with a note. Or a rule lifts the one that a
    rule made in `cycle`, and no other.
    """

    reason: str
    by: Literal["person", "rule"] = "person"
    rule: str = ""
    cycle: str = ""


class RunStuck(Event, frozen=True, kw_only=True):
    """The runner has done with a task what it can: a person looks (retry cap, spend cap, two rounds without a change).
    The row's task waits until a person says so.
    """

    why: str
    kind: StuckKind


class ChecksTaken(Event, frozen=True, kw_only=True):
    """J4: a runner runs the checks of a task: no other one does until it has done, or is gone. The fence goes up."""

    runner: SessionId
    fence: int
    until: str


class ChecksLeft(Event, frozen=True, kw_only=True):
    """J4: the runner has done with the checks of a task."""

    fence: int
