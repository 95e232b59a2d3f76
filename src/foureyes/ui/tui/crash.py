"""A defect of ours, written down where it can be found."""

from __future__ import annotations

import os
import traceback
from collections.abc import Mapping


def write_down(problem: Exception, environ: Mapping[str, str]) -> str:
    """Append the traceback to the project's app.log; the path, as people read it."""
    from foureyes.bootstrap.files import append_trace
    from foureyes.bootstrap.places import folder_of, repository

    try:
        folder = folder_of(repository(environ.get("PWD") or os.getcwd()))
        return append_trace(folder, "app.log", "".join(traceback.format_exception(problem)))
    except Exception:
        return f"{type(problem).__name__}: {problem}"
