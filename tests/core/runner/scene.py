"""Snapshots in a few words, for the tests of the plan."""

from __future__ import annotations

from typing import Any

from foureyes.core.nouns.run import Purpose, Run, RunId, RunOutcome
from foureyes.core.runner.snapshot import Left, LiveState, PastRun, Slot, Snapshot, TaskState
from foureyes.core.words.ids import TaskId

ENDED = RunOutcome(ended=True, rc=0, conversation="c1")
CHANGED = Left(changed=True)


def task(name: str = "t", **fields: Any) -> TaskState:
    usual: dict[str, Any] = {"status": "open", "ready": True, "profile": "claude"}
    return TaskState(id=TaskId(name), **(usual | fields))


def run(name: str = "r", of: str = "t", purpose: Purpose = "implement", **fields: Any) -> Run:
    usual: dict[str, Any] = {"profile": "claude", "role": "implement", "state": "running", "host": "here"}
    return Run(id=RunId(name), task=TaskId(of), purpose=purpose, **(usual | fields))


def live(name: str = "r", of: str = "t", **fields: Any) -> LiveState:
    return LiveState(run=fields.pop("run", None) or run(name, of), **fields)


def over(outcome: RunOutcome = ENDED, left: Left = CHANGED, **fields: Any) -> LiveState:
    """A run of this runner that is over, and was tidied up."""
    return live(outcome=outcome, left=left, **fields)


def past(ending: str = "failed", profile: str = "claude", **fields: Any) -> PastRun:
    made: Any = PastRun
    found: PastRun = made(profile=profile, ending=ending, **fields)
    return found


def scene(**fields: Any) -> Snapshot:
    """Two agents here, claude and codex, two slots each."""
    usual: dict[str, Any] = {
        "agents": 2,
        "host": "here",
        "slots": (Slot(profile="claude"), Slot(profile="codex")),
        "order": ("claude", "codex"),
    }
    return Snapshot(**(usual | fields))
