"""Sprints: a chosen set of tasks with an end (X). `s-01`, `s-02` …"""

from __future__ import annotations

from typing import Literal, NewType

import msgspec

from foureyes.core.words.ids import Shape

SprintId = NewType("SprintId", str)
NAME = Shape(r"(?:s-?)?0*([1-9][0-9]{0,8})\Z")

TargetKind = Literal["tasks", "hours", "until", "idle"]
"""X1: so many tasks, so long, until a time of the day, until nothing of it is ready."""

SprintState = Literal["planned", "running", "paused", "ended"]

PauseKind = Literal["person", "error", "errors", "disk", "hold", "spend", "runner"]
"""X3: a person; an error where that was chosen; three in a row; a full disk; a hold of the project; what it may cost;
no runner could be started.
"""
PASSING: frozenset[PauseKind] = frozenset({"disk", "hold"})
"""What goes on by itself once its reason is gone; everything else waits for a person."""

EndKind = Literal["target", "time", "idle", "closed", "stopped", "withdrawn"]
"""X2: so many are done; its time is over; nothing of it is ready; all of it is through; somebody stopped it; a plan
that was taken back.
"""


class SprintTarget(msgspec.Struct, frozen=True, kw_only=True):
    """X1: what a sprint runs for. `clock` is a time of the day as people read it in `zone`, which is a name
    (`Europe/Berlin`) or how far it is from UTC (`+02:00`).
    """

    kind: TargetKind
    tasks: int = 0
    minutes: int = 0
    clock: str = ""
    zone: str = ""


class Sprint(msgspec.Struct, frozen=True, kw_only=True):
    """A sprint as the store has it."""

    id: SprintId
    n: int
    state: SprintState
    kind: TargetKind
    tasks: int = 0
    """X1: how many it is to complete, where that is its target."""
    minutes: int = 0
    clock: str = ""
    zone: str = ""
    ends_at: str = ""
    """X5: the instant of its end; empty before it starts, and where no clock ends it."""
    pause_on_error: bool = False
    wants_checkpoint: bool = True
    checkpoint: str = ""
    """The name of the checkpoint from before its start."""
    of: int = 0
    """How many tasks were chosen."""
    planned_by: str = ""
    planned_at: str = ""
    started_at: str = ""
    started_seq: int = 0
    since_seq: int = 0
    """The journal row since which errors count: its start, or when it was last resumed."""
    pause_kind: str = ""
    why: str = ""
    """Why it is paused, or ended."""
    ended_at: str = ""
    end_kind: str = ""

    @property
    def target(self) -> SprintTarget:
        return SprintTarget(kind=self.kind, tasks=self.tasks, minutes=self.minutes, clock=self.clock, zone=self.zone)

    @property
    def is_active(self) -> bool:
        """Whether it has begun and is not over."""
        return self.state in ("running", "paused")


def sprint_name(n: int) -> SprintId:
    """The id of the nth sprint."""
    return SprintId(f"s-{n:02d}")


def number_of(text: str) -> int | None:
    """The number of the sprint that a word means: `s-04`, `s4`, `4`."""
    typed = NAME.match(text.strip().lower())
    return int(typed[1]) if typed else None
