"""Runs one agent program where it can reach nothing: `python -m tests.sandboxes.inside PLAN`, in a network namespace of
its own. It brings loopback up, starts the scripted model, runs the program with the plan's environment and nothing
else, ends whatever the program leaves behind, and prints what happened as JSON.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from tests.sandboxes.scripted_model import Conversation, serve

PATIENCE = 240
SIOCSIFFLAGS, IFF_UP, PR_SET_CHILD_SUBREAPER = 0x8914, 1, 36


def main(path: str) -> None:
    plan = json.loads(Path(path).read_text())
    interfaces = [name for _, name in socket.if_nameindex()]
    if interfaces != ["lo"]:
        raise SystemExit(f"this is no namespace with loopback only: {interfaces}")
    bring_loopback_up()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    talk = Conversation(plan["commands"], plan["cwd"], plan.get("listen", ()))
    url = f"http://127.0.0.1:{serve(talk).server_address[1]}"
    filled = [word.replace("@URL@", url) for word in plan["argv"]]
    env = {name: value.replace("@URL@", url) for name, value in plan["env"].items()}
    began = time.monotonic()
    program = subprocess.Popen(
        filled, env=env, cwd=plan["cwd"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip
    given_up = threading.Event()
    waits = [program, talk, plan.get("patience", PATIENCE), given_up]
    threading.Thread(target=lose_patience, args=waits, daemon=True).start()
    out, err = program.communicate(plan.get("prompt", "work\n").encode())
    rc = None if given_up.is_set() else program.returncode
    seconds = round(time.monotonic() - began, 1)
    left = end_whatever_is_left()
    told = {"rc": rc, "out": _text(out), "err": _text(err), "printed": talk.printed}
    print(json.dumps(told | {"seconds": seconds, "requests": talk.requests, "heard": talk.heard, "left": left}))


def lose_patience(
    program: subprocess.Popen[bytes], talk: Conversation, patience: float, given_up: threading.Event
) -> None:
    """Ends a program that takes too long; its patience begins with the first question, as machines are busy."""
    talk.asked.wait(PATIENCE)
    with suppress(subprocess.TimeoutExpired):
        program.wait(patience)
        threading.Event().wait(PATIENCE)  # for what it left behind, which may hold its streams
    given_up.set()
    program.kill()
    end_whatever_is_left()


def _text(output: bytes) -> str:
    return output.decode(errors="replace")


def bring_loopback_up() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        fcntl.ioctl(handle, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))


def end_whatever_is_left() -> list[str]:
    """Programs leave shells and servers behind; as the nearest subreaper they are this process's children. What they
    are called.
    """
    left = []
    while children := Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
        for child in children:
            with suppress(OSError):
                left.append(Path(f"/proc/{child}/comm").read_text().strip())
            with suppress(ProcessLookupError):
                os.kill(int(child), signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(int(child), 0)
    return left


if __name__ == "__main__":
    main(sys.argv[1])
