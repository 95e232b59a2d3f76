"""A sheet: a few fields at the bottom, for the words that a decision needs. What is behind it stays visible."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from foureyes.core.words.text import is_blank
from foureyes.ui.tui.error_boundary import guarded
from foureyes.ui.tui.marks import visible
from foureyes.ui.tui.widgets.bar import Bar
from foureyes.ui.tui.widgets.choice import ChoiceBar
from foureyes.ui.tui.widgets.text_part import TextLine

if TYPE_CHECKING:
    from foureyes.ui.tui.app import FoureyesApp

Given = Mapping[str, str]
PAUSE_SECONDS = 0.5
"""So often it is looked at what somebody has typed."""


class SheetField(msgspec.Struct, frozen=True):
    """A field of a sheet: a line of text, or a choice between `words`. `whole`: what stands there is a proposal, the
    first key takes its place.
    """

    name: str
    label: str
    value: str = ""
    words: tuple[str, ...] = ()
    whole: bool = False


class Sheet(ModalScreen[None], inherit_bindings=False):
    """Enter hands over what was typed, Esc hands it to `kept` and closes. `needs`: what is said where a field that must
    not be empty is. `typed` hears what stands in the fields while somebody types, now and then. `words`: under this
    name what was typed is remembered until it is sent; the next sheet of that name begins with it.
    """

    app: FoureyesApp
    DEFAULT_CSS = """
    Sheet { align: left bottom; background: transparent; }
    Sheet Vertical { height: auto; background: $background; }
    Sheet Horizontal { height: auto; }
    Sheet .label { width: 11; height: 1; }
    Sheet Input { height: 1; border: none; background: $background; color: $foreground; padding: 0; width: 1fr; }
    Sheet Input:focus { border: none; }
    """

    def __init__(
        self,
        title: str,
        lines: Sequence[str],
        fields: Sequence[SheetField],
        done: Callable[[Given], None],
        *,
        verb: str = "submit",
        needs: Given | None = None,
        kept: Callable[[Given], None] | None = None,
        typed: Callable[[Given], None] | None = None,
        words: str = "",
    ) -> None:
        super().__init__()
        self._words = words
        self._title, self._lines, self._fields = title, list(lines), list(fields)
        self._done, self._verb, self._needs, self._kept = done, verb, needs or {}, kept
        self._typed = typed
        self._last: Given = {}

    def compose(self) -> ComposeResult:
        before = self.app.unsent.get(self._words, {})
        with Vertical():
            yield Bar(id="sheet-title")
            yield Static("", id="sheet-lines", markup=False)
            for field in self._fields:
                value = before.get(field.name, field.value)
                with Horizontal():
                    yield Static(f" {field.label:<9}", classes="label", markup=False)
                    if field.words:
                        yield ChoiceBar(field.words, value, id=f"field-{field.name}")
                    else:
                        yield TextLine(value, id=f"field-{field.name}", whole=field.whole)
            yield Bar(id="sheet-note")
            yield Bar(id="sheet-keys")

    @guarded
    def on_mount(self) -> None:
        rule = self.app.marks.rule
        title = f" {rule * 2} {visible(self._title)} "
        self.query_one("#sheet-title", Bar).show(Text(title + rule * 200, self.app.palette["title"]))
        lines = Text("\n".join(f" {visible(line)}" for line in self._lines))
        self.query_one("#sheet-lines", Static).update(self.app.drawn(lines))
        self.query_one("#sheet-note", Bar).show()
        key = self.app.palette["key"]
        out = "keeps draft" if self._kept is not None else "back, keeps the words" if self._words else "back"
        keys = Text.assemble((" Enter ", key), self._verb, ("   Tab ", key), "next part", ("   Esc ", key), out)
        self.query_one("#sheet-keys", Bar).show(keys)
        if self._typed is not None:
            self._last = self.given
            self.set_interval(PAUSE_SECONDS, self.tell_typed)

    @guarded
    def tell_typed(self) -> None:
        """What stands in the fields, where it is something else than the last time."""
        if self._typed is not None and self.is_attached and (given := self.given) != self._last:
            self._last = given
            self._typed(given)

    @property
    def given(self) -> dict[str, str]:
        """What stands in the fields."""
        values = {}
        for field in self._fields:
            widget = self.query_one(f"#field-{field.name}")
            assert isinstance(widget, TextLine | ChoiceBar)
            values[field.name] = widget.value
        return values

    @guarded
    def on_key(self, event: events.Key) -> None:
        if event.key == "escape":
            if self._kept is not None:
                self._kept(self.given)
            self._remember(self.given)
            self._leave()
        elif event.key in ("enter", "ctrl+s"):
            self._submit()
        elif event.key in ("tab", "down"):
            self.focus_next()
        elif event.key in ("shift+tab", "up"):
            self.focus_previous()
        elif event.key == "ctrl+q":
            self.tell_typed()
            self.app.leave()
        else:
            return
        event.stop()
        event.prevent_default()

    def _submit(self) -> None:
        given = self.given
        for name, words in self._needs.items():
            if is_blank(given[name]):
                self.query_one("#sheet-note", Bar).show(Text(f" {words}", self.app.palette["banner"]))
                self.set_focus(self.query_one(f"#field-{name}"))
                return
        self._remember(given)
        self._leave()
        self._done(given)

    def _leave(self) -> None:
        """Close. What stood in the fields is dealt with: until the sheet is really gone nobody hears of it again."""
        self._typed = None
        self.dismiss()

    def _remember(self, given: Given) -> None:
        if self._words:
            self.app.unsent[self._words] = given
