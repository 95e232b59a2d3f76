"""A refusal: every reason with its rule, and the next step as a key that can be pressed here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult

from foureyes.errors import FoureyesError, Reason
from foureyes.steps import Steps
from foureyes.ui.steps import steps_text
from foureyes.ui.tui.keys import action_of
from foureyes.ui.tui.marks import visible
from foureyes.ui.tui.open_step import follow, leads_to
from foureyes.ui.tui.screens.page import Page
from foureyes.ui.tui.widgets.rows import Rows, plain


class RefusalPage(Page):
    """All reasons, in the order of the rules. It stays until Esc; digits do what the steps say, where the app can."""

    context: ClassVar = "refusal"

    def __init__(self, problem: FoureyesError) -> None:
        super().__init__()
        self._problem = problem
        self._reasons = problem.reasons or (Reason("", problem.message, problem.next_step),)

    def body(self) -> ComposeResult:
        yield Rows(id="rows", cursor=False)

    def draw(self) -> None:
        if not self.is_mounted:
            return
        many = "reason" if len(self._reasons) == 1 else "reasons"
        title = f" NOT DONE: {len(self._reasons)} {many}"
        self.top.show(self.across(self.paint(title, "bad"), f"{self._problem.task} "), self.rule())
        self.rows.show([plain(line) for line in self._lines()])
        self.foot.show(self.paint(" Nothing was changed.", "title"))
        self.keys.relabel(**({} if self._sends_back else {"redo": ""}))

    reload = draw

    def _lines(self) -> Iterator[Text]:
        if self._problem.reasons:
            yield self.paint(f" {visible(self._problem.message)}")
        width = max(20, self.app.size.width - 10)
        for number, reason in enumerate(self._reasons, 1):
            text = Text(visible(reason.message))
            first, *rest = text.wrap(self.app.console, width) or [Text("")]
            yield Text.assemble(
                (f" {number}  ", self.app.palette["key"]), (f"{reason.rule:<4}", self.app.palette["title"]), " ", first
            )
            for line in rest:
                yield Text.assemble(" " * 9, line)
            for step in reason.next.steps:
                if step.argv:
                    yield from self._next(number, reason.next)
                    break

    def _next(self, number: int, steps: Steps) -> Iterator[Text]:
        """What the digit does, and what types the same; below it where there is no room beside it."""
        key, command = f"         next  {number} {self._opens(steps)}", visible(_command(steps))
        width = self.app.size.width - 2
        if len(key) + 6 + len(command) <= width:
            yield self.paint(f"{key}      {command}", "dim")
            return
        yield self.paint(key, "dim")
        for line in Text(command).wrap(self.app.console, max(20, width - 17)):
            yield self.paint(" " * 17 + line.plain, "dim")

    @staticmethod
    def _opens(steps: Steps) -> str:
        return leads_to(_words(steps)) or ("type it" if _is_yours(steps) else "say it")

    def do_choose(self) -> None:
        number = int(self.pressed)
        if number > len(self._reasons):
            self.note(f"there is no reason {number}")
            return
        self.follow(self._reasons[number - 1].next)

    def follow(self, steps: Steps) -> None:
        """Do what a step says, where the app has a page for it; else say what to type."""
        if not follow(self, _words(steps)):
            typed = f"type: {_command(steps)}" if _is_yours(steps) else _command(steps)
            self.note(typed if steps else "nothing to type here")

    @property
    def _sends_back(self) -> Page | None:
        """The page below, where R sends this task back."""
        below = self.app.pages[-2] if len(self.app.pages) > 1 else self
        row = action_of(below.context, "r")
        task = self._problem.task or below.task_id
        is_its = row is not None and row.action == "redo" and task and task == below.words()["task"]
        return below if is_its else None

    def do_redo(self) -> None:
        """R: the form of the page below."""
        below = self._sends_back
        if below is None:
            self.note("nothing here can be sent back")
            return
        self.app.back()
        below.press("r")

    def words(self) -> dict[str, str]:
        return {"task": self._problem.task}


def _words(steps: Steps) -> list[str]:
    """The words of the first command, as far as they are typed just as they stand."""
    for step in steps.steps:
        if step.argv:
            return [word for word in step.argv if isinstance(word, str)]
    return []


def _is_yours(steps: Steps) -> bool:
    """Whether who reads this types it; what somebody else types, they say to them."""
    return not any(step.argv and step.who == "other" for step in steps.steps[:1])


def _command(steps: Steps) -> str:
    return steps_text(steps)
