"""Checks that are run from here: beside the app's own desk, so that nothing waits for them, and stopped at a word."""

from __future__ import annotations

import threading
import time
from functools import partial
from typing import TYPE_CHECKING, Literal

from textual.message import Message

from foureyes.errors import FoureyesError
from foureyes.ui.tui.marks import visible

if TYPE_CHECKING:
    from foureyes.app.results.attempt import CheckReport
    from foureyes.app.results.project import News
    from foureyes.ui.tui.app import FoureyesApp
    from foureyes.ui.tui.worker import Desk

CheckingState = Literal["waits", "runs", "ended"]
MOST_LINES = 8
"""So many lines of a run are kept: what has ended, and what the check that runs has printed last."""
BY_RULE = "approved by the rule (M4)"
SENT_BACK = "sent back with what failed"


class CheckTold(Message, bubble=False):
    """A run has something to say."""

    def __init__(self, run: RunningChecks, news: News) -> None:
        super().__init__()
        self.run, self.news = run, news


class RunningChecks:
    """The checks of one task, as they run. Only the app's own thread changes it; the other one asks `is_stopped`."""

    def __init__(self, task: str) -> None:
        self.task = task
        self.state: CheckingState = "waits"
        self.since = time.monotonic()
        self.lines: list[str] = []
        self.broke = False
        """Whether a defect of ours ended it; said as such."""
        self._printed = False
        self._stop = threading.Event()
        self.is_stopped = self._stop.is_set

    def stop(self) -> None:
        self._stop.set()

    def tell(self, news: News) -> None:
        """What begins and ends stays; of what a check prints only the last line does."""
        if self.state == "waits":
            self.state, self.since = "runs", time.monotonic()
        if self._printed:
            self.lines.pop()
        self._printed = news.printed
        self.lines = [*self.lines, news.text.removeprefix(self.task).strip()][-MOST_LINES:]

    def in_words(self) -> str:
        """How it stands."""
        if self.is_stopped():
            return "stopping"
        return "waits for other checks" if self.state == "waits" else f"running, {time.monotonic() - self.since:.0f} s"


class Checking:
    """Every run that was begun here, one after the other; the last one of each task."""

    def __init__(self, app: FoureyesApp) -> None:
        self._app = app
        self._desk: Desk | None = None
        self._of: dict[str, RunningChecks] = {}

    def of(self, task: str) -> RunningChecks | None:
        """The checks of a task that run now, or wait for their turn."""
        run = self._of.get(task)
        return run if run is not None and run.state != "ended" and not run.broke else None

    def begin(self, task: str, *, again: bool = False) -> None:
        """Run what has no result yet on the attempt's tree; with `again` everything once more. A task's checks are not
        run twice at a time.
        """
        if self.of(task) is not None:
            return
        if self._desk is None:
            self._desk = self._app.desk.beside()
        run = self._of[task] = RunningChecks(task)
        self._app.last_command = f"fe check run {task}{' --again' if again else ''}"
        self._desk.ask(
            self._app, partial(self._work, run, again), partial(self._done, run), partial(self._refused, run)
        )

    def _work(self, run: RunningChecks, again: bool, desk: Desk) -> CheckReport:
        def tell(news: News) -> None:
            self._app.post_message(CheckTold(run, news))

        try:
            return desk.application.checks.run(desk.actor, run.task, again=again, tell=tell, stop=run.is_stopped)
        except FoureyesError:
            raise
        except Exception:
            run.broke = True
            raise

    def told(self, message: CheckTold) -> None:
        """A run has begun or ended a check, or printed something."""
        message.run.tell(message.news)
        self._draw(message.run.task)

    def _draw(self, task: str) -> None:
        for page in self._app.pages[-1:]:
            if page.context == "checks" and page.task_id == task:
                page.draw()

    def _done(self, run: RunningChecks, report: CheckReport) -> None:
        run.state = "ended"
        self._app.looks.of(run.task).acts += 1
        words = ", ".join(f"{row.check} {row.outcome.replace('_', ' ')}" for row in report.checks)
        known = "nothing to run: all have their result on this tree" if all(r.reused for r in report.checks) else ""
        ruled = SENT_BACK if report.sent_back else BY_RULE if report.status == "approved" else ""
        parts = [f"{run.task}: {visible(words)}", known, ruled]
        self._end(run, " · ".join(part for part in parts if part))

    def _refused(self, run: RunningChecks, problem: FoureyesError) -> None:
        run.state = "ended"
        if run.is_stopped():
            self._end(run, f"{run.task}: {problem.message}")
            return
        self._end(run, "")
        self._app.show_refusal(problem)

    def _end(self, run: RunningChecks, words: str) -> None:
        """It is over: said where the reader is by then; what shows the task takes it in."""
        app = self._app
        for page in app.pages:
            if page.task_id == run.task:
                page.changed(app.seq)
        self._draw(run.task)
        if words and app.pages:
            app.pages[-1].note(words)

    def stop(self, task: str) -> bool:
        """End what runs for a task, with everything that it started; whether something did."""
        run = self.of(task)
        if run is not None:
            run.stop()
            self._draw(task)
        return run is not None

    def close(self) -> None:
        """The app ends: so do the checks that it runs."""
        for run in self._of.values():
            run.stop()
        if self._desk is not None:
            self._desk.close()
