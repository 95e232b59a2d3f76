"""Help, made from the key registry: this page's keys first, then all others."""

from __future__ import annotations

from collections.abc import Iterator

from foureyes.ui.tui.keys import CONTEXTS, KEYS, KeyContext, all_shown
from foureyes.ui.tui.screens.text_page import TextPage, UnwrappedLine

NAMES: dict[KeyContext, str] = {
    "board": "board", "summary": "review summary", "batch": "approving several", "task": "task review",
    "diff": "diff", "checks": "checks", "finding": "finding",
    "drafts": "drafts", "attention": "attention", "planning": "sprint planning", "sprint": "sprint",
    "form": "forms", "refusal": "refusals", "page": "texts",
}  # fmt: skip


class HelpPage(TextPage):
    """Every key in every context, and what types the last thing you did; `/` finds in it."""

    def __init__(self, about: KeyContext) -> None:
        super().__init__(f"HELP  {NAMES[about]}", (), "/ find   Esc closes ")
        self._about = about

    def parts(self) -> Iterator[UnwrappedLine]:
        yield from self._keys(self._about)
        marks = self.app.marks
        checks = " ".join(
            f"{marks.checks[word]} {word.replace('_', ' ')}"
            for word in ("passed", "failed", "running", "not_run", "crashed", "unsound")
        )
        yield UnwrappedLine(f"marks    {checks}")
        severities = " ".join(f"{mark} {word}" for word, mark in marks.severities.items())
        yield UnwrappedLine(f"         {severities}")
        risks = f"{marks.risks['high']} look closely  {marks.risks['medium']} look  {marks.risks['low']} routine"
        yield UnwrappedLine(f"         {risks}    {marks.unseen} not shown yet  {marks.seen} shown")
        if self.app.last_command:
            yield UnwrappedLine(f"last     the same on the command line:  {self.app.last_command}", "title")
        for context in CONTEXTS:
            if context != self._about:
                yield UnwrappedLine("")
                yield UnwrappedLine(NAMES[context].upper(), "heading")
                yield from self._keys(context)

    @staticmethod
    def _keys(context: KeyContext) -> Iterator[UnwrappedLine]:
        for row in KEYS[context]:
            yield UnwrappedLine(f"{all_shown(row):<10} {row.help}")
