"""Decisions of review cycles (V1, V8): when a cycle begins, and what its reviews come to by the four rules."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import msgspec

from foureyes.core.nouns.cycle import AskState, CycleRule, Trigger
from foureyes.core.nouns.run import EmitType
from foureyes.core.words.fence import some
from foureyes.core.words.vocabulary import VERDICTS, Verdict

# ---- The four rules (V8) ----

NAMED = 5
"""So many names a reason has."""
NONE_UNMET: Mapping[str, Sequence[str]] = {}


class AskedReviewer(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who was asked about a target, and what became of it."""

    reviewer: str
    target: str
    state: AskState
    why: str = ""


class TargetReview(msgspec.Struct, frozen=True, kw_only=True):
    """A valid review of a target, by its effective verdict (V5). `review` is its row; sessions of one origin are one
    `reviewer`.
    """

    review: int
    reviewer: str
    target: str
    verdict: Verdict


class CycleResult(msgspec.Struct, frozen=True, kw_only=True):
    """The rule that a cycle came to, every reason, and the counts that it rests on. `short`: of R0, the targets that
    have too few counting reviews; `lacking`: those that lack one of who has to review them (D6).
    """

    rule: CycleRule
    reasons: tuple[str, ...]
    asked: int
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
    """V8: R1 to R3 look at every valid review by effective verdict; R4 needs `quorum` counting ones of each target, and
    those of who has to review it (`unmet`: who did not, D6); none of these is R0, and no review at all is never a pass
    (G1).
    """
    latest = _latest(answered)
    blockers, concerned = _said(latest, "blocker"), _said(latest, "concerns")
    numbers = {target: sum(a.target == target and a.review in counting for a in latest) for target in targets}

    def ruled(rule: CycleRule, *reasons: str) -> CycleResult:
        counted = sum(numbers.values())
        return CycleResult(rule=rule, reasons=reasons, asked=len(asked), answered=len(latest), counting=counted)

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
    named = [f"{target}: {some(unmet[target], NAMED)} has to review it (D6)" for target in lacking]
    none = ruled("R0", *named, *_why_not_reviewed(missing, numbers, asked, quorum))
    return msgspec.structs.replace(none, short=tuple(missing), lacking=tuple(lacking))


def stops(answered: Sequence[TargetReview]) -> bool:
    """V8: whether nobody else is waited for: one blocker, or two concerns."""
    latest = _latest(answered)
    return bool(_said(latest, "blocker")) or len(_said(latest, "concerns")) > 1


def _latest(answered: Sequence[TargetReview]) -> list[TargetReview]:
    """Of one reviewer the last thing that it said about a target."""
    by_eyes = {(answer.reviewer, answer.target): answer for answer in sorted(answered, key=lambda a: a.review)}
    return list(by_eyes.values())


def _said(answers: Sequence[TargetReview], verdict: Verdict) -> list[str]:
    """The reviewers whose worst verdict about any target is this one."""
    worst: dict[str, Verdict] = {}
    for answer in answers:
        known = worst.get(answer.reviewer, "approved")
        worst[answer.reviewer] = max(known, answer.verdict, key=VERDICTS.index)
    return [name for name, said in worst.items() if said == verdict]


def _say(names: Sequence[str], verdict: Verdict) -> str:
    return f"{some(names, NAMED)} {'says' if len(names) == 1 else 'say'} {verdict}"


def _why_not_reviewed(
    missing: Sequence[str], numbers: dict[str, int], asked: Sequence[AskedReviewer], quorum: int
) -> tuple[str, ...]:
    """R0: which target has too few counting reviews, and who gave none."""
    few = [f"{target}: {numbers[target]} of {quorum} counting reviews" for target in missing]
    none = [f"{ask.reviewer} gave none: {ask.why or 'no answer'}" for ask in asked if ask.state != "answered"]
    return (*few, *none) or (() if asked else ("nothing was asked about",))


def is_complete(
    asked: Sequence[AskedReviewer], answered: Sequence[TargetReview], targets: Sequence[str], seats: int
) -> bool:
    """V8: whether nobody is waited for: no one who was asked is silent, and each target has an answer of as many as it
    waits for. Where too few answered and nobody is waited for, somebody else is asked first (V4).
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
"""V1, S3: the events of an agent that ask for other eyes; the others ask for nothing."""


class RunActivity(msgspec.Struct, frozen=True, kw_only=True):
    """A live run, and when it was last heard of: an event of its stream, a row of its session, else its start. `makes`:
    there is work of it to look at; `fired`: when silence last had that looked at.
    """

    run: str
    task: str
    at: str
    makes: bool = True
    fired: str = ""


def trigger_of(type_: EmitType) -> Trigger | None:
    """V1: the trigger that an agent's event is."""
    return BY_EVENT.get(type_)


def silent(live: Sequence[RunActivity], *, since: str, agreed: str = "") -> tuple[RunActivity, ...]:
    """V1 TIMEOUT_FALLBACK: the runs it concerns, if no live run was heard of after `since` (now less the minutes of
    silence): all of them, else none. Once per silence, which an event ends, and R4 (`agreed`). Without a live run there
    is no silence. Times are text that sorts.
    """
    begins = silence_begins(live, agreed)
    if not live or begins > since:
        return ()
    return tuple(each for each in live if each.makes and not (each.fired and each.fired >= begins))


def silence_begins(live: Sequence[RunActivity], agreed: str = "") -> str:
    """V1: since when nothing is heard of any live run."""
    return max([agreed, *[each.at for each in live]])
