"""The mirror files of feedback (F2): written in one step, never read back; one that is no such file is set aside, never
lost.
"""

from __future__ import annotations

import os
import stat

import msgspec


def write(folder: str, task: str, document: bytes) -> str:
    """Write `<task>.json`; what there is to say, if something else lay there or it could not be written."""
    path = os.path.join(folder, f"{task}.json")
    temporary = f"{path}.new-{os.getpid()}"
    try:
        os.makedirs(folder, exist_ok=True)
        note = _set_aside(path, task)
        with open(temporary, "wb") as file:
            file.write(document)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as problem:
        return f".foureyes/feedback/{task}.json could not be written: {problem.strerror}; the store has it"
    return note


def _set_aside(path: str, task: str) -> str:
    """Lesson 57: what is there and is not ours is kept under another name, and said."""
    found: dict[str, object] = {}
    try:
        if stat.S_ISREG(os.lstat(path).st_mode):  # a pipe would be waited for, a link may lead anywhere
            with open(path, "rb") as file:
                found = msgspec.json.decode(file.read(), type=dict[str, object])
    except FileNotFoundError:
        return ""
    except (msgspec.MsgspecError, OSError, UnicodeDecodeError, RecursionError):
        found = {}
    if found.get("taskId") == task and isinstance(found.get("history"), list):
        return ""
    number = 1
    while os.path.lexists(f"{path}.bad-{number}"):
        number += 1
    os.rename(path, f"{path}.bad-{number}")
    return (
        f".foureyes/feedback/{task}.json was unreadable; kept as {task}.json.bad-{number}, written anew from the store"
    )
