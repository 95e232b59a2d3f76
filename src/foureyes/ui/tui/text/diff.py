"""What the diff says: headings, numbered lines, findings and comments at their lines, the list of files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from rich.text import Text

from foureyes.core.documents.unified_diff import DiffLine, FileDiff
from foureyes.core.nouns.finding import SEVERITIES
from foureyes.ui.tui.comments import Comment
from foureyes.ui.tui.marks import PLAIN, Marks, Palette, ascii_of, visible
from foureyes.ui.tui.seen import SeenColumns
from foureyes.ui.tui.text.diff_rows import BIG, DiffRow, DiffRows
from foureyes.ui.tui.text.lines import columns, cut, fitting
from foureyes.ui.tui.view_record import LookSoFar

if TYPE_CHECKING:
    from foureyes.app.results.finding import FindingView, MoveView

SIGNS = {"added": "+", "removed": "-", "context": " ", "note": "\\"}
ROLES = {"added": "added", "removed": "removed", "context": "text", "note": "dim"}
STATES = {"claimed": "?", "disputed": "!", "waived": "w"}
TAB = 4
HEAD = 4
"""The columns around a line's number, and its sign."""


def finding_mark(finding: FindingView, marks: Marks) -> str:
    """The mark of a finding: how bad it is, and where it stands."""
    settled = finding.state in ("resolved", "obsolete")
    return marks.severities.get(finding.severity, "?") + (
        marks.checks["passed"] if settled else STATES.get(finding.state, "")
    )


def finding_rows(finding: FindingView) -> list[str]:
    """What a finding says at its line, without its heading: why, what to do, what came of it."""
    rows = [("why  ", finding.why or finding.problem), ("fix  ", finding.fix)]
    lines = [name + in_one_line(text) for name, text in rows if text.strip()]
    return lines + [line for line in (_answers(finding),) if line]


def in_one_line(text: str) -> str:
    """Words of several lines in one; what is no blank and no line break is made visible."""
    return " ".join(visible(text.replace("\n", " ")).split())


def _answers(finding: FindingView) -> str:
    """The answer and the ruling, in one line; with who and with what words where they are known."""
    parts = []
    answer = finding.latest_answer
    if answer is not None:
        parts.append(_said(finding, answer))
    elif finding.answer:
        parts.append(finding.answer)
    ruled = next((move for move in reversed(finding.moves) if move.kind == "ruled" and not move.undone), None)
    if ruled is not None:
        parts.append(f"{visible(finding.names.get(ruled.session, ruled.session))}: {ruled.word}")
    elif finding.ruling:
        parts.append(finding.ruling)
    return "  →  ".join(parts) or finding.state_in_words


def _said(finding: FindingView, answer: MoveView) -> str:
    who = visible(finding.names.get(answer.session, answer.session))
    commit = f" in {answer.commit[:7]}" if answer.commit else ""
    words = f' "{in_one_line(answer.words)}"' if answer.words else ""
    return f"{who}: {answer.word}{commit}{words}"


def comment_rows(comment: Comment) -> list[str]:
    """What a comment says at its line."""
    lines = [visible(line) for line in comment.text.strip().split("\n")]
    return lines + ([f"fix  {visible(comment.fix)}"] if comment.fix.strip() else [])


class VisiblePart(NamedTuple):
    """The part of a line's code that is on screen: its characters from `start` to `end`, of so many."""

    text: str
    start: int
    end: int
    whole: int

    @property
    def is_whole(self) -> bool:
        return not self.start and self.end == self.whole


