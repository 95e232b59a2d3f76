"""A live run: a program under its reaper, with its streams, log and time limits. Nothing here blocks."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

import msgspec

from foureyes.adapters.agents.stray_processes import sweep
from foureyes.adapters.agents.streams.parser import RunStreams
from foureyes.adapters.agents.streams.story import RunStory
from foureyes.adapters.agents.streams.trouble import kind_of, wait_in
from foureyes.adapters.supervised import Supervised
from foureyes.core.nouns.run import ErrorKind, RunId, RunOutcome, conversation_of
from foureyes.core.runner.signals import Spoken, after_echo, signal_in
from foureyes.core.words.text import in_line, visible

if TYPE_CHECKING:
    from foureyes.adapters.supervised import PipeName


# ---- A live run ----

BUSY = 0.1
"""Seconds between two checks that a run's last request is done."""
FLOOD = 1 << 30
"""Largest output of a run in bytes. More ends the run."""


class RunLimits(msgspec.Struct, frozen=True):
    """Time limits of a run in seconds, in total and without output."""

    deadline: float
    idle: float
    flood: int = FLOOD


class RunBrief(msgspec.Struct, frozen=True, kw_only=True):
    """The data needed to report the outcome of a run."""

    run: RunId
    program: str
    digest: str
    prompt: str
    token: str
    format: str
    asks: bool = False
    """True if its last message is a requested document."""


class LiveProgram:
    """The `LiveRun` of a program. It calls `over` after the program has ended and all its requests are done (`quiet`)."""

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
            return f"it was silent for {round(self._limits.idle)} seconds and was ended"
        if self._timed_out:
            return f"it was still running after {round(self._limits.deadline)} seconds and was ended"
        return ""


# ---- Outcome (S1, S2) ----

HEAD, TAIL = 4_000, 16_000
LONGEST_ERROR = 600
NO_LAST_EVENT = "it ended before its stream did"


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a run's process. `flooded`: too much output. `failed`: why it could not start."""

    rc: int | None = None
    timed_out: Literal["", "deadline", "idle"] = ""
    stopped: str = ""
    flooded: bool = False
    failed: str = ""
    problem: str = ""
    left: int = 0
    seconds: int = 0


def outcome(
    reader: RunStreams, ending: Ending, *, is_text: bool, prompt: str, secret: str, now: float, asks: bool = False
) -> RunOutcome:
    """Return the outcome of a run.

    Only a signal in the program's own last message counts. With `asks`, a document was requested and the whole message
    is kept.
    """
    story = reader.story
    final = after_echo(story.final, prompt) if is_text else story.final
    parsed = None if story.has_failed else signal_in(final)
    error, trouble = _error(story, ending, reader.last_words, is_text=is_text)
    wait = story.retry_after if story.retry_after is not None else wait_in(trouble, now)
    return RunOutcome(
        ended=story.ended or (is_text and ending.rc is not None),
        rc=ending.rc,
        final=_cut(_without(final, secret)),
        answer=_without(story.structured or final, secret) if asks else "",
        signal=parsed.signal if parsed else None,
        message=_without(parsed.message, secret) if parsed else "",
        conversation=conversation_of(story.conversation),
        usage=story.usage,
        error=error,
        error_text=in_line(_without(trouble, secret), LONGEST_ERROR),
        retry_after=wait if error == "quota" else None,
        timed_out=ending.timed_out,
        stopped=bool(ending.stopped),
        left=ending.left,
        read=tuple(sorted(story.read)) if asks else (),
        tells=story.tells,
        malformed=story.malformed,
        seconds=ending.seconds,
    )


def _error(story: RunStory, ending: Ending, last_words: str, *, is_text: bool) -> tuple[ErrorKind, str]:
    """Return the kind of error that stopped the run, and its text."""
    if ending.failed:
        return "missing", ending.failed
    if story.has_failed:
        return kind_of(story.failed, story.status), story.failed
    if ending.flooded:
        return "crash", ending.problem
    if ending.stopped:
        return "none", ending.stopped
    if ending.timed_out:
        return _why_so_long(story, ending, last_words)
    if ending.rc == 0 and (story.ended or is_text):
        return "none", ""
    trouble = story.trouble or last_words or (story.final.strip() if is_text else "") or ending.problem
    guessed = kind_of(trouble, story.status) if trouble else "crash"
    return ("crash" if guessed == "refused" else guessed), trouble or NO_LAST_EVENT


