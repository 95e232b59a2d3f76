"""The page of a task's checks: where each stands, what it printed, and the keys that run them and stop them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from foureyes.app.results.status import UNACCEPTED
from foureyes.ui.tui.error_boundary import guarded
from foureyes.ui.tui.keys import WholeLabel
from foureyes.ui.tui.marks import visible
from foureyes.ui.tui.screens.text_page import TextPage, UnwrappedLine
from foureyes.ui.tui.text.story import check_lines

if TYPE_CHECKING:
    from foureyes.app.results.attempt import CheckReport
    from foureyes.ui.tui.app import FoureyesApp

TICK = 1.0
"""How often the seconds of a run are looked at."""
AGAIN = "every check has its result on this tree · E again runs them all once more · Esc"


class ChecksPage(TextPage):
    """What the checks printed. It is read again when a run from here ends; what others run is taken in by F5."""

    context: ClassVar = "checks"

    def __init__(self, task: str) -> None:
        super().__init__(f"CHECKS {task}", ())
        self.task_id = task
        self.report: CheckReport | None = None
        self.acts = 0
        """What the reader did about the task, as far as it is on screen."""

    @guarded
    def on_mount(self) -> None:
        super().on_mount()
        self.set_interval(TICK, self.tick)

    @guarded
    def tick(self) -> None:
        """The seconds of a run go on while it prints nothing."""
        if self.app.checking.of(self.task_id) is not None:
            self.draw()

    def reload(self) -> None:
        task = self.task_id
        self.ask(lambda desk: desk.application.check_runs.of_task(desk.actor, task), self._read)

    def _read(self, report: CheckReport) -> None:
        self.report = report
        self.draw()

    def changed(self, seq: int) -> None:
        if self.app.checking.of(self.task_id) is not None or self.acts != self.app.looks.of(self.task_id).acts:
            self.acts = self.app.looks.of(self.task_id).acts
            self.reload()

    def draw(self) -> None:
        run = self.app.checking.of(self.task_id)
        self._right = f"{run.in_words()} " if run is not None else ""
        super().draw()
        labels = {"run_checks": "", "stop": WholeLabel("Delete stop")} if run is not None else {}
        self.keys.relabel(**labels)

    def parts(self) -> Iterator[UnwrappedLine]:
        run = self.app.checking.of(self.task_id)
        if run is not None:
            for line in run.lines or [run.in_words()]:
                yield UnwrappedLine(visible(line), "title")
            yield UnwrappedLine("")
        for line, place in check_lines(self.report) if self.report is not None else ():
            yield UnwrappedLine(visible(line, tabs=4), place=place)

    # -- keys

    def do_run_checks(self) -> None:
        """E: what has no result that counts; where all have one, only after a question."""
        if self.app.checking.of(self.task_id) is not None:
            self.note("the checks run already · Delete stops them")
        elif self.asked == self.task_id:
            self.asked = self.question = ""
            self.app.guard.calm()
            self._begin(again=True)
        elif self.report is not None and self.report.checks and not self._missing(self.report):
            self.ask_first("e", self.task_id, AGAIN)
        else:
            self._begin(again=False)

    @staticmethod
    def _missing(report: CheckReport) -> bool:
        return any(row.claimed or row.outcome not in ("passed", "failed") for row in report.checks)

    def _begin(self, *, again: bool) -> None:
        self.app.checking.begin(self.task_id, again=again)
        self.draw()

    def do_stop(self) -> None:
        if not self.app.checking.stop(self.task_id):
            self.note("no checks run here · E runs them")

    def do_attention(self) -> None:
        """!: at the foureyes.toml that is not in force (P12), where that is why the reader goes there."""
        self.app.show_attention(UNACCEPTED if self.report and self.report.unaccepted else "")

    def do_refresh(self) -> None:
        self.reload()

    def words(self) -> dict[str, str]:
        return {"task": self.task_id}


def run_checks(app: FoureyesApp, task: str) -> None:
    """Open the page of a task's checks, and run what has no result yet; where all have one it says so."""
    app.push_screen(ChecksPage(task))
    app.checking.begin(task)
