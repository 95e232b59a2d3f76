"""The palette (Ctrl+P): every action of the page that is open by its name, and the themes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider

from foureyes.config.own_settings import THEMES
from foureyes.ui.tui.keys import KEYS, PALETTE_ONLY, all_shown

if TYPE_CHECKING:
    from foureyes.ui.tui.app import FoureyesApp


class ActionPalette(CommandPalette):
    """The library's palette; Ctrl+Q leaves from here, too."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+q", "app.leave", show=False)]


class Actions(Provider):
    """What can be done here, by name."""

    def _all(self) -> Iterator[tuple[str, Callable[[], None], str]]:
        app: FoureyesApp = self.app  # type: ignore[assignment]
        page = app.pages[-1]
        for row in KEYS[page.context]:
            if row.action != "palette":
                name = app.drawn(Text(f"{row.help}  ({all_shown(row)})")).plain
                yield name, partial(page.press, row.first), app.drawn(Text(page.command(row))).plain
        for action, words in PALETTE_ONLY.get(page.context, ()):
            yield words, partial(app.guarded, getattr(page, f"do_{action}")), ""
        for theme in THEMES:
            yield f"theme: {theme}", partial(app.set_look, theme), ""

    async def discover(self) -> Hits:
        for name, act, help_text in self._all():
            yield DiscoveryHit(name, act, help=help_text or None)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for name, act, help_text in self._all():
            if (score := matcher.match(name)) > 0:
                yield Hit(score, matcher.highlight(name), act, help=help_text or None)
