"""What the page of a finding says: the finding, the code around its line, its story, and what one can do about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec
from rich.text import Text

from foureyes.app.results.finding import FindingDetail, FindingView, MoveView
from foureyes.core.nouns.finding import ANSWERS, FOR_BLOCKING, RULINGS
from foureyes.steps import Arg, Step
from foureyes.ui.tui.marks import Marks, Palette, visible
from foureyes.ui.tui.text.diff import ROLES, SIGNS, across, code, finding_mark
from foureyes.ui.tui.text.diff_rows import NumberedChange
from foureyes.ui.tui.text.lines import clock

if TYPE_CHECKING:
    from foureyes.app.results.diff import DiffView
    from foureyes.core.documents.unified_diff import DiffLine

FIXING = 12
"""So many lines of what changed since are shown under a claim that it is fixed."""
RULING_WORDS = {
    "VERIFIED": ("verified", "it is fixed"),
    "NOT_FIXED": ("not fixed", "counts as a false fix"),
    "ACCEPTED": ("accept the rejection", "may be raised again only if the code changes (L9)"),
    "OVERRULED": ("overrule", "becomes must-fix in the next round"),
    "CONFIRMED": ("confirm", "it is real, though its quote is nowhere in the code (V7)"),
    "DISMISSED": ("dismiss", "it is about nothing that is there (V7)"),
    "OBSOLETE": ("obsolete", "its file is no longer part of the change (L4)"),
}
ANSWER_WORDS = {
    "FIXED": ("FIXED …", "what you changed, and in which commit"),
    "REJECTED": ("REJECTED …", "on which ground, in 20 characters or more (L7)"),
    "DEFERRED": ("DEFERRED …", "later; as a task, if you want"),
    "SKIPPED": ("SKIPPED …", "not at all"),
}
SETTLES = ("VERIFIED", "ACCEPTED", "DISMISSED", "OBSOLETE")


class FindingChoice(msgspec.Struct, frozen=True, kw_only=True):
    """Something that one can do about a finding. `off`: why not, where it is listed all the same."""

    kind: Literal["rule", "answer", "waive", "track"]
    word: str
    text: str
    note: str = ""
    off: str = ""


class FindingOffer(msgspec.Struct, frozen=True):
    """What is offered to who looks: under which heading, which choices, and what is said where there are none."""

    heading: str
    choices: tuple[FindingChoice, ...] = ()
    notes: tuple[str, ...] = ()


def offer(view: FindingDetail) -> FindingOffer:
    """What who looks can do, read from the next step that the Application names for them."""
    steps = {_command(step): step for step in view.next.steps if _command(step)}
    heading, choices, notes = "", [], []
    if "judge" in steps:
        heading = "Your ruling"
        if steps["judge"].who == "other":
            notes.append("you answered this: someone else rules (L9)")
            return FindingOffer(heading, (), tuple(notes))
        choices = [_ruling(word) for word in _words(steps["judge"], RULINGS)]
    elif "answer" in steps and steps["answer"].who == "you":
        heading = "Your answer"
        choices = [_answer(view, word) for word in ANSWERS]
        if "start" in steps:
            notes.append(f"it is answered by whoever works on it: fe start {view.task}")
        return FindingOffer(heading, tuple(choices), tuple(notes))
    elif "answer" in steps:
        heading = "It waits for an answer"
        notes.append(f"its implementer answers: fe finding answer {view.id}")
    elif "track" in steps:
        heading = "A note: it blocks nothing"
        choices = [FindingChoice(kind="track", word="track", text="make a task of it", note="for later (L16)")]
    if view.check and view.holds:
        notes.append(f"check {view.check} raised it: only the passing check resolves it (D5)")
    elif view.blocking and view.holds:
        note = "you may: reason and expiry, stays on every report"
        choices.append(FindingChoice(kind="waive", word="waive", text="waive …", note=note))
    return FindingOffer(heading or f"It is {view.state_in_words}", tuple(choices), tuple(notes))


def _command(step: Step) -> str:
    """What a step does, as far as this page knows it."""
    words = [word for word in step.argv if isinstance(word, str)]
    if words[:2] == ["fe", "finding"] and len(words) > 2:
        return next((option[2:] for option in ("--track", "--withdraw", "--apply") if option in words), words[2])
    return "start" if words[:2] == ["fe", "start"] else ""


def _words(step: Step, known: Sequence[str]) -> list[str]:
    """The words of a step's choice, in the order of those that are known."""
    given = {choice for arg in step.argv if isinstance(arg, Arg) for choice in (arg.choices or (arg.name,))}
    given |= {word for word in step.argv if isinstance(word, str)}
    return [word for word in known if f"--{word.lower().replace('_', '-')}" in given]


