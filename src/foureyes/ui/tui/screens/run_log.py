"""What the agent programs of a task have printed, as it grows; the last part of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from foureyes.ui.tui.error_boundary import guarded
from foureyes.ui.tui.marks import visible
from foureyes.ui.tui.screens.text_page import TextPage

if TYPE_CHECKING:
    from collections.abc import Mapping

TICK = 1.0
"""How often the file is looked at."""
TAIL = 1 << 16
"""So many bytes of it are shown."""


class RunLogPage(TextPage):
    """Follows the end of the log until somebody scrolls up."""

    def __init__(self, task: str) -> None:
        super().__init__(f"RUN LOG {task}", ["…"], f"fe logs {task} -f ")
        self._of = task

    @guarded
    def on_mount(self) -> None:
        super().on_mount()
        self.look()
        self.set_interval(TICK, self.look)

    @guarded
    def look(self) -> None:
        environ, task = self.app.environ, self._of
        self.app.desk.ask(self, lambda _: read_tail(environ, task), self._read, lambda _: None)

    def _read(self, lines: list[str]) -> None:
        if lines == self._text:
            return
        rows = self.rows
        at_end = rows.scroll_offset.y >= rows.max_scroll_y
        self._text = lines
        self.draw()
        if at_end:
            self.call_after_refresh(rows.edge, last=True)


def read_tail(environ: Mapping[str, str], task: str) -> list[str]:
    """The last lines of a task's log; a program's words are text, whatever they are."""
    from foureyes.bootstrap.runner import open_log

    try:
        with open_log(environ.get("PWD") or os.getcwd(), task) as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(0, end - TAIL))
            lines = file.read(TAIL).decode("utf-8", "replace").splitlines()
    except OSError as problem:
        return [f"there is no log of {task} here: {problem.strerror}"]
    return [visible(line, tabs=4) for line in (lines[1:] if end > TAIL else lines)] or ["nothing was printed yet"]
