"""Choice of reviewers. They made none of the work, reach the grade, and take turns. If there are too few, a person is
asked. (V4)
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from foureyes.core.nouns.session import GRADES, Grade


class ReviewerCandidate(msgspec.Struct, frozen=True, kw_only=True):
    """A profile that could be asked.

    `order` is its position in the configuration, and `last_asked` the journal row of its last request, 0 if never.
    `cooled` and `missing` say why it cannot start now.
    """

    name: str
    program: str = ""
    order: int = 0
    model: str = ""
    vendor: str = ""
    last_asked: int = 0
    cooled: str = ""
    missing: str = ""
    required: bool = False
    """True if a label rule names it. (D6)"""


class MakerTraits(msgspec.Struct, frozen=True, kw_only=True):
    """The traits of a maker of the work that matter for the choice."""

    name: str
    program: str = ""
    model: str = ""
    vendor: str = ""


class LeftOut(msgspec.Struct, frozen=True):
    """A candidate that is not asked, and why."""

    name: str
    why: str


class ReviewerChoice(msgspec.Struct, frozen=True, kw_only=True):
    """The reviewers to ask, in order, and the candidates left out. `person`: there are too few, so a person is
    needed.
    """

    chosen: tuple[str, ...]
    left_out: tuple[LeftOut, ...] = ()
    person: bool = False


def choose(
    candidates: Sequence[ReviewerCandidate],
    makers: Sequence[MakerTraits],
    grade: Grade,
    *,
    seats: int,
    already: Collection[str] = (),
) -> ReviewerChoice:
    """Choose a reviewer per seat: required ones first (D6), then those asked longest ago. If seats stay empty, a person
    is needed. (V4)
    """
    left_out = [LeftOut(each.name, why) for each in candidates if (why := why_not(each, makers, grade, already))]
    names = {each.name for each in left_out}
    fit = [each for each in candidates if each.name not in names]
    fit.sort(key=lambda each: (not each.required, each.last_asked, each.order, each.name))
    chosen = tuple(each.name for each in fit[: max(seats, 0)])
    return ReviewerChoice(chosen=chosen, left_out=tuple(left_out), person=len(chosen) < seats)


def why_not(candidate: ReviewerCandidate, makers: Sequence[MakerTraits], grade: Grade, already: Collection[str]) -> str:
    """Return why the candidate is not asked, or "". (V4)"""
    if candidate.name in already:
        return "was already asked in this cycle"
    if any(maker.name == candidate.name for maker in makers):
        return "made the work"
    if grade == "human":
        return "a person is required"
    below = [maker.name for maker in makers if not reaches(candidate, maker, grade)]
    if below:
        return f"is not independent enough of {below[0]} ({grade})"
    return candidate.missing or candidate.cooled


def reaches(candidate: ReviewerCandidate, maker: MakerTraits, grade: Grade) -> bool:
    """Return True if a fresh session of this profile would be independent of a maker at this grade. With unknown traits
    it is not. (I6, G1)
    """
    if GRADES.index(grade) <= GRADES.index("origin"):
        return True
    if grade == "program":
        return bool(candidate.program and maker.program and candidate.program != maker.program)
    other_model = bool(candidate.model and maker.model and candidate.model != maker.model)
    if grade == "model":
        return other_model
    return (
        grade == "vendor"
        and other_model
        and bool(candidate.vendor and maker.vendor)
        and (candidate.vendor != maker.vendor)
    )
