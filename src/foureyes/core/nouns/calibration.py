"""A calibration: what a reviewer profile found, missed and made up in changes of which that is known (V4)."""

from __future__ import annotations

from typing import Literal

import msgspec

from foureyes.core.words.ids import SessionId

CaseKind = Literal["seeded", "clean", "past"]
"""A planted defect, a change without one, a finding of the project itself that was true."""
CaseEnd = Literal["found", "let_pass", "missed", "quiet", "made_up", "no_review"]
"""A defect was found; was pointed at, and the change agreed to all the same; was not seen. Nothing that blocks was said
of a change without a defect; something was. There was no review at all.
"""
DEFECTS: frozenset[CaseKind] = frozenset({"seeded", "past"})
PAST_CASES = 3
"""So many attempts of the project itself are tried, unless somebody says otherwise."""


class CaseResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came of one change. `made_up`: blocking findings that are about nothing; `why`: why there was no review."""

    case: str
    kind: CaseKind
    end: CaseEnd
    made_up: int = 0
    seconds: int = 0
    why: str = ""


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """One calibration of one profile as the store has it. `version` is what its program said of itself, `fingerprint`
    how the profile was set then, `made_with` the number of the set of changes. `seconds` is the median of a review;
    tokens and cost are of all of them, 0 where the program does not tell. `past` of the `defects` are findings of the
    project itself: shown, and in no share.
    """

    seq: int = 0
    profile: str
    program: str
    version: str = ""
    model: str = ""
    fingerprint: str
    made_with: int
    defects: int
    found: int
    quiet_cases: int
    made_up: int
    unanswered: int
    past: int = 0
    past_found: int = 0
    seconds: int | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    cost_micros: int = 0
    cases: list[CaseResult] = []
    session: SessionId = SessionId("")
    at: str = ""

    @property
    def seeded(self) -> int:
        return self.defects - self.past

    @property
    def seeded_found(self) -> int:
        return self.found - self.past_found

    @property
    def recall(self) -> float:
        """The share of the seeded defects that it found; no review found none (G1)."""
        return self.seeded_found / self.seeded if self.seeded else 0.0

    @property
    def precision(self) -> float | None:
        """The share of the seeded defects it found among those and what it made up; None where there is neither."""
        total = self.seeded_found + self.made_up
        return self.seeded_found / total if total else None
