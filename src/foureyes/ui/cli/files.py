"""Input of commands: files and standard input."""

from __future__ import annotations

import os
import sys

from foureyes.errors import BadInput
from foureyes.steps import Arg, blank, fe
from foureyes.ui.cli.command import Session

MOST_BYTES = 60_000_000
"""Largest input to read. It exceeds every limit of the application, which refuses larger input."""


def read_document(session: Session, file: str, *, command: tuple[str | Arg, ...], most: int = MOST_BYTES) -> bytes:
    """Return the content of a file relative to the current directory. `-` is stdin."""
    try:
        if file == "-":
            return sys.stdin.buffer.read(most)
        from foureyes.bootstrap.files import read_given

        return read_given(os.path.join(session.cwd, file), most)
    except OSError as problem:
        raise BadInput(
            f"{file} cannot be read: {problem.strerror}.",
            next_step=fe(*command, blank("FILE"), after=", or - for stdin"),
        ) from None


def is_file(session: Session, name: str) -> bool:
    """Return True if the word names readable input: a file, `-`, or a pipe such as `/dev/stdin` or `<(…)`."""
    path = os.path.join(session.cwd, name)
    return name == "-" or (os.path.exists(path) and not os.path.isdir(path))
