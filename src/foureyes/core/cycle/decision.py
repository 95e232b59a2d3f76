"""Decisions about review cycles: what opens one (V1), and its result by four rules (V8)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import msgspec

from foureyes.core.nouns.cycle import AskState, CycleRule, Trigger
from foureyes.core.nouns.run import EmitType
from foureyes.core.words.untrusted_text import some
from foureyes.core.words.vocabulary import VERDICTS, Verdict

# ---- The four rules (V8) ----

NAMED = 5
"""Number of names in a reason."""
NONE_UNMET: Mapping[str, Sequence[str]] = {}


class AskedReviewer(msgspec.Struct, frozen=True, kw_only=True):
    """A reviewer asked about a target, and the state of the request."""

    reviewer: str
    target: str
    state: AskState
    why: str = ""


class TargetReview(msgspec.Struct, frozen=True, kw_only=True):
    """A valid review of a target, by its effective verdict (V5). `review` is its row. All sessions of one origin are
    one `reviewer`.
    """

    review: int
    reviewer: str
    target: str
    verdict: Verdict


class CycleResult(msgspec.Struct, frozen=True, kw_only=True):
    """The rule that decided a cycle, with reasons and counts.

    For R0, `short` lists targets with too few counting reviews, and `lacking` targets without a required reviewer (D6).
    """

    rule: CycleRule
    reasons: tuple[str, ...]
    requested: int
    answered: int
    counting: int
    short: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()


def decide(
    targets: Sequence[str],
    asked: Sequence[AskedReviewer],
    answered: Sequence[TargetReview],
    counting: Collection[int],
    quorum: int,
    unmet: Mapping[str, Sequence[str]] = NONE_UNMET,
) -> CycleResult:
    """Return the result of a cycle. (V8)

    R1 to R3 use the effective verdict of every valid review. R4 needs `quorum` counting reviews of each target and all
    required reviewers (`unmet` lists the missing ones, D6). Everything else is R0, so no review at all never passes
    (G1).
    """
    latest = _latest(answered)
    blockers, concerned = _said(latest, "blocker"), _said(latest, "concerns")
    numbers = {target: sum(a.target == target and a.review in counting for a in latest) for target in targets}

    def ruled(rule: CycleRule, *reasons: str) -> CycleResult:
        counted = sum(numbers.values())
        return CycleResult(rule=rule, reasons=reasons, requested=len(asked), answered=len(latest), counting=counted)

    if blockers:
        return ruled("R1", _say(blockers, "blocker"))
    if len(concerned) > 1:
        return ruled("R2", _say(concerned, "concerns"))
    if concerned:
        return ruled("R3", _say(concerned, "concerns"))
    missing = [target for target in targets if numbers[target] < quorum]
    lacking = [target for target in targets if unmet.get(target)]
    if targets and not missing and not lacking:
        return ruled("R4", f"all {len(latest)} approve" if len(latest) > 1 else f"{latest[0].reviewer} approves")
    named = [f"{target}: still needs a review by {some(unmet[target], NAMED)} (D6)" for target in lacking]
    none = ruled("R0", *named, *_why_not_reviewed(missing, numbers, asked, quorum))
    return msgspec.structs.replace(none, short=tuple(missing), lacking=tuple(lacking))


def stops(answered: Sequence[TargetReview]) -> bool:
    """Return True if the cycle can be decided without further reviews: one blocker, or two concerns. (V8)"""
    latest = _latest(answered)
    return bool(_said(latest, "blocker")) or len(_said(latest, "concerns")) > 1


def _latest(answered: Sequence[TargetReview]) -> list[TargetReview]:
    """Return each reviewer's latest review of each target."""
    by_reviewer = {(answer.reviewer, answer.target): answer for answer in sorted(answered, key=lambda a: a.review)}
    return list(by_reviewer.values())


def _said(answers: Sequence[TargetReview], verdict: Verdict) -> list[str]:
    """Return the reviewers whose worst verdict about any target is this one."""
    worst: dict[str, Verdict] = {}
    for answer in answers:
        known = worst.get(answer.reviewer, "approved")
        worst[answer.reviewer] = max(known, answer.verdict, key=VERDICTS.index)
    return [name for name, said in worst.items() if said == verdict]


def _say(names: Sequence[str], verdict: Verdict) -> str:
    if verdict == "blocker":
        return f"{some(names, NAMED)} reported a blocker"
    return f"{some(names, NAMED)} {'has' if len(names) == 1 else 'have'} {verdict}"


def _why_not_reviewed(
    missing: Sequence[str], numbers: dict[str, int], asked: Sequence[AskedReviewer], quorum: int
) -> tuple[str, ...]:
    """Return why targets have too few counting reviews: their numbers, and reviewers without a review. (R0)"""
    few = [f"{target}: {numbers[target]} of {quorum} counting reviews" for target in missing]
    none = [f"{ask.reviewer} gave no review: {ask.why or 'no answer'}" for ask in asked if ask.state != "answered"]
    return (*few, *none) or (() if asked else ("no reviewer was asked",))


def is_complete(
    asked: Sequence[AskedReviewer], answered: Sequence[TargetReview], targets: Sequence[str], seats: int
) -> bool:
    """Return True if no request is open and each target has `seats` answers. If there are fewer, other reviewers are
    asked first (V4). (V8)
    """
    if any(ask.state == "asked" and ask.target in targets for ask in asked):
        return False
    latest = _latest(answered)
    return all(sum(answer.target == target for answer in latest) >= seats for target in targets)


# ---- Triggering (V1) ----

BY_EVENT: dict[EmitType, Trigger] = {
    "milestone": "MILESTONE",
    "blocker": "BLOCKER",
    "request_review": "REQUEST_REVIEW",
}
"""Agent events that open a cycle. Other events do not. (V1, S3)"""


class RunActivity(msgspec.Struct, frozen=True, kw_only=True):
    """A live run and when it last showed activity: an event of its stream, a row of its session, or its start.

    `makes`: it has work to review. `fired`: when silence last opened a review of it.
    """

    run: str
    task: str
    at: str
    makes: bool = True
    fired: str = ""


def trigger_of(type_: EmitType) -> Trigger | None:
    """Return how an agent's event opens a cycle, or None. (V1)"""
    return BY_EVENT.get(type_)


def silent(live: Sequence[RunActivity], *, since: str, agreed: str = "") -> tuple[RunActivity, ...]:
    """Return the runs to review because all live runs are silent. (V1 TIMEOUT_FALLBACK)

    Return none if any was active after `since`. Each silence opens one review, and ends with an event or an agreement
    by R4 (`agreed`). Times are sortable text.
    """
    begins = silence_begins(live, agreed)
    if begins > since:
        return ()
    return tuple(each for each in live if each.makes and each.fired < begins)


def silence_begins(live: Sequence[RunActivity], agreed: str = "") -> str:
    """Return when the current silence of all live runs began. (V1)"""
    return max([agreed, *[each.at for each in live]])
