"""The page of a task under review: why it is here, what changed, what was found, and what an approval would meet."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal

from foureyes.errors import FoureyesError
from foureyes.ui.tui import flow as review
from foureyes.ui.tui.banner import Banner, banner_of, rebased, stale_of
from foureyes.ui.tui.deciding import Case, approve, send_back
from foureyes.ui.tui.guarded import guarded
from foureyes.ui.tui.keeping import bring_back
from foureyes.ui.tui.marks import visible
from foureyes.ui.tui.news import asks_the_same, news_of
from foureyes.ui.tui.offering import offered
from foureyes.ui.tui.screens import texts
from foureyes.ui.tui.screens.page import Page
from foureyes.ui.tui.task_reading import read
from foureyes.ui.tui.text.task import Drawing, TaskView, head_line, section_lines, sections
from foureyes.ui.tui.widgets.hunks import Hunks
from foureyes.ui.tui.widgets.rows import Rows

if TYPE_CHECKING:
    from textual import events

    from foureyes.app.views.review import QueueRow
    from foureyes.app.views.task import TaskDetail
    from foureyes.ui.tui.desk import Desk

WIDE = 120
"""From this width the right half shows the change itself."""


class TaskPage(Page):
    """One task. Nothing moves while it is read: what others do meanwhile is one line above, until F5."""

    context: ClassVar = "task"
    name_in_flow = "task"
    paints_later: ClassVar = True

    def __init__(self) -> None:
        super().__init__()
        self.view: TaskView | None = None
        self.banner: Banner | None = None
        """Why what is on screen is not what can be decided about; None while it is."""
        self.news = ""
        """What others did that changes nothing for the reader."""
        self.acts = 0
        """What the reader did about the task elsewhere, as far as it is on screen."""
        self._search = ""

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
        if not self.app.looks.of(self.task_id).read:
            bring_back(self, self.task_id)
        self.ask(self._reader(self.app.row(self.task_id)), self._read, self._unread)

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
        told = self.banner not in (None, was)  # the banner is the news
        self.news = rebased(detail, case.attempt) or ("" if told else news_of(self.view.detail, detail))
        if before != (self.banner, self.news):
            self.draw()

    def do_refresh(self) -> None:
        """F5: take in what moved. What was read of the attempt before stays read, where it did not change."""
        case = self.case()
        if case is not None:
            self.app.looks.of(self.task_id).attempt = case.attempt
        self.reload()

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
        lines.append(self.paint(f" {head_line(self.view, unseen)}", "dim"))
        lines += self.folded(self.paint(f" {self.banner.words}", "banner")) if self.banner is not None else []
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

    def _drawing(self, wide: bool) -> Drawing:
        looking = self.app.looks.of(self.task_id)
        width = self.app.size.width // 2 if wide else self.app.size.width
        return Drawing(
            marks=self.app.marks,
            palette=self.app.palette,
            console=self.app.console,
            width=width - 1,
            unseen=looking.unseen_in,
        )

    # -- deciding

    def case(self) -> Case | None:
        """Exactly what is on screen."""
        if self.view is None or not self.view.detail.attempts:
            return None
        detail, row = self.view.detail, self.view.row
        waits = self.banner is not None or detail.task.status == "reviewing"
        attempt = detail.attempts[-1]
        return Case(
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

    def _with_case(self) -> Case | None:
        case = self.case()
        if case is None:
            self.note("nothing was handed in yet" if self.view else "one moment")
        return case

    def do_approve(self) -> None:
        if case := self._with_case():
            approve(self, case)

    def do_redo(self) -> None:
        if case := self._with_case():
            send_back(self, case, "redo")

    def do_reject(self) -> None:
        if case := self._with_case():
            send_back(self, case, "reject")

    # -- going on

    def do_next(self) -> None:
        self.app.go(review.step(self.app.flow, "next"))

    def do_previous(self) -> None:
        self.app.go(review.step(self.app.flow, "previous"))

    def do_diff(self) -> None:
        self.app.go(review.step(self.app.flow, "diff"))

    def do_jump(self) -> None:
        """A digit opens the diff at that file."""
        number = int(self.pressed)
        files = self.view.change.files if self.view is not None and self.view.change is not None else ()
        if number > len(files):
            self.note(f"there is no file {number}")
            return
        self.open_file(files[number - 1].path)

    def open_file(self, path: str) -> None:
        """The diff, at a file."""
        self.app.looks.of(self.task_id).aim = (path, 0)
        self.do_diff()

    def do_open(self) -> None:
        """Enter: what stands under the cursor."""
        kind, _, name = (self.rows.at or "").partition(":")
        if kind == "file" and self.view is not None and self.view.change is not None:
            self.open_file(self.view.change.files[int(name)].path)
        elif kind == "finding":
            self._open_finding(name)
        else:
            actions = {
                "why": self.do_why, "risk": self.do_why, "answer": self.do_why, "changes": self.do_diff,
                "quality": self.do_checks, "findings": self.do_findings, "reviews": self.do_history,
                "signal": self.do_log, "task": self._show_words, "acceptance": self._show_words,
            }  # fmt: skip
            actions.get(kind, self.do_why)()

    @guarded
    def on_rows_opened(self, _: Rows.Opened) -> None:
        self.do_open()

    def do_page_down(self) -> None:
        """Space and PgDn read on: in the change where it is on screen, else in the page."""
        if self.pressed == "space" and self.has_class("-wide") and self.view is not None and self.view.change:
            if not self.hunks.read_on():
                unseen = self.app.looks.of(self.task_id).unseen
                self.note(
                    "the end of the change" + ("" if unseen else " · all hunks shown · A approve  R redo  X reject")
                )
            return
        self.rows.page(1)

    def do_section(self) -> None:
        """Tab: the next section."""
        names = sections(self.rows.lines)
        here = (self.rows.at or "").partition(":")[0]
        here = {"file": "changes", "finding": "findings"}.get(here, here)
        number = names.index(here) + 1 if here in names else 0
        if names:
            self.rows.go(names[number % len(names)])

    def do_finding(self) -> None:
        """. and , go from finding to finding."""
        rows = self.rows.order
        places = [number for number, row in enumerate(rows) if row.startswith("finding:")]
        here = rows.index(self.rows.at) if self.rows.at in rows else -1
        if self.pressed == ".":
            number = next((number for number in places if number > here), None)
        else:
            number = next((number for number in reversed(places) if number < here), None)
        if number is None:
            self.note("no findings" if not places else "no further finding")
        else:
            self.rows.go(rows[number])

    def _open_finding(self, name: str) -> None:
        from foureyes.ui.tui.screens.finding import FindingPage

        self.app.push_screen(FindingPage(name))

    def do_findings(self) -> None:
        findings = self.view.detail.findings if self.view is not None else []
        if not findings:
            self.note("FINDINGS none")
            return
        first = next((finding for finding in findings if finding.holds), findings[0])
        self._open_finding(first.id)

    def do_checks(self) -> None:
        texts.show_checks(self, self.task_id)

    def do_iterations(self) -> None:
        texts.show_iterations(self, self.task_id)

    def do_history(self) -> None:
        texts.show_history(self, self.task_id)

    def do_log(self) -> None:
        texts.show_log(self, self.task_id)

    def do_why(self) -> None:
        if self.view is not None:
            texts.show_why(self, self.view)

    def _show_words(self) -> None:
        """What the task asks for, in full."""
        if self.view is not None:
            texts.show_words(self, self.view.detail)

    def do_find(self) -> None:
        from foureyes.ui.tui.screens.find import ask_filter

        ask_filter(self, self._search, self._searched, self._onward)

    def _searched(self, text: str) -> None:
        self._search = text
        self._onward(0)

    def _onward(self, by: int) -> None:
        """To the next row with what is looked for."""
        wanted, lines, width = self._search.lower(), self.rows.lines, self.rows.size.width
        rows = [line.row for line in lines if line.row and wanted and wanted in line.paint(width).plain.lower()]
        order = self.rows.order
        here = order.index(self.rows.at) if self.rows.at in order else 0
        places = [order.index(row) for row in dict.fromkeys(rows)]
        if by >= 0:
            hit = next((place for place in places if place >= here + by), places[0] if places else None)
        else:
            hit = next((place for place in reversed(places) if place < here), places[-1] if places else None)
        if hit is not None:
            self.rows.go(order[hit])
