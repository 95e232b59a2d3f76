"""Plans: what became of their sections."""

from __future__ import annotations

from collections.abc import Sequence
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


def without_reviewer(rows: Sequence[PlannedRow]) -> str:
    """M7: how many of the new tasks no reviewer has to read, as a sentence; empty if there are none."""
    many = sum(row.state == "new" and row.mode.endswith(("auto-approve", "skip")) for row in rows)
    return f"{many} task{'' if many == 1 else 's'} will merge without a reviewer once checks pass" if many else ""


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
