"""Where tests keep their files: in memory where the machine has room for it, so that nobody waits for a disk.

Tests make thousands of commits of git and SQLite, each of which waits until the disk has it; no machine loses its
power in a test. Whoever names a place (`TMPDIR`, `--basetemp`) gets that one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")
ROOM = 4 << 30
"""Bytes that must be free: a run leaves what failed, and needs a server's files meanwhile."""


def take_place(memory: Path = MEMORY) -> None:
    """Temporary files of this process and its children lie in memory from now on, if that can be."""
    if "TMPDIR" not in os.environ and is_good(memory):
        os.environ["TMPDIR"] = str(memory)
        tempfile.tempdir = None


def is_good(folder: Path) -> bool:
    """Whether there is room in a folder, and what lies there may be run."""
    try:
        if shutil.disk_usage(folder).free < ROOM:
            return False
        with tempfile.TemporaryDirectory(dir=folder) as made:
            script = Path(made) / "script"
            script.write_text("#!/bin/sh\n")
            script.chmod(0o700)
            return subprocess.run([str(script)], check=False).returncode == 0
    except OSError:
        return False