def _why_so_long(story: RunStory, ending: Ending, last_words: str) -> tuple[ErrorKind, str]:
    """Return the error of a run that timed out. A silent program may be retrying after it reported a service
    failure.
    """
    trouble = story.trouble or (last_words if ending.timed_out == "idle" else "")
    kind = kind_of(trouble, story.status) if trouble else "refused"
    return ("timeout", story.trouble or ending.problem) if kind == "refused" else (kind, trouble)


def _without(text: str, secret: str) -> str:
    return text.replace(secret, "[token]") if secret else text


def _cut(text: str) -> str:
    """Return the start and end of a long message."""
    text = visible(text.strip())
    if len(text) <= HEAD + TAIL:
        return text
    return f"{text[:HEAD]}\n[… {len(text) - HEAD - TAIL:,} characters left out …]\n{text[-TAIL:]}"


# ---- The log of a task ----

# Each run starts with a header line, and repeats it after another run wrote in between. Lines of the two streams are
# never mixed. The size is limited, and the token is removed. A program's line that resembles our header is indented by
# a space.

MOST_BYTES = 64 << 20
"""Largest log of one run in bytes."""
LONGEST = 1 << 20
"""Longest line to buffer in bytes. A longer one is written in pieces."""
HEADER = "==== "
CUT = b"==== the rest of this run is not in the log\n"
HIDDEN = b"[token]"
LIKE_OURS = re.compile(rb"(^|[\r\n\v\f\x1c-\x1e]|\xc2\x85|\xe2\x80[\xa8\xa9])(?=====)")
"""Every line start that looks like our headers. Some readers know more line ends than others."""


class RunLog:
    """Writes the log of one run. A failed write, for example on a full disk, never stops the run."""

    def __init__(self, handle: int, header: str, *, secret: str = "", most: int = MOST_BYTES) -> None:
        self._handle = handle
        self._name = " ".join(header.split()[:2])
        about = os.fstat(handle)
        self._file = (about.st_dev, about.st_ino)
        self._secret = secret.encode()
        self._left = most
        self._rest: dict[PipeName, bytes] = {"out": b"", "err": b""}
        self._put(_ours(header))
        LAST[self._file] = self

    def hear(self, stream: PipeName, part: bytes) -> None:
        """Append a piece of output. Complete lines are written at once."""
        whole, newline, rest = (self._rest[stream] + part).rpartition(b"\n")
        if len(rest) > LONGEST:
            whole, newline, rest = whole + newline + rest, b"\n", b""
        self._rest[stream] = rest
        if newline:
            self._limited(whole + newline)

    def close(self, last: str) -> None:
        """Write the rest of both streams and a last line."""
        for stream, rest in self._rest.items():
            if rest:
                self._rest[stream] = b""
                self._limited(rest + b"\n")
        self._put(_ours(last))
        if LAST.get(self._file) is self:
            del LAST[self._file]
        os.close(self._handle)

    def _limited(self, text: bytes) -> None:
        if self._left <= 0:
            return
        if self._secret:
            text = text.replace(self._secret, HIDDEN)
        text = LIKE_OURS.sub(rb"\1 ", text)
        if len(text) > self._left:
            text = text[: self._left].rpartition(b"\n")[0] + b"\n" + CUT
            self._left = 0
        self._left -= len(text)
        if LAST.get(self._file) is not self:  # another run of the task wrote in between
            LAST[self._file] = self
            self._put(_ours(f"{self._name} continues"))
        self._put(text)

    def _put(self, text: bytes) -> None:
        with suppress(OSError):
            while text:
                text = text[os.write(self._handle, text) :]


LAST: dict[tuple[int, int], RunLog] = {}
"""The run that wrote last to each log file. Two reviewers of one task share a log."""


def _ours(text: str) -> bytes:
    """Return a header as exactly one line, whatever its text contains."""
    return f"{HEADER}{' '.join(text.splitlines())}\n".encode("utf-8", "backslashreplace")
