"""Findings of a reviewer or tool in an attempt, with answer, ruling and state. (L1–L10)"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

import msgspec

from foureyes.core.nouns.finding_state import UNRESOLVED, FindingState, holds
from foureyes.core.words.ids import SessionId, Shape
from foureyes.steps import Steps, fe, one_of, phrase

Severity = Literal["CRITICAL", "HIGH", "MEDIUM", "LOW"]
SEVERITIES: tuple[Severity, ...] = ("CRITICAL", "HIGH", "MEDIUM", "LOW")
BLOCKING: frozenset[Severity] = frozenset({"CRITICAL", "HIGH"})
ALIASES: dict[str, Severity] = {
    "BLOCKER": "CRITICAL", "IMPORTANT": "HIGH", "SUGGESTION": "MEDIUM", "MINOR": "LOW", "NIT": "LOW",
}  # fmt: skip
NOTE = "FYI"
"""Severity of a note that is not a finding. (L1)"""

FindingKind = Literal["TL", "QA", "CK"]

AnswerWord = Literal["FIXED", "REJECTED", "DEFERRED", "SKIPPED"]
ANSWERS: tuple[AnswerWord, ...] = ("FIXED", "REJECTED", "DEFERRED", "SKIPPED")
FOR_BLOCKING: frozenset[AnswerWord] = frozenset({"FIXED", "REJECTED"})
AFTER_ANSWER: dict[AnswerWord, FindingState] = {
    "FIXED": "claimed",
    "REJECTED": "disputed",
    "DEFERRED": "deferred",
    "SKIPPED": "skipped",
}

Ground = Literal["misunderstood_requirement", "breaks_other", "false_positive", "better_alternative"]
GROUNDS: tuple[Ground, ...] = ("misunderstood_requirement", "breaks_other", "false_positive", "better_alternative")

RulingWord = Literal["VERIFIED", "NOT_FIXED", "ACCEPTED", "OVERRULED", "CONFIRMED", "DISMISSED", "OBSOLETE"]
RULINGS: tuple[RulingWord, ...] = (
    "VERIFIED",
    "NOT_FIXED",
    "ACCEPTED",
    "OVERRULED",
    "CONFIRMED",
    "DISMISSED",
    "OBSOLETE",
)
RULES_ON: dict[RulingWord, frozenset[FindingState]] = {
    "VERIFIED": frozenset({"claimed"}),
    "NOT_FIXED": frozenset({"claimed"}),
    "ACCEPTED": frozenset({"disputed"}),
    "OVERRULED": frozenset({"disputed"}),
    "CONFIRMED": frozenset({"open"}),
    "DISMISSED": frozenset({"open"}),
    "OBSOLETE": frozenset({"open", "claimed", "disputed"}),
}
"""States to which each ruling applies. CONFIRMED and DISMISSED are for a finding whose quote is not in the code (V7).
(L4)
"""
AFTER_RULING: dict[RulingWord, FindingState] = {
    "VERIFIED": "resolved", "NOT_FIXED": "open", "ACCEPTED": "resolved", "OVERRULED": "open", "CONFIRMED": "open",
    "DISMISSED": "resolved", "OBSOLETE": "obsolete",
}  # fmt: skip

ReviewStatus = Literal["CHANGES_REQUESTED", "APPROVED_WITH_NOTES", "APPROVED"]
STATUS_ALIASES: dict[str, ReviewStatus] = {"CHANGES_REQUIRED": "CHANGES_REQUESTED"}

FINDING_INPUT = Shape(r"(TL|QA|CK)-[A-Za-z0-9._-]{1,80}-[0-9]{1,6}-[0-9]{3,7}\Z")
EXCUSE = r"too (?:hard|difficult|complex|complicated|long)|(?:it )?takes too long|i disagree|no time|not now|won'?t fix"
WEAK = Shape(rf"\W*(?:it(?:'s| is)?\s+|this is\s+)?(?:{EXCUSE})\W*", re.IGNORECASE)
LEAST_REASON = 20
WAIVED_DAYS = 30


class Location(msgspec.Struct, frozen=True):
    """The place of a finding: a path in the repository and a line, 0 if none."""

    path: str = ""
    line: int = 0


class Content(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a finding, from any source. `tool` is the program that found it, `mark` the program's own id for
    it. (L3)
    """

    severity: Severity
    title: str
    path: str = ""
    line: int = 0
    problem: str = ""
    fix: str = ""
    why: str = ""
    quote: str = ""
    rule: str = ""
    fix_patch: str = ""
    tool: str = ""
    mark: str = ""

    @property
    def blocking(self) -> bool:
        """True if the severity blocks. Computed from the severity, never sent. (L1)"""
        return self.severity in BLOCKING


