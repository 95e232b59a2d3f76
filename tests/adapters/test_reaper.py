"""Who stands above a program that nobody trusts to end; what it does for one, `test_process.py` shows."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from foureyes.adapters import reaper
from foureyes.adapters.reaper import below


def test_only_descendants_are_below_and_a_zombie_is_not() -> None:
    child = subprocess.Popen(
        ["sh", "-c", "tail -f /dev/null & echo; wait"], stdout=subprocess.PIPE, start_new_session=True
    )
    assert child.stdout is not None
    child.stdout.readline()
    found = {pid for pid, _ in below(os.getpid())}
    assert child.pid in found
    assert found.isdisjoint({os.getpid(), os.getppid()})
    ((grandchild, _),) = below(child.pid)
    os.killpg(child.pid, signal.SIGKILL)
    child.stdout.close()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert {child.pid, grandchild}.isdisjoint({pid for pid, _ in below(os.getpid())})
    child.wait()


def test_it_loads_little_as_one_is_started_for_every_check() -> None:
    names = f"names = {{'__name__': ''}}; exec(open({reaper.__file__!r}).read(), names)"
    look = f"import sys; {names}; names['_adopt_orphans'](); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", look], capture_output=True, text=True, check=True)
    assert {"typing", "contextlib", "re", "enum", "ctypes", "subprocess", "foureyes"}.isdisjoint(done.stdout.split())
