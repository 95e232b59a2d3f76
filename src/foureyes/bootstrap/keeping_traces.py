"""A trace of a defect of ours, kept in the project's folder."""

from __future__ import annotations

import os

from foureyes.adapters.folders import LOGS, folder, opened


def append_trace(project: str, name: str, text: str) -> str:
    """Append to a file below `.foureyes/logs/`; its path as people read it. OSError where that cannot be."""
    with folder(os.path.join(project, LOGS), make=True) as place:
        handle = opened(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600, at=place)
        with open(handle, "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    return f"{os.path.basename(project)}/{LOGS}/{name}"
