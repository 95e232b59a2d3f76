"""How an agent answers: the words, commands and documents that each purpose of a prompt asks for (L6–L10, V3, E3)."""

from __future__ import annotations

from typing import Literal

import msgspec

from foureyes.core.nouns.finding import (
    ANSWERS,
    FOR_BLOCKING,
    GROUNDS,
    LEAST_REASON,
    RULINGS,
    SEVERITIES,
    AnswerWord,
    Finding,
    RulingWord,
    rulings_for,
)
from foureyes.core.words.fence import plain, quoted, shown
from foureyes.core.words.verdicts import VERDICTS

PromptPurpose = Literal["implement", "respond", "review", "rereview", "clarify", "lead"]
PURPOSES: tuple[PromptPurpose, ...] = ("implement", "respond", "review", "rereview", "clarify", "lead")
REVIEWING: frozenset[PromptPurpose] = frozenset({"review", "rereview"})
ANSWERING: frozenset[PromptPurpose] = frozenset({"implement", "respond"})

STATUS_MARKERS: dict[str, str] = {
    "CHANGES_REQUESTED": "a CRITICAL or HIGH finding is open",
    "CHANGES_REQUIRED": "another word for CHANGES_REQUESTED",
    "APPROVED_WITH_NOTES": "only MEDIUM or LOW findings are open",
    "APPROVED": "nothing is open",
    "approved": "it can go on as it is",
    "concerns": "it has to change first; every approved with a CRITICAL or HIGH finding counts as this",
    "blocker": "stop everything and fetch a person",
}
"""The words that the review prompt offers for every status, its aliases and every verdict."""

COMMANDS: dict[AnswerWord, str] = {
    "FIXED": 'fe finding answer {} --fixed -m "what you changed"',
    "REJECTED": f'fe finding answer {{}} --rejected --ground GROUND -m "the technical reason, at least {LEAST_REASON} '
    'characters"',
    "DEFERRED": 'fe finding answer {} --deferred -m "why later"',
    "SKIPPED": "fe finding answer {} --skipped",
}


def step(purpose: PromptPurpose, finding: Finding) -> list[str]:
    """What the reader has to do about one finding."""
    if purpose in REVIEWING:
        rulings = rulings_on(finding)
        return [f"Your ruling: {' or '.join(rulings)}"] if rulings else []
    if purpose not in ANSWERING:
        return []
    other = _no_answer(finding)
    if other:
        return [other]
    words = words_for(finding.blocking, must_fix=finding.must_fix)
    if purpose == "implement":
        return [f"Answer: {' or '.join(words)}"]
    return [
        "Answer with one of:" if len(words) > 1 else "Answer with:",
        *[f"    {COMMANDS[word].format(plain(finding.id))}" for word in words],
    ]


def rulings_on(finding: Finding) -> tuple[RulingWord, ...]:
    """The rulings to offer; what a check raised, the check settles."""
    return () if finding.by_check else rulings_for(finding.state, waiting=finding.waiting, left_diff=finding.left_diff)


def words_for(blocking: bool, *, must_fix: bool = False) -> list[AnswerWord]:
    """L6, L9: the answers that a finding can have."""
    return ["FIXED"] if must_fix else [word for word in ANSWERS if word in FOR_BLOCKING or not blocking]


def _no_answer(finding: Finding) -> str:
    """Why a finding waits for something other than an answer; empty if it waits for one."""
    if finding.by_check:
        return f"No answer: it is settled when the check {quoted(finding.by_check)} passes."
    if finding.waiting:
        return "No answer yet: another reviewer has to confirm it first."
    if finding.state == "waived":
        return "Its waiver has run out: fix it, or a person has to waive it again."
    if finding.state != "open":
        return "Answered: it waits for a ruling."
    return "No answer is needed: it is a note." if finding.note else ""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """What the answer depends on: the task, and which findings need an answer or a ruling."""

    task: str
    max_words: int
    reviewer: str = ""
    attempt: int = 0
    diff_id: str = ""
    options: tuple[str, ...] = ()
    due: tuple[str, ...] = ()
    by_message: bool = False
    """Whether the last message is the answer: nobody types a command then."""


def contract(purpose: PromptPurpose, asked: Question) -> str:
    """How to answer: always in the prompt, whatever its template says, and never cut (F4)."""
    if purpose in REVIEWING:
        return _reviewing(asked, again=purpose == "rereview")
    return {"implement": _handing_in, "respond": _answering, "clarify": _clarifying, "lead": _leading}[purpose](asked)


def _handing_in(asked: Question) -> str:
    return (
        "## How to submit\n\n"
        f'Commit your work, then: fe submit {plain(asked.task)} -m "what you did"\n'
        f'If you cannot go on: fe unstart {plain(asked.task)} -m "what is in the way"\n'
        "Someone else decides whether it passes. You cannot approve your own work."
    )


