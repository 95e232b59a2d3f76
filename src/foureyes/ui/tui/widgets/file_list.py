"""The list of files beside a diff: what was seen of each, and what was found in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical

from foureyes.ui.tui.text.diff import file_line
from foureyes.ui.tui.text.diff_rows import in_files
from foureyes.ui.tui.widgets.bar import Bar
from foureyes.ui.tui.widgets.rows import PaintedLine, Rows

if TYPE_CHECKING:
    from foureyes.ui.tui.app import FoureyesApp
    from foureyes.ui.tui.reading import ChangeReading


class FileList(Vertical):
    """A title, which says whether the keys are here, and a row for each file."""

    app: FoureyesApp

    def compose(self) -> ComposeResult:
        yield Bar(id="files-title")
        yield Rows(id="files")

    @property
    def rows(self) -> Rows:
        return self.query_one("#files", Rows)

    def show(self, reading: ChangeReading, at: int) -> None:
        """The files of a change; the cursor follows the row of the diff that is read, unless the keys are here."""
        app, here = self.app, self.rows.has_focus
        mark = app.marks.double if here else app.marks.rule
        title = Text(f" {mark * 2} FILES {mark * 40}", app.palette["title" if here else "dim"], no_wrap=True)
        self.query_one("#files-title", Bar).show(title)
        findings = in_files(reading.noted)
        lines = [self._line(reading, number, findings.get(number, ())) for number in range(len(reading.change.files))]
        if reading.view.unchanged:
            words = f"  unchanged since it {reading.view.since}: {len(reading.view.unchanged)}"
            lines.append(PaintedLine(lambda width: Text(words[:width], app.palette["dim"])))
        self.rows.show(lines, None if here else str(max(0, reading.rows.file_at(at))))

    def _line(self, reading: ChangeReading, number: int, items: Sequence[int]) -> PaintedLine:
        file, app = reading.change.files[number], self.app
        findings = [reading.findings[item] for item in items]
        return PaintedLine(
            lambda width: file_line(file, reading.looking, findings, app.marks, app.palette, width), str(number)
        )
