"""Prompts: sections in a fixed order, untrusted text fenced, and the answer format for each purpose. (F3, F4)"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

import msgspec

from foureyes.core.documents.shapes import ClarifiedPoint
from foureyes.core.nouns.attempt import ChangedFile
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
from foureyes.core.nouns.finding_state import UNRESOLVED
from foureyes.core.words.ids import seen_name
from foureyes.core.words.text import visible
from foureyes.core.words.untrusted_text import DATA, fenced, plain, quoted, shown
from foureyes.core.words.vocabulary import VERDICTS
from foureyes.errors import BadInput, Reason, Refused
from foureyes.steps import fe

# ---- Prompt (F3, F4) ----

__all__ = [
    "BLOCKS",
    "CUTS",
    "LIMIT",
    "PLACEHOLDERS",
    "PURPOSES",
    "STATUS_MARKERS",
    "BriefedCheck",
    "Briefing",
    "PromptPurpose",
    "compose",
    "read_template",
]

LIMIT = 60_000

PLACEHOLDERS = (
    "task", "iteration", "branch", "base", "head", "diff", "max_words", "severities", "verdicts", "answers", "grounds",
    "rulings",
)  # fmt: skip
BLOCKS = ("role", "deep_analysis", "working", "answering", "examples")
"""Sections that a template may define. All others, such as the answer format, are always added."""
CUTS = ("examples", "role", "notes", "checks", "files", "handoff", "description")
"""Parts to shorten if the prompt is too long, in this order. Other parts never are. (F4)"""
MOST_CLARIFIED, MOST_ANSWER = 20, 1_000
"""Limits for clarified concerns in a prompt: their number, and the characters of each answer. The request has all of
them. (R2)
"""

MARKER = re.compile(r"\[\[([^\[\]]*)\]\][ \t]*\Z")
PLACEHOLDER = re.compile(r"\{\{([a-z_]+)\}\}|\{([a-z_]+)\}")


def read_template(template: str) -> dict[str, str]:
    """Return the sections of a template by name. Refuse unknown sections and placeholders, so that a typo drops nothing
    silently.
    """
    blocks: dict[str, list[str]] = {}
    name = ""
    for line in template.split("\n"):
        marker = MARKER.match(line.rstrip("\r"))
        if marker is not None:
            name = marker.group(1)
            if name not in BLOCKS or name in blocks:
                what = (
                    "appears twice"
                    if name in blocks
                    else f"is not known. Known sections: {', '.join(f'[[{block}]]' for block in BLOCKS)}"
                )
                raise BadInput(f"the section [[{visible(name)[:60]}]] of the prompt template {what}.")
            blocks[name] = []
        elif name:
            blocks[name].append(line)
        elif line.strip():
            raise BadInput(
                "the prompt template begins with text. Put it below one of "
                f"{', '.join(f'[[{block}]]' for block in BLOCKS)}."
            )
    read = {block: "\n".join(lines).strip() for block, lines in blocks.items()}
    for text in read.values():
        _fill(text, dict.fromkeys(PLACEHOLDERS, ""))
    return read


def _values(briefing: Briefing) -> dict[str, str]:
    words = (SEVERITIES, VERDICTS, ANSWERS, GROUNDS, RULINGS)
    facts = [plain(fact) if fact else "" for fact in (briefing.branch, briefing.base, briefing.head, briefing.diff_id)]
    numbers = (plain(briefing.task), str(briefing.iteration), *facts, str(briefing.max_words))
    return dict(zip(PLACEHOLDERS, (*numbers, *[", ".join(some) for some in words]), strict=True))


def _fill(text: str, values: dict[str, str]) -> str:
    """Replace the placeholders of a template, once each. `{{task}}` stands for the literal {task}."""

    def value(placeholder: re.Match[str]) -> str:
        literal, name = placeholder.groups()
        if literal is not None:
            return f"{{{literal}}}"
        if name not in values:
            known = ", ".join(f"{{{each}}}" for each in PLACEHOLDERS)
            raise BadInput(f"the prompt template has an unknown placeholder {{{name}}}. Known: {known}.")
        return values[name]

    return PLACEHOLDER.sub(value, text)


KeptAmounts = dict[str, int]
"""How much is kept of each part that may be shortened."""


def compose(purpose: PromptPurpose, briefing: Briefing, template: str, limit: int = LIMIT) -> str:
    """Return the whole prompt, shortened in the fixed order if needed. Refuse if even the required parts are too long.
    (F4)
    """
    values = _values(briefing)
    blocks = {name: _fill(text, values) for name, text in read_template(template).items()}
    if briefing.role_extra.strip():
        blocks["role"] = "\n\n".join(
            part for part in (blocks.get("role", ""), shown(briefing.role_extra).strip()) if part
        )
    kept = _whole(purpose, briefing, blocks)
    for name in CUTS:
        text = _text(purpose, briefing, blocks, kept)
        if len(text) <= limit:
            return text
        kept = kept | {name: _most(name, kept, lambda less: len(_text(purpose, briefing, blocks, less)) <= limit)}
    text = _text(purpose, briefing, blocks, kept)
    if len(text) <= limit:
        return text
    why = f"the open blocking findings, the feedback and the task alone have {len(text):,} characters, more than the limit of {limit:,}"
    look = fe("finding", "list", plain(briefing.task))
    raise Refused(
        f"the prompt for {plain(briefing.task)} does not fit.",
        reasons=(Reason("F4", why, look),),
        next_step=look,
        task=briefing.task,
    )


def _whole(purpose: PromptPurpose, briefing: Briefing, blocks: dict[str, str]) -> KeptAmounts:
    return {
        "examples": int(bool(blocks.get("examples"))),
        "role": int(any(blocks.get(name) for name in ("role", "deep_analysis", "working"))),
        "notes": len(briefing.notes(purpose)),
        "checks": sum(len(_output(check)) for check in briefing.checks),
        "files": len(briefing.files),
        "handoff": len(briefing.handoff),
        "description": len(briefing.description),
    }


def _most(name: str, kept: KeptAmounts, fits: Callable[[KeptAmounts], bool]) -> int:
    """Return how much of a part can be kept, possibly 0."""
    low, high = 0, max(kept[name] - 1, 0)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(kept | {name: middle}) else (low, middle - 1)
    return low


def _text(purpose: PromptPurpose, briefing: Briefing, blocks: dict[str, str], kept: KeptAmounts) -> str:
    """Return the sections in order. Empty ones are omitted. (F3)"""
    role = bool(kept["role"])
    cut = (
        ""
        if role or not _whole(purpose, briefing, blocks)["role"]
        else "… the text about your role is left out to keep the prompt short."
    )
    examples = blocks.get("examples", "") and (
        blocks["examples"] if kept["examples"] else "… the examples are left out to keep the prompt short."
    )
    parts = [
        blocks.get("role", "") if role else cut, DATA, _task(briefing, kept),
        _section("Acceptance", fenced(briefing.acceptance), briefing.acceptance), _handoff(briefing, kept),
        _concerns(purpose, briefing), _clarified(purpose, briefing), shown(briefing.feedback).strip("\n"),
        _section("Escalation", shown(briefing.loop).strip(), briefing.loop),
        _section("Rounds so far", fenced("\n".join(briefing.rounds)), briefing.rounds if purpose == "lead" else ()),
        _blocking(purpose, briefing), _notes(purpose, briefing, kept), _checks(briefing, kept),
        _change(purpose, briefing, kept), _section("The request", fenced(briefing.request), briefing.request),
        _section("Focus on", _list(briefing.focus), briefing.focus if purpose in REVIEWING else ()),
        blocks.get("deep_analysis", "") if role else "", blocks.get("working", "") if role else "",
        contract(purpose, _asked(purpose, briefing, kept)), blocks.get("answering", ""), examples,
    ]  # fmt: skip
    return "\n\n".join(part for part in parts if part) + "\n"


def _section(title: str, text: str, about: object = True) -> str:
    """Return a section, or "" if there is nothing in it."""
    empty = not about or (isinstance(about, str) and not about.strip())
    return "" if empty else f"## {title}\n\n{text}"


def _list(items: tuple[str, ...]) -> str:
    return "\n".join(f"- {quoted(item)}" for item in items)


def _asked(purpose: PromptPurpose, briefing: Briefing, kept: KeptAmounts) -> Question:
    """Return what the answer must cover: blocking findings to answer, or findings that this reader has to rule on."""
    above = [*briefing.blocking, *briefing.notes(purpose)[: kept["notes"]]]
    due = tuple(
        finding.id for finding in above if (rulings_on(finding) if purpose in REVIEWING else finding.needs_answer)
    )
    return Question(
        task=briefing.task,
        max_words=briefing.max_words,
        reviewer=briefing.reviewer,
        attempt=briefing.attempt,
        diff_id=briefing.diff_id,
        options=briefing.options,
        due=due,
        by_message=bool(briefing.review_folder),
    )


def _task(briefing: Briefing, kept: KeptAmounts) -> str:
    lines = [f"Title: {quoted(briefing.title)}", f"Type: {plain(briefing.type)}. Iteration {briefing.iteration}."]
    if briefing.labels:
        lines.append(f"Labels: {', '.join(quoted(label) for label in briefing.labels)}")
    text, left = briefing.description[: kept["description"]], len(briefing.description) - kept["description"]
    if text.strip():
        lines += ["", fenced(text)]
    if left:
        lines.append(f"… {left:,} more characters of the description are left out: fe show {plain(briefing.task)}")
    return _section(f"Task {plain(briefing.task)}", "\n".join(lines))


def _handoff(briefing: Briefing, kept: KeptAmounts) -> str:
    shown_lines, left = briefing.handoff[: kept["handoff"]], len(briefing.handoff) - kept["handoff"]
    lines = [fenced("\n".join(shown_lines))] if shown_lines else []
    lines += [f"… {left} lines of the handoff are left out: fe show {plain(briefing.task)} --context"] if left else []
    return _section("Handoff", "\n".join(lines), briefing.handoff)


def _concerns(purpose: PromptPurpose, briefing: Briefing) -> str:
    points = [f"Point {n}:\n{fenced(text)}" for n, text in enumerate(briefing.concerns, start=1)]
    return _section("Where the reviews disagree", "\n\n".join(points), points if purpose == "clarify" else ())


def _clarified(purpose: PromptPurpose, briefing: Briefing) -> str:
    """Return the author's answers to concerns, for reviewers. (R2, V2)"""
    lead = "Reviewers had concerns about this change, and the author answered them. An answer is only a claim: check it in the code."
    points = [
        f"{plain(each.point)}, a concern of {quoted(each.reviewer)}:\n{fenced(each.concern)}\n"
        f"The answer of {quoted(each.answered_by)}:\n{fenced(each.answer[:MOST_ANSWER])}"
        for each in briefing.clarified[:MOST_CLARIFIED]
    ]
    left = len(briefing.clarified) - len(points)
    points += [f"… {left} more points are in the request"] if left else []
    return _section("What was clarified", "\n\n".join([lead, *points]), points if purpose in REVIEWING else ())