class ReportedFinding(Content, frozen=True, kw_only=True):
    """A reported finding before it is recorded. `id` names the earlier finding that it repeats. (L2)"""

    id: str = ""


class Raised(Content, frozen=True, kw_only=True):
    """A recorded report of a finding: the first (`id == root`), or a repetition under a new id.

    - note: shown, but not a loop item (L10)
    - anchored: its quote or place is in the code (V7)
    - alike: roots that it could match, if several. They are never merged automatically (L2).
    - state: its state after the report
    - copy_of: the root of the finding in another task, if it came with work from there (A6)
    """

    id: str
    root: str
    symbol: str = ""
    anchored: bool = True
    note: bool = False
    waiting: bool = False
    state: FindingState = "open"
    alike: tuple[str, ...] = ()
    copy_of: str = ""


class Finding(Content, frozen=True, kw_only=True):
    """The current state of a finding, one per root.

    - id, root: its latest and its first id
    - by_check: the check that raised it and alone resolves it
    - raised, flagged: iterations of the first and the latest report
    - flags: number of attempts with it
    - waiting: an unanchored blocking finding that another reviewer must confirm first (V7)
    """

    root: str
    id: str
    task: str
    kind: FindingKind
    symbol: str = ""
    source: str = "review"
    by_check: str = ""
    session: SessionId
    raised: int
    flagged: int
    flags: int = 1
    state: FindingState = "open"
    note: bool = False
    anchored: bool = True
    waiting: bool = False
    must_fix: bool = False
    left_diff: bool = False
    answer: str = ""
    answered: int = 0
    answered_by: str | None = None
    ruling: str = ""
    ruled_by: str | None = None
    false_fixes: int = 0
    reopened: int = 0
    waived_until: str = ""
    tracked: str = ""
    alike: list[str] = []
    seq: int = 0
    at: str = ""

    @property
    def where(self) -> str:
        return f"{self.path}:{self.line}" if self.path and self.line else self.path

    @property
    def is_loop_item(self) -> bool:
        """True if the implementer has to handle it. Late suggestions are only shown. (L10)"""
        return not self.note

    @property
    def is_withdrawn(self) -> bool:
        """True if it was withdrawn, not settled by a ruling. (L4)"""
        return self.state == "resolved" and not self.ruling and self.ruled_by is not None

    def is_waived(self, now: str) -> bool:
        """Return True while the waiver is valid. (E3)"""
        return self.state == "waived" and self.waived_until > now

    def at_time(self, now: str) -> Finding:
        """Return the finding at this time, open again if its waiver expired. (E3)"""
        ran_out = self.state == "waived" and not self.is_waived(now)
        return msgspec.structs.replace(self, state="open") if ran_out else self

    def is_open(self, now: str) -> bool:
        """Return True if the finding is unresolved or its waiver expired. To ask if it blocks an approval, use holds().
        (L4, E3)
        """
        return self.at_time(now).state in UNRESOLVED

    def holds(self, now: str) -> bool:
        """Return True if the finding blocks an approval now. (L5)"""
        return holds(self.blocking, self.state, self.waived_until, now)

    @property
    def needs_answer(self) -> bool:
        """True if it is blocking and needs an answer. Findings of checks do not. (L6)"""
        return self.blocking and self.state == "open" and not self.by_check and not self.waiting and self.is_loop_item


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The implementer's answer to one finding. `debt` is the task created for a deferred one. (L6)"""

    finding: str
    action: AnswerWord
    text: str = ""
    ground: str = ""
    commit: str = ""
    debt: str = ""


