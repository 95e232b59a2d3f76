"""The choice of reviewers (V4): never who made the work, never below the grade; in turns; and a person where nobody is
left.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from foureyes.core.nouns.session import GRADES, Grade


class ReviewerCandidate(msgspec.Struct, frozen=True, kw_only=True):
    """A profile that could be asked. `order`: its place as declared; `last_asked`: the row it was asked by last, 0
    for never. `cooled` and `missing` say why it cannot be started now, in words.
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
    """D6: a label rule names it."""


class MakerTraits(msgspec.Struct, frozen=True, kw_only=True):
    """Who shaped the work, as far as a choice asks."""

    name: str
    program: str = ""
    model: str = ""
    vendor: str = ""


class LeftOut(msgspec.Struct, frozen=True):
    """A candidate that is not asked, and why."""

    name: str
    why: str


class ReviewerChoice(msgspec.Struct, frozen=True, kw_only=True):
    """Who is asked, in this order; who is not, and why. `person`: nobody is left but a person."""

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
    """V4: as many as there are seats, who has to review first (D6), then who was asked longest ago; where nobody is
    left, a person.
    """
    left_out = [LeftOut(each.name, why) for each in candidates if (why := why_not(each, makers, grade, already))]
    names = {each.name for each in left_out}
    fit = [each for each in candidates if each.name not in names]
    fit.sort(key=lambda each: (not each.required, each.last_asked, each.order, each.name))
    chosen = tuple(each.name for each in fit[: max(seats, 0)])
    return ReviewerChoice(chosen=chosen, left_out=tuple(left_out), person=len(chosen) < seats)


def why_not(candidate: ReviewerCandidate, makers: Sequence[MakerTraits], grade: Grade, already: Collection[str]) -> str:
    """V4: why somebody is not asked; empty where nothing speaks against it."""
    if candidate.name in already:
        return "was asked in this cycle already"
    if any(maker.name == candidate.name for maker in makers):
        return "made the work"
    if grade == "human":
        return "a person is asked for"
    below = [maker.name for maker in makers if not reaches(candidate, maker, grade)]
    if below:
        return f"is not of another {grade} than {below[0]}"
    return candidate.missing or candidate.cooled


def reaches(candidate: ReviewerCandidate, maker: MakerTraits, grade: Grade) -> bool:
    """I6: whether a fresh session of this profile is independent of a maker to this grade. Unknown is not (G1)."""
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