def _answering(asked: Question) -> str:
    due = ", ".join(plain(finding) for finding in asked.due) or "none"
    rows = [
        {"issue_id": "ID", "action": "FIXED", "details": "what you changed", "commit": "the commit, if it is one"},
        {
            "issue_id": "ID",
            "action": "REJECTED",
            "ground": " | ".join(GROUNDS),
            "reason": f"at least {LEAST_REASON} characters",
        },
        {"issue_id": "ID", "action": "DEFERRED", "reason": "why later"},
        {"issue_id": "ID", "action": "SKIPPED"},
    ]
    return (
        "## How to answer\n\n"
        f"Need an answer, exactly one each: {due}\n"
        "A blocking finding is FIXED or REJECTED, never DEFERRED or SKIPPED; one that must be fixed only "
        "FIXED. Any other finding can\n"
        "have each of the four words; without an answer it counts as SKIPPED. FIXED is a claim: a reviewer verifies it.\n"
        f"REJECTED has a ground ({', '.join(GROUNDS)}) and a technical reason of at least\n"
        f"{LEAST_REASON} characters; that it is hard, takes long, or that you disagree is not a reason.\n"
        "Type the commands above, or put all answers into one file and type: fe finding answer FILE\n\n"
        + _shape({"type": "handoff_developer", "issue_responses": rows})
    )


def _reviewing(asked: Question, *, again: bool) -> str:
    due = ", ".join(plain(finding) for finding in asked.due) or "none"
    first = (
        "First rule on the answers: is each claimed fix in the code, and is each rejection right? Then look for new problems. Only new\n"
        "CRITICAL and HIGH findings count; new MEDIUM and LOW ones become notes.\n"
    )
    words = "\n".join(f"- {word}: {meaning}" for word, meaning in STATUS_MARKERS.items())
    return (
        "## How to answer\n\n"
        + (first if again else "")
        + "Analyse deeply before you judge: security, edge cases, maintenance, "
        "load, integration points. Each finding has the code, the way it\nfails, a concrete fix, and a "
        "severity by its impact.\n"
        "Your answer is exactly one JSON document of the shape below. Prose does not count, before it, after "
        "it or instead of it.\n"
        f"- summary: at most {asked.max_words} words.\n"
        "- files_reviewed: every changed file, written as above; a review that leaves a file out does not count.\n"
        "- quote: the code word for word, as it is before or after the change; a quote that is not there comes back to you.\n"
        f"- rulings: exactly one for each of: {due}.\n"
        "- id: only for a finding above that appears again.\n"
        f"{_handing_over(asked)}\n"
        f"The words for status and verdict:\n{words}\n\n" + _shape(_result(asked))
    )


def _handing_over(asked: Question) -> str:
    if not asked.by_message:
        return f"Write it to a file, then: fe review submit {plain(asked.task)} FILE"
    return "Your last message is this document: alone, or as its only ```json block. Nothing else that you write is read, and no one\nanswers questions. It names the change by its diff_id, as given below."


def _result(asked: Question) -> dict[str, object]:
    """V3: the shape of a review. Its words are choices, so that the shape itself is no valid answer."""
    issue = {
        "severity": " | ".join(SEVERITIES), "title": "one line", "file": "path", "line": 1,
        "problem": "how it fails, and when", "why": "what it leads to", "fix": "what to do", "quote": "the code",
        "fix_patch": "optional: a unified diff", "id": "optional",
    }  # fmt: skip
    payload: dict[str, object] = {
        "verdict": " | ".join(VERDICTS), "status": " | ".join(word for word in STATUS_MARKERS if word.isupper()),
        "summary": "…", "issues": [issue], "files_reviewed": ["path"],
        "rulings": [{"finding": "ID", "ruling": " | ".join(RULINGS), "reason": "…"}],
    }  # fmt: skip
    if asked.attempt:
        payload["attempt"] = asked.attempt
    if asked.diff_id:
        payload["diff_id"] = shown(asked.diff_id)
    reviewer = {"reviewer": shown(asked.reviewer)} if asked.reviewer else {}
    return {"type": "review_result", **reviewer, "timestamp": "the time in UTC, ISO 8601", "payload": payload}


def _clarifying(asked: Question) -> str:
    return (
        "## How to answer\n\n"
        "The reviews disagree, so new work waits. Answer each point above by its number: what is true in the "
        "code, where that can be\n"
        f"seen, and what should be done. At most {asked.max_words} words each. Your answer is exactly one "
        "JSON document of this shape:\n\n"
        + _shape(
            {"type": "clarification", "task": asked.task, "answers": [{"point": 1, "answer": "…", "seen": "path:line"}]}
        )
    )


def _leading(asked: Question) -> str:
    options = [f"- {shown(' '.join(option.split()))}" for option in asked.options] or [
        "- split it into tasks, give it to senior, restart it fresh, ask the user, or let it continue"
    ]
    return (
        "## What you can decide\n\nChoose exactly one, and say why:\n" + "\n".join(options) + "\n"
        "No one can force an approval past an open blocking finding. Only a person who is not an author may waive one."
    )


def _shape(document: dict[str, object]) -> str:
    return f"```json\n{msgspec.json.format(msgspec.json.encode(document), indent=2).decode()}\n```"