def _ruling(word: str) -> FindingChoice:
    text, note = RULING_WORDS[word]
    return FindingChoice(kind="rule", word=word, text=text, note=note)


def _answer(view: FindingDetail, word: str) -> FindingChoice:
    text, note = ANSWER_WORDS[word]
    off = ""
    if view.blocking and word not in FOR_BLOCKING:
        off = "blocking: only FIXED or REJECTED (L6)"
    elif view.must_fix and word == "REJECTED":
        off = "it was rejected and overruled: it has to be fixed (L9)"
    return FindingChoice(kind="answer", word=word, text=text, note=note, off=off)


# -- text


class FindingDrawing(msgspec.Struct, frozen=True):
    """What a text is drawn with."""

    marks: Marks
    palette: Palette
    width: int
    around: int = 3
    """So many lines of code are shown before and after the one that is meant."""


def top_lines(view: FindingView, drawing: FindingDrawing) -> list[Text]:
    """Id and state; title and where it is."""
    palette, width = drawing.palette, drawing.width
    rounds = f" · round {view.rounds}" if view.rounds > 1 else ""
    role = "bad" if view.blocking and view.holds else "title"
    state = Text(f"{finding_mark(view, drawing.marks)} {view.severity} · {view.state_in_words}{rounds} ", palette[role])
    who = f"check {view.check}" if view.check else visible(view.by)
    place = f"{visible(view.place)} · " if view.place else ""
    where = Text(f"{place}{who} · iteration {view.raised} ", palette["dim"])
    first = across(Text(f" FINDING {view.id}", palette["title"]), state, width)
    title = visible(view.title)
    if len(title) + where.cell_len + 2 <= width:
        return [first, across(Text(f" {title}"), where, width)]
    lines = [Text(f" {line}") for line in wrapped(title, max(20, width - 2))[:2]]
    return [first, *lines, across(Text(""), where, width)]


def field_lines(name: str, value: str, drawing: FindingDrawing) -> list[Text]:
    """A named text, wrapped under its name."""
    if not value.strip():
        return []
    room = max(20, drawing.width - 12)
    lines: list[str] = []
    for part in visible_lines(value):
        lines += wrapped(part, room)
    first, *rest = lines or [""]
    head = Text.assemble((f" {name:<10}", drawing.palette["heading"]), first)
    return [head, *[Text(f"{'':<11}{line}") for line in rest]]


def visible_lines(value: str) -> list[str]:
    return [visible(line, tabs=4) for line in value.strip("\n").split("\n")]


def wrapped(text: str, room: int) -> list[str]:
    """A line in pieces that fit, cut at blanks where there are some."""
    pieces = []
    while len(text) > room:
        at = text.rfind(" ", 1, room + 1)
        at = at if at > 0 else room
        pieces.append(text[:at])
        text = text[at:].lstrip()
    return [*pieces, text]


def code_lines(view: FindingView, change: DiffView | None, drawing: FindingDrawing) -> list[Text]:
    """The code around the line, as the change has it; its quote where the change has it no more."""
    if change is not None and view.location.path:
        parts = NumberedChange(change)
        anchor = parts.anchor(view.location.path, view.location.line, view.quote)
        if anchor.hunk >= 0:
            lines = parts.places[anchor.hunk].hunk.lines
            first = max(0, anchor.line - drawing.around)
            span = range(first, min(len(lines), anchor.line + drawing.around + 1))
            return [code_line(lines[number], drawing, here=number == anchor.line) for number in span]
    quote = [Text(f"         {line}", drawing.palette["dim"]) for line in visible_lines(view.quote)[:7] if view.quote]
    return [*quote, Text("         (not in the change any more)", drawing.palette["dim"])] if quote else []


