"""Calibrating a reviewer (V4): what it said of a change of which it is known what is wrong with it, and where."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from foureyes.core.nouns.calibration import DEFECTS, CaseEnd, CaseKind, CaseResult
from foureyes.core.words.verdicts import Verdict

NEAR = 3
"""So many lines beside a defect are still at it: one names the line, the next its condition."""


class LineRange(msgspec.Struct, frozen=True):
    """Lines of a file as the change leaves it."""

    path: str
    first: int
    last: int


def is_near(one: LineRange, other: LineRange) -> bool:
    """Whether a finding at the one would be at the other, too."""
    return one.path == other.path and one.first - NEAR <= other.last and other.first <= one.last + NEAR


class TrialCase(msgspec.Struct, frozen=True, kw_only=True):
    """A change to review. `places`: where its defect is, none where it has none; `words` name the defect, for who
    points at the file alone.
    """

    name: str
    kind: CaseKind
    places: tuple[LineRange, ...] = ()
    words: tuple[str, ...] = ()


class TriedFinding(msgspec.Struct, frozen=True, kw_only=True):
    """A finding of the reviewer that is tried; `line` is 0 where it names the file alone."""

    path: str
    line: int = 0
    blocking: bool = False
    text: str = ""


def judge(
    case: TrialCase, verdict: Verdict | None, findings: Sequence[TriedFinding], *, seconds: int = 0, why: str = ""
) -> CaseResult:
    """What came of a case. A defect is found by a finding at its place in a review that does not agree to the change.
    No review is never a good one (G1). Of the project's own changes nobody knows what else is wrong with them: nothing
    is made up there.
    """
    at_it = [each for each in findings if points_at(case, each)]
    blocking = [each for each in findings if each.blocking and each not in at_it]
    made_up = 0 if case.kind == "past" else len(blocking)
    return CaseResult(
        case=case.name,
        kind=case.kind,
        end=_end(case, verdict, bool(at_it), made_up),
        made_up=made_up,
        seconds=seconds,
        why=why if verdict is None else "",
    )


def _end(case: TrialCase, verdict: Verdict | None, at_it: bool, made_up: int) -> CaseEnd:
    if verdict is None:
        return "no_review"
    if case.kind not in DEFECTS:
        return "made_up" if made_up else "quiet"
    if not at_it:
        return "missed"
    return "found" if verdict != "approved" else "let_pass"


def points_at(case: TrialCase, finding: TriedFinding) -> bool:
    """Whether a finding is about the defect: by file and line. Only one that names no line is known by the words that
    name the defect, in its file.
    """
    path = finding.path.strip().removeprefix("./")
    for place in case.places:
        if path != place.path:
            continue
        if finding.line:
            if place.first - NEAR <= finding.line <= place.last + NEAR:
                return True
        elif any(word.lower() in finding.text.lower() for word in case.words):
            return True
    return False


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """What all cases come to."""

    defects: int
    found: int
    quiet_cases: int
    made_up: int
    unanswered: int
    past: int
    past_found: int


def tally(results: Iterable[CaseResult]) -> Tally:
    """The numbers of a calibration: who gave no review found nothing, and was not quiet either."""
    rows = list(results)
    past = [row for row in rows if row.kind == "past"]
    return Tally(
        defects=sum(row.kind in DEFECTS for row in rows),
        found=sum(row.end == "found" for row in rows),
        quiet_cases=sum(row.kind == "clean" for row in rows),
        made_up=sum(row.made_up for row in rows),
        unanswered=sum(row.end == "no_review" for row in rows),
        past=len(past),
        past_found=sum(row.end == "found" for row in past),
    )
