"""What the screens of sprints say: targets, tasks with their estimates, totals, progress."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from rich.text import Text

from foureyes.app.results.sprint import PlannedTaskView, SprintPlanView, SprintView
from foureyes.core.nouns.sprint import TargetKind
from foureyes.core.sprint.selection import DEFAULT_MINUTES, span, together
from foureyes.ui.tui.marks import Marks, Palette, visible
from foureyes.ui.tui.text.lines import cut

KINDS: tuple[TargetKind, ...] = ("tasks", "until", "hours", "idle")
"""In the order of the screen: from left to right, then down."""
VALUES: dict[TargetKind, str] = {"tasks": "20", "hours": "8", "until": "08:00", "idle": ""}
BAR = 40
RIGHT = 22
"""How wide mode and estimate are."""
WIDE = 100
"""From this width there is room for the labels of a task."""


class SprintChoice(msgspec.Struct, frozen=True, kw_only=True):
    """What is chosen on the planning screen. `values` is what stands in each target's brackets."""

    kind: TargetKind = "until"
    values: dict[TargetKind, str] = msgspec.field(default_factory=lambda: dict(VALUES))
    checkpoint: bool = True
    pause_on_error: bool = False


def target_lines(choice: SprintChoice, when: str, marks: Marks, palette: Palette, *, here: bool) -> list[Text]:
    """The four targets, two on a line; the one that is chosen is marked."""
    words = {
        "tasks": f"Complete [{choice.values['tasks']}] tasks",
        "hours": f"Run for [{choice.values['hours']}] hours",
        "until": f"Run until [{choice.values['until']}]",
        "idle": "Run until no ready tasks",
    }
    if choice.kind == "until" and when:
        words["until"] += f" {when}"
    dot = "•" if marks.checks["passed"] != "+" else "*"
    lines = []
    for left, right in ((KINDS[0], KINDS[1]), (KINDS[2], KINDS[3])):
        text = Text("   ", no_wrap=True)
        for kind, width in ((left, 29), (right, 0)):
            chosen = kind == choice.kind
            part = f"({dot if chosen else ' '}) {words[kind]}"
            text.append(part, palette["cursor" if chosen and here else "title" if chosen else "text"])
            text.append(" " * max(1, width - len(part)))
        lines.append(text)
    return lines


def option_line(choice: SprintChoice, marks: Marks, palette: Palette, at: int, *, here: bool) -> Text:
    """The two options, ticked or not."""
    text = Text("   ", no_wrap=True)
    words = (("Create checkpoint before start", choice.checkpoint), ("Pause on any error", choice.pause_on_error))
    for number, (label, on) in enumerate(words):
        mark = f"[{marks.checks['passed'] if on else ' '}] {label}"
        text.append(mark, palette["cursor" if here and number == at else "text"])
        text.append("      ")
    return text


def task_line(row: PlannedTaskView, ticked: bool, marks: Marks, palette: Palette, width: int) -> Text:
    """A task: whether it is in, its priority and labels, how it will be reviewed, how long it will take."""
    star = "*" if row.default else " "
    mode = row.mode.replace("auto-approve", "auto")
    right = Text(f" {mode:<9}{row.minutes:>5} m{star}", palette["dim"])
    what = [f"P{row.priority}", *row.labels[:2]]
    what += [f"waits {row.waits_for[0]}"] if row.waits_for else []
    middle = Text(" ".join(visible(word) for word in what), palette["dim"])
    room = max(1, width - max(RIGHT, right.cell_len))
    left = Text.assemble(f" [{marks.checks['passed'] if ticked else ' '}] ", (row.task, palette["title"]), " ")
    left.append(visible(row.title))
    about = 26 if width >= WIDE else 15
    left = cut(left, max(1, room - about - 1), pad=True)
    return Text.assemble(left, " ", cut(middle, about, pad=True), right)


def ready_words(view: SprintPlanView) -> str:
    """How much could be chosen, and how long all of it takes."""
    rows = [*view.tasks, *view.others]
    ready = sum(not row.waits_for for row in rows)
    past = f"medians of {view.past} past tasks" if view.past else "no past runs"
    return f"Ready: {ready:,} · est. ~{span(60 * together([row.minutes for row in rows], view.agents))} ({past})"


def selected_lines(rows: Sequence[PlannedTaskView], agents: int) -> list[str]:
    """What is chosen: how many, how long with so many agents, how many need a person."""
    minutes = together([row.minutes for row in rows], agents)
    per_task = sum(row.person == "per-task" for row in rows)
    need = sum(bool(row.person) for row in rows)
    queued = sum(row.mode == "batch" and not row.person for row in rows)
    who = f" · {need} will need you" + (" (per-task)" if need and need == per_task else "") if need else ""
    who += f" · {queued} {'waits' if queued == 1 else 'wait'} in the queue" if queued else ""
    word = "task" if len(rows) == 1 else "tasks"
    lines = [f" Selected: {len(rows):,} {word} · est. ~{span(minutes * 60)} with {agents} agents{who}"]
    lines += [f"   * no past runs: default {DEFAULT_MINUTES} m"] if any(row.default for row in rows) else []
    return lines


def progress_lines(view: SprintView, palette: Palette) -> list[Text]:
    """How far it is: a bar, where its tasks are, what failed, what runs, why it is not complete."""
    share = view.done * 100 // view.of if view.of else 0
    filled = view.done * BAR // view.of if view.of else 0
    bar = Text.assemble(" ", ("█" * filled, palette["ok"]), "░" * (BAR - filled), f"  {share} %")
    bar.append(f"   {view.pace}" if view.pace else "", palette["dim"])
    lines = [bar, _where(view)]
    if view.state == "paused":
        lines.append(Text(f" paused   {visible(view.why)}", palette["warn"]))
    if view.state == "ended":
        lines.append(Text(f" ended    {visible(view.why)}", palette["dim"]))
    for number, row in enumerate(view.failures):
        head = " failed   " if number == 0 else "          "
        lines.append(Text.assemble((head, palette["bad"]), f"{row.task} {visible(row.why)}"))
    lines += _now(view)
    lines += _incomplete(view, palette)
    if view.state == "running" and not view.runners:
        lines.append(Text(" no runner is at work: 4 starts one", palette["warn"]))
    return lines


def _where(view: SprintView) -> Text:
    done = [f"{view.merged} merged"]
    done += [f"{view.merging} approved, merging"] if view.merging else []
    done += [f"{view.by_rule} auto-approved"] if view.by_rule else []
    rest = [f"begun {view.begun}"] if view.begun else []
    rest += [f"to do {view.todo}"] if view.todo else []
    return Text(f" done {' · '.join(done)}   waiting for you {view.waiting}   {'   '.join(rest)}".rstrip())


def _now(view: SprintView) -> list[Text]:
    running = "   ".join(f"{row.task} {visible(row.why)}" for row in view.at_work)
    coming = ", ".join(view.upcoming) if view.state == "running" else ""
    if not running and not coming:
        return []
    return [Text(f" running  {running or 'nothing'}" + (f"     next  {coming}" if coming else ""))]


def _incomplete(view: SprintView, palette: Palette) -> list[Text]:
    if not view.incomplete:
        return []
    words = [f"{view.waiting} task{'' if view.waiting == 1 else 's'} unreviewed"] if view.waiting else []
    words += [f"{task} has open blocking findings" for task in view.blocking]
    words = words or [view.incomplete[0]]
    return [Text(f" not complete because (X4): {' · '.join(map(visible, words))}", palette["dim"])]