class Ruling(msgspec.Struct, frozen=True):
    """A requested ruling. (L8)"""

    finding: str
    ruling: RulingWord
    reason: str = ""


def rulings_for(state: FindingState, *, waiting: bool, left_diff: bool = False) -> tuple[RulingWord, ...]:
    """Return the rulings that fit a finding. There are none before it is answered. (L4, L8, L9, V7)"""
    unanswered = state == "open" and not waiting
    return tuple(
        word for word in RULINGS if state in RULES_ON[word] and (left_diff if word == "OBSOLETE" else not unanswered)
    )


def rule_step(finding: str, words: tuple[RulingWord, ...]) -> Steps:
    """Return the command to rule on a finding."""
    rulings = [f"--{word.lower().replace('_', '-')}" for word in words]
    return fe("finding", "judge", finding, one_of(*rulings))


def answer_step(finding: str, *, must_fix: bool = False) -> Steps:
    """Return the command to answer a blocking finding, followed by the alternative answer."""
    other = "" if must_fix else " | --rejected --ground …"
    return fe("finding", "answer", finding, "--fixed", "-m", phrase("what you changed"), after=other)


def severity_of(text: str) -> Severity | Literal["FYI"] | None:
    """Parse a severity in any case, including other tools' words. Return None if it is unknown. (L1)"""
    word = text.strip().upper()
    if word == NOTE:
        return "FYI"
    wanted = ALIASES.get(word, word)
    return next((severity for severity in SEVERITIES if severity == wanted), None)


def most_of(linters: Iterable[str]) -> dict[str, Severity]:
    """Return the highest severity per tool: `eslint` means MEDIUM, `eslint=LOW` sets it. Raise ValueError for an
    unknown severity. (L1)
    """
    severities: dict[str, Severity] = {}
    for each in linters:
        name, _, word = each.partition("=")
        most = severity_of(word or "MEDIUM")
        if most is None or most == "FYI" or not name.strip():
            raise ValueError(f"{each!r} is not a tool with a severity ({', '.join(SEVERITIES)})")
        severities[name.strip().lower()] = most
    return severities


def status_of(severities: list[Severity], *, notes: int = 0) -> ReviewStatus:
    """Return the review status that an attempt's open findings imply. (L5)"""
    if any(severity in BLOCKING for severity in severities):
        return "CHANGES_REQUESTED"
    return "APPROVED_WITH_NOTES" if severities or notes else "APPROVED"


def stem(kind: FindingKind, group: str, task: str, iteration: int) -> str:
    """Return the prefix of a finding's id. A group's name is converted to fit. (L2)"""
    named = re.sub(r"[^A-Za-z0-9]+", "-", group).strip("-")[:40] or task
    return f"{kind}-{named}-{iteration}-"


def weak_reason(text: str) -> str:
    """Return advice if the text is not a technical reason, otherwise "". (L7)"""
    words = " ".join(text.split())
    lowered = words.lower()
    if re.search(r"\btoo (hard|difficult|complex|complicated)\b", lowered) and WEAK.fullmatch(words):
        return (
            '"too hard" is not a reason to reject a finding. Escalate instead (fe unstart TASK --how blocked -m "what '
            'is hard")'
        )
    if WEAK.fullmatch(words) and "disagree" in lowered:
        return '"I disagree" alone is not a reason. Say technically why the finding is wrong'
    if WEAK.fullmatch(words):
        return '"takes too long" is not a reason to reject a finding. Defer it as tech debt if it does not block, or escalate'
    if len(words) < LEAST_REASON:
        return f"a technical reason has at least {LEAST_REASON} characters, and this one has {len(words)}"
    return ""
