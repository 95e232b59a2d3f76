"""Runs a command where it can reach nothing but a scripted model: `python -m tests.agents.within PLAN COMMAND…`, in a
network namespace of its own. The command keeps the terminal and the environment of whoever asked for it; what the model
heard is written to the plan's `told`.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

from tests.sandboxes.inside import bring_loopback_up
from tests.sandboxes.scripted_model import Conversation, serve

PORT = 8901
URL = f"http://127.0.0.1:{PORT}"


def main(path: str, command: list[str]) -> int:
    plan = json.loads(Path(path).read_text())
    if (interfaces := [name for _, name in socket.if_nameindex()]) != ["lo"]:
        raise SystemExit(f"this is no namespace with loopback only: {interfaces}")
    bring_loopback_up()
    talk = Conversation(plan["commands"], plan["folder"])
    serve(talk, PORT)
    done = subprocess.run(command, check=False)
    Path(plan["told"]).write_text(json.dumps({"printed": talk.printed, "requests": talk.requests}))
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
