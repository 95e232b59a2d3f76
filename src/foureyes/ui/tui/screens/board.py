"""The board: four columns, who is at work, what happened, and what waits for the person who sits here."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Container, Horizontal, Vertical

from foureyes.app.results.board import COLUMNS, BoardView, Card, ColumnName
from foureyes.app.results.journal import EventLine
from foureyes.app.results.run import AgentRow
from foureyes.ui.tui import review_session as review
from foureyes.ui.tui.board_reading import Read, read_board, read_waiting
from foureyes.ui.tui.error_boundary import guarded
from foureyes.ui.tui.filters import Filter, parse
from foureyes.ui.tui.hints import Coached
from foureyes.ui.tui.marks import visible
from foureyes.ui.tui.sprinting import open_sprint, tell_end
from foureyes.ui.tui.text.board import NOTHING_PLANNED, agent_lines, card_lines, event_lines, status_line
from foureyes.ui.tui.widgets.bar import Bar
from foureyes.ui.tui.widgets.rows import PaintedLine, Rows, plain

if TYPE_CHECKING:
    from textual import events

    from foureyes.app.results.status import AttentionRow
    from foureyes.errors import FoureyesError

SIDE_BY_SIDE, WITH_SIDE = 100, 120
"""From this width columns stand side by side; from this the agents stand on the right."""
CARDS = 200
"""So many cards a column are read at once; the next ones when the cursor comes near the end of them."""
NEAR = 20
TICK = 5.0
"""How often the clock is looked at."""
TITLES: dict[ColumnName, str] = {
    "open": "Open",
    "in_progress": "In progress",
    "reviewing": "Reviewing",
    "done": "Done",
}


class BoardPage(Coached):
    """The first page. A card is selected by its task; new cards never move the cursor."""

    context: ClassVar = "board"
    name_in_flow = "board"

    def __init__(self) -> None:
        super().__init__()
        self.view: BoardView | None = None
        self.events: list[EventLine] = []
        self.column: ColumnName = "reviewing"
        self.pane = "column"
        self.filter = Filter()
        self.waiting: tuple[AttentionRow, ...] = ()
        """What only a person can move."""
        self._wanted: dict[ColumnName, int] = dict.fromkeys(COLUMNS, CARDS)
        """How many cards of each column are read."""
        self._read_at = 0.0
        self._minute = ""
        self._settled = False

    def body(self) -> ComposeResult:
        with Container(id="main"):
            with Horizontal(id="columns"):
                for name in COLUMNS:
                    with Vertical(id=f"box-{name}", classes="box"):
                        yield Bar(id=f"title-{name}")
                        yield Rows(id=f"column-{name}")
            with Vertical(id="side"):
                yield Bar(id="agents-title")
                yield Rows(id="agents")
                yield Bar(id="events-title")
                yield Rows(id="events", cursor=False)

    @property
    def rows(self) -> Rows:
        """The pane that the keys move in."""
        name = f"column-{self.column}" if self.pane == "column" else self.pane
        return self.query_one(f"#{name}", Rows)

    # -- reading

    @guarded
    def on_mount(self) -> None:
        super().on_mount()
        self.set_interval(TICK, self.tick)

    def reload(self) -> None:
        wanted = dict(self._wanted)
        self.ask(lambda desk: read_board(desk, wanted, CARDS), self._read, self._unread)

    def _read(self, answer: Read) -> None:
        self.view, self.events, self.waiting = answer
        self._read_at = self.app.clock()
        if not self._settled:
            self._settled = True
            self.column = self._first_column()
            self.set_focus(self.query_one(f"#column-{self.column}"))
        self.app.ahead.begin(self.view.reviewing.count, len(self.view.reviewing.cards))
        tell_end(self.app, self.view)
        self.draw()

    def _unread(self, problem: FoureyesError) -> None:
        self.away(problem)
        self.draw()

    def _first_column(self) -> ColumnName:
        """Where the eye should be: what waits for review, else what can be begun."""
        assert self.view is not None
        filled: list[ColumnName] = ["reviewing", "in_progress", "open", "done"]
        return next((name for name in filled if getattr(self.view, name).count), "open")

    def changed(self, seq: int) -> None:
        self.reload()

    def arrive(self) -> None:
        self.reload()

    # -- drawing

    def draw(self) -> None:
        if not self.is_mounted:
            return
        width, height = self.app.size.width, self.app.size.height
        self._set_classes(width, height)
        view = self.view
        if view is None:
            self.top.show(self.paint(" foureyes", "title"))
            return
        self._minute = self.minute(view)
        dot = f" {self.app.marks.dot} "
        running = "runner" if view.runners == 1 else f"{view.runners} runners" if view.runners else ""
        right = dot.join(filter(None, (view.policy, running, f"{len(view.agents)} at work", f"{self._minute} ")))
        place = Text.assemble(
            (" foureyes", self.app.palette["title"]), f"  {view.project} {self.app.marks.dot} {view.target}"
        )
        lines = [self.across(place, right)]
        if width < SIDE_BY_SIDE:
            lines.append(self._tabs(view))
        elif self.filter.text:
            lines.append(self.across("", self._narrowed(view)))
        self.top.show(*lines)
        for column in COLUMNS:
            self._draw_column(view, column, width)
        tall = width >= WITH_SIDE
        self.query_one("#agents-title", Bar).show(self.rule_in("AGENTS", "agents"))
        self.query_one("#agents", Rows).show(agent_lines(view, self.app.palette, tall=tall))
        self.query_one("#events-title", Bar).show(self.rule_in("EVENTS", "events"))
        self.query_one("#events", Rows).show(event_lines(self.events[::-1], self.app.palette, tall=tall))
        self.foot.show(*self.coach(view), status_line(view, width, self.app.palette, self.waiting))

    def _set_classes(self, width: int, height: int) -> None:
        """All at once: what a class changes is worked out for everything on the board."""
        fit = {"-wide": width >= SIDE_BY_SIDE, "-side": width >= WITH_SIDE, "-short": height < 24, "-tiny": height < 20}
        fit |= {f"-at-{name}": name == self.column for name in COLUMNS}
        wanted = (self.classes - fit.keys()) | {name for name, is_so in fit.items() if is_so}
        if wanted != self.classes:
            self.set_classes(wanted)

    def minute(self, view: BoardView) -> str:
        """The reader's own time: of the moment that was read, and what has passed since."""
        passed = timedelta(seconds=max(0.0, self.app.clock() - self._read_at))
        return (datetime.fromisoformat(view.at) + passed).astimezone().strftime("%H:%M")

    @guarded
    def tick(self) -> None:
        """The clock goes on while nothing happens; and what is committed on the target is seen, though nobody wrote."""
        if self.view is not None and self.minute(self.view) != self._minute:
            self.draw()
        if self.view is not None and self.app.screen is self:
            self.app.desk.ask(self, read_waiting, self._wait, lambda _: None)

    def _wait(self, rows: tuple[AttentionRow, ...]) -> None:
        before = [(row.id, row.text) for row in self.waiting]
        self.waiting = rows
        if before != [(row.id, row.text) for row in rows]:
            self.draw()

    def rule_in(self, title: str, pane: str) -> Text:
        """A pane's title, which says whether the keys are there."""
        return self.rule(title, here=self.pane == pane)

    def _tabs(self, view: BoardView) -> Text:
        text = Text(" ")
        for name in COLUMNS:
            label = f"{TITLES[name]} {getattr(view, name).count:,}"
            here = name == self.column
            text.append(f"▐{label}▌" if here else f" {label} ", self.app.palette["title" if here else "dim"])
            text.append(" ")
        return self.across(text, self._narrowed(view))

    def _narrowed(self, view: BoardView) -> str:
        """The filter in force, with how much it lets through."""
        if not self.filter.text:
            return ""
        column = getattr(view, self.column)
        fitting = sum(self.filter.fits(card) for card in column.cards)
        return f"{visible(self.filter.text)}: {fitting:,} of {column.count:,} "

    def _draw_column(self, view: BoardView, name: ColumnName, width: int) -> None:
        column = getattr(view, name)
        here = name == self.column and self.pane == "column"
        mark = self.app.marks.double if here else self.app.marks.rule
        title = f" {TITLES[name].upper()} {column.count:,} "
        bar = self.query_one(f"#title-{name}", Bar)
        if width >= SIDE_BY_SIDE:
            bar.show(self.paint(title + (mark * 80 if here else ""), "title" if here else "dim"))
        else:
            bar.show(self.rule(here=here))
        empty = not column.count and any(getattr(view, each).count for each in COLUMNS)
        self.query_one(f"#box-{name}").set_class(empty, "-empty")
        cards = [card for card in column.cards if self.filter.fits(card)]
        lines: list[PaintedLine] = []
        for card in cards:
            lines += card_lines(card, view, self.app.marks, self.app.palette, tall=width >= SIDE_BY_SIDE)
        if not cards:
            lines = [plain(self.paint(f"  {line}", "dim")) for line in self._empty(view, name)]
        elif column.count > len(column.cards):
            lines.append(plain(self.paint(f" {self.app.marks.more} {column.count - len(column.cards):,} more", "dim")))
        rows = self.query_one(f"#column-{name}", Rows)
        lost = rows.show(lines)
        if lost and name == self.column and not self.filter.text and not self.noted:
            self.note(f"{lost} is no longer in this column")

    def _empty(self, view: BoardView, name: ColumnName) -> list[str]:
        total = sum(getattr(view, each).count for each in COLUMNS)
        if self.filter.text:
            return [self.filter.no_match(total)]
        if total:
            return ["nothing here"]
        return NOTHING_PLANNED

    # -- what is selected

    def card(self) -> Card | None:
        """The card under the cursor."""
        if self.view is None:
            return None
        column = getattr(self.view, self.column)
        return next((card for card in column.cards if card.task == self.rows.at), None)

    def selected_task(self) -> str:
        """The task under the cursor, in a column or in the agents' pane; empty where there is none."""
        if self.pane == "agents" and self.view is not None:
            return next((row.task for row in self.view.agents if row.row == self.rows.at), "")
        return self.rows.at or "" if self.pane == "column" else ""

    def words(self) -> dict[str, str]:
        return {"task": self.selected_task()}

    @guarded
    def on_rows_moved(self, message: Rows.Moved) -> None:
        """Near the end of what was read more is read, once, so that every card can be reached."""
        column, order = getattr(self.view, self.column, None), message.rows.order
        if column is None or column.count <= len(column.cards) or self._wanted[self.column] > len(column.cards):
            return
        if message.row in order[-NEAR:]:
            self._wanted[self.column] += CARDS
            self.reload()

    @guarded
    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """A click into another column or pane takes the keys there."""
        name = event.widget.id or ""
        column = next((each for each in COLUMNS if name == f"column-{each}"), self.column)
        pane = name if name in ("agents", "events") else "column"
        if (column, pane) != (self.column, self.pane):
            self.column, self.pane = column, pane
            self.draw()

    @guarded
    def on_rows_opened(self, message: Rows.Opened) -> None:
        self.do_open()

    # -- keys

    def do_open(self) -> None:
        task = self.selected_task()
        if task:
            self.app.go(review.look(self.app.flow, task))

    def do_review(self) -> None:
        from foureyes.ui.tui.reviewing import begin

        begin(self)

    def do_new(self) -> None:
        from foureyes.ui.tui.screens.new_task import NewTaskPage

        self.app.push_screen(NewTaskPage())

    def do_sprint(self) -> None:
        """Shift+S: the sprint that goes on, or a new one."""
        open_sprint(self)

    def do_pane(self) -> None:
        self._turn(1)

    def do_pane_before(self) -> None:
        self._turn(-1)

    def _turn(self, by: int) -> None:
        panes = ["column", "agents", "events"]
        self.pane = panes[(panes.index(self.pane) + by) % len(panes)]
        self.set_focus(self.rows)
        self.draw()

    def do_left(self) -> None:
        self._column(-1)

    def do_right(self) -> None:
        self._column(1)

    def _column(self, by: int) -> None:
        number = max(0, min(len(COLUMNS) - 1, COLUMNS.index(self.column) + by))
        self.column, self.pane = COLUMNS[number], "column"
        self.set_focus(self.rows)
        self.draw()

    def do_find(self) -> None:
        from foureyes.ui.tui.screens.find import ask_filter

        ask_filter(self, self.filter.text, self._filtered)

    def _filtered(self, text: str) -> None:
        self.filter = parse(text)
        self._follow_filter()
        self.draw()

    def _follow_filter(self) -> None:
        """Where nothing of this column passes and something of another does, that one is shown."""
        view = self.view
        if view is None or not self.filter.text or self.pane != "column":
            return
        fitting = [name for name in COLUMNS if any(self.filter.fits(card) for card in getattr(view, name).cards)]
        if fitting and self.column not in fitting:
            self.column = "reviewing" if "reviewing" in fitting else fitting[0]
            self.set_focus(self.rows)

    def do_filters(self) -> None:
        from foureyes.ui.tui.filters import HELP
        from foureyes.ui.tui.screens.text_page import TextPage

        self.app.push_screen(TextPage("FILTERS", HELP))

    def do_order(self) -> None:
        self.note("the board is ordered by what can be done first; R orders the review, with O there")

    def do_log(self) -> None:
        """Of an agent that a runner started, what its program prints; else the task's log."""
        row, task = self._agent(), self.selected_task()
        if row is not None and row.run:
            from foureyes.ui.tui.screens.run_log import RunLogPage

            self.app.push_screen(RunLogPage(row.task))
        elif task:
            from foureyes.ui.tui.screens.texts import show_log

            show_log(self, task)

    def _agent(self) -> AgentRow | None:
        """Who the cursor of the agents' pane stands on."""
        agents = self.view.agents if self.view and self.pane == "agents" else ()
        return next((row for row in agents if row.row == self.rows.at), None)

    def do_stop(self) -> None:
        from foureyes.ui.tui.stopping import stop_run

        stop_run(self, self._agent())

    def do_import_plan(self) -> None:
        from foureyes.ui.tui.importing import import_plan

        import_plan(self)

    def do_drafts(self) -> None:
        from foureyes.ui.tui.screens.drafts import DraftsPage

        self.app.push_screen(DraftsPage())

    def do_back(self) -> None:
        if self.filter.text:
            self._filtered("")
        else:
            self.was_read()

    def do_quit(self) -> None:
        self.app.leave()