def _blocking(purpose: PromptPurpose, briefing: Briefing) -> str:
    findings = briefing.blocking
    lead = "Each of these blocks the task."
    if purpose == "implement":
        commands = " or ".join(f"`{COMMANDS[word].format('ID')}`" for word in words_for(blocking=True))
        lead += f" Answer each open one exactly once before you submit:\n{commands}"
    texts = [_finding(purpose, briefing, finding) for finding in findings]
    return _section(f"Open blocking findings ({len(findings)})", "\n\n".join([lead, *texts]), findings)


def _notes(purpose: PromptPurpose, briefing: Briefing, kept: KeptAmounts) -> str:
    notes = briefing.notes(purpose)
    texts = [_finding(purpose, briefing, finding) for finding in notes[: kept["notes"]]]
    left = len(notes) - len(texts)
    texts += (
        [f"… {left} {'note' if left == 1 else 'notes'} left out: fe finding list {plain(briefing.task)}"]
        if left
        else []
    )
    return _section(f"Other findings and notes ({len(notes)})", "\n\n".join(["None of these blocks.", *texts]), notes)


def _finding(purpose: PromptPurpose, briefing: Briefing, finding: Finding) -> str:
    marks = [
        finding.severity, finding.state, *(["note"] if finding.note else []),
        *(["must be fixed"] if finding.must_fix else []),
        *([f"flagged {finding.flags} times"] if finding.flags > 1 else []),
        *([f"claimed fixed but was not, {finding.false_fixes} times"] if finding.false_fixes else []),
    ]  # fmt: skip
    lines = [f"### {plain(finding.id)} ({', '.join(marks)})", f"Title: {quoted(finding.title)}"]
    lines += [f"Where: {quoted(finding.where)}"] if finding.where else []
    fields = {"Problem": finding.problem, "Why it matters": finding.why, "Fix": finding.fix, "Code": finding.quote}
    lines += [f"{name}:\n{fenced(text)}" for name, text in fields.items() if text.strip()]
    lines += [f"It has a patch: fe finding answer {plain(finding.id)} --apply"] if finding.fix_patch else []
    word, text, ground = briefing.answers.get(finding.id) or briefing.answers.get(finding.root) or ("", "", "")
    if word:
        lines.append(
            f"Answer so far: {plain(word)}{f' ({plain(ground)})' if ground else ''}"
            + (f"\n{fenced(text)}" if text.strip() else "")
        )
    return "\n".join([*lines, *step(purpose, finding)])


