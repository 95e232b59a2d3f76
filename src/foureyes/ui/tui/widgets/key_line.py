"""The key line: what can be pressed here, made from the registry; its labels are buttons for the mouse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual import events
from textual.widgets import Static

from foureyes.ui.tui.error_boundary import guarded
from foureyes.ui.tui.keys import KEYS, Key, KeyContext, WholeLabel, all_shown

if TYPE_CHECKING:
    from foureyes.ui.tui.app import FoureyesApp


class KeyLine(Static):
    """One or two lines of keys with their labels. A page may call a key something else just now (`[A] Why not?`,
    `1-4 choose`)."""

    app: FoureyesApp
    DEFAULT_CSS = """
    KeyLine { height: auto; max-height: 2; width: 1fr; background: $background; text-wrap: nowrap; }
    """

    def __init__(self, context: KeyContext) -> None:
        super().__init__("", id="keys", markup=False)
        self._page = context
        self._labels: dict[str, str] = {}
        self._by_key: dict[str, str] = {}
        self._tall = -1

    def relabel(self, **labels: str) -> None:
        """Call actions something else; an empty label takes one off the line."""
        if labels != self._labels:
            self._labels = labels
            self.refresh_keys()

    def relabel_keys(self, labels: dict[str, str]) -> None:
        """Call single keys something else, where several do the same; an empty label takes one off the line."""
        if labels != self._by_key:
            self._by_key = labels
            self.refresh_keys()

    @guarded
    def on_resize(self, _: events.Resize) -> None:
        # In the middle of a layout another one is not begun.
        self.call_after_refresh(self.refresh_keys)

    @guarded
    def refresh_keys(self) -> None:
        """Make the line again for the room that there is."""
        rows = self.app.size.height
        text = self._text(self.parent_width, 2 if rows >= 20 else 1)
        was, self._tall = self._tall, text.plain.count("\n")
        self.update(text, layout=was != self._tall)

    @property
    def parent_width(self) -> int:
        """How wide the page is."""
        return int(getattr(self.screen, "wide", self.app.size.width))

    def _text(self, width: int, most: int) -> Text:
        lines: list[Text] = [Text(" ")]
        keys = KEYS[self._page]
        if most == 1:  # what decides is never what there is no room for
            keys = tuple(sorted(keys, key=lambda row: not row.decision))
        parts = {row.first: self._part(row, label) for row in keys if (label := self._label(row))}
        out = "escape" if "escape" in parts else "q"
        way_out = cell_len(parts[out].plain) if out in parts else 0
        for key, part in parts.items():
            wide = cell_len(part.plain.rstrip())
            if cell_len(lines[-1].plain) + wide > width and len(lines) < most:
                lines.append(Text(" "))
            kept = way_out if len(lines) == most and key != out else 0  # there is always room for the way out
            if cell_len(lines[-1].plain) + wide + kept <= width:
                lines[-1].append_text(part)
        for line in lines:
            line.rstrip()
        text = Text("\n").join(lines)
        text.no_wrap = True
        return self.app.drawn(text)

    def _label(self, row: Key) -> str:
        """What a key is called just now."""
        return self._by_key.get(row.first, self._labels.get(row.action, row.label))

    def _part(self, row: Key, label: str) -> Text:
        click = Style.from_meta({"@click": f"screen.press({row.first!r})"})
        key = "" if isinstance(label, WholeLabel) else all_shown(row) + " "
        return Text.assemble((key, self.app.palette["key"] + click), (label, click), "  ")
