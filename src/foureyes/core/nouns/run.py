"""Runs: one agent program working on one task, from its reservation to the end of its last process."""

from __future__ import annotations

from typing import Literal, NewType

import msgspec

from foureyes.core.nouns.session import Role
from foureyes.core.words.ids import SessionId, Shape, TaskId

RunId = NewType("RunId", str)
"""`run-…`, also the name of the run's directory."""

Signal = Literal["DONE", "BLOCKED", "NEEDS_REVIEW", "FAILED"]
SIGNALS: tuple[Signal, ...] = ("DONE", "BLOCKED", "NEEDS_REVIEW", "FAILED")
"""Words by which an agent ends its run. (S1)"""

EmitType = Literal["milestone", "blocker", "request_review", "progress", "question"]
EMIT_TYPES: tuple[EmitType, ...] = ("milestone", "blocker", "request_review", "progress", "question")
"""Words by which an agent reports during its work. (S3)"""

ErrorKind = Literal["none", "quota", "auth", "missing", "refused", "crash", "timeout"]
"""Why a program could not work.

- quota: its service takes no work now (quota, rate limit, overload, failure)
- auth: logged out
- missing: not installed
- refused: by the service or the program
- crash, timeout
"""
COOLING: frozenset[ErrorKind] = frozenset({"quota", "auth", "missing"})
"""Errors of the profile, not of the work. The profile is skipped, and the next one takes over."""

RunState = Literal["reserved", "running", "ended"]
RunEnding = Literal["", "finished", "failed", "timeout", "stopped", "lost", "unstarted"]
"""The end of a run.

- finished: its program ended normally
- failed: see S2
- timeout: its deadline or idle time passed
- stopped: by a person, a hold or the runner
- lost: its runner died
- unstarted: it never began
"""

Purpose = Literal["implement", "respond", "review", "clarify", "lead", "plan"]
"""The purpose of a run.

- implement: make a first attempt, or another one without findings
- respond: answer findings or feedback
- review: review a change
- clarify: answer concerns where reviewers disagree
- lead: decide as the lead
- plan: plan a goal
"""
ROLE_FOR: dict[Purpose, Role] = {
    "implement": "implement", "respond": "implement", "review": "review", "clarify": "implement", "lead": "lead",
    "plan": "plan",
}  # fmt: skip
"""The role of a run's token. A clarifying author stays an implementer, because a new token to review would make it
count as another reviewer. (I2)
"""
ASKED: frozenset[Purpose] = frozenset({"review", "clarify"})
"""Purposes of runs for a review cycle. They have no claim and answer with a document."""
MAKES: frozenset[Purpose] = frozenset({"implement", "respond"})
"""Purposes of runs that claim their task and end in a submission."""

StuckKind = Literal["retries", "spend", "no_change", "refused"]
"""Why the runner gave up on a task: too many runs, too expensive, nothing changed, or its result was refused."""


CONVERSATION = Shape(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,199}")


def conversation_of(text: str) -> str:
    """Return the conversation's name, or "" if it is not safe. It is passed to the program and must never look like an
    option. (I2)
    """
    return text if CONVERSATION.fullmatch(text) else ""


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """Usage that the program reports, 0 if it reports none. Cost is in millionths of its currency."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_micros: int = 0


class RunOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The end of an agent program, as its adapter read it. The exit code alone never means success, and changes are
    read from git.

    - ended: its stream reached its own last event
    - final: its last message, cut to a size
    - signal, message: its last valid signal line (S1)
    - answer: the full last message or structured output, if a document was requested (V3)
    - conversation: the name to resume it by
    - error_text: the program's own text
    - retry_after: in seconds, if the service gave it
    """

    ended: bool
    rc: int | None = None
    final: str = ""
    answer: str = ""
    signal: Signal | None = None
    message: str = ""
    conversation: str = ""
    usage: Usage = Usage()
    error: ErrorKind = "none"
    error_text: str = ""
    retry_after: int | None = None
    timed_out: Literal["", "deadline", "idle"] = ""
    stopped: bool = False
    left: int = 0
    """Number of processes that could not be ended."""
    malformed: int = 0
    """Number of unreadable lines in the stream. They are logged and never fatal."""
    seconds: int = 0
    read: tuple[str, ...] = ()
    """Files that it read according to its stream, if a document was requested. (V6)"""
    tells: bool = False
    """True if its stream reports the tools it uses."""

    @property
    def succeeded(self) -> bool:
        """True if the program did its job. It says nothing about the quality of the work. (S2)"""
        return self.ended and self.rc == 0 and self.error == "none" and not self.timed_out and not self.stopped


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """A stored run."""

    id: RunId
    task: TaskId
    profile: str
    role: Role
    purpose: Purpose
    state: RunState
    session: SessionId | None = None
    """The session of its token, None before it is bound."""
    runner: str = ""
    """The session of its runner."""
    host: str = ""
    fence: int = 0
    process: str = ""
    """The process evidence of its reaper, empty before it is bound."""
    resumes: str = ""
    """The conversation that it continues, "" for a new one."""
    iteration: int = 0
    ending: RunEnding = ""
    signal: str = ""
    message: str = ""
    error: ErrorKind = "none"
    error_text: str = ""
    conversation: str = ""
    final: str = ""
    stop_asked: str = ""
    """Why a stop was requested, "" if none was."""
    worktree: str = ""
    program: str = ""
    reserved_at: str = ""
    started_at: str = ""
    ended_at: str = ""
    until: str = ""
    """The end of its lease unless it is renewed. (J4)"""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_micros: int = 0
    cycle: str = ""
    """The review cycle it works for, or ""."""
    early_review: int = 0
    """Number of the early review it reviews, 0 for the attempt. (V1)"""

    @property
    def why(self) -> str:
        """Why it ended: its error, its own message, or the missing signal. A run for a review cycle needs no signal."""
        words = f"{self.signal}: {self.message}" if self.signal and self.message else self.signal
        silent = self.ending == "finished" and not self.cycle
        return self.error_text or words or ("it ended without a signal" if silent else "")
