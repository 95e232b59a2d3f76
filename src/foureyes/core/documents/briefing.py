"""What a prompt is made of: a task, its change, checks, findings and answers, as values (F3, F4, V2)."""

from __future__ import annotations

import msgspec

from foureyes.core.documents.prompt_contract import REVIEWING, PromptPurpose
from foureyes.core.documents.shapes import ClarifiedPoint
from foureyes.core.nouns.attempt import ChangedFile
from foureyes.core.nouns.finding import Finding
from foureyes.core.nouns.finding_state import UNRESOLVED
from foureyes.core.words.ids import seen_name

CHANGE, REQUEST = "change.diff", "request.json"
"""Files beside the checkout of a run that reviews: the change as a unified diff, and what is asked (V2)."""


class BriefedCheck(msgspec.Struct, frozen=True, kw_only=True):
    """Where one check stands, as a prompt says it."""

    name: str
    outcome: str
    summary: str = ""
    failing: tuple[str, ...] = ()


class Briefing(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a prompt is made of.

    `feedback` is `feedback.section(history)`, `loop` and `rounds` what the escalation engine says, `answers` by
    finding: word, text and ground, `concerns` the points that reviewers disagree about, `clarified` those that were
    answered since (R2), `options` the lead's commands, `at` the moment it is for (waivers end). `beside` is the
    folder with the change, in the checkout of a run that reviews; its answer is its last message. `request` is the
    review_request document, as JSON.
    """

    task: str
    title: str
    description: str = ""
    acceptance: str = ""
    type: str = "task"
    labels: tuple[str, ...] = ()
    iteration: int = 1
    attempt: int = 0
    diff_id: str = ""
    base: str = ""
    head: str = ""
    branch: str = ""
    files: tuple[ChangedFile, ...] = ()
    checks: tuple[BriefedCheck, ...] = ()
    feedback: str = ""
    findings: tuple[Finding, ...] = ()
    answers: dict[str, tuple[str, str, str]] = {}
    loop: str = ""
    rounds: tuple[str, ...] = ()
    handoff: tuple[str, ...] = ()
    max_words: int = 200
    focus: tuple[str, ...] = ()
    concerns: tuple[str, ...] = ()
    clarified: tuple[ClarifiedPoint, ...] = ()
    options: tuple[str, ...] = ()
    role_extra: str = ""
    reviewer: str = ""
    at: str = ""
    beside: str = ""
    request: str = ""

    @property
    def seen(self) -> str:
        """What `--seen` takes for the change (D7)."""
        return seen_name(self.attempt, self.diff_id) if self.attempt and self.diff_id else ""

    @property
    def blocking(self) -> list[Finding]:
        """F4: what is never left out."""
        return [finding for finding in self.findings if finding.holds(self.at)]

    def notes(self, purpose: PromptPurpose) -> list[Finding]:
        """What else is open; a reviewer also sees what is settled but could be raised again (L9)."""
        settled = purpose in REVIEWING or purpose == "lead"
        return [
            finding
            for finding in self.findings
            if not finding.holds(self.at)
            and (
                finding.state in UNRESOLVED or (settled and (finding.state == "waived" or finding.ruling == "ACCEPTED"))
            )
        ]
