"""What a test needs of the kernel's namespaces. As root they are there, so a test that cannot have them fails; for
another user the kernel may forbid them, and then the test says so and is skipped. In a container a test project is at
home (`fe init` says so), and a namespace inside of it looks the same: there the tests say so, too.
"""

from __future__ import annotations

import os
import subprocess
from functools import cache

import pytest

from foureyes.adapters.identity.process_tree import FIRST_PIDS


def need(*command: str) -> None:
    """Go on only where this command works."""
    if os.readlink("/proc/self/ns/pid") != FIRST_PIDS:
        pytest.skip("this is a container: what is not at home is shown on the machine itself")
    problem = _problem(command)
    if not problem:
        return
    said = f"this kernel does not let us: {' '.join(command)}: {problem}"
    if os.getuid() == 0:
        pytest.fail(said)
    pytest.skip(said)


@cache
def _problem(command: tuple[str, ...]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as problem:
        return str(problem)
    return "" if done.returncode == 0 else done.stderr.strip() or f"exit {done.returncode}"
