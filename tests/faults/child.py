"""`fe` that kills itself before its step N: `python child.py N fe-arguments…`; with 0 it only writes its steps to a
file at the end.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    """Install the failpoints, then be the command line."""
    sys.path.insert(0, str(ROOT))
    from foureyes.ui.cli.main import main as run

    from tests.faults.failpoints import Failpoints, install

    at, steps_file, *args = sys.argv[1:]
    points = install(Failpoints(int(at)))
    leave = os._exit

    def note_and_leave(code: int) -> None:
        steps = "\n".join(points.steps)
        if steps_file != "-":
            fd = os.open(steps_file, os.O_WRONLY | os.O_CREAT)
            os.write(fd, steps.encode())
        leave(code)

    setattr(os, "_exit", note_and_leave)  # noqa: B010
    sys.argv = ["fe", *args]
    try:
        run()
    except SystemExit as ended:
        note_and_leave(int(ended.code or 0))
    note_and_leave(0)


if __name__ == "__main__":
    main()
