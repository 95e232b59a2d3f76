"""Themes: the app's colours and marks on this terminal, and what it can draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text
from textual.theme import Theme as Colours

from foureyes.config.own_settings import THEMES, Theme
from foureyes.ui.tui.control_chars import Sieve, harmless
from foureyes.ui.tui.key_queue import InTurn
from foureyes.ui.tui.marks import PALETTES, PLAIN, Marks, encoding_of, in_ascii, marks_for, theme_for
from foureyes.ui.tui.text.lines import cut

if TYPE_CHECKING:
    from textual.filter import LineFilter


_GROUND: dict[Theme, tuple[str, str, bool]] = {
    "default": ("#1a1b26", "#c0caf5", True),
    "light": ("#ffffff", "#24292f", False),
    "blue-orange": ("#161a22", "#d6dbe5", True),
    "high-contrast": ("#000000", "#ffffff", True),
    "mono": ("ansi_default", "ansi_default", True),
}


class Themed(InTurn, inherit_bindings=False):
    """An app in one of the themes, with the marks that its terminal can draw."""

    def __init__(self, environ: Mapping[str, str], theme: str) -> None:
        look = theme_for(environ, theme)
        super().__init__(ansi_color=look == "mono")
        self.marks: Marks = marks_for(environ, encoding_of(environ))
        self.look: Theme = look
        self._sieve = Sieve()

    @property
    def palette(self) -> Mapping[str, Style]:
        return PALETTES[self.look]

    def drawn(self, text: Text, width: int = 0) -> Text:
        """A text as this terminal can draw it, and without anything that would do something to it; with a width it ends
        there, for in ASCII it may have become longer.
        """
        text = harmless(text)
        if self.marks is not PLAIN:
            return text
        return in_ascii(cut(in_ascii(text), width)) if width else in_ascii(text)

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), self._sieve]

    def begin_looks(self) -> None:
        """Make the themes known, and put the chosen one on."""
        self.set_class(self.marks is PLAIN, "-ascii")
        for name in THEMES:
            ground, ink, dark = _GROUND[name]
            colours = Colours(
                name=f"foureyes-{name}", primary=ink, background=ground, surface=ground, panel=ground,
                foreground=ink, dark=dark,
            )  # fmt: skip
            self.register_theme(colours)
        self.set_look(self.look)

    def set_look(self, look: Theme) -> None:
        """Another theme, at once."""
        self.look = look
        self.set_class(look == "mono", "-mono")
        self.theme, self.ansi_color = f"foureyes-{look}", look == "mono"  # without colours: those of the terminal
