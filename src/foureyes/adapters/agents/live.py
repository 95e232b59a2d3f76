"""A live run: a program below its reaper, its streams read, its log written, its time minded. Nothing here waits."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal

import msgspec

from foureyes.adapters.agents.log import RunLog
from foureyes.adapters.agents.outcome import Ending, outcome
from foureyes.adapters.agents.streams.reading import RunStreams
from foureyes.adapters.agents.sweep import sweep
from foureyes.adapters.supervised import Supervised
from foureyes.core.nouns.run import RunId, RunOutcome
from foureyes.core.runner.signals import Spoken, after_echo

BUSY = 0.1
"""Seconds after which it is looked again whether the last thing that a run asked for is done."""
FLOOD = 1 << 30
"""Bytes that a run may write; one that writes for ever is ended."""


class RunLimits(msgspec.Struct, frozen=True):
    """Seconds that a run has, and that it may be silent."""

    deadline: float
    idle: float
    flood: int = FLOOD


class RunBrief(msgspec.Struct, frozen=True, kw_only=True):
    """What is needed to say in the end what became of a run."""

    run: RunId
    program: str
    digest: str
    prompt: str
    token: str
    format: str
    asks: bool = False
    """Whether its last message is a document that was asked for."""


class LiveProgram:
    """`LiveRun`. `over` is called once everything of it is gone, and what it asked for is done (`quiet`)."""

    def __init__(
        self, asked: RunBrief, child: Supervised, process: str, log: RunLog, limits: RunLimits,
        over: Callable[[], None], quiet: Callable[[], bool] = lambda: True,
    ) -> None:  # fmt: skip
        self.run, self.program, self.digest, self.process = asked.run, asked.program, asked.digest, process
        self._asked, self._child, self._log, self._limits, self._over = asked, child, log, limits, over
        self._quiet = quiet
        self._reader = RunStreams(asked.format)
        self._began = self._heard = self._moved = time.monotonic()
        self._written = 0
        self._is_going = False
        self._timed_out: Literal["", "deadline", "idle"] = ""
        self._stopped = ""
        self._outcome: RunOutcome | None = None

    def go(self) -> None:
        self._began = self._heard = self._moved = time.monotonic()
        self._is_going = True
        self._child.go()

    def fileno(self) -> int:
        return self._child.fileno()

    def poll(self) -> RunOutcome | None:
        if self._outcome is not None:
            return self._outcome
        for stream, part in self._child.read():
            self._hear(stream, part)
        if not self._child.is_over:
            self._mind_time()
            return None
        if not self._quiet():
            return None
        self._reader.end()
        self._outcome = self._end()
        return self._outcome

    def quiet_seconds(self) -> float:
        return time.monotonic() - self._heard

    def due_seconds(self) -> float:
        now = time.monotonic()
        if self._child.is_over:
            return BUSY
        if self._stopped or self._timed_out or not self._is_going:
            return 1.0
        return max(0.0, min(self._began + self._limits.deadline, self._moved + self._limits.idle) - now)

    def last_event(self) -> str:
        return self._reader.story.last

    def heard(self) -> list[Spoken]:
        story = self._reader.story
        events, story.events = story.events, []
        token = self._asked.token
        return [
            Spoken(event.type, event.summary.replace(token, "[token]"), event.payload.replace(token, "[token]"))
            for event in events
        ]

    def stop(self, why: str) -> None:
        if not self._timed_out:
            self._stopped = self._stopped or why or "it was stopped"
        self._child.ask()

    def _hear(self, stream: Literal["out", "err"], part: bytes) -> None:
        self._heard = time.monotonic()
        self._written += len(part)
        self._log.hear(stream, part)
        if stream == "out":
            self._reader.hear(part)
        else:
            self._reader.hear_error(part)
        if not self._reader.story.idle:
            self._moved = self._heard
        if self._written > self._limits.flood:
            self._child.ask()

    def _mind_time(self) -> None:
        now = time.monotonic()
        if not self._is_going or self._stopped or self._timed_out:
            return
        late = now - self._began >= self._limits.deadline
        if late or now - self._moved >= self._limits.idle:
            self._timed_out = "deadline" if late else "idle"
            self._child.ask()

    def _end(self) -> RunOutcome:
        words, left = self._child.words, sweep([self.run]).get(self.run, 0)
        ended = words.ended()
        ending = Ending(
            rc=ended.rc if self._is_going else None,
            timed_out=self._timed_out,
            stopped=self._stopped,
            flooded=self._written > self._limits.flood,
            failed=words.after("failed"),
            problem=self._why() or ended.problem,
            left=left or int(words.after("left") or 0),
            seconds=round(time.monotonic() - self._began),
        )
        asked = self._asked
        if asked.format == "text":
            self._reader.story.hear(after_echo(self._reader.story.final, asked.prompt))
        result = outcome(
            self._reader,
            ending,
            is_text=asked.format == "text",
            prompt=asked.prompt,
            secret=asked.token,
            now=time.time(),
            asks=asked.asks,
        )
        self._log.close(
            f"{self.run} ended: {result.error_text or result.signal or 'without a signal'} (exit {result.rc})"
        )
        self._over()
        return result

    def _why(self) -> str:
        if self._written > self._limits.flood:
            return f"it wrote more than {self._limits.flood >> 20} MB and was ended"
        if self._timed_out == "idle":
            return f"nothing was heard of it for {round(self._limits.idle)} seconds, and it was ended"
        if self._timed_out:
            return f"it was still at work after {round(self._limits.deadline)} seconds, and was ended"
        return ""
