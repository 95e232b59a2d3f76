"""Converts git's output to values: text, object ids and problems."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem
from foureyes.steps import NO_STEP, Steps, fe, prose

if TYPE_CHECKING:
    from foureyes.adapters import process

_HEX = frozenset("0123456789abcdef")


def as_text(raw: bytes) -> str:
    """Return git's bytes (paths, names) as text that can be stored and printed."""
    return raw.decode("utf-8", "backslashreplace")


def as_sha(raw: bytes | str) -> Sha | None:
    """Return a full object id, or None. Use it on outside input before passing it as an argument."""
    text = raw.decode("ascii", "replace") if isinstance(raw, bytes) else raw
    return Sha(text) if len(text) in (40, 64) and _HEX.issuperset(text) else None


def must_be_sha(text: str) -> Sha:
    """Return a full object id. Raise GitProblem for anything else, which could be an option or an expression."""
    if (sha := as_sha(text)) is None:
        raise GitProblem(f"{text!r} is not a full object id")
    return sha


def last_words(done: process.Finished) -> str:
    """Return the reason of git's failure in one line: its `fatal:` lines, else its last lines."""
    lines = [line.strip() for line in as_text(done.err or done.out).splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith("fatal:")]
    return "; ".join(fatal or lines[-4:]) or f"exit code {done.rc}, no message"


def failure(command: str, done: process.Finished) -> GitProblem:
    """Return the problem for a failed git command."""
    return explained(f"git {command} failed: {last_words(done)}")


def explained(message: str) -> GitProblem:
    """Return a problem with git, with a next step if one is known."""
    return GitProblem(message, next_step=_step_after(message))


def _step_after(message: str) -> Steps:
    if "lock" in message and os.strerror(errno.EEXIST) in message:
        return prose("check whether another git is running there. If not, a killed one left the lock.")
    if os.strerror(errno.EROFS) in message:
        return fe("doctor", after=", which says what a sandbox has to allow")
    return NO_STEP
