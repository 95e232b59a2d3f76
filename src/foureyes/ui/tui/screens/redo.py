"""Redo: send a change back with words, so that the next iteration knows what to do (F1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from textual.app import ComposeResult
from textual.widgets import Static

from foureyes.app.results.draft import RedoDraft
from foureyes.core.nouns.decision import PriorityChange, RedoOption
from foureyes.core.words.vocabulary import QUICK_ISSUES
from foureyes.ui.tui.decisions import send_redo
from foureyes.ui.tui.draft_storage import bring_back
from foureyes.ui.tui.error_boundary import guarded
from foureyes.ui.tui.marks import visible
from foureyes.ui.tui.screens.form import FormPage
from foureyes.ui.tui.text.feedback import options_of, priorities_of, told
from foureyes.ui.tui.widgets.bar import Bar
from foureyes.ui.tui.widgets.options import OptionLines
from foureyes.ui.tui.widgets.text_part import TextPart
from foureyes.ui.tui.worker import Desk

if TYPE_CHECKING:
    from textual.widget import Widget

    from foureyes.app.results.task import TaskDetail
    from foureyes.app.results.work import CheckpointView

PRIORITIES: tuple[PriorityChange, ...] = ("same", "bump", "lower")
CHECKPOINTS = 5
"""So many of the newest checkpoints are offered."""
TALL = 30
"""From this height the form is as tall as what it holds; below it takes what there is."""
TITLES = {
    "issues": "Quick Issues (press number to toggle)",
    "text": "Custom Feedback",
    "options": "Redo Options",
    "priority": "Priority After Redo",
}
EMPTY = "choose an issue or write a sentence (F1)"


class RedoData(NamedTuple):
    """What the form needs to know."""

    detail: TaskDetail
    issues: tuple[str, ...]
    checkpoints: list[CheckpointView]


class RedoPage(FormPage):
    """Quick issues by digits, words, where to begin again, and how urgent. The keys start on the quick issues."""

    def __init__(self) -> None:
        super().__init__()
        self.issues: tuple[str, ...] = QUICK_ISSUES
        self.checkpoints: list[CheckpointView] = []

    def body(self) -> ComposeResult:
        yield Bar(id="rule-issues")
        yield OptionLines(QUICK_ISSUES, many=True, across=True, id="issues")
        yield Bar(id="rule-text")
        yield TextPart(id="text")
        yield Static("", id="comments", markup=False)
        yield Bar(id="rule-options")
        yield OptionLines(options_of([]), id="options")
        yield Bar(id="rule-priority")
        yield OptionLines(priorities_of(2), across=True, id="priority")

    def part(self, name: str) -> OptionLines:
        return self.query_one(f"#{name}", OptionLines)

    # -- reading

    def reload(self) -> None:
        if not self._ready:  # later it is only read again: the keys stay where they are
            self.set_focus(self.part("issues"))
        task = self.task_id
        bring_back(self, task, hold=True)
        self.ask(lambda desk: read(desk, task), self._read)

    def _read(self, known: RedoData) -> None:
        self.known(known.detail)
        self.issues, self.checkpoints = known.issues, known.checkpoints
        draft = self.looking.redo
        chosen = {number for number, issue in enumerate(self.issues) if issue in draft.quick_issues}
        self.part("issues").put([visible(issue) for issue in self.issues], chosen)
        self.part("options").put(options_of(self.checkpoints), {self._option(draft)})
        self.part("priority").put(priorities_of(known.detail.task.priority), {PRIORITIES.index(draft.priority)})
        self.put_text(draft.text)
        self.stands()

    def _option(self, draft: RedoDraft) -> int:
        if draft.option == "keep":
            return 0
        names = [checkpoint.name for checkpoint in self.checkpoints]
        return names.index(draft.checkpoint) + 2 if draft.checkpoint in names else 1

    # -- drawing

    def draw(self) -> None:
        if not self.is_mounted:
            return
        self.set_class(self.app.size.height >= TALL, "-tall")
        self.draw_comments()
        top = [self.across(self.paint(" REDO WITH FEEDBACK", "title"), f"[{self.task_id}] ")]
        if self.detail is not None:
            title = visible(self.detail.task.title)
            before = len(self.detail.attempts) - 1
            top.append(self.across(f" {title}", f"Previous iterations: {before} " if before > 0 else ""))
            top += [self.paint(f" ! {visible(self.detail.escalation)}", "warn")] if self.detail.escalation else []
        self.top.show(*top, *self.remarks())
        self.foot.show(self.paint(" The agent will be told exactly this:  Ctrl+O preview", "dim"), self.rule())
        self.draw_focus()

    def draw_focus(self) -> None:
        for name, title in TITLES.items():
            here = self.focused is not None and self.focused.id == name
            self.query_one(f"#rule-{name}", Bar).show(
                self.rule(title + (self.added() if name == "text" else ""), here=here)
            )
        in_text = self.focused is self.text_part
        verb = "Submit & Queue Redo"
        self.keys.relabel_keys({"enter": "" if in_text else verb, "ctrl+s": verb if in_text else ""})
        self.call_after_refresh(self._reveal)

    def set_focus(self, widget: Widget | None, scroll_visible: bool = True, from_app_focus: bool = False) -> None:
        """The library would scroll to the middle of a part, away from its heading."""
        super().set_focus(widget, scroll_visible=False, from_app_focus=from_app_focus)

    @guarded
    def _reveal(self) -> None:
        """The part that the keys are in is on screen with its heading."""
        part = self.focused
        if part is not None and part.id in TITLES:
            region = self.query_one(f"#rule-{part.id}", Bar).virtual_region.union(part.virtual_region)
            self.query_one("#parts").scroll_to_region(region, animate=False, force=True)

    # -- the draft

    @guarded
    def on_option_lines_changed(self, _: OptionLines.Changed) -> None:
        self.typed()

    @property
    def written(self) -> RedoDraft:
        option: RedoOption = "keep"
        checkpoint = ""
        (number,) = self.part("options").chosen
        if number == 1:
            option = "fresh"
        elif number > 1:
            option, checkpoint = "checkpoint", self.checkpoints[number - 2].name
        (priority,) = self.part("priority").chosen
        return RedoDraft(
            quick_issues=tuple(issue for n, issue in enumerate(self.issues) if n in self.part("issues").chosen),
            text=self.text_part.text,
            option=option,
            checkpoint=checkpoint,
            priority=PRIORITIES[priority],
        )

    def put_down(self) -> None:
        self.looking.redo = self.written

    # -- keys

    def do_preview(self) -> None:
        from foureyes.ui.tui.screens.text_page import TextPage

        if self.detail is not None:
            self.put_down()
            lines = told(self.detail, self.looking.redo, self.looking.own_comments)
            self.app.push_screen(TextPage(f"WHAT THE AGENT WILL BE TOLD  {self.task_id}", lines))

    def do_submit(self) -> None:
        if self.detail is None:
            return
        self.put_down()
        draft = self.looking.redo
        if not draft.quick_issues and not draft.text.strip() and not self.looking.own_comments:
            self.note(self.paint(f" {EMPTY}", "banner"))
        elif not self.asks_again():
            send_redo(self, self.task_id, draft)


def read(desk: Desk, task: str) -> RedoData:
    """The task, the quick issues of the policy, and the checkpoints that it could begin again at."""
    app = desk.application
    detail = app.lists.show(desk.actor, task)
    setting = next((row.value for row in app.policy.show(desk.actor) if row.key == "review.quick_issues"), None)
    issues = tuple(str(issue) for issue in setting) if isinstance(setting, list | tuple) and setting else QUICK_ISSUES
    mine = [checkpoint for checkpoint in app.checkpoints.all() if checkpoint.task in (detail.task.id, "")]
    return RedoData(detail, issues[:9], mine[:CHECKPOINTS])
