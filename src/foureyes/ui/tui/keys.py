"""Every key of the terminal app, once: what it does in which context, what it is called, what types the same.

Key handling, key line, help page, palette and the buttons of the mouse are made from this table.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, get_args

KeyContext = Literal[
    "board", "summary", "batch", "task", "diff", "checks", "finding", "attention", "drafts", "planning", "sprint",
    "form", "refusal", "page",
]  # fmt: skip
CONTEXTS: tuple[KeyContext, ...] = get_args(KeyContext)
NEIGHBOURS: tuple[tuple[KeyContext, KeyContext], ...] = (
    ("board", "summary"), ("board", "task"), ("summary", "task"), ("summary", "batch"), ("task", "diff"),
    ("task", "finding"), ("diff", "finding"), ("board", "attention"), ("task", "checks"), ("board", "drafts"),
    ("board", "planning"), ("board", "sprint"), ("task", "drafts"), ("task", "refusal"), ("diff", "refusal"),
    ("batch", "refusal"),
)  # fmt: skip
"""Contexts that open out of each other: a decision key of one must not mean something else in the other."""


class WholeLabel(str):
    """A label that names its key itself: `[A] Why not?`, `1-4 choose`, `Esc do nothing`."""

    __slots__ = ()


class Key(NamedTuple):
    """A key in a context. `keys`: every key that does it, separated by blanks. `label`: on the key line, empty for one
    that only the help shows. `verb`: the line of the catalogue that it ends in. `command`: what types the same.
    """

    keys: str
    action: str
    label: str
    help: str
    verb: str = ""
    command: str = ""
    decision: bool = False

    @property
    def first(self) -> str:
        return self.keys.split()[0]


_MOVE = (
    Key("up k", "up", "", "up"),
    Key("down j", "down", "", "down"),
    Key("pageup", "page_up", "", "page up"),
    Key("pagedown", "page_down", "", "page down"),
    Key("home", "top", "", "first"),
    Key("end", "bottom", "", "last"),
)
_HELP = Key("?", "help", "help", "list all keys")
_ALWAYS = (
    Key(
        "!",
        "attention",
        "attention",
        "list what only a person can resolve",
        "attention.view",
        "fe status --attention",
    ),
    _HELP,
    Key("ctrl+p", "palette", "", "find an action by name"),
    Key("ctrl+q", "leave", "", "quit; drafts and position are saved"),
)
_UNDO = Key("u", "undo", "", "withdraw your latest approval, until it merges",
            "decisions.withdraw", "fe approve {task} --withdraw")  # fmt: skip
_REDO = Key("r", "redo", "redo", "send it back with feedback", "feedback.redo", 'fe redo {task} -m "…"', True)
_REJECT = Key("x", "reject", "reject", "reject it with a reason", "feedback.reject", 'fe reject {task} -m "…"',
              True)  # fmt: skip
_APPROVE = Key("a", "approve", "approve", "approve exactly this change", "decisions.approve",
               "fe approve {task} --seen {seen}", True)  # fmt: skip
_MERGE = Key("g", "merge", "merge", "merge approved tasks", "merges.process", "fe merge", True)
_ESC = Key("escape", "back", WholeLabel("Esc"), "back")

PALETTE_ONLY: dict[KeyContext, tuple[tuple[str, str], ...]] = {
    "board": (
        ("drafts", "your drafts: comments and feedback not sent yet"),
        ("issues", "reviewers' concerns (fe finding list --concerns)"),
        ("review_now", "ask reviewers now: about the selected task, else about all work in progress"),
    ),
    "task": (("review_now", "ask reviewers about this task now (fe review request --now)"),),
    "diff": (("whitespace", "hide or show changes of white space only"),),
}
"""What only the palette does, as action and words: nothing that a finger should hit."""

KEYS: dict[KeyContext, tuple[Key, ...]] = {
    "board": (
        Key("enter", "open", "open", "open the task", "lists.show", "fe show {task}"),
        Key("r", "review", "review", "review waiting tasks", "queue.view", "fe queue"),
        Key("n", "new", "new", "create a task", "tasks.create", 'fe create "title"'),
        Key("shift+s", "sprint", "sprint", "plan a sprint, or show the current one", "sprints.preview",
            "fe sprint plan"),
        Key("tab", "pane", "pane", "next pane"),
        Key("shift+tab", "pane_before", "", "previous pane"),
        Key("left", "left", "", "left column"),
        Key("right", "right", "", "right column"),
        Key("/", "find", "filter", "filter as you type"),
        Key("f", "filters", "filters", "list the filter words"),
        Key("o", "order", "", "explain the order of the board"),
        Key("l", "log", "log", "the task's log, or in the agents' pane the program's output", "lists.show",
            "fe show {task}"),
        Key("delete", "stop", "", "stop the selected agent's run, after a question", "runs.ask_stop",
            "fe pause {task} --now"),
        _MERGE,
        Key("i", "import_plan", "", "import a plan from a file", "plans.import_", "fe plan import FILE"),
        _UNDO,
        Key("escape", "back", "", "close the filter"),
        *_MOVE,
        *_ALWAYS,
        Key("q", "quit", "quit", "quit"),
    ),
    "summary": (
        Key("a", "batch", "approve auto-approvable", "list tasks to approve in one batch", "queue.batch",
            "fe approve --all-auto", True),
        Key("enter", "open", "one by one", "review one by one, from here"),
        Key("1 2 3 4 5 6 7 8 9", "jump", "jump", "jump to task 1 to 9 (from 10 on: / and the number)"),
        Key("r", "review", "", "when all are decided: review the new ones", "queue.view", "fe queue"),
        Key("d", "diff", "diff", "show the diff", "attempts.changes", "fe show {task} --diff"),
        Key("/", "find", "find", "filter as you type"),
        Key("f", "filters", "filters", "list the filter words"),
        Key("o", "order", "order", "order by risk, age, priority or size"),
        Key("w", "why", "why", "explain this row, and whether you could approve it"),
        _UNDO,
        Key("f5", "refresh", "", "refresh"),
        *_MOVE,
        *_ALWAYS,
        _ESC,
    ),
    "batch": (
        Key("enter", "approve_ticked", "approve ticked", "approve each selected task",
            "decisions.approve_many", "fe approve {tasks}", True),
        Key("space", "tick", "tick", "select or unselect"),
        Key("d", "diff", "full diff", "show the diff", "attempts.changes", "fe show {task} --diff"),
        Key("r", "redo", "redo this one", "send it back with feedback", "feedback.redo", 'fe redo {task} -m "…"', True),
        Key("/", "find", "", "filter as you type"),
        _UNDO,
        *_MOVE,
        *_ALWAYS,
        Key("escape", "back", WholeLabel("Esc"), "back, without approving"),
    ),
    "task": (
        _APPROVE,
        _REDO,
        _REJECT,
        Key("d", "diff", "diff", "show the diff", "attempts.changes", "fe show {task} --diff"),
        Key("n", "next", "next", "next task"),
        Key("p", "previous", "previous", "previous task"),
        Key("f", "findings", "findings", "list its findings", "findings.listed", "fe finding list {task}"),
        Key("c", "checks", "checks", "show the output of checks", "check_runs.of_task", "fe check show {task}"),
        Key("e", "run_checks", "", "run the checks that have no result yet", "checks.run",
            "fe check run {task}", True),
        _MERGE,
        Key("i", "iterations", "iterations", "list its attempts", "lists.show", "fe show {task}"),
        Key("h", "history", "history", "show its history", "lists.show", "fe show {task}"),
        Key("l", "log", "", "show its log", "lists.show", "fe show {task}"),
        Key("w", "why", "why", "show every rule, as it applies to you"),
        Key("1 2 3 4 5 6 7 8 9", "jump", "", "show the diff of file 1 to 9"),
        Key("enter", "open", "", "open the section"),
        Key("space", "page_down", "", "page down"),
        Key("tab", "section", "", "next section"),
        Key(". ,", "finding", "", "next or previous finding"),
        Key("/", "find", "", "find in the page"),
        Key("f5", "refresh", "", "refresh"),
        _UNDO,
        *_MOVE,
        *_ALWAYS,
        _ESC,
    ),
    "diff": (
        Key("space", "read_on", "read on", "page down, then the next unseen file"),
        Key("] [", "hunk", "hunk", "next or previous hunk"),
        Key("} {", "file", "file", "next or previous file"),
        Key(". ,", "finding", "finding", "next or previous finding"),
        Key("c", "comment", "comment", "comment on the line, sent with your decision"),
        Key("v", "range", "", "start or end a range of lines to comment on"),
        Key("i", "iteration", "iteration", "compare since your review, with the previous attempt, or in full"),
        Key("s", "split", "split", "split or unified diff"),
        Key("z", "context", "", "more or fewer context lines"),
        Key("m", "mark", "", "mark the file as seen (recorded as marked)"),
        Key("t", "files", "files", "list the files"),
        Key("tab", "files", "", "switch between files and diff"),
        _APPROVE,
        _REDO,
        _REJECT,
        Key("n", "next", "next task", "next task"),
        Key("p", "previous", "previous task", "previous task"),
        Key("d", "pager", "pager", "open it in your pager", "attempts.diff", "fe show {task} --diff"),
        Key("/", "find", "find", "find in the diff"),
        Key("w", "why", "", "show every rule, as it applies to you"),
        Key("enter", "open", "", "unfold, or open a finding"),
        Key("left", "left", "", "scroll left"),
        Key("right", "right", "", "scroll right"),
        Key("f5", "refresh", "", "refresh"),
        _UNDO,
        *_MOVE,
        *_ALWAYS,
        _ESC,
    ),
    "checks": (
        Key("e", "run_checks", "run", "run the checks without a result, or all again after a question",
            "checks.run", "fe check run {task}", True),
        Key("delete", "stop", "", "stop the running checks"),
        Key("/", "find", "find", "find in the page"),
        Key("space", "page_down", "", "page down"),
        Key("f5", "refresh", "", "refresh"),
        *_MOVE,
        *_ALWAYS,
        _ESC,
    ),
    "finding": (
        Key("1 2 3 4 5 6 7 8 9", "choose", "choose", "answer, judge or waive, as listed", "rulings.rule",
            "fe finding judge {finding} --verified", True),
        Key(". ,", "finding", "next/previous finding", "next or previous finding"),
        Key("d", "diff", "diff at the line", "show the diff at its line", "attempts.changes",
            "fe show {task} --diff"),
        Key("enter", "open", "", "open its task"),
        Key("tab", "part", "", "next section"),
        Key("space", "page_down", "", "page down"),
        Key("f5", "refresh", "", "refresh"),
        _UNDO,
        *_MOVE,
        *_ALWAYS,
        _ESC,
    ),
    "attention": (
        Key("1 2 3 4 5 6 7 8 9", "choose", "choose", "do the action with this number", "", "", True),
        Key("f5", "refresh", "", "refresh"),
        Key("enter", "open", "open task", "open its task", "lists.show", "fe show {task}"),
        Key("d", "diff", "diff", "show its diff", "attempts.changes", "fe show {task} --diff"),
        Key("tab", "part", "", "switch between list and reason"),
        Key("space", "page_down", "", "page down"),
        _UNDO,
        *_MOVE,
        *_ALWAYS,
        _ESC,
    ),
    "drafts": (
        Key("enter", "open", "open task", "open its task", "lists.show", "fe show {task}"),
        Key("delete", "discard", "discard", "discard the draft, after a question", "drafts.drop"),
        Key("tab", "part", "", "switch between list and text"),
        Key("space", "page_down", "", "page down in the text"),
        Key("f5", "refresh", "", "refresh"),
        *_MOVE,
        *_ALWAYS,
        _ESC,
    ),
    "planning": (
        Key("enter", "start", "Start Sprint", "save the plan and start the sprint",
            "sprints.start", "fe sprint start", True),
        Key("space", "tick", "tick", "select or unselect; in the target, the next one"),
        Key("+", "all", "all", "select all"),
        Key("-", "none", "none", "unselect all"),
        Key("tab", "part", "part", "next section: tasks, options, target"),
        Key("shift+tab", "part_before", "", "previous section"),
        Key("/", "find", "filter", "filter as you type"),
        Key("left", "left", "", "previous target"),
        Key("right", "right", "", "next target"),
        Key("0 1 2 3 4 5 6 7 8 9 :", "type", "", "type a number or time into the target"),
        Key("backspace", "erase", "", "delete the last character of the target"),
        *_MOVE,
        *_ALWAYS,
        Key("escape", "back", WholeLabel("Esc"), "back, without saving"),
    ),
    "sprint": (
        Key("1", "stop", "stop after running tasks", "end it when current runs finish, after a question", "sprints.stop",
            "fe sprint stop {sprint}", True),
        Key("2", "pause", "pause now", "pause or continue it", "sprints.pause",
            "fe sprint pause {sprint}", True),
        Key("3", "review", "open review", "review waiting tasks", "queue.view", "fe queue"),
        Key("4", "runner", "", "start a runner, if none is running", "sprints.start", "fe sprint start {sprint}"),
        Key("f5", "refresh", "", "refresh"),
        *_MOVE,
        *_ALWAYS,
        _ESC,
    ),
    "form": (
        Key("enter", "submit", "submit", "submit (in a text field: new line)"),
        Key("ctrl+s", "submit", "submit", "submit from anywhere"),
        Key("tab", "next_part", "next part", "next field"),
        Key("shift+tab", "part_before", "", "previous field"),
        Key("ctrl+e", "editor", "editor", "edit in your editor"),
        Key("ctrl+o", "preview", "preview", "preview the agent's prompt"),
        Key("ctrl+t", "discard", "", "discard the draft of a new task, after a question", "drafts.save_new_task"),
        Key("ctrl+q", "leave", "", "quit, and keep the draft"),
        Key("escape", "back", WholeLabel("Esc keeps draft"), "back, and keep the draft"),
    ),
    "refusal": (
        Key("r", "redo", "redo", "send the work back with feedback", "feedback.redo", 'fe redo {task} -m "…"',
            True),
        Key("1 2 3 4 5 6 7 8 9", "choose", "", "take the next step with this number"),
        Key("space", "page_down", "", "page down"),
        *_MOVE,
        _HELP,
        Key("ctrl+q", "leave", "", "quit"),
        Key("escape", "back", WholeLabel("Esc"), "back"),
    ),
    "page": (
        Key("/", "find", "find", "find in the page"),
        Key("space", "page_down", "", "page down"),
        *_MOVE,
        Key("ctrl+q", "leave", "", "quit"),
        Key("escape", "back", WholeLabel("Esc"), "back"),
    ),
}  # fmt: skip

NOT_YET: dict[tuple[KeyContext, str], str] = {
    ("board", "s"): "Sprint planning is Shift+S",
    ("board", "d"): "fe demo, in a shell, plays the demo in a throw-away repository",
}
"""Keys whose place is kept for what is to come. They are offered nowhere; who presses one is told."""

KEY_NAMES = {
    "enter": "Enter", "escape": "Esc", "space": "Space", "tab": "Tab", "shift+tab": "Shift+Tab", "up": "↑",
    "down": "↓", "left": "←", "right": "→", "pageup": "PgUp", "pagedown": "PgDn", "home": "Home", "end": "End",
    "shift+s": "Shift+S", "f5": "F5", "ctrl+p": "Ctrl+P", "ctrl+q": "Ctrl+Q", "ctrl+s": "Ctrl+S",
    "ctrl+e": "Ctrl+E", "ctrl+o": "Ctrl+O", "ctrl+t": "Ctrl+T", "delete": "Delete",
    "backspace": "Backspace",
}  # fmt: skip


def shown(key: str) -> str:
    """A key as people read it."""
    return KEY_NAMES.get(key, key.upper() if len(key) == 1 and key.isalpha() else key)


def all_shown(key: Key) -> str:
    """All keys of a row, digits as a range."""
    names = key.keys.split()
    return "1-9" if names[0] == "1" and len(names) == 9 else " ".join(shown(name) for name in names)


def normal(key: str, character: str | None) -> str:
    """The registry's name for a pressed key: letters mean the same in both cases, but Shift+S."""
    if character == "S" or key == "shift+s":
        return "shift+s"
    if character and len(character) == 1 and character.isprintable() and character != " ":
        return character.lower()
    return key