def code_line(line: DiffLine, drawing: FindingDrawing, *, here: bool) -> Text:
    """A line of code with its number; the one that is meant has a mark."""
    number = line.old if line.kind == "removed" else line.new
    mark = drawing.marks.cursor if here else " "
    text = Text(f" {mark} {number or '':>5} {SIGNS[line.kind]} ")
    text.append(code(line, drawing.marks), drawing.palette[ROLES[line.kind]])
    text.truncate(drawing.width, overflow="ellipsis")
    return text


def fixing_lines(view: FindingView, since: DiffView | None, drawing: FindingDrawing) -> list[Text]:
    """Under a claim that it is fixed: what changed in its file since it was flagged."""
    if since is None or view.state != "claimed":
        return []
    heading = Text(f" what changed there since iteration {since.since}", drawing.palette["heading"])
    file = next((file for file in since.files if file.path == view.location.path), None)
    if file is None:
        return [heading, Text("         nothing in this file", drawing.palette["warn"])]
    hunks = sorted(file.hunks, key=lambda hunk: abs(hunk.new_start - view.location.line))
    lines = [line for hunk in hunks[:1] for line in hunk.lines]
    shown = [code_line(line, drawing, here=False) for line in lines[:FIXING]]
    left = len(lines) - len(shown)
    more = [Text(f"   {drawing.marks.more} {left} more · D shows it", drawing.palette["dim"])] if left else []
    return [heading, *shown, *more]


def answer_lines(view: FindingView, drawing: FindingDrawing) -> list[Text]:
    """The answer that stands: by whom, which, on what ground, in what words."""
    answer = view.latest_answer
    if answer is None:
        return []
    ground = f" ({answer.ground})" if answer.ground else ""
    commit = f" in {answer.commit[:12]}" if answer.commit else ""
    debt = f", task {answer.debt}" if answer.debt else ""
    who = visible(view.names.get(answer.session, answer.session))
    lines = [Text(f" {who} answered {answer.word}{ground}{commit}{debt}, {clock(answer.at)}", drawing.palette["title"])]
    for part in visible_lines(answer.words) if answer.words.strip() else []:
        lines += [Text(f"   {line}") for line in wrapped(part, max(20, drawing.width - 4))]
    return lines


def history(view: FindingView) -> str:
    """Everything that happened to it, in one line: `it 1 raised · it 2 FIXED → NOT_FIXED`."""
    parts: list[str] = []
    for move in view.moves:
        word = _moved(move)
        if move.kind == "ruled" and parts and not move.undone:
            parts[-1] += f" → {word}"
        else:
            parts.append(f"it {move.iteration} {word}")
    return " · ".join(parts)


def _moved(move: MoveView) -> str:
    word = move.word if move.kind in ("answered", "ruled") else move.kind.replace("_", " ")
    return f"{word} (taken back)" if move.undone else "raised again" if word == "flagged" else word


def offer_lines(offered: FindingOffer, drawing: FindingDrawing) -> Iterator[Text]:
    """The choices by their digits; what is off is struck out, with the reason."""
    palette = drawing.palette
    yield Text(f" {offered.heading}", palette["title"])
    for number, choice in enumerate(offered.choices, 1):
        if choice.off:
            plain = Text.assemble((f"   {number} ", palette["dim"]), (f"{choice.text:<22}", "strike"))
            plain.append(f" {choice.off}", palette["dim"])
        else:
            plain = Text.assemble((f"   {number} ", palette["key"]), f"{choice.text:<22} ")
            plain.append(choice.note, palette["dim"])
        yield plain
    for note in offered.notes:
        yield Text(f"   {note}", palette["warn"])


def left_words(view: FindingView, offered: FindingOffer, others: Sequence[FindingView]) -> str:
    """How many blocking findings would be left after the first choice."""
    if not offered.choices or offered.choices[0].word not in SETTLES:
        return ""
    left = sum(each.holds and each.root != view.root for each in others)
    return f'{left} open blocking {"finding" if left == 1 else "findings"} left after a "1"'
