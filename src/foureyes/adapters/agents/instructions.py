"""The instruction block in AGENTS.md or CLAUDE.md: idempotent, versioned, removable; everything around it stays."""

from __future__ import annotations

import os
import re
from typing import Literal

from foureyes.adapters.folders import MB, folder, read, replace
from foureyes.errors import EnvironmentProblem

VERSION = 1
LARGEST = 16 * MB
FILES = {"agents-md": "AGENTS.md", "codex": "AGENTS.md", "claude": "CLAUDE.md"}
BEGIN = f"<!-- foureyes:begin v{VERSION} -->"
END = "<!-- foureyes:end -->"
BLOCK = re.compile(r"<!-- foureyes:begin v\d+ -->(?:(?!<!-- foureyes:begin).)*?<!-- foureyes:end -->\n?", re.DOTALL)

Outcome = Literal["written", "updated", "unchanged", "removed", "absent"]


def install(root: str, name: str, text: str) -> Outcome:
    """Put the block into the file, or bring an older one up to date."""
    path = os.path.join(root, name)
    block = f"{BEGIN}\n{text.strip()}\n{END}\n"
    old = _read(path)
    if BLOCK.search(old):
        new = BLOCK.sub(lambda _: block, old, count=1)
        outcome: Outcome = "unchanged" if new == old else "updated"
    else:
        new = old + ("" if not old or old.endswith("\n\n") else "\n" if old.endswith("\n") else "\n\n") + block
        outcome = "written"
    if new != old:
        _write(path, new)
    return outcome


def remove(root: str, name: str) -> Outcome:
    """Take the block out; a file that held nothing else goes with it."""
    path = os.path.join(root, name)
    old = _read(path)
    if not BLOCK.search(old):
        return "absent"
    new = BLOCK.sub("", old, count=1)
    if new.strip():
        _write(path, new.rstrip("\n") + "\n")
    else:
        os.remove(path)
    return "removed"


def _read(path: str) -> str:
    try:
        return read(path, LARGEST, follow=True).decode()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as problem:
        raise EnvironmentProblem(
            f"{os.path.basename(path)} cannot be read: {problem}. It was not touched."
        ) from problem


def _write(path: str, text: str) -> None:
    """Replace the file (where a link leads, that one) in one step, so that a crash leaves the old or the new one."""
    around, name = os.path.split(os.path.realpath(path))
    try:
        with folder(around) as place:
            before = os.stat(name, dir_fd=place).st_mode & 0o777 if os.path.exists(path) else None
            replace(place, name, text.encode(), 0o666 if before is None else before)
            if before is not None:
                os.chmod(name, before, dir_fd=place)
    except OSError as problem:
        raise EnvironmentProblem(
            f"{os.path.basename(path)} cannot be written: {problem.strerror}. It was not touched."
        ) from problem
