"""Drives one run of a real agent program by the adapter, where it can reach nothing: `python -m tests.agents.drive
PLAN`, in a network namespace of its own. Prints what happened as JSON.

The plan: `profile` and how it is launched, the person's `environ`, the project's `folder`, the `worktree`, what the
scripted model asks for; `stop_when` is a file at whose appearance the run is stopped.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import sys
import time
from pathlib import Path
from typing import Any

import msgspec

from foureyes.adapters.agents.live_run import LiveProgram
from foureyes.adapters.agents.programs import AgentPrograms
from foureyes.adapters.agents.stray_processes import marked
from foureyes.adapters.identity.alive import of
from foureyes.app.agent_ports import Launch
from foureyes.core.nouns.run import RunId, RunOutcome
from foureyes.core.rules.policy import Profile

from tests.sandboxes.inside import PATIENCE, PR_SET_CHILD_SUBREAPER, bring_loopback_up, end_whatever_is_left
from tests.sandboxes.scripted_model import Conversation, serve


def main(path: str) -> None:
    plan = json.loads(Path(path).read_text())
    bring_loopback_up()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    talk = Conversation(plan["commands"], plan["worktree"])
    plan = _filled(plan, f"http://127.0.0.1:{serve(talk).server_address[1]}")
    _furnish(plan)
    profile = msgspec.convert(plan["profile"], Profile)
    agents = AgentPrograms(
        plan["folder"], plan["environ"], evidence=of, mcp=plan.get("mcp", ()), minute=plan.get("minute", 60.0)
    )
    launch = msgspec.convert({"run": f"run-{os.getpid()}", "profile": profile, **plan["launch"]}, Launch)
    began = time.monotonic()
    live = agents.prepare(launch)
    live.go()
    outcome = follow(live, Path(plan["stop_when"]) if plan.get("stop_when") else None)
    told = {
        "outcome": msgspec.to_builtins(outcome), "printed": talk.printed, "requests": talk.requests,
        "seconds": round(time.monotonic() - began, 1), "last": live.last_event(),
        "marked": len(marked([RunId(launch.run)])), "left": end_whatever_is_left(),
    }  # fmt: skip
    print(json.dumps(told))


def follow(live: LiveProgram, stop_when: Path | None) -> RunOutcome:
    """Follow a run to its end, as a runner does."""
    end = time.monotonic() + PATIENCE
    while (outcome := live.poll()) is None:
        if time.monotonic() > end or (stop_when and stop_when.exists()):
            live.stop("somebody stopped it")
            stop_when = None
        select.select([live], [], [], min(live.due_seconds(), 0.2))
    return outcome


def _filled(plan: Any, url: str) -> Any:
    return json.loads(json.dumps(plan).replace("@URL@", url))


def _furnish(plan: dict[str, Any]) -> None:
    """What the person has in their home."""
    for name, content in plan.get("home", {}).items():
        path = Path(plan["environ"]["HOME"]) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


if __name__ == "__main__":
    main(sys.argv[1])
