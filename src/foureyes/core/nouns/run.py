"""Runs: one agent program at work on one task, from its reservation to the end of its last process."""

from __future__ import annotations

from typing import Literal, NewType

import msgspec

from foureyes.core.nouns.session import Role
from foureyes.core.words.ids import SessionId, Shape, TaskId

RunId = NewType("RunId", str)
"""`run-…`; also the name of the run's directory."""

Signal = Literal["DONE", "BLOCKED", "NEEDS_REVIEW", "FAILED"]
SIGNALS: tuple[Signal, ...] = ("DONE", "BLOCKED", "NEEDS_REVIEW", "FAILED")
"""S1: how an agent says that its run is over."""

EmitType = Literal["milestone", "blocker", "request_review", "progress", "question"]
EMIT_TYPES: tuple[EmitType, ...] = ("milestone", "blocker", "request_review", "progress", "question")
"""S3: what an agent says in the middle of its work."""

ErrorKind = Literal["none", "quota", "auth", "missing", "refused", "crash", "timeout"]
"""What kept a program from doing its work: its service takes no work now (out of quota, a rate limit, overloaded or
failing), logged out, not installed, the service or the program itself said no, it ended oddly, it took too long.
"""
COOLING: frozenset[ErrorKind] = frozenset({"quota", "auth", "missing"})
"""What is wrong with a profile, not with the work: it is skipped, and the next in order takes over."""

RunState = Literal["reserved", "running", "ended"]
RunEnding = Literal["", "finished", "failed", "timeout", "stopped", "lost", "unstarted"]
"""How a run ended: its program came to its end; it failed (S2); deadline or idle time; a person, a hold or the runner
stopped it; its runner died; it never began.
"""

Purpose = Literal["implement", "respond", "review", "clarify", "lead", "plan"]
"""What a run is asked to do: a first attempt, or one without findings; answer findings or feedback; review a change;
say what is true where reviews disagree; decide as the lead; plan a goal.
"""
ROLE_FOR: dict[Purpose, Role] = {
    "implement": "implement", "respond": "implement", "review": "review", "clarify": "implement", "lead": "lead",
    "plan": "plan",
}  # fmt: skip
"""I2: the role that the token of a run has. An author who clarifies keeps that of its work: a new token to review would
make other eyes of it.
"""
ASKED: frozenset[Purpose] = frozenset({"review", "clarify"})
"""Runs that work for a review cycle: they have no claim, and answer with a document."""
MAKES: frozenset[Purpose] = frozenset({"implement", "respond"})
"""Runs that have the claim of their task, and whose work is submitted."""

StuckKind = Literal["retries", "spend", "no_change", "refused"]
"""Why the runner can do no more for a task: too many runs, too expensive, nothing changed, what it left is refused."""


CONVERSATION = Shape(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,199}")


def conversation_of(text: str) -> str:
    """I2: what a program says that its conversation is called, if that can be a name: it becomes an argument of that
    program, and must never be one of its options. Else none.
    """
    return text if CONVERSATION.fullmatch(text) else ""


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """What a program says that it used; 0 where it does not say. Cost in millionths of the currency it reports."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_micros: int = 0


class RunOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """How an agent program ended, as its adapter read it. Success is never the exit code alone: `ended` says that the
    stream came to its own last event. What was changed is read from git, not from here.

    `final` is the program's last message, cut to a size; `signal` the last valid signal line in it (S1), with what it
    says in `message`; `answer` all of it, or its structured output, where a document was asked for (V3).
    `conversation` is what the program resumes by. `error_text` is in the program's own words. `retry_after` are
    seconds, where the service named them.
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
    """Processes that could not be ended."""
    malformed: int = 0
    """Lines of the stream that could not be read; logged, never fatal."""
    seconds: int = 0
    read: tuple[str, ...] = ()
    """V6: the files that it read, as its stream tells, where a document was asked for."""
    tells: bool = False
    """Whether its stream tells of the tools that it uses."""

    @property
    def succeeded(self) -> bool:
        """S2: whether the program did what it was started for; never a claim about the work itself."""
        return self.ended and self.rc == 0 and self.error == "none" and not self.timed_out and not self.stopped


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """A run as the store has it."""

    id: RunId
    task: TaskId
    profile: str
    role: Role
    purpose: Purpose
    state: RunState
    session: SessionId | None = None
    """The session that the token was issued for; none before it is bound."""
    runner: str = ""
    """The session of the runner that has it."""
    host: str = ""
    fence: int = 0
    process: str = ""
    """The process evidence of its reaper; none before it is bound."""
    resumes: str = ""
    """The conversation that it goes on with; empty for a fresh one."""
    iteration: int = 0
    ending: RunEnding = ""
    signal: str = ""
    message: str = ""
    error: ErrorKind = "none"
    error_text: str = ""
    conversation: str = ""
    final: str = ""
    stop_asked: str = ""
    """Why somebody wants it stopped; empty where nobody does."""
    worktree: str = ""
    program: str = ""
    reserved_at: str = ""
    started_at: str = ""
    ended_at: str = ""
    until: str = ""
    """When its lease ends unless it is renewed (J4)."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_micros: int = 0
    cycle: str = ""
    """The review cycle that it works for, where it does."""
    look: int = 0
    """V1: the look that it reviews; 0: the attempt."""

    @property
    def why(self) -> str:
        """Why it ended as it did: what was wrong with it, else what it said, else that it said nothing; who was asked
        for a document gave that, and nobody waits for a signal.
        """
        words = f"{self.signal}: {self.message}" if self.signal and self.message else self.signal
        silent = self.ending == "finished" and not self.cycle
        return self.error_text or words or ("it ended without a signal" if silent else "")
