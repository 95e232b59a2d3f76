"""A defect of ours, written down where it can be found."""

from __future__ import annotations

import os
import traceback
from collections.abc import Mapping


def write_down(problem: Exception, environ: Mapping[str, str]) -> str:
    """Append the traceback to the project's app.log; the path, as people read it."""
    from foureyes.bootstrap.places import folder_of, repository

    try:
        folder = os.path.join(folder_of(repository(environ.get("PWD") or os.getcwd())), "logs")
        os.makedirs(folder, exist_ok=True)
        descriptor = os.open(os.path.join(folder, "app.log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write("".join(traceback.format_exception(problem)))
    except Exception:
        return f"{type(problem).__name__}: {problem}"
    return ".foureyes/logs/app.log"
