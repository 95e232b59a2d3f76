"""Plans: what became of their sections."""

from __future__ import annotations

from typing import Literal

import msgspec

from foureyes.steps import NO_STEP, Steps


class PlannedRow(msgspec.Struct, frozen=True, kw_only=True):
    """A section of a plan and its task. `state`: made now, there before as the plan has it, or there and different:
    `notes` say how. What was there is never changed. Where nothing was made `task` is empty.
    """

    task: str
    title: str
    mode: str
    labels: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    state: Literal["new", "known", "differs"] = "new"
    status: str = "open"
    notes: tuple[str, ...] = ()


class Drafted(msgspec.Struct, frozen=True, kw_only=True):
    """A plan that an agent drafted for a goal: the file it is kept in, what importing it would make, or why it cannot
    be imported as it is, and what to type.
    """

    task: str
    profile: str
    file: str = ""
    text: str = ""
    rows: tuple[PlannedRow, ...] = ()
    problem: str = ""
    next: Steps = NO_STEP


class Accepted(msgspec.Struct, frozen=True):
    """A task whose planned mode a person made their own, and the mode that it has now: a label goes before a plan."""

    task: str
    mode: str
    planned: str = ""
