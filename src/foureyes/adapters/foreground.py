"""Programs that have the terminal to themselves: a pager, an editor. Their user ends them, so nothing bounds their
time; everything else is started by `process`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def attend(argv: Sequence[str], environ: Mapping[str, str], text: bytes | None = None, cwd: str | None = None) -> int:
    """Run a program in the foreground, with `text` as its input or with the keyboard; how it ended. `OSError` where it
    cannot be started.
    """
    import subprocess

    return subprocess.run(list(argv), input=text, env=dict(environ), cwd=cwd, check=False).returncode
