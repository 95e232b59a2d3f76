"""A task under review on screen: what was read of it, how it is drawn, and what became of it meanwhile. Keys are the
task page's own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal

from foureyes.errors import FoureyesError
from foureyes.ui.tui.banner import Banner, banner_of, rebased, stale_of
from foureyes.ui.tui.decision_labels import offered
from foureyes.ui.tui.decisions import OnScreen
from foureyes.ui.tui.draft_storage import bring_back
from foureyes.ui.tui.error_boundary import guarded
from foureyes.ui.tui.marks import visible
from foureyes.ui.tui.news import asks_the_same, news_of
from foureyes.ui.tui.screens.page import Page
from foureyes.ui.tui.task_reading import read
from foureyes.ui.tui.text.task import TaskDrawing, TaskView, head_line, section_lines
from foureyes.ui.tui.widgets.hunks import Hunks
from foureyes.ui.tui.widgets.rows import Rows

if TYPE_CHECKING:
    from textual import events

    from foureyes.app.results.review import QueueRow
    from foureyes.app.results.task import TaskDetail
    from foureyes.ui.tui.worker import Desk

WIDE = 120
"""From this width the right half shows the change itself."""


class ReviewPage(Page):
    """One task. Nothing moves while it is read: what others do meanwhile is one line above, until F5."""

    def __init__(self) -> None:
        super().__init__()
        self.view: TaskView | None = None
        self.banner: Banner | None = None
        """Why what is on screen is not what can be decided about; None while it is."""
        self.news = ""
        """What others did that changes nothing for the reader."""
        self.acts = 0
        """What the reader did about the task elsewhere, as far as it is on screen."""

    def body(self) -> ComposeResult:
        with Horizontal(id="main"):
            yield Rows(id="rows")
            yield Hunks(self.draw, id="hunks")

    @guarded
    def on_mount(self) -> None:
        self.task_id = self.app.flow.task
        super().on_mount()
        self.set_focus(self.rows)

    @property
    def hunks(self) -> Hunks:
        return self.query_one("#hunks", Hunks)

    # -- reading

    def arrive(self) -> None:
        """The review stands at another task, or somebody came back to this one."""
        if not self.is_mounted:
            return
        if self.app.flow.task != self.task_id:
            self.turn_away()
            self.task_id, self.view, self.banner, self.news = self.app.flow.task, None, None, ""
            self.hunks.clear()
            self.draw()
            self.reload()
        else:
            self.app.call_after_refresh(self.app.guard.painted)
            self.changed(self.app.seq)
            self.draw()

    def reload(self) -> None:
        self._reload(self.app.row(self.task_id))

    def _reload(self, row: QueueRow | None) -> None:
        if not self.app.looks.of(self.task_id).read:
            bring_back(self, self.task_id)
        self.ask(self._reader(row), self._read, self._unread)

    def _reader(self, row: QueueRow | None) -> Callable[[Desk], TaskView]:
        """The work of reading the task, as it is asked for now."""
        task, looking = self.task_id, self.app.looks.of(self.task_id)
        looked, acts = looking.attempt, looking.acts
        return lambda desk: read(desk, task, row, looked=looked, acts=acts)

    def _read(self, view: TaskView) -> None:
        if view.detail.task.id != self.task_id:
            return
        self.view, self.banner, self.news, self.acts = view, stale_of(view.detail), "", view.acts
        looking = self.app.looks.of(self.task_id)
        looking.attempt = looking.attempt or (view.since[2] if view.since is not None else 0)
        if view.change is not None:
            looking.take(view.change)
        looking.watch.touch(self.app.clock())
        self.draw()
        self.app.call_after_refresh(self.app.guard.painted)

    def _unread(self, problem: FoureyesError) -> None:
        self.app.guard.painted()
        self.refused(problem)

    def changed(self, seq: int) -> None:
        """Somebody wrote: whether that concerns what is on screen. What the reader did elsewhere is taken in."""
        if self.view is None:
            return
        task = self.task_id
        if self.acts != self.app.looks.of(task).acts:
            self.ask(self._reader(self.view.row), self._take_in, lambda _: None)
        else:
            self.ask(lambda desk: desk.application.lists.show(desk.actor, task), self._compare, lambda _: None)

    def _take_in(self, view: TaskView) -> None:
        """The reader's own act: shown at once, unless the task asks for something else or is another change now."""
        if self.view is not None and asks_the_same(self.view.detail, view.detail):
            self._read(view)
        else:
            self._compare(view.detail)

    def _compare(self, detail: TaskDetail) -> None:
        case = self.case()
        if case is None or self.view is None or detail.task.id != self.task_id:
            return
        before, was = (self.banner, self.news), stale_of(self.view.detail)
        self.banner = banner_of(detail, case.attempt)
        is_news = self.banner not in (None, was)  # the banner is the news
        self.news = rebased(detail, case.attempt) or ("" if is_news else news_of(self.view.detail, detail))
        if before != (self.banner, self.news):
            self.draw()

    def do_refresh(self) -> None:
        """F5: take in what moved. What was read of the attempt before stays read, where it did not change."""
        case = self.case()
        if case is not None:
            self.app.looks.of(self.task_id).attempt = case.attempt
        self._reload(None)  # what the queue says of it, too

    # -- drawing

    def draw(self) -> None:
        if not self.is_mounted:
            return
        flow = self.app.flow
        wide = self.app.size.width >= WIDE
        self.set_class(wide, "-wide")
        at = f"[{flow.at + 1}/{len(flow.rows)}] " if len(flow.rows) > 1 else ""
        if self.view is None:
            self.top.show(self.across(self.paint(" REVIEW TASK", "title"), f"{at}{self.task_id} "), self.rule())
            self.rows.show([])
            return
        detail, looking = self.view.detail, self.app.looks.of(self.task_id)
        risk = f" {self.app.marks.risks[self.view.row.risk.level]}" if self.view.row else ""
        in_review = detail.task.status == "reviewing"
        right = f"{at}{self.task_id} {risk} {(detail.mode if in_review else '') or detail.task.status} "
        unseen = looking.unseen if self.view.change is not None else None
        lines = [self.across(self.paint(" REVIEW TASK" if in_review else " TASK", "title"), right)]
        lines += self._title(visible(detail.task.title))
        lines.append(self.paint(f" {head_line(self.view, unseen, self.wide - 2)}", "dim"))
        lines += self.folded(self.paint(f" {self.banner.line}", "banner")) if self.banner is not None else []
        lines += self.folded(self.paint(f" {self.news}", "warn")) if self.news else []
        self.top.show(*lines, self.rule())
        self.rows.show(section_lines(self.view, self._drawing(wide)))
        if self.view.change is not None and wide:
            self.hunks.show_change(self.view.change, looking)
        case = self.case()
        waits = case is not None and (case.banner is None or case.banner.kind != "decided")
        self.keys.relabel(**offered(self, detail.you, waits=waits))

    def _title(self, title: str) -> list[Text]:
        """The title on at most two lines."""
        rows = list(Text(title).wrap(self.app.console, max(20, self.wide - 2)))
        if len(rows) > 2:
            rows = [rows[0], Text(title[len(rows[0].plain) :].strip())]
            rows[1].truncate(self.wide - 2, overflow="ellipsis")
        return [Text.assemble(" ", (row.plain, self.app.palette["title"])) for row in rows]

    def _drawing(self, wide: bool) -> TaskDrawing:
        looking = self.app.looks.of(self.task_id)
        width = self.app.size.width // 2 if wide else self.app.size.width
        return TaskDrawing(
            marks=self.app.marks,
            palette=self.app.palette,
            console=self.app.console,
            width=width - 1,
            unseen=looking.unseen_in,
        )

    # -- deciding

    def case(self) -> OnScreen | None:
        """Exactly what is on screen."""
        if self.view is None or not self.view.detail.attempts:
            return None
        detail, row = self.view.detail, self.view.row
        waits = self.banner is not None or detail.task.status == "reviewing"
        attempt = detail.attempts[-1]
        return OnScreen(
            task=self.task_id,
            attempt=attempt.n,
            diff_id=attempt.diff_id,
            you=detail.you,
            banner=self.banner if waits else Banner("decided", f"it is {detail.task.status}"),
            close=row is not None and row.risk.level == "high",
            version=detail.task.version,
        )

    def words(self) -> dict[str, str]:
        case = self.case()
        return {"task": self.task_id, "seen": case.seen if case else ""}

    def deaf(self) -> str:
        return f"new task: {self.task_id}"

    def press(self, key: str) -> None:
        self.app.looks.of(self.task_id).watch.touch(self.app.clock())
        super().press(key)

    def turn_away(self) -> None:
        """Something else is looked at from now on."""
        if self.task_id:
            self.app.looks.of(self.task_id).watch.leave(self.app.clock())
            self.hunks.look_away()

    @guarded
    def on_screen_suspend(self, _: events.ScreenSuspend) -> None:
        self.turn_away()

    @guarded
    def on_screen_resume(self, _: events.ScreenResume) -> None:
        if self.view is not None:
            self.app.looks.of(self.task_id).watch.touch(self.app.clock())
            self.call_after_refresh(self.hunks.measure)
            self.draw()
