"""Runs a pager or an editor in the foreground. It has no time limit, because its user ends it. All other programs are
started by `process`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def attend(argv: Sequence[str], environ: Mapping[str, str], text: bytes | None = None, cwd: str | None = None) -> int:
    """Run a program with `text` or the keyboard as its input and return its exit code. Raise OSError if it cannot
    start."""
    import subprocess

    return subprocess.run(list(argv), input=text, env=dict(environ), cwd=cwd, check=False).returncode