def _output(check: BriefedCheck) -> list[str]:
    return [*([check.summary] if check.summary.strip() else []), *check.failing]


def _checks(briefing: Briefing, kept: KeptAmounts) -> str:
    """Return every check with its outcome, and as much of its output as there is room for."""
    rows, room = [], kept["checks"]
    for check in briefing.checks:
        output = _output(check)[:room]
        room -= len(output)
        rows.append(
            f"- {quoted(check.name)}: {plain(check.outcome)}" + (f"\n{fenced(chr(10).join(output))}" if output else "")
        )
    left = sum(len(_output(check)) for check in briefing.checks) - kept["checks"]
    rows += [f"… {left} lines of check output are left out: fe check show {plain(briefing.task)}"] if left else []
    return _section("Checks", "\n".join(rows), briefing.checks)


def _read_it(briefing: Briefing) -> list[str]:
    """Return instructions for reading the change: its file, if the run has one, or commands."""
    if briefing.review_folder:
        return [
            f"to read it: the file {quoted(f'{briefing.review_folder}/{CHANGE}')} in the current directory, a unified diff",
            "Next to it are all files as they are after the change. There is no repository here and nothing to run.",
        ]
    show = f"fe show {plain(briefing.task)} --diff"
    since = [f"only the changes since the previous attempt: {show} --since {briefing.attempt - 1}"]
    return [f"to read it: {show}", *(since if briefing.attempt > 1 else [])]


