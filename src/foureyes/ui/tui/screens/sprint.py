"""A sprint that runs: how far it is, and the few things that can be done about it (X2, X3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from foureyes.app.results.sprint import SprintBegun, SprintView
from foureyes.ui.tui.keys import WholeLabel
from foureyes.ui.tui.screens.page import Page
from foureyes.ui.tui.text.sprint import progress_lines
from foureyes.ui.tui.widgets.rows import plain
from foureyes.ui.tui.worker import Desk

if TYPE_CHECKING:
    from collections.abc import Callable

TICK = 10.0


class SprintPage(Page):
    """Progress. `name` is the sprint that is shown."""

    context: ClassVar = "sprint"

    def __init__(self, name: str) -> None:
        super().__init__()
        self.sprint = name
        self.view: SprintView | None = None

    def reload(self) -> None:
        self.ask(lambda desk: desk.application.sprints.status(desk.actor, self.sprint), self._read)

    def _read(self, view: SprintView) -> None:
        self.view = view
        self.draw()

    def changed(self, seq: int) -> None:
        self.reload()

    def draw(self) -> None:
        view = self.view
        if not self.is_mounted or view is None:
            return
        head = self.paint(f" SPRINT {view.id}   {view.line}", "title")
        self.top.show(self.across(head, f"{view.state} "), self.rule())
        self.rows.show([plain(line) for line in progress_lines(view, self.app.palette)])
        self.foot.show(self.rule())
        going = view.state in ("running", "paused")
        labels: dict[str, str] = {
            "1": WholeLabel("1 stop after running tasks") if going else "",
            "2": WholeLabel("2 go on" if view.state == "paused" else "2 pause now") if going else "",
            "3": WholeLabel("3 open review"),
            "4": WholeLabel("4 start a runner") if view.state == "running" and not view.runners else "",
        }
        self.keys.relabel_keys(labels)

    def words(self) -> dict[str, str]:
        return {"sprint": self.sprint}

    # -- keys

    def do_stop(self) -> None:
        """Its tasks that were not begun wait for another sprint, so it is asked."""
        words = "end it? What runs finishes, nothing else of it begins. 1 again · Esc"
        if self._is_over():
            self.note("it is over already")
        elif self.agreed("1", "stop", words):
            self._do(lambda desk: desk.application.sprints.stop(desk.actor, self.sprint))

    def do_pause(self) -> None:
        if self._is_over():
            self.note("it is over already")
        elif self.view is not None and self.view.state == "paused":
            self._do(lambda desk: desk.application.sprints.start(desk.actor, self.sprint))
        else:
            self._do(lambda desk: desk.application.sprints.pause(desk.actor, self.sprint))

    def do_runner(self) -> None:
        if self.view is not None and self.view.state == "running":
            self._do(lambda desk: desk.application.sprints.start(desk.actor, self.sprint))
        else:
            self.note("a runner is started for a sprint that runs")

    def _is_over(self) -> bool:
        return self.view is not None and self.view.state not in ("running", "paused")

    def _do(self, work: Callable[[Desk], SprintBegun]) -> None:
        def done(begun: SprintBegun) -> None:
            self.note(" · ".join(part for part in (begun.message, begun.runner) if part))
            self.reload()

        self.app.act(work, done, self.app.show_refusal)

    def do_review(self) -> None:
        """3: the ordinary review; there is no special one."""
        from foureyes.ui.tui.reviewing import begin
        from foureyes.ui.tui.screens.board import BoardPage

        self.app.back()
        board = self.app.pages[0]
        assert isinstance(board, BoardPage)
        begin(board)

    def do_refresh(self) -> None:
        self.reload()
