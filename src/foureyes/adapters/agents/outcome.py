"""How a run ended: what its stream told, how its process ended, and what was done to it, in one (S1, S2)."""

from __future__ import annotations

from typing import Literal

import msgspec

from foureyes.adapters.agents.streams.reading import RunStreams
from foureyes.adapters.agents.streams.story import RunStory
from foureyes.adapters.agents.streams.trouble import kind_of, wait_in
from foureyes.core.nouns.run import ErrorKind, RunOutcome, conversation_of
from foureyes.core.runner.signals import after_echo, signal_in
from foureyes.core.words.text import in_line, visible

HEAD, TAIL = 4_000, 16_000
TOLD = 600
NO_LAST_EVENT = "it ended before its stream did"


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """How the process of a run ended. `flooded`: it wrote more than anybody reads. `failed`: it could not be started,
    and why.
    """

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
    """What became of a run. A signal counts where it stands in the program's own last message; `asks`: a document was
    asked for, and the whole message is kept.
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
        error_text=in_line(_without(trouble, secret), TOLD),
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
    """What kept it from its work, and in whose words."""
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
    """A program that fell silent may have said why: its service takes no work, and it tries for ever."""
    trouble = story.trouble or (last_words if ending.timed_out == "idle" else "")
    kind = kind_of(trouble, story.status) if trouble else "refused"
    return ("timeout", story.trouble or ending.problem) if kind == "refused" else (kind, trouble)


def _without(text: str, secret: str) -> str:
    return text.replace(secret, "[token]") if secret else text


def _cut(text: str) -> str:
    """A message as it is kept: its beginning and its end."""
    text = visible(text.strip())
    if len(text) <= HEAD + TAIL:
        return text
    return f"{text[:HEAD]}\n[… {len(text) - HEAD - TAIL:,} characters left out …]\n{text[-TAIL:]}"