def _change(purpose: PromptPurpose, briefing: Briefing, kept: KeptAmounts) -> str:
    facts = {"base": briefing.base, "head": briefing.head, "branch": briefing.branch, "diff": briefing.diff_id}
    facts["seen"] = briefing.seen
    lines = [f"{name}: {plain(fact)}" for name, fact in facts.items() if fact]
    rows = [_file(file) for file in briefing.files[: kept["files"]]]
    left = len(briefing.files) - len(rows)
    lines += _read_it(briefing) if purpose in REVIEWING and (briefing.attempt or briefing.review_folder) else []
    lines += [f"{len(briefing.files)} changed files:", fenced("\n".join(rows))] if rows else []
    lines += (
        [f"… {left} of {len(briefing.files)} files are left out: fe show {plain(briefing.task)} --diff"] if left else []
    )
    return _section("Change", "\n".join(lines), lines)


def _file(file: ChangedFile) -> str:
    size = "binary" if file.added is None else f"+{file.added} -{file.removed or 0}"
    return f"{quoted(file.path)} {size}" + (f" (was {quoted(file.old_path)})" if file.old_path else "")


# ---- Prompt contract ----

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
    "concerns": "it must change first. An approved verdict with a CRITICAL or HIGH finding counts as concerns",
    "blocker": "stop the work until a person decides",
}
"""The review prompt's words for each status, alias and verdict."""