class Painter(msgspec.Struct):
    """How rows look. `shift`: how far the code is scrolled to the side; `words`: what is searched for; `span`: the rows
    that a comment will be about; `parts`: what was on screen of the lines that are wider.
    """

    rows: DiffRows
    marks: Marks
    palette: Palette
    looking: LookSoFar
    findings: Sequence[FindingView] = ()
    comments: Sequence[Comment] = ()
    shift: int = 0
    words: str = ""
    span: range = range(0)
    parts: SeenColumns = msgspec.field(default_factory=SeenColumns)

    def row(self, number: int, width: int) -> Text:
        """One row for a width."""
        row = self.rows.rows[number]
        text: Text = getattr(self, f"_{row.kind}")(row, width)
        if self.words and row.kind in ("line", "pair"):
            text.highlight_words([self.words], self.palette["banner"], case_sensitive=False)
        if number in self.span:
            text = Text.assemble(self.marks.edge, text[1:])  # never by colour alone
            text.stylize(self.palette["cursor"])
        return text

    def is_cut(self, number: int, width: int) -> bool:
        """Whether the end of a row's code is off the screen."""
        return any(self._cut(number, width))

    def next_part(self, numbers: Iterable[int], width: int) -> int:
        """How far to the side the next part of these rows' code begins, so that none of it is left out; 0 where the
        ends of all are on screen.
        """
        parts = [part for number in numbers for part in self._cut(number, width)]
        return self.shift + min(parts) if parts else 0

    def _cut(self, number: int, width: int) -> Iterator[int]:
        """How many characters of each line of a row are on screen, of those whose end is not."""
        for _, part in self.on_screen(number, width, long=True):
            if part.end < part.whole:
                yield part.end - part.start

    def on_screen(self, number: int, width: int, *, long: bool = False) -> Iterator[tuple[int, VisiblePart]]:
        """The lines of code on a row, by their numbers among all, each with its part that is on screen; with `long`
        only those that may be wider than it.
        """
        row = self.rows.rows[number]
        if row.kind not in ("line", "pair"):
            return
        place = self.rows.change.places[row.hunk]
        room = (width if row.kind == "line" else (width - 1) // 2) - self._digits(row.file) - HEAD
        for line in {row.line, row.right}:
            if line >= 0 and not (long and _is_short(place.hunk.lines[line], room)):
                yield place.first + line, self._part(place.hunk.lines[line], room)

    def _part(self, line: DiffLine, room: int) -> VisiblePart:
        whole = code(line, self.marks)
        if line.kind == "note":  # ours, and drawn as far as there is room
            return VisiblePart(whole, 0, len(whole), len(whole))
        start = min(self.shift, len(whole))
        rest = whole[start:]
        many = fitting(rest, room)
        many = many if many == len(rest) else max(1, fitting(rest, room - 1))
        return VisiblePart(rest[:many], start, start + many, len(whole))

    # -- headings

    def _gap(self, row: DiffRow, width: int) -> Text:
        return Text("")

    def _title(self, row: DiffRow, width: int) -> Text:
        rule = self.marks.rule
        return cut(Text(f" {rule * 2} not at a line of this change {rule * width}", self.palette["heading"]), width)

    def _file(self, row: DiffRow, width: int) -> Text:
        file = self.rows.change.files[row.file]
        right = Text(f" {self._seen_words(file)} ", self.palette["dim"])
        about = counts(file, self.marks) + (f"  {file.kind}" if file.kind else "")
        room = max(8, width - right.cell_len - len(about) - 6)
        name = f"{visible(file.old_path)} → {visible(file.path)}" if file.old_path else visible(file.path)
        left = Text(f" {file.status} {tail(name, room, self.marks.ellipsis)} ", self.palette["heading"])
        left.append(f"{about} ", self.palette["text"])
        line = Text(self.marks.rule * max(0, width - left.cell_len - right.cell_len), self.palette["dim"])
        return cut(Text.assemble(left, line, right), width)

    def _seen_words(self, file: FileDiff) -> str:
        unseen = self.looking.unseen_in(file)
        if not file.counts:
            return f"{self.marks.dot} not counted"
        if lines := self.looking.cut_in(file):
            return "1 line is cut off: Space shows it" if lines == 1 else f"{lines} lines are cut off: Space shows them"
        return f"{self.marks.unseen} {unseen} unseen" if unseen else f"{self.marks.seen} all seen"

    def _fold(self, row: DiffRow, width: int) -> Text:
        file = self.rows.change.files[row.file]
        hunks = "1 hunk" if len(file.hunks) == 1 else f"{len(file.hunks)} hunks"
        words = f"   {self.marks.more} generated or a lock file: {hunks}, {file.added + file.removed:,} changed lines"
        return cut(Text(f"{words} {self.marks.dot} Enter unfolds", self.palette["dim"]), width)

    def _hunk(self, row: DiffRow, width: int) -> Text:
        place = self.rows.change.places[row.hunk]
        hunk, file = place.hunk, self.rows.change.files[place.file]
        mark = self.marks.seen if self.looking.is_seen(hunk.id) else self.marks.unseen
        if hunk.new_start or hunk.old_start:
            start, many = (hunk.new_start, hunk.new_lines) if hunk.new_lines else (hunk.old_start, hunk.old_lines)
            where = f"@@ {start}" + (f"–{start + many - 1}" if many > 1 else "")
        else:
            where = "@@"
        where += f"  {file.kind}" if file.kind else ""
        left = Text(f" {mark} {where}  {visible(hunk.section, tabs=TAB)}", self.palette["hunk"])
        before = f"seen before {self.marks.dot} " if self.looking.was_seen(hunk.id) else ""
        return across(left, f"{before}hunk {place.n + 1}/{len(file.hunks)} ", width)

    def _closed(self, row: DiffRow, width: int) -> Text:
        lines = len(self.rows.change.places[row.hunk].hunk.lines)
        text = self._hunk(row, max(1, width - 24))
        return Text.assemble(cut(text, max(1, width - 24), pad=True), (f" {lines:,} lines, Enter", self.palette["dim"]))

    # -- code

    def _line(self, row: DiffRow, width: int) -> Text:
        line = self.rows.change.places[row.hunk].hunk.lines[row.line]
        return self._code(line, width, self._digits(row.file), line.old if line.kind == "removed" else line.new)

    def _pair(self, row: DiffRow, width: int) -> Text:
        lines, digits = self.rows.change.places[row.hunk].hunk.lines, self._digits(row.file)
        half = (width - 1) // 2
        left = self._code(lines[row.line], half, digits, lines[row.line].old) if row.line >= 0 else Text("")
        right = self._code(lines[row.right], half, digits, lines[row.right].new) if row.right >= 0 else Text("")
        bar = Text(self.marks.bar, self.palette["dim"])
        return Text.assemble(cut(left, half, pad=True), bar, cut(right, width - half - 1))

    def _digits(self, file: int) -> int:
        """How wide the numbers of a file are."""
        last = self.rows.change.places[self.rows.change.first_hunk[file + 1] - 1].hunk
        return max(4, len(str(max(last.old_start + last.old_lines, last.new_start + last.new_lines))))

    def _code(self, line: DiffLine, width: int, digits: int, number: int | None) -> Text:
        if line.kind == "note":
            return cut(Text(f" {'':>{digits}}   {code(line, self.marks)}", self.palette["dim"]), width)
        role = self.palette[ROLES[line.kind]]
        head = Text.assemble(
            (f" {number or '':>{digits}} ", self.palette["dim"]), (f"{SIGNS[line.kind]} ", role)
        )  # fmt: skip
        part = self._part(line, max(1, width - head.cell_len))
        text = Text(part.text, role)
        if part.end < part.whole:
            text.append(self.marks.ellipsis, self.palette["banner"])
        return Text.assemble(head, text)

    # -- what stands at a line

    def _finding(self, row: DiffRow, width: int) -> Text:
        finding = self.findings[row.item]
        if row.line:
            lines = finding_rows(finding)
            return cut(Text(f"        {lines[row.line - 1]}", self.palette["dim"]), width)
        role = finding.severity if finding.blocking else ""
        style = self.palette["bad" if role and finding.holds else "warn" if role else "hunk"]
        left = Text.assemble(
            (f"      {finding_mark(finding, self.marks)} {finding.id} {finding.severity}  ", style),
            visible(finding.title),
        )  # fmt: skip
        who = f"check {finding.check}" if finding.check else visible(finding.by)
        return across(left, Text(f"{who}, iteration {finding.raised} ", self.palette["dim"]), width)

    def _comment(self, row: DiffRow, width: int) -> Text:
        comment = self.comments[row.item]
        left = self._comment_words(comment, row.line)
        if row.line:
            return cut(left, width)
        return across(left, Text(_comment_kind(comment), self.palette["dim"]), width)

    def _comment_words(self, comment: Comment, line: int) -> Text:
        words = comment_rows(comment)[line]
        if line:
            return Text(f"      {self.marks.edge}      {words}", self.palette["warn"])
        lost = f" (was {visible(comment.place)})" if comment.lost else ""
        who = "kept" if comment.kept else "you"
        return Text(f"      {self.marks.edge} {who}: {words}{lost}", self.palette["warn"])

    def whole_comments(self, numbers: Iterable[int], width: int) -> list[int]:
        """The comments of which every line is among these rows, to its end."""
        on_screen = [row for number in numbers if (row := self.rows.rows[number]).kind == "comment"]
        fits = [row for row in on_screen if self._comment_fits(self.comments[row.item], row.line, width)]
        counts = Counter(row.item for row in fits)
        return [item for item, count in counts.items() if count == len(comment_rows(self.comments[item]))]

    def _comment_fits(self, comment: Comment, line: int, width: int) -> bool:
        room = width if line else width - len(_comment_kind(comment)) - 1
        return self._comment_words(comment, line).cell_len <= room


def _comment_kind(comment: Comment) -> str:
    """What a comment is, at the end of its first line."""
    kind = "comment" if comment.weight == "note" else comment.weight
    if not comment.shown:
        return f"{kind}, kept, unread "
    return f"{kind}, {'kept' if comment.kept else 'draft'}, not sent "


def _is_short(line: DiffLine, room: int) -> bool:
    """Whether a line fits whatever is in it; known without making it visible."""
    return line.kind == "note" or (len(line.text) * TAB <= room and line.text.isascii())


def code(line: DiffLine, marks: Marks) -> str:
    """A line of code as it is drawn: what nobody sees visible, and in a changed line also tabs and blanks at its end,
    which one could not see otherwise.
    """
    text = line.text
    if line.kind in ("added", "removed") and (text.endswith((" ", "\t")) or "\t" in text):
        shown = visible(_with_blanks(text, *((">", "_") if marks is PLAIN else ("→", "·"))))
    else:
        shown = visible(text, tabs=TAB)
    return ascii_of(shown) if marks is PLAIN else shown


def _with_blanks(text: str, arrow: str, blank: str) -> str:
    bare = text.rstrip(" ")
    out, column = [], 0
    for character in bare + blank * (len(text) - len(bare)):
        if character == "\t":
            wide = TAB - column % TAB
            out.append(arrow + " " * (wide - 1))
            column += wide
        else:
            out.append(character)
            column += 1
    return "".join(out)


def across(left: Text, right: Text | str, width: int) -> Text:
    """Left and right on one line; the left is cut."""
    end = right if isinstance(right, Text) else Text(right)
    return Text.assemble(cut(left, max(1, width - end.cell_len - 1), pad=True), " ", end)


def counts(file: FileDiff, marks: Marks) -> str:
    """How much of a file changed: lines, or sizes."""
    if file.binary:
        sizes = [f"{size:,} bytes" if size is not None else "nothing" for size in (file.old_size, file.new_size)]
        return f" binary, {sizes[0]} → {sizes[1]}"
    parts = [f"+{file.added:,}" if file.added else "", f"{marks.minus}{file.removed:,}" if file.removed else ""]
    big = " shown hunk by hunk" if file.added + file.removed > BIG else ""
    return " " + " ".join(part for part in parts if part) + big


def tail(path: str, room: int, ellipsis: str) -> str:
    """The end of a path, which tells more than its beginning."""
    return path if columns(path) <= room else ellipsis + path[len(path) - max(1, fitting(path[::-1], room - 1)) :]


def file_line(
    file: FileDiff, looking: LookSoFar, findings: Sequence[FindingView], marks: Marks, palette: Palette, width: int
) -> Text:
    """A file in the list of files, with how many findings it has and the mark of the worst; of a long path the end is
    shown.
    """
    unseen = looking.unseen_in(file)
    named = {finding.severity for finding in findings}
    worst = next((severity for severity in SEVERITIES if severity in named), "LOW")
    right = f"{len(findings)}{marks.severities[worst]}" if findings else ""
    room = max(4, width - 4 - len(right))
    name = tail(visible(file.path), room, marks.ellipsis)
    text = Text.assemble((f" {marks.unseen if unseen else marks.seen} ", palette["warn" if unseen else "ok"]), name)
    if file.folded:
        text.stylize(palette["dim"])
    return across(text, right, width)
