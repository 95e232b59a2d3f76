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
    talk = Conversation(plan["commands"])
    url = f"http://127.0.0.1:{serve(talk).server_address[1]}"
    filled = [word.replace("@URL@", url) for word in plan["argv"]]
    env = {name: value.replace("@URL@", url) for name, value in plan["env"].items()}
    try:
        done = subprocess.run(
            filled, env=env, cwd=plan["cwd"], input="work\n", text=True, capture_output=True, timeout=PATIENCE,
            check=False, start_new_session=True,
        )  # fmt: skip
        rc, out, err = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as late:
        rc, out, err = -1, _text(late.stdout), _text(late.stderr)
    finally:
        end_whatever_is_left()
    print(json.dumps({"rc": rc, "out": out, "err": err, "printed": talk.printed}))


def _text(output: bytes | str | None) -> str:
    return output.decode(errors="replace") if isinstance(output, bytes) else output or ""


def bring_loopback_up() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        fcntl.ioctl(handle, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))


def end_whatever_is_left() -> None:
    """Programs leave shells and servers behind; as the nearest subreaper they are this process's children."""
    while children := Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
        for child in children:
            with suppress(ProcessLookupError):
                os.kill(int(child), signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(int(child), 0)


if __name__ == "__main__":
    main(sys.argv[1])
