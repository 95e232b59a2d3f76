"""Runs a command where it can reach nothing but a scripted model: `python -m tests.agents.within PLAN COMMAND…`, in a
network namespace of its own. The command keeps the terminal and the environment of whoever asked for it; what the model
heard is written to the plan's `told`, with what the command left behind. `kill_when` is a file at whose appearance the
command is killed.
"""

from __future__ import annotations

import ctypes
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

from tests.sandboxes.inside import PR_SET_CHILD_SUBREAPER, bring_loopback_up, end_whatever_is_left
from tests.sandboxes.scripted_model import Conversation, serve

PORT = 8901
MOMENT = 60
URL = f"http://127.0.0.1:{PORT}"


def main(path: str, command: list[str]) -> int:
    plan = json.loads(Path(path).read_text())
    if (interfaces := [name for _, name in socket.if_nameindex()]) != ["lo"]:
        raise SystemExit(f"this is no namespace with loopback only: {interfaces}")
    bring_loopback_up()
    talk = Conversation(plan["commands"], plan["folder"], plan["listen"])
    serve(talk, PORT)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    running = subprocess.Popen(command)
    if plan["kill_when"]:
        kill_when(Path(plan["kill_when"]), running)
    rc = running.wait()
    left = wait_for_the_rest()
    Path(plan["told"]).write_text(
        json.dumps({"printed": talk.printed, "heard": talk.heard, "requests": talk.requests, "left": left})
    )
    return rc


def kill_when(path: Path, running: subprocess.Popen[bytes]) -> None:
    while not path.exists() and running.poll() is None:
        time.sleep(0.05)
    running.kill()


def wait_for_the_rest() -> list[str]:
    """Whoever is left has a moment to end by itself; then it is ended, and its name told."""
    end = time.monotonic() + MOMENT
    while time.monotonic() < end:
        try:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.05)
        except ChildProcessError:
            return []
    return end_whatever_is_left()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
