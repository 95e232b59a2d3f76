"""Sprint planning: a target, tasks to tick, two options. Enter starts it: the screen is the confirmation (X1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from msgspec.structs import replace

from foureyes.app.results.sprint import SPRINT_AGENTS, SprintAsk, SprintBegun, SprintPlanView
from foureyes.core.nouns.sprint import TargetKind
from foureyes.core.sprint.selection import span
from foureyes.errors import FoureyesError
from foureyes.ui.tui.error_boundary import guarded
from foureyes.ui.tui.marks import visible
from foureyes.ui.tui.screens.page import Page
from foureyes.ui.tui.text.sprint import (
    KINDS,
    VALUES,
    SprintChoice,
    option_line,
    ready_words,
    selected_lines,
    target_lines,
    task_line,
)
from foureyes.ui.tui.widgets.bar import Bar
from foureyes.ui.tui.widgets.rows import PaintedLine, Rows, plain

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from foureyes.app.results.sprint import PlannedTaskView
    from foureyes.ui.tui.worker import Desk

PlanningPart = Literal["tasks", "options", "target"]
PARTS: tuple[PlanningPart, ...] = ("tasks", "options", "target")
LONGEST = 5
"""So many signs stand in the brackets of a target."""


class SprintPlanningPage(Page):
    """What a night is for. Nothing is stored before Enter."""

    context: ClassVar = "planning"

    def __init__(self) -> None:
        super().__init__()
        self.view: SprintPlanView | None = None
        self.choice = SprintChoice()
        self.ticked: set[str] | None = None
        """None before the first look: then what is proposed."""
        self.part: PlanningPart = "tasks"
        self.words_of_filter = ""
        self._option = 0
        self._typing = False

    def body(self) -> ComposeResult:
        yield Bar(id="target")
        yield Bar(id="selection")
        yield Rows(id="rows")
        yield Bar(id="selected")
        yield Bar(id="options")

    # -- reading

    def reload(self) -> None:
        ask = self._ask()
        self.ask(lambda desk: desk.application.sprints.preview(desk.actor, ask), self._read, self._not_read)

    def _read(self, view: SprintPlanView) -> None:
        if self.ticked is None:
            self.ticked = {row.task for row in view.tasks}
            self.choice = replace(self.choice, checkpoint=view.checkpoint, pause_on_error=view.pause_on_error)
        self.view = view
        self.draw()

    def _not_read(self, problem: FoureyesError) -> None:
        """A target that is none, half typed: said in place, what is on screen stays."""
        self.note(self.paint(f" {visible(problem.message)}", "banner"))
        self.draw()

    def _ask(self, tasks: tuple[str, ...] = ()) -> SprintAsk:
        kind, value = self.choice.kind, self.choice.values[self.choice.kind]
        return SprintAsk(
            tasks=tasks,
            complete=int(value or 0) if kind == "tasks" else None,
            hours=float(value or 0) if kind == "hours" else None,
            until=(value or "?") if kind == "until" else "",
            idle=kind == "idle",
            checkpoint=self.choice.checkpoint if self.ticked is not None else None,
            pause_on_error=self.choice.pause_on_error if self.ticked is not None else None,
        )

    def all_rows(self) -> list[PlannedTaskView]:
        """Everything that could be chosen, in the order in which it would begin."""
        if self.view is None:
            return []
        rows = [*self.view.tasks, *self.view.others]
        return sorted(rows, key=lambda row: row.priority)

    def shown_rows(self) -> list[PlannedTaskView]:
        wanted = self.words_of_filter.lower().split()
        return [row for row in self.all_rows() if all(word in _searched(row) for word in wanted)]

    def chosen(self) -> list[PlannedTaskView]:
        return [row for row in self.all_rows() if row.task in (self.ticked or ())]

    # -- drawing

    def draw(self) -> None:
        if not self.is_mounted or self.view is None:
            return
        app, here = self.app, self.part
        self.top.show(self.paint(" SPRINT PLANNING", "title"), self.rule("Sprint Target", here=here == "target"))
        targets = target_lines(self.choice, self._when(), app.marks, app.palette, here=here == "target")
        self.query_one("#target", Bar).show(*targets)
        title = self.rule("Task Selection", here=here == "tasks")
        ready = f" {ready_words(self.view)} "
        title.truncate(max(1, self.wide - len(ready)), pad=True)
        self.query_one("#selection", Bar).show(self.across(title, self.paint(ready.rstrip(), "dim")))
        lines = [
            PaintedLine(
                lambda width, row=row: task_line(row, row.task in (self.ticked or ()), app.marks, app.palette, width),  # type: ignore[misc]
                row.task,
            )
            for row in self.shown_rows()
        ]
        self.rows.show(lines or [plain(self.paint(f"   {self._nothing()}", "dim"))])
        self.query_one("#selected", Bar).show(*selected_lines(self.chosen(), SPRINT_AGENTS))
        options = option_line(self.choice, app.marks, app.palette, self._option, here=here == "options")
        warned = [self.paint(f" ! {visible(text)}.", "warn") for text in self.view.warnings[:2]]
        self.query_one("#options", Bar).show(self.rule("Options", here=here == "options"), options, *warned)
        self.foot.show(self.rule())

    def _nothing(self) -> str:
        if self.words_of_filter and self.all_rows():
            return f'No task matches "{visible(self.words_of_filter)}".'
        return "Nothing is ready. N on the board writes a task."

    def _when(self) -> str:
        """When the clock shows it: today or tomorrow, and in how long."""
        view = self.view
        is_typing = len(self.choice.values["until"]) < len("0:00")
        if view is None or view.target.kind != "until" or view.seconds_left is None or is_typing:
            return ""
        left = span(view.seconds_left).replace("h", " h").replace("m", " m")
        return f"in {left}"

    # -- keys

    def words(self) -> dict[str, str]:
        return {"task": self.rows.at or ""}

    def do_part(self) -> None:
        self._turn(1)

    def do_part_before(self) -> None:
        self._turn(-1)

    def _turn(self, by: int) -> None:
        self.part = PARTS[(PARTS.index(self.part) + by) % len(PARTS)]
        self._typing = False
        self.draw()

    def do_tick(self) -> None:
        if self.part == "options":
            self._flip()
        elif self.part == "target":
            self._choose(1)
        elif self.rows.at and self.ticked is not None:
            self.ticked ^= {self.rows.at}
            self.draw()

    def _flip(self) -> None:
        choice = self.choice
        if self._option == 0:
            self.choice = replace(choice, checkpoint=not choice.checkpoint)
        else:
            self.choice = replace(choice, pause_on_error=not choice.pause_on_error)
        self.draw()

    def do_all(self) -> None:
        self.ticked = (self.ticked or set()) | {row.task for row in self.shown_rows()}
        self.draw()

    def do_none(self) -> None:
        self.ticked = (self.ticked or set()) - {row.task for row in self.shown_rows()}
        self.draw()

    def do_find(self) -> None:
        from foureyes.ui.tui.screens.find import ask_filter

        ask_filter(self, self.words_of_filter, self._filtered)

    def _filtered(self, text: str) -> None:
        self.words_of_filter = text
        self.draw()

    def do_left(self) -> None:
        self._sideways(-1)

    def do_right(self) -> None:
        self._sideways(1)

    def _sideways(self, by: int) -> None:
        if self.part == "options":
            self._option = (self._option + by) % 2
            self.draw()
        else:
            self.part = "target"
            self._choose(by)

    def _choose(self, by: int) -> None:
        kind = KINDS[(KINDS.index(self.choice.kind) + by) % len(KINDS)]
        self.choice, self._typing = replace(self.choice, kind=kind), False
        self._retarget()

    def _retarget(self) -> None:
        self.draw()
        self.reload()

    def do_up(self) -> None:
        self._move(-1)

    def do_down(self) -> None:
        self._move(1)

    def _move(self, by: int) -> None:
        if self.part == "target":
            self._choose(2 * by)
        elif self.part == "options":
            self._option = (self._option + by) % 2
            self.draw()
        else:
            self.rows.move(by)

    def do_type(self) -> None:
        """A digit, or the colon of a time: into the brackets of the target."""
        kind = self.choice.kind
        if kind == "idle" or (self.pressed == ":" and kind != "until"):
            return
        if self.part != "target":
            self.part, self._typing = "target", False
        before = self.choice.values[kind] if self._typing else ""
        self._typing = True
        self._put(typed(kind, before, self.pressed))

    def do_erase(self) -> None:
        if self.part == "target" and self.choice.kind != "idle":
            self._typing = True
            self._put(self.choice.values[self.choice.kind][:-1])

    def _put(self, value: str) -> None:
        self.choice = replace(self.choice, values=self.choice.values | {self.choice.kind: value})
        if value == VALUES[self.choice.kind] or self.choice.kind != "until" or len(value) in (4, 5):
            self._retarget()
        else:
            self.draw()

    # -- starting

    def do_start(self) -> None:
        """Enter: plan and start, without a second question."""
        tasks = tuple(row.task for row in self.chosen())
        if not tasks:
            self.note("nothing is ticked: Space ticks a task, + all of them")
            return
        ask = self._ask(tasks)
        self.note("starting …")
        self.app.act(lambda desk: start(desk, ask), self._started, self._refused)

    def _started(self, begun: SprintBegun) -> None:
        self.app.last_command = f"fe sprint start {begun.id}"
        if self.is_attached:
            self.app.back()
        self.app.pages[0].note(" · ".join(part for part in (begun.message, begun.runner) if part))

    def _refused(self, problem: FoureyesError) -> None:
        if self.is_attached and len(problem.reasons) < 2:
            reason = problem.reasons[0] if problem.reasons else None
            words = f"{reason.message} ({reason.rule})" if reason else problem.message
            self.note(self.paint(f" {visible(words)}", "banner"))
        else:
            self.app.show_refusal(problem)

    @guarded
    def on_rows_opened(self, _: Rows.Opened) -> None:
        self.do_tick()


def typed(kind: TargetKind, before: str, sign: str) -> str:
    """What stands in the brackets after one more sign: what is full begins again, and a time gets its colon."""
    full = len(before) >= LONGEST or (kind == "until" and len(before.partition(":")[2]) == 2)
    value = sign if full else before + sign
    if kind == "until" and len(value) == 3 and ":" not in value:
        return f"{value[:2]}:{value[2:]}"
    return value


def _searched(row: PlannedTaskView) -> str:
    return f"{row.task} {row.title} {' '.join(row.labels)} p{row.priority} {row.mode}".lower()


def start(desk: Desk, ask: SprintAsk) -> SprintBegun:
    """Store the plan and start it; a plan that does not start is taken back."""
    sprints = desk.application.sprints
    plan = sprints.plan(desk.actor, ask)
    try:
        return sprints.start(desk.actor, plan.id)
    except FoureyesError:
        if sprints.status(desk.actor, plan.id).state == "planned":
            sprints.stop(desk.actor, plan.id, reason="it did not start")
        raise
