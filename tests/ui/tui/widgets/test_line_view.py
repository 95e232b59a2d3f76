"""The ground of lists and texts: its style is asked for once, and again when the theme is another."""

from __future__ import annotations

import asyncio

from rich.style import Style
from textual.app import App

from foureyes.ui.tui.widgets.line_view import LineView


class Plain(App[None]):
    """Nothing but a ground."""

    def on_mount(self) -> None:
        self.mount(LineView())


def test_the_ground_has_the_colours_of_the_theme_also_after_another_was_chosen() -> None:
    async def look() -> tuple[bool, Style, Style]:
        app = Plain()
        async with app.run_test() as pilot:
            await pilot.pause()
            ground = app.query_one(LineView)
            app.theme = "textual-dark"
            await pilot.pause()
            dark, again = ground._ground, ground._ground
            app.theme = "textual-light"
            await pilot.pause()
            return dark is again, dark, ground._ground

    kept, dark, light = asyncio.run(look())
    assert kept
    assert dark.bgcolor != light.bgcolor
