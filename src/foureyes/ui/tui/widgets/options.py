"""Options of a form: some can be ticked, or one is chosen; by digits, or by arrows and Space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.message import Message
from textual.widgets import Static

from foureyes.ui.tui.error_boundary import guarded

if TYPE_CHECKING:
    from foureyes.ui.tui.app import FoureyesApp


class OptionLines(Static, can_focus=True, inherit_bindings=False):
    """Options in lines. `many`: several can be ticked. What is ticked is marked, the one under the cursor is bold while
    the keys are here.
    """

    app: FoureyesApp
    DEFAULT_CSS = """
    OptionLines { height: auto; width: 1fr; background: $background; padding: 0 0 0 3; }
    """

    class Changed(Message):
        """Something was ticked or chosen."""

    def __init__(
        self, words: Sequence[str], *, many: bool = False, across: bool = False, id: str | None = None
    ) -> None:
        super().__init__("", id=id, markup=False)
        self.words = list(words)
        self.chosen: set[int] = set() if many else {0}
        self.at = 0
        self._many, self._across = many, across

    @guarded
    def on_mount(self) -> None:
        self.show()

    @guarded
    def on_resize(self, _: events.Resize) -> None:
        self.show()

    def put(self, words: Sequence[str], chosen: set[int]) -> None:
        """Other options."""
        self.words, self.chosen = list(words), chosen
        self.at = min(self.at, max(0, len(self.words) - 1))
        self.show()

    def show(self) -> None:
        """Draw them: side by side where they are meant to be and fit, else one below the other."""
        parts = [self._part(number) for number in range(len(self.words))]
        widest = max((part.cell_len for part in parts), default=0) + 2
        columns = max(1, (self.size.width or 76) // max(1, widest)) if self._across else 1
        rows = []
        for first in range(0, len(parts), columns):
            row = Text(no_wrap=True, overflow="ellipsis")
            for part in parts[first : first + columns]:
                row.append_text(part)
                row.append(" " * (widest - cell_len(part.plain)))
            rows.append(row)
        self.update(Text("\n").join(rows))

    def _part(self, number: int) -> Text:
        ticked = number in self.chosen
        tick = self.app.marks.checks["passed"]
        mark = f"[{tick if ticked else ' '}]" if self._many else f"({'•' if tick != '+' else '*'})" if ticked else "( )"
        text = self.app.drawn(Text.assemble(mark, (f" {number + 1} ", self.app.palette["key"]), self.words[number]))
        if self.has_focus and number == self.at:
            text.stylize(self.app.palette["cursor"])
        return text

    @guarded
    def on_focus(self) -> None:
        self.show()

    @guarded
    def on_blur(self) -> None:
        self.show()

    def choose(self, number: int) -> None:
        """Tick, untick or choose."""
        if not 0 <= number < len(self.words):
            return
        self.at = number
        self.chosen = self.chosen ^ {number} if self._many else {number}
        self.show()
        self.post_message(self.Changed())

    @guarded
    def on_key(self, event: events.Key) -> None:
        steps = {"up": -1, "left": -1, "down": 1, "right": 1}
        if event.key.isdigit() and 1 <= int(event.key) <= len(self.words):
            self.choose(int(event.key) - 1)
        elif event.key in steps:
            self.at = max(0, min(len(self.words) - 1, self.at + steps[event.key]))
            if self._many:
                self.show()
            else:
                self.choose(self.at)
        elif event.key == "space":
            self.choose(self.at)
        else:
            return
        event.stop()
        event.prevent_default()
