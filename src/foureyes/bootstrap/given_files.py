"""Files that a command is told to read: plans, reports, documents, settings of other tools."""

from __future__ import annotations

from foureyes.adapters.folders import given, opened


def read_given(path: str, most: int, *, handed_over: bool = True) -> bytes:
    """So many bytes of it at most; an `OSError` says what is there instead of a file. What the caller hands over
    (`/dev/stdin`, `<(...)`) is waited for, unless nobody can wait: a face that others look at meanwhile.
    """
    with open(given(path) if handed_over else opened(path, follow=True), "rb") as stream:
        return stream.read(most)