def action_of(context: KeyContext, key: str) -> Key | None:
    """What a key does in a context, if anything."""
    for row in KEYS[context]:
        if key in row.keys.split():
            return row
    if key == "shift+s":  # only the board tells it from s
        return action_of(context, "s")
    return None


def elsewhere(context: KeyContext, key: str) -> str:
    """For a decision letter in the wrong place: where it works (no dead keys)."""
    if (context, key) in NOT_YET:
        return NOT_YET[context, key]
    if key == "ctrl+c":  # what everybody tries first
        return "Ctrl+Q quits; your words and your place are kept"
    rows = [(name, row) for name in CONTEXTS for row in KEYS[name] if row.decision and key in row.keys.split()]
    places = list(dict.fromkeys(name for name, row in rows if row.label and len(row.keys) == 1))
    if not places:
        return ""
    labels = {name: row.label for name, row in reversed(rows) if name in places}
    parts = [(label, [name for name in places if labels[name] == label]) for label in dict.fromkeys(labels.values())]
    parts.sort(key=lambda part: -len(part[1]))
    return f"{shown(key)} works in: " + "; ".join(f"{', '.join(names)} ({label})" for label, names in parts)


def bound(context: KeyContext) -> Iterator[tuple[str, Key]]:
    """Every single key of a context with its row."""
    for row in KEYS[context]:
        for key in row.keys.split():
            yield key, row
