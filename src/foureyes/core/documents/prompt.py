"""What an agent is told (F3, F4): sections in a fixed order. The words around them are a template; what others wrote is
fenced data.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from foureyes.core.documents.briefing import CHANGE, BriefedCheck, Briefing
from foureyes.core.documents.prompt_contract import (
    COMMANDS,
    PURPOSES,
    REVIEWING,
    STATUS_MARKERS,
    PromptPurpose,
    Question,
    contract,
    rulings_on,
    step,
    words_for,
)
from foureyes.core.nouns.attempt import ChangedFile
from foureyes.core.nouns.finding import ANSWERS, GROUNDS, RULINGS, SEVERITIES, Finding
from foureyes.core.words.fence import DATA, fenced, plain, quoted, shown
from foureyes.core.words.text import visible
from foureyes.core.words.verdicts import VERDICTS
from foureyes.errors import BadInput, Reason, Refused
from foureyes.steps import fe

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
"""What a template may say. Everything else, and how to answer, is added whatever the template says."""
CUTS = ("examples", "role", "notes", "checks", "files", "handoff", "description")
"""F4: what is cut when it does not fit, first to last. What is not named here is never cut."""
MOST_CLARIFIED, MOST_ANSWER = 20, 1_000
"""R2: so many answers to concerns, and so many characters of each; the request has all of it."""

MARKER = re.compile(r"\[\[([^\[\]]*)\]\][ \t]*\Z")
PLACEHOLDER = re.compile(r"\{\{([a-z_]+)\}\}|\{([a-z_]+)\}")


def read_template(template: str) -> dict[str, str]:
    """The blocks of a template by name. Whatever is not known is refused, so that a typing error silences nothing."""
    blocks: dict[str, list[str]] = {}
    name = ""
    for line in template.split("\n"):
        marker = MARKER.match(line.rstrip("\r"))
        if marker is not None:
            name = marker.group(1)
            if name not in BLOCKS or name in blocks:
                what = (
                    "is there twice"
                    if name in blocks
                    else f"is not known; known are {', '.join(f'[[{block}]]' for block in BLOCKS)}"
                )
                raise BadInput(f"the section [[{visible(name)[:60]}]] of the prompt template {what}.")
            blocks[name] = []
        elif name:
            blocks[name].append(line)
        elif line.strip():
            raise BadInput(
                "the prompt template begins with text; put it below one of "
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
    """A template with its placeholders replaced, once; `{{task}}` is the word {task}."""

    def value(placeholder: re.Match[str]) -> str:
        literal, name = placeholder.groups()
        if literal is not None:
            return f"{{{literal}}}"
        if name not in values:
            known = ", ".join(f"{{{each}}}" for each in PLACEHOLDERS)
            raise BadInput(f"the placeholder {{{name}}} of the prompt template is not known; known are {known}.")
        return values[name]

    return PLACEHOLDER.sub(value, text)


KeptAmounts = dict[str, int]
"""How much of each part that may be cut is kept."""


def compose(purpose: PromptPurpose, briefing: Briefing, template: str, limit: int = LIMIT) -> str:
    """F4: the whole prompt, cut in the fixed order if it has to be; refused if what may not be cut does not fit."""
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
    why = f"open blocking findings, feedback and task alone are {len(text):,} characters; the limit is {limit:,}"
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
    """The most of one part that fits; nothing of it, if even that is too much."""
    low, high = 0, max(kept[name] - 1, 0)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(kept | {name: middle}) else (low, middle - 1)
    return low


def _text(purpose: PromptPurpose, briefing: Briefing, blocks: dict[str, str], kept: KeptAmounts) -> str:
    """The sections in their order; one that has nothing to say is not there at all (F3)."""
    role = bool(kept["role"])
    cut = (
        ""
        if role or not _whole(purpose, briefing, blocks)["role"]
        else "… the text about your role is left out: the prompt is long."
    )
    examples = blocks.get("examples", "") and (
        blocks["examples"] if kept["examples"] else "… the examples are left out: the prompt is long."
    )
    parts = [
        blocks.get("role", "") if role else cut, DATA, _task(briefing, kept),
        _section("Acceptance", fenced(briefing.acceptance), briefing.acceptance), _handoff(briefing, kept),
        _concerns(purpose, briefing), _clarified(purpose, briefing), shown(briefing.feedback).strip("\n"),
        _section("How near escalation is", shown(briefing.loop).strip(), briefing.loop),
        _section("Rounds so far", fenced("\n".join(briefing.rounds)), briefing.rounds if purpose == "lead" else ()),
        _blocking(purpose, briefing), _notes(purpose, briefing, kept), _checks(briefing, kept),
        _change(purpose, briefing, kept), _section("The request", fenced(briefing.request), briefing.request),
        _section("Look especially at", _list(briefing.focus), briefing.focus if purpose in REVIEWING else ()),
        blocks.get("deep_analysis", "") if role else "", blocks.get("working", "") if role else "",
        contract(purpose, _asked(purpose, briefing, kept)), blocks.get("answering", ""), examples,
    ]  # fmt: skip
    return "\n\n".join(part for part in parts if part) + "\n"


def _section(title: str, text: str, about: object = True) -> str:
    """A section, if there is anything in what it is about."""
    empty = not about or (isinstance(about, str) and not about.strip())
    return "" if empty else f"## {title}\n\n{text}"


def _list(items: tuple[str, ...]) -> str:
    return "\n".join(f"- {quoted(item)}" for item in items)


def _asked(purpose: PromptPurpose, briefing: Briefing, kept: KeptAmounts) -> Question:
    """What the answer has to name: the blocking findings to answer, or every finding above that waits for this reader's
    ruling.
    """
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
        by_message=bool(briefing.beside),
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
    lines += [f"… {left} lines of the handoff are left out: fe context {plain(briefing.task)}"] if left else []
    return _section("Handoff", "\n".join(lines), briefing.handoff)


def _concerns(purpose: PromptPurpose, briefing: Briefing) -> str:
    points = [f"Point {n}:\n{fenced(text)}" for n, text in enumerate(briefing.concerns, start=1)]
    return _section("Where the reviews disagree", "\n\n".join(points), points if purpose == "clarify" else ())


def _clarified(purpose: PromptPurpose, briefing: Briefing) -> str:
    """R2, V2: what the author answered to concerns, for who looks again."""
    lead = "Reviewers had concerns about this change, and these were answered. An answer is a claim: the code decides."
    points = [
        f"{plain(each.point)}, a concern of {quoted(each.reviewer)}:\n{fenced(each.concern)}\n"
        f"The answer of {quoted(each.answered_by)}:\n{fenced(each.answer[:MOST_ANSWER])}"
        for each in briefing.clarified[:MOST_CLARIFIED]
    ]
    left = len(briefing.clarified) - len(points)
    points += [f"… {left} more are in the request"] if left else []
    return _section("What was clarified", "\n\n".join([lead, *points]), points if purpose in REVIEWING else ())


def _blocking(purpose: PromptPurpose, briefing: Briefing) -> str:
    findings = briefing.blocking
    lead = "Each of these keeps the task from passing."
    if purpose == "implement":
        commands = " or ".join(f"`{COMMANDS[word].format('ID')}`" for word in words_for(blocking=True))
        lead += f" Answer every open one, once, before you submit:\n{commands}"
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
        *([f"claimed fixed, but was not: {finding.false_fixes} times"] if finding.false_fixes else []),
    ]  # fmt: skip
    lines = [f"### {plain(finding.id)} ({', '.join(marks)})", f"Title: {quoted(finding.title)}"]
    lines += [f"Where: {quoted(finding.where)}"] if finding.where else []
    fields = {"Problem": finding.problem, "Why it matters": finding.why, "Fix": finding.fix, "Code": finding.quote}
    lines += [f"{name}:\n{fenced(text)}" for name, text in fields.items() if text.strip()]
    lines += [f"A patch is on record: fe finding apply {plain(finding.id)}"] if finding.fix_patch else []
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
    """Every check with its outcome; its output as far as it is kept."""
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
    """What shows the change: a file for who has it at hand, else the commands, also for what is new in it."""
    if briefing.beside:
        return [
            f"read it: the file {quoted(f'{briefing.beside}/{CHANGE}')} where you are, a unified diff",
            "Beside it lie all files as they are after the change. There is no repository here, and nothing to run.",
        ]
    show = f"fe show {plain(briefing.task)} --diff"
    since = [f"only what changed since the attempt before: {show} --since {briefing.attempt - 1}"]
    return [f"read it: {show}", *(since if briefing.attempt > 1 else [])]


def _change(purpose: PromptPurpose, briefing: Briefing, kept: KeptAmounts) -> str:
    facts = {"base": briefing.base, "head": briefing.head, "branch": briefing.branch, "diff": briefing.diff_id}
    facts["seen"] = briefing.seen
    lines = [f"{name}: {plain(fact)}" for name, fact in facts.items() if fact]
    rows = [_file(file) for file in briefing.files[: kept["files"]]]
    left = len(briefing.files) - len(rows)
    lines += _read_it(briefing) if purpose in REVIEWING and (briefing.attempt or briefing.beside) else []
    lines += [f"{len(briefing.files)} changed:", fenced("\n".join(rows))] if rows else []
    lines += (
        [f"… {left} of {len(briefing.files)} files are left out: fe show {plain(briefing.task)} --diff"] if left else []
    )
    return _section("Change", "\n".join(lines), lines)


def _file(file: ChangedFile) -> str:
    size = "binary" if file.added is None else f"+{file.added} -{file.removed or 0}"
    return f"{quoted(file.path)} {size}" + (f" (was {quoted(file.old_path)})" if file.old_path else "")
