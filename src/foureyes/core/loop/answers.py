"""Answers and rulings. All problems of a set are reported together, and a set with problems records nothing. (L6–L9)"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from foureyes.core.nouns.finding import (
    FOR_BLOCKING,
    GROUNDS,
    RULES_ON,
    SEVERITIES,
    Answer,
    Finding,
    ReportedFinding,
    RulingWord,
    answer_step,
    weak_reason,
)
from foureyes.core.nouns.finding_state import FindingState
from foureyes.core.nouns.session import Party
from foureyes.core.rules.involvement import Maker
from foureyes.core.words.text import is_blank
from foureyes.core.words.untrusted_text import named
from foureyes.errors import Reason
from foureyes.steps import blank, by, by_person, either, fe, phrase, prose

ANSWERABLE: frozenset[FindingState] = frozenset({"open", "claimed", "disputed", "deferred", "skipped"})


def why_not_answers(answers: Sequence[Answer], known: Mapping[str, Finding], iteration: int) -> list[Reason]:
    """Return every reason against a set of answers. `known` maps every finding id of the task to its finding. (L6)"""
    reasons: list[Reason] = []
    roots = Counter(known[answer.finding].root if answer.finding in known else answer.finding for answer in answers)
    for answer in answers:
        finding = known.get(answer.finding)
        if finding is None:
            reasons.append(
                Reason(
                    "L6",
                    f"{answer.finding} is not a finding of this task",
                    fe("finding", "list", blank("TASK"), "--open"),
                )
            )
            continue
        if roots[finding.root] > 1:
            reasons.append(
                Reason(
                    "L6",
                    f"{answer.finding} is answered {roots[finding.root]} times, but each finding takes one answer",
                    prose("keep one of them"),
                )
            )
        reasons += _against(answer, finding, iteration)
    return list(dict.fromkeys(reasons))


def _against(answer: Answer, finding: Finding, iteration: int) -> list[Reason]:
    name, step = answer.finding, fe("finding", "show", answer.finding)
    if finding.state not in ANSWERABLE:
        return [Reason("L6", f"{name} is {finding.state}, so there is nothing to answer", step)]
    if finding.waiting:
        return [Reason("V7", f"{name} needs confirmation first, because its quote is nowhere in the code", step)]
    if finding.state in ("claimed", "disputed") and finding.answered < iteration:
        return [
            Reason(
                "L6",
                f"{name} was already answered {finding.answer} in iteration {finding.answered} and is waiting for a ruling",
                step,
            )
        ]
    if finding.blocking and answer.action not in FOR_BLOCKING:
        why = f"{name} is {finding.severity} and blocks, so it takes FIXED or REJECTED, not {answer.action}"
        return [Reason("L6", why, answer_step(name, must_fix=finding.must_fix))]
    return _words(answer, finding)


def _words(answer: Answer, finding: Finding) -> list[Reason]:
    """Return reasons for missing or weak text in an answer. (L6, L7)"""
    name = answer.finding
    reasons: list[Reason] = []
    if answer.action in ("FIXED", "REJECTED", "DEFERRED") and is_blank(answer.text):
        what = {"FIXED": "what was done", "REJECTED": "why it is wrong", "DEFERRED": "why it can wait"}[answer.action]
        reasons.append(
            Reason(
                "L6",
                f"{name} is answered {answer.action}, but the answer does not say {what}",
                fe("finding", "answer", name, f"--{answer.action.lower()}", "-m", phrase("…")),
            )
        )
    if answer.action != "REJECTED":
        return reasons
    if finding.must_fix:
        why = f"{name} was rejected before and the rejection was overruled, so it must be fixed"
        step = either(
            fe("finding", "answer", name, "--fixed", "-m", phrase("…")),
            fe("unstart", finding.task, "--how", "blocked", "-m", phrase("…"), before="if you cannot: "),
            joint=", or ",
        )
        return [*reasons, Reason("L9", why, step)]
    if answer.ground not in GROUNDS and (finding.blocking or answer.ground):
        given = f"{answer.ground!r} is not a ground" if answer.ground else "it has no ground"
        why = f"{name} is rejected, but {given}. Grounds: {', '.join(GROUNDS)}"
        reasons.append(
            Reason(
                "L7",
                why,
                fe("finding", "answer", name, "--rejected", "--ground", "false_positive", "-m", phrase("…")),
            )
        )
    weak = weak_reason(answer.text) if finding.blocking and not is_blank(answer.text) else ""
    return (
        [*reasons, Reason("L7", f"{name}: {weak.replace('TASK', finding.task)}", fe("finding", "show", name))]
        if weak
        else reasons
    )


def unanswered(findings: Sequence[Finding]) -> list[Reason]:
    """Return a reason for each blocking finding that a submission leaves unanswered. (L6)"""
    return [
        Reason(
            "L6",
            f"{finding.id} {finding.severity} has no answer: {finding.title}",
            answer_step(finding.id, must_fix=finding.must_fix),
        )
        for finding in findings
        if finding.needs_answer
    ]


def why_not_ruling(
    finding: Finding, ruling: RulingWord, *, is_raiser: bool, is_in_change: bool = True
) -> Reason | None:
    """Return a reason if the ruling does not fit the finding's current state. (L4, L8, L9, V7)"""
    name = finding.id
    if ruling in ("CONFIRMED", "DISMISSED"):
        if not finding.waiting or finding.state not in RULES_ON[ruling]:
            return Reason("V7", f"{name} is {finding.state} and needs no confirmation", fe("finding", "show", name))
        if is_raiser:
            return Reason(
                "V7",
                f"its quote is nowhere in the code, so someone else must confirm {name}",
                fe("finding", "show", name),
            )
        return None
    if ruling == "OBSOLETE" and not finding.left_diff:
        return _not_obsolete(finding, is_in_change=is_in_change)
    if finding.state in RULES_ON[ruling]:
        return None
    rule = "L8" if ruling in ("VERIFIED", "NOT_FIXED") else "L9"
    wanted = " or ".join(sorted(RULES_ON[ruling]))
    return Reason(
        rule,
        f"{name} is {finding.state}, and {ruling} applies only to a finding that is {wanted}",
        fe("finding", "show", name),
    )


