"""The page of a task under review: why it is here, what changed, what was found, and what an approval would meet."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from foureyes.ui.tui import review_session as review
from foureyes.ui.tui.decisions import approve, send_back
from foureyes.ui.tui.error_boundary import guarded
from foureyes.ui.tui.screens import texts
from foureyes.ui.tui.screens.checks import ChecksPage, run_checks
from foureyes.ui.tui.screens.review import ReviewPage
from foureyes.ui.tui.text.task import sections
from foureyes.ui.tui.widgets.rows import Rows

if TYPE_CHECKING:
    from foureyes.ui.tui.decisions import OnScreen


class TaskPage(ReviewPage):
    """The keys of a task that is looked at."""

    context: ClassVar = "task"
    name_in_flow = "task"
    paints_later: ClassVar = True

    def __init__(self) -> None:
        super().__init__()
        self._search = ""

    # -- deciding

    def _with_case(self) -> OnScreen | None:
        case = self.case()
        if case is None:
            self.note("nothing was submitted yet" if self.view else "one moment")
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
        self.app.push_screen(ChecksPage(self.task_id))

    def do_run_checks(self) -> None:
        run_checks(self.app, self.task_id)

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