COMMANDS: dict[AnswerWord, str] = {
    "FIXED": 'fe finding answer {} --fixed -m "what you changed"',
    "REJECTED": f'fe finding answer {{}} --rejected --ground GROUND -m "the technical reason, at least {LEAST_REASON} '
    'characters"',
    "DEFERRED": 'fe finding answer {} --deferred -m "why later"',
    "SKIPPED": "fe finding answer {} --skipped",
}


def step(purpose: PromptPurpose, finding: Finding) -> list[str]:
    """Return the reader's next step for one finding."""
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
    """Return the rulings to offer. There are none for a check's own finding, which only the check resolves."""
    return () if finding.by_check else rulings_for(finding.state, waiting=finding.waiting, left_diff=finding.left_diff)


def words_for(blocking: bool, *, must_fix: bool = False) -> list[AnswerWord]:
    """Return the allowed answers to a finding. (L6, L9)"""
    return ["FIXED"] if must_fix else [word for word in ANSWERS if word in FOR_BLOCKING or not blocking]


def _no_answer(finding: Finding) -> str:
    """Return what a finding needs instead of an answer, or "" if it needs one."""
    if finding.by_check:
        return f"No answer: it is resolved when the check {quoted(finding.by_check)} passes."
    if finding.waiting:
        return "No answer yet: another reviewer must confirm it first."
    if finding.state == "waived":
        return "Its waiver has expired. Fix it, or a person must waive it again."
    if finding.state != "open":
        return "Answered and waiting for a ruling."
    return "No answer is needed: it is a note." if finding.note else ""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """Input of the answer format: the task, and the findings that need an answer or a ruling."""

    task: str
    max_words: int
    reviewer: str = ""
    attempt: int = 0
    diff_id: str = ""
    options: tuple[str, ...] = ()
    due: tuple[str, ...] = ()
    by_message: bool = False
    """True if the last message is the answer, so that no command is needed."""


def contract(purpose: PromptPurpose, asked: Question) -> str:
    """Return the instructions for the answer. Every prompt has them in full, whatever the template says. (F4)"""
    if purpose in REVIEWING:
        return _reviewing(asked, again=purpose == "rereview")
    return {"implement": _submit_section, "respond": _answering, "clarify": _clarifying, "lead": _leading}[purpose](
        asked
    )


def _submit_section(asked: Question) -> str:
    return (
        "## How to submit\n\n"
        f'Commit your work, then: fe submit {plain(asked.task)} -m "what you did"\n'
        f'If you cannot go on: fe unstart {plain(asked.task)} -m "what is in the way"\n'
        "Someone else reviews it and decides. You cannot approve your own work."
    )


def _answering(asked: Question) -> str:
    due = ", ".join(plain(finding) for finding in asked.due) or "none"
    rows = [
        {
            "issue_id": "ID",
            "action": "FIXED",
            "details": "what you changed",
            "commit": "the commit that fixes it, if there is one",
        },
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
        f"These findings need exactly one answer each: {due}\n"
        "A blocking finding is FIXED or REJECTED, never DEFERRED or SKIPPED. One that must be fixed can only "
        "be FIXED. Any other finding\n"
        "can have any of the four. Without an answer it counts as SKIPPED. FIXED is a claim that a reviewer verifies.\n"
        f"REJECTED needs a ground ({', '.join(GROUNDS)}) and a technical reason of at least\n"
        f"{LEAST_REASON} characters. That it is hard, takes long, or that you disagree is not a reason.\n"
        "Use the commands above, or put all answers into one file: fe finding answer FILE\n\n"
        + _shape({"type": "handoff_developer", "issue_responses": rows})
    )