def _not_obsolete(finding: Finding, *, is_in_change: bool) -> Reason:
    """Refuse OBSOLETE for a finding whose file is still in the change or never was. (L4)"""
    name, show = finding.id, fe("finding", "show", finding.id)
    if is_in_change:
        return Reason("L4", f"the file of {name} is still part of the change, so it is not obsolete", show)
    where = f"{named(finding.path)} was never part of the change" if finding.path else "it names no file"
    withdraw = by("other", fe("finding", "judge", name, "--withdraw", "-m", phrase("why")), "its reviewer runs: ")
    step = withdraw if finding.state in ANSWERABLE else show
    return Reason("L4", f"{name} is not obsolete, because {where}", step)


def why_not_withdrawn(finding: Finding, me: Party, made: Maker | None, others: Sequence[Party]) -> list[Reason]:
    """Return every reason why the caller may not withdraw a finding. `made` is the caller's part in the change,
    `others` are parties that also raised or upheld the finding. (L4)
    """
    name, show = finding.id, fe("finding", "show", finding.id)
    if finding.state not in ANSWERABLE:
        return [Reason("L4", f"{name} is {'withdrawn' if finding.is_withdrawn else finding.state} already", show)]
    if finding.by_check:
        return [Reason("L8", f"check {finding.by_check} raised {name}, so only passing that check resolves it", show)]
    withdraw = fe("finding", "judge", name, "--withdraw", "-m", phrase("why"))
    if made is not None and finding.blocking:
        why = f"you are an author of the change and cannot withdraw findings about it ({made.why})"
        step = by("other", withdraw, "its reviewer, or a person who is not an author, runs: ")
        return [Reason("L4", why, step)]
    if others and me.kind != "human":
        who = ", ".join(party.name for party in others)
        why = f"{who} raised or upheld {name}. Only {who}, if no one else upheld it, or a person can withdraw it."
        return [Reason("L4", why, by_person(withdraw))]
    return []


def why_not_again(old: Finding, new: ReportedFinding, *, code_changed: bool) -> Reason | None:
    """Return a reason against raising a finding again after its rejection was accepted. It needs changed code at the
    quote, or a higher severity. (L9)
    """
    if old.state != "resolved" or old.ruling != "ACCEPTED" or code_changed:
        return None
    if SEVERITIES.index(new.severity) < SEVERITIES.index(old.severity):
        return None
    why = (
        f"a reviewer accepted the rejection of {old.id}, so for the same code it can be raised again only with a severity higher "
        f"than {old.severity}"
    )
    return Reason("L9", why, fe("finding", "show", old.id))


def state_again(old: Finding, new: ReportedFinding, *, is_other_code: bool = False) -> FindingState:
    """Return the state of a finding that is raised again. Claimed and settled ones reopen. A waiver stays unless the
    severity rose or the code differs (E3).
    """
    if old.state in ("claimed", "resolved", "obsolete"):
        return "open"
    if old.state in ("deferred", "skipped"):
        return "open" if new.blocking else old.state
    is_higher = SEVERITIES.index(new.severity) < SEVERITIES.index(old.severity)
    if old.state == "waived" and (is_higher or is_other_code):
        return "open"  # the waiver does not cover this
    return old.state
