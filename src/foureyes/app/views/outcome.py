"""The outcome of a verb that changed a task."""

from __future__ import annotations

import msgspec

from foureyes.errors import Reason
from foureyes.steps import NO_STEP, Steps


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What a verb did to a task. `changed` is false for an idempotent repeat."""

    task: str
    status: str
    version: int
    changed: bool = True
    message: str = ""
    next: Steps = NO_STEP
    notes: tuple[str, ...] = ()


class PlannedTask(Outcome, frozen=True, kw_only=True):
    """A task that was planned, and how it would be reviewed as it stands now (M); empty while the configuration is
    broken.
    """

    mode: str = ""
    mode_reasons: tuple[Reason, ...] = ()
