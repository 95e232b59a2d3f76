"""Calibrations as faces show them."""

from __future__ import annotations

import msgspec

from foureyes.core.nouns.calibration import CaseResult
from foureyes.steps import NO_STEP, Steps


class CalibrationView(msgspec.Struct, frozen=True, kw_only=True):
    """What a profile found, missed and made up. `recorded`: it is in the journal; `problem`: why it is not; `stopped`:
    by a person, before it was done. `against`: why its reviews do not count (V4); `old`: what has changed since.
    `recall` is of the seeded defects, which are those that are not `past`.
    """

    profile: str
    recorded: bool = True
    problem: str = ""
    stopped: bool = False
    program: str = ""
    version: str = ""
    model: str = ""
    made_with: int = 0
    defects: int = 0
    found: int = 0
    recall: float = 0.0
    precision: float | None = None
    made_up: int = 0
    quiet_cases: int = 0
    unanswered: int = 0
    past: int = 0
    past_found: int = 0
    seconds: int | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    cost_micros: int = 0
    cases: tuple[CaseResult, ...] = ()
    counts: bool = True
    against: str = ""
    old: str = ""
    by: str = ""
    at: str = ""
    next: Steps = NO_STEP
