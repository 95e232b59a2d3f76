"""Sprints: a chosen set of tasks with an end. Their ids are `s-01`, `s-02` … (X)"""

from __future__ import annotations

from typing import Literal, NewType

import msgspec

from foureyes.core.words.ids import Shape

SprintId = NewType("SprintId", str)
NAME = Shape(r"(?:s-?)?0*([1-9][0-9]{0,8})\Z")

TargetKind = Literal["tasks", "hours", "until", "idle"]
"""Kinds of targets: a number of tasks, a duration, a time of day, or until no task in it is ready. (X1)"""

SprintState = Literal["planned", "running", "paused", "ended"]

PauseKind = Literal["person", "error", "errors", "disk", "hold", "spend", "runner"]
"""Why a sprint is paused: by a person, by an error (if configured), by three errors in a row, a full disk, a hold of
the project, the spend cap, or because no runner could start. (X3)
"""
PASSING: frozenset[PauseKind] = frozenset({"disk", "hold"})
"""Pauses that end once their cause is gone. The others need a person."""

EndKind = Literal["target", "time", "idle", "closed", "stopped", "withdrawn"]
"""How a sprint ended: target reached, time over, nothing ready, all tasks merged, stopped, or the plan was withdrawn.
(X2)
"""


class SprintTarget(msgspec.Struct, frozen=True, kw_only=True):
    """The target of a sprint. `clock` is a local time of day in `zone`, which is a name (`Europe/Berlin`) or a UTC
    offset (`+02:00`). (X1)
    """

    kind: TargetKind
    tasks: int = 0
    minutes: int = 0
    clock: str = ""
    zone: str = ""


class Sprint(msgspec.Struct, frozen=True, kw_only=True):
    """A stored sprint."""

    id: SprintId
    n: int
    state: SprintState
    kind: TargetKind
    tasks: int = 0
    """The number of tasks to complete, if that is its target. (X1)"""
    minutes: int = 0
    clock: str = ""
    zone: str = ""
    ends_at: str = ""
    """When it ends. "" before its start, or without a time limit. (X5)"""
    pause_on_error: bool = False
    wants_checkpoint: bool = True
    checkpoint: str = ""
    """The name of the checkpoint created before its start."""
    of: int = 0
    """Number of tasks chosen."""
    planned_by: str = ""
    planned_at: str = ""
    started_at: str = ""
    started_seq: int = 0
    since_seq: int = 0
    """The journal row from which errors are counted: its start or last resume."""
    pause_kind: str = ""
    why: str = ""
    """Why it is paused or ended."""
    ended_at: str = ""
    end_kind: str = ""

    @property
    def target(self) -> SprintTarget:
        return SprintTarget(kind=self.kind, tasks=self.tasks, minutes=self.minutes, clock=self.clock, zone=self.zone)

    @property
    def is_active(self) -> bool:
        """True if it has begun and is not over."""
        return self.state in ("running", "paused")


def sprint_name(n: int) -> SprintId:
    """Return the id of the nth sprint."""
    return SprintId(f"s-{n:02d}")


def number_of(text: str) -> int | None:
    """Return the sprint number in `s-04`, `s4` or `4`, or None."""
    typed = NAME.match(text.strip().lower())
    return int(typed[1]) if typed else None
