"""The token of a run: in the file `token` of the run's own directory, which the environment only names (I2).

Programs and shells drop variables that look like secrets, and show others to whoever may read their environment.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping

from foureyes.core.nouns.session import RUN_DIR, RUN_TOKEN

LARGEST = 256


def run_token(environ: Mapping[str, str]) -> str:
    """The token in the directory that is named; nothing where it is not a file of this user's alone: who has no token
    has no rights below a runner, and elsewhere it changes nothing.
    """
    path = environ.get(RUN_DIR, "")
    if not os.path.isabs(path):
        return ""
    from foureyes.adapters.folders import folder, opened

    try:
        with folder(os.path.normpath(path)) as directory, open(opened(RUN_TOKEN, at=directory), "rb") as file:
            about = os.fstat(file.fileno())
            if about.st_uid != os.geteuid() or stat.S_IMODE(about.st_mode) & 0o077:
                return ""
            text = file.read(LARGEST + 1)
    except OSError:
        return ""
    return text.decode("ascii", "replace").strip() if len(text) <= LARGEST else ""
