"""The ground that lines are drawn on: what every list and text of the app scrolls on."""

from __future__ import annotations

from rich.style import Style
from textual.scroll_view import ScrollView


class LineView(ScrollView, can_focus=True, inherit_bindings=False):
    """A view that scrolls and draws each line itself."""

    DEFAULT_CSS = """
    LineView { height: 1fr; width: 1fr; background: $background; scrollbar-size-vertical: 1; overflow-x: hidden; }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        self._ground_style: Style | None = None
        super().__init__(id=id, classes=classes)

    @property
    def _ground(self) -> Style:
        """The style of the theme, asked for once: every line needs it."""
        if self._ground_style is None:
            self._ground_style = self.rich_style
        return self._ground_style

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._ground_style = None