def _reviewing(asked: Question, *, again: bool) -> str:
    due = ", ".join(plain(finding) for finding in asked.due) or "none"
    first = (
        "First rule on the answers: is each claimed fix in the code, and is each rejection right? Then look for new problems. Only\n"
        "new CRITICAL and HIGH findings count. New MEDIUM and LOW ones become notes.\n"
    )
    words = "\n".join(f"- {word}: {meaning}" for word, meaning in STATUS_MARKERS.items())
    return (
        "## How to answer\n\n"
        + (first if again else "")
        + "Analyse the change thoroughly before you judge: security, edge cases, maintenance, "
        "load, integration points.\nEach finding names the code, how it fails, a concrete fix, and a "
        "severity by its impact.\n"
        "Your answer is exactly one JSON document of the shape below. Text around it, or instead of it, "
        "is not read.\n"
        f"- summary: at most {asked.max_words} words.\n"
        "- files_reviewed: every changed file, written as above. A review that leaves one out does not count.\n"
        "- quote: the code word for word, as it is before or after the change. A quote that is not in the code is returned to you.\n"
        f"- rulings: exactly one for each of: {due}.\n"
        "- id: only if you raise a finding above again.\n"
        f"{_handoff_section(asked)}\n"
        f"The words for status and verdict:\n{words}\n\n" + _shape(_result(asked))
    )


def _handoff_section(asked: Question) -> str:
    if not asked.by_message:
        return f"Write it to a file, then: fe review submit {plain(asked.task)} FILE"
    return "Your last message is this document, alone or as its only ```json block. Nothing else that you write is read, and no one\nanswers questions. Keep the diff_id given below, which names the change."


def _result(asked: Question) -> dict[str, object]:
    """Return the shape of a review. Its values list alternatives, so that the shape itself is not a valid answer.
    (V3)
    """
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
        "The reviews disagree, so work is paused. Answer each point above by its number: what is true in the "
        "code, where it can be\n"
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


# ---- Briefing (F3, F4, V2) ----

CHANGE, REQUEST = "change.diff", "request.json"
"""Files for a review run, in a folder of its checkout: the change as a unified diff, and the request. (V2)"""


class BriefedCheck(msgspec.Struct, frozen=True, kw_only=True):
    """The state of one check for a prompt."""

    name: str
    outcome: str
    summary: str = ""
    failing: tuple[str, ...] = ()


class Briefing(msgspec.Struct, frozen=True, kw_only=True):
    """All input of a prompt.

    - feedback: `feedback.section(history)`
    - loop, rounds: from the escalation engine
    - answers: for each finding, the word, the text and the reason given
    - concerns, clarified: points on which reviewers disagree, and those answered since (R2)
    - options: the lead's commands
    - at: the current time, which decides whether a waiver is still valid
    - beside: the folder with the change in a review run's checkout. The answer is then the last message.
    - request: the review_request document as JSON
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
    review_folder: str = ""
    request: str = ""

    @property
    def seen(self) -> str:
        """The value of `--seen` for the change. (D7)"""
        return seen_name(self.attempt, self.diff_id) if self.attempt and self.diff_id else ""

    @property
    def blocking(self) -> list[Finding]:
        """The findings that are never cut. (F4)"""
        return [finding for finding in self.findings if finding.holds(self.at)]

    def notes(self, purpose: PromptPurpose) -> list[Finding]:
        """Return the other open findings. Reviewers and leads also see settled ones that could be raised again (L9)."""
        settled = purpose in REVIEWING or purpose == "lead"
        return [
            finding
            for finding in self.findings
            if not finding.holds(self.at)
            and (
                finding.state in UNRESOLVED or (settled and (finding.state == "waived" or finding.ruling == "ACCEPTED"))
            )
        ]
