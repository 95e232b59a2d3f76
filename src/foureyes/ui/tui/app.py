"""The app: the stack of pages, the review that is going on, and what all pages share. One factory for use and tests."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar, TypeVar

from textual import events
from textual.timer import Timer
from textual.widget import Widget

from foureyes.app.results.draft import NewTaskDraft
from foureyes.config.own_settings import Own, Theme
from foureyes.errors import FoureyesError
from foureyes.ui.tui import review_session as review
from foureyes.ui.tui.actions import ActionPalette, Actions
from foureyes.ui.tui.checking import Checking, CheckTold
from foureyes.ui.tui.closing import Unread, close_review
from foureyes.ui.tui.error_boundary import is_there
from foureyes.ui.tui.keys import KeyContext
from foureyes.ui.tui.marks import visible
from foureyes.ui.tui.merging import Merging
from foureyes.ui.tui.page_stack import make_page, wanted
from foureyes.ui.tui.prefetch import Ahead
from foureyes.ui.tui.resume_position import come_back, keep_position
from foureyes.ui.tui.second_press import Guard
from foureyes.ui.tui.suspend_terminal import step_aside
from foureyes.ui.tui.themes import Themed
from foureyes.ui.tui.undoing import take_back
from foureyes.ui.tui.view_record import Looks
from foureyes.ui.tui.work_indicator import Waiting
from foureyes.ui.tui.worker import Answered, Desk, Failed

if TYPE_CHECKING:
    from textual.message_pump import MessagePump

    from foureyes.app.results.draft import Position
    from foureyes.app.results.review import QueueRow, QueueView
    from foureyes.ui.tui.screens.page import Page
    from foureyes.ui.tui.text.summary import QueueOrder

T = TypeVar("T")
LOOK_SECONDS = 0.5
"""How often the journal is asked whether others have written."""
LEAST = (60, 16)
"""Below this size nothing can be shown that one could decide by."""


class FoureyesApp(Themed, inherit_bindings=False):
    """The terminal app. It decides nothing: every key ends in a verb of the Application."""

    TITLE = "foureyes"
    CSS_PATH = "foureyes.tcss"
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar = []
    COMMANDS: ClassVar = {Actions}

    def __init__(self, desk: Desk, environ: Mapping[str, str], own: Own) -> None:
        super().__init__(environ, own.theme)
        self.desk = desk
        self.environ = environ
        self.own = own
        self.animation_level = "none"
        self.guard = Guard()
        self.raises = False
        self.first_note = ""
        """What is said first."""
        self.clock: Callable[[], float] = time.monotonic
        """Seconds, for everything that waits for a finger or an eye."""
        self.seq = 0
        self._asking = False
        self.deciding = 0
        """How many decisions are being written; as long as that takes, no key decides anything else."""
        self.waiting = Waiting(self)
        self.ahead = Ahead(self)
        self.checking = Checking(self)
        self.merging = Merging(self)
        self._watch: Timer | None = None
        self._begin_review()

    def _begin_review(self) -> None:
        """What is kept of reviews while the app is open."""
        self.flow = review.IDLE
        self.came_from = ""
        """The row of attention that the task on screen was opened from; Esc goes back to it."""
        self._numbers: dict[str, int] = {}
        self.snapshot: QueueView | None = None
        """The queue as it was when the review was opened; it stays as it is until F5."""
        self.looks = Looks()
        """What the person here was shown of each task, and noted about it."""
        self.opened_at = 0.0
        """When that was, in seconds since the epoch."""
        self.order: QueueOrder = "risk"
        self.review_filter = ""
        """What the summary is narrowed to."""
        self.left_at: Position | None = None
        """Where the person was when the app ended; the first R goes on there."""
        self.told_sprint: str | None = None
        """The sprint whose end was told last; None before that is known."""
        self.kept: Position | None = None
        """The position as it was last written down."""
        self.gone_elsewhere: set[str] = set()
        """Tasks of the snapshot that others decided meanwhile."""
        self.decided_at: dict[str, str] = {}
        self.acted_at: dict[str, float] = {}
        """When something was decided here, in seconds since the epoch."""
        self.unread = Unread()
        self.last_decision = ""
        self.last_command = ""
        self.unsent: dict[str, Mapping[str, str]] = {}
        """What was typed into sheets and not sent, by what they are about: Esc or a refusal throws no words away."""
        self.new_task = NewTaskDraft()
        """What was typed for a task that was not planned yet, as far as it is in no file."""

    def on_mount(self) -> None:
        self.begin_looks()
        self.desk.aside = lambda question: self.call_from_thread(step_aside, self, question)
        from foureyes.ui.tui.screens.board import BoardPage

        board = BoardPage()
        self.push_screen(board)
        come_back(self)
        if self.first_note:
            board.note(visible(self.first_note))
        if not self.is_headless:
            for number in (signal.SIGTERM, signal.SIGHUP):
                asyncio.get_running_loop().add_signal_handler(number, self.leave)
        self._watch = self.set_interval(LOOK_SECONDS, lambda: self.guarded(self.look_around))

    def pressed(self) -> None:
        self.ahead.wait()

    def on_resize(self, event: events.Resize) -> None:
        self.guarded(lambda: self._fit(event))

    def _fit(self, event: events.Resize) -> None:
        """Too small a terminal says so, and shows everything again when it has grown."""
        from foureyes.ui.tui.screens.too_small import TooSmall

        small = event.size.width < LEAST[0] or event.size.height < LEAST[1]
        if isinstance(self.screen, TooSmall):
            self.screen.say(event.size) if small else self.pop_screen()
        elif small and self.pages:
            self.push_screen(TooSmall(event.size))

    def set_look(self, look: Theme) -> None:
        super().set_look(look)
        for page in self.pages:
            page.draw()

    @property
    def pages(self) -> list[Page]:
        """The open pages, the lowest first."""
        from foureyes.ui.tui.screens.page import Page

        return [screen for screen in self.screen_stack if isinstance(screen, Page)]

    # -- the review

    def take_snapshot(self, view: QueueView) -> None:
        """The queue as it is now is what the review walks over."""
        self.snapshot, self.opened_at = view, time.time()
        self.gone_elsewhere = set()
        self._numbers = {row.task: number for number, row in enumerate(view.rows)}

    def number_of(self, task: str) -> int | None:
        """Where a task stands in the snapshot, from 0."""
        return self._numbers.get(task)

    def row(self, task: str) -> QueueRow | None:
        """A task's row of the queue: of the snapshot, else as the board has it."""
        number = self._numbers.get(task)
        if self.snapshot is not None and number is not None:
            return self.snapshot.rows[number]
        view = getattr(self.pages[0], "view", None)
        return next((card.review for card in view.reviewing.cards if card.task == task), None) if view else None

    def go(self, flow: review.Flow) -> None:
        """Take a step of the review: the pages follow the machine."""
        self.came_from = self.came_from if flow.task == self.flow.task else ""
        self.flow = flow
        self._follow(wanted(flow))
        top = self.pages[-1]
        top.arrive()
        if flow.message:
            top.note(flow.message)
        keep_position(self)

    def _follow(self, names: list[str]) -> None:
        """Close what is not wanted, open what is."""
        open_now = [page.name_in_flow for page in self.pages]
        keep = 0
        while keep < min(len(open_now), len(names)) and open_now[keep] == names[keep]:
            keep += 1
        for _ in range(len(open_now) - keep):
            self.pop_screen()
        for name in names[keep:]:
            self.push_screen(make_page(name, self.flow))

    def back(self) -> None:
        """Esc: one up. The page of the review's machine steps; any other closes."""
        top, came_from = self.pages[-1], self.came_from
        if top.name_in_flow in ("", "board"):
            if len(self.pages) > 1:
                self.pop_screen()
                self.pages[-1].arrive()
            return
        self.go(review.step(self.flow, "back"))
        if came_from and not self.flow.task:
            self.show_attention(came_from)

    def decided(self, task: str, decision: review.FlowDecision, message: str) -> None:
        """A decision is in the journal: on to what comes next."""
        self.guard.decided()
        was_here = self.flow.task == task
        self.noted(task, decision)
        if not was_here:
            keep_position(self)
            self.pages[-1].draw()
            self.pages[-1].note(message)
            self.call_after_refresh(self.guard.painted)
            return
        self.go(self.flow)
        top = self.pages[-1]
        if self.flow.left:
            top.note(" · ".join(part for part in (self.flow.message, message) if part))
        else:
            close_review(self, message)
        if not top.paints_later:
            self.call_after_refresh(self.guard.painted)

    def noted(self, task: str, decision: review.FlowDecision) -> None:
        """Write down for the pages what was decided, and when."""
        self.decided_at[task], self.acted_at[task] = time.strftime("%H:%M"), time.time()
        self.last_decision = f"{task} {decision}"
        self.flow = review.decide(self.flow, task, decision)

    def act(
        self,
        work: Callable[[Desk], T],
        then: Callable[[T], None],
        otherwise: Callable[[FoureyesError], None],
        *,
        words: str = "",
    ) -> None:
        """Have something decided. The answer is the app's: it counts wherever the reader is by then. `words`: the
        sheet whose words it sends; they are kept there until it is done.
        """
        self.deciding += 1

        def done(answer: T) -> None:
            self.deciding -= 1
            self.unsent.pop(words, None)
            then(answer)

        def refused(problem: FoureyesError) -> None:
            self.deciding -= 1
            otherwise(problem)

        self.desk.ask(self, work, done, refused)
        self.waiting.begin()

    def undo(self, then: Callable[[], None] = lambda: None) -> None:
        """U: take the newest approval back."""
        take_back(self, then)

    # -- what others do

    def look_around(self) -> None:
        """Ask whether somebody wrote; never twice at a time."""
        if self._asking:
            self.waiting.show()
            return
        self._asking = True
        self.desk.ask(self, lambda desk: desk.application.events.head(), self._looked, self._cannot_look)

    def _looked(self, seq: int) -> None:
        self._asking = False
        for page in self.pages:
            page.back_again()
        if seq != self.seq:
            self.seq = seq
            for page in self.pages:
                page.changed(seq)

    def _cannot_look(self, problem: FoureyesError) -> None:
        """The store is away: say so where the reader is, and try again with a new connection."""
        self._asking = False
        self.pages[-1].away(problem)
        self.desk.ask(self, lambda desk: desk.reopen(), lambda _: None)

    def on_answered(self, message: Answered) -> None:
        self.waiting.answered(message.desk)
        if self._is_there(message.asker):
            self.guarded(lambda: message.then(message.answer))

    def on_failed(self, message: Failed) -> None:
        self.waiting.answered(message.desk)
        problem, otherwise = message.problem, message.otherwise
        if not isinstance(problem, FoureyesError):
            self._asking, self.deciding = False, 0
            self.broke(problem)
        elif not self._is_there(message.asker):
            return
        elif otherwise is not None:
            self.guarded(lambda: otherwise(problem))
        else:
            self.show_refusal(problem)

    def on_check_told(self, message: CheckTold) -> None:
        self.guarded(lambda: self.checking.told(message))

    def _is_there(self, asker: MessagePump) -> bool:
        """Whether who asked can still be told."""
        return asker is self or (isinstance(asker, Widget) and is_there(asker))

    def guarded(self, step: Callable[[], object]) -> None:
        """Take a step; a defect of ours in it does not end the app."""
        try:
            step()
        except Exception as problem:
            self.broke(problem)

    # -- sheets

    def show_refusal(self, problem: FoureyesError) -> None:
        """Every reason, with the next step as a key."""
        from foureyes.ui.tui.screens.refusal import RefusalPage

        self.push_screen(RefusalPage(problem))

    def show_help(self, context: KeyContext) -> None:
        from foureyes.ui.tui.screens.help import HelpPage

        self.push_screen(HelpPage(context))

    def show_attention(self, first: str = "") -> None:
        from foureyes.ui.tui.screens.attention import AttentionPage

        if not isinstance(self.pages[-1], AttentionPage):
            self.push_screen(AttentionPage(first))

    def broke(self, problem: Exception) -> None:
        """A defect of ours: said, written down, and the app goes on; in tests it is raised."""
        if self.raises:
            raise problem
        from foureyes.ui.tui.crash import write_down

        where = write_down(problem, self.environ)
        for page in self.pages[-1:]:
            page.note(f"Something in Foureyes broke; F5 shows what is decided. Details: {where} · Esc")

    def leave(self) -> None:
        """Quit; drafts and place are kept, nothing is asked."""
        for page in self.pages:
            page.keep()
        self.exit()

    def action_leave(self) -> None:
        """Ctrl+Q in the palette, which is no page of ours."""
        self.leave()

    def action_command_palette(self) -> None:
        if not isinstance(self.screen, ActionPalette):
            self.push_screen(ActionPalette(id="--command-palette"))

    def on_unmount(self) -> None:
        self.ahead.stop()
        self.checking.close()
        self.merging.close()
        self.desk.close()


def open_app(
    desk: Desk, environ: Mapping[str, str] | None = None, own: Own | None = None, note: str = ""
) -> FoureyesApp:
    """The app for a desk, as its user set it; `note` is said on the board when it opens."""
    app = FoureyesApp(desk, os.environ if environ is None else environ, own or Own())
    app.first_note = note
    return app
