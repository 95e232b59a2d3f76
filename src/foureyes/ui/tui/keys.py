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
    Key("pageup", "page_up", "", "a page up"),
    Key("pagedown", "page_down", "", "a page down"),
    Key("home", "top", "", "to the first"),
    Key("end", "bottom", "", "to the last"),
)
_HELP = Key("?", "help", "help", "all keys, this screen's first")
_ALWAYS = (
    Key(
        "!",
        "attention",
        "attention",
        "everything that only a person can move",
        "attention.view",
        "fe status --attention",
    ),
    _HELP,
    Key("ctrl+p", "palette", "", "every action by name"),
    Key("ctrl+q", "leave", "", "quit from anywhere; your words and your place are kept"),
)
_UNDO = Key("u", "undo", "", "take the newest approval back, until it merges; then the one before",
            "decisions.withdraw", "fe approve {task} --withdraw")  # fmt: skip
_REDO = Key("r", "redo", "redo", "send it back with feedback", "feedback.redo", 'fe redo {task} -m "…"', True)
_REJECT = Key("x", "reject", "reject", "block the task, with a reason", "feedback.reject", 'fe reject {task} -m "…"',
              True)  # fmt: skip
_APPROVE = Key("a", "approve", "approve", "agree to exactly this change", "decisions.approve",
               "fe approve {task} --seen {seen}", True)  # fmt: skip
_MERGE = Key("g", "merge", "merge", "merge what is approved, one after the other", "merges.process", "fe merge", True)
_ESC = Key("escape", "back", WholeLabel("Esc"), "one screen up")

PALETTE_ONLY: dict[KeyContext, tuple[tuple[str, str], ...]] = {
    "board": (
        ("drafts", "your drafts: what you began to say and did not send"),
        ("issues", "what reviewers flagged (fe finding list --concerns)"),
        ("review_now", "let reviewers look now: at the task under the cursor, else at all that is in progress"),
    ),
    "task": (("review_now", "let reviewers look at this task now (fe review request --now)"),),
    "diff": (("whitespace", "hide what changed in white space only, or show it again"),),
}
"""What only the palette does, as action and words: nothing that a finger should hit."""

KEYS: dict[KeyContext, tuple[Key, ...]] = {
    "board": (
        Key("enter", "open", "open", "open the task", "lists.show", "fe show {task}"),
        Key("r", "review", "review", "review what waits", "queue.view", "fe queue"),
        Key("n", "new", "new", "write a task", "tasks.create", 'fe create "title"'),
        Key("shift+s", "sprint", "sprint", "plan a sprint; while one runs, how far it is", "sprints.preview",
            "fe sprint plan"),
        Key("tab", "pane", "pane", "next pane"),
        Key("shift+tab", "pane_before", "", "pane before"),
        Key("left", "left", "", "column to the left"),
        Key("right", "right", "", "column to the right"),
        Key("/", "find", "filter", "filter as you type"),
        Key("f", "filters", "filters", "the words that filters know"),
        Key("o", "order", "", "how the board is ordered: what can be done first"),
        Key("l", "log", "log", "the task's log; in the agents' pane what the program prints", "lists.show",
            "fe show {task}"),
        Key("delete", "stop", "", "stop the agent's run under the cursor of the agents' pane; asks", "runs.ask_stop",
            "fe pause {task} --now"),
        _MERGE,
        Key("i", "import_plan", "", "import a plan: its file is asked for", "plans.import_", "fe plan import FILE"),
        _UNDO,
        Key("escape", "back", "", "close the filter"),
        *_MOVE,
        *_ALWAYS,
        Key("q", "quit", "quit", "quit"),
    ),
    "summary": (
        Key("a", "batch", "approve auto-approvable", "open the list of what can be approved in one go", "queue.batch",
            "fe approve --all-auto", True),
        Key("enter", "open", "one by one", "one by one, from the cursor on"),
        Key("1 2 3 4 5 6 7 8 9", "jump", "jump", "to the task with this number; further ones: / and the number"),
        Key("r", "review", "", "when all is decided: review what came meanwhile", "queue.view", "fe queue"),
        Key("d", "diff", "diff", "the diff of the row", "attempts.changes", "fe show {task} --diff"),
        Key("/", "find", "find", "filter as you type"),
        Key("f", "filters", "filters", "the words that filters know"),
        Key("o", "order", "order", "order: risk, age, priority, size"),
        Key("w", "why", "why", "why this row is here, and what an approval of yours would meet"),
        _UNDO,
        Key("f5", "refresh", "", "take in what is new"),
        *_MOVE,
        *_ALWAYS,
        _ESC,
    ),
    "batch": (
        Key("enter", "approve_ticked", "approve ticked", "approve every ticked row, one decision each",
            "decisions.approve_many", "fe approve {tasks}", True),
        Key("space", "tick", "tick", "tick or untick the row"),
        Key("d", "diff", "full diff", "the diff of the row", "attempts.changes", "fe show {task} --diff"),
        Key("r", "redo", "redo this one", "send this one back", "feedback.redo", 'fe redo {task} -m "…"', True),
        Key("/", "find", "", "filter as you type"),
        _UNDO,
        *_MOVE,
        *_ALWAYS,
        Key("escape", "back", WholeLabel("Esc"), "up; nothing is done"),
    ),
    "task": (
        _APPROVE,
        _REDO,
        _REJECT,
        Key("d", "diff", "diff", "the diff", "attempts.changes", "fe show {task} --diff"),
        Key("n", "next", "next", "next task of the review"),
        Key("p", "previous", "previous", "task before"),
        Key("f", "findings", "findings", "its findings, one by one", "findings.listed", "fe finding list {task}"),
        Key("c", "checks", "checks", "what the checks printed", "check_runs.of_task", "fe check show {task}"),
        Key("e", "run_checks", "", "run the checks that have no result yet; everything else goes on", "checks.run",
            "fe check run {task}", True),
        _MERGE,
        Key("i", "iterations", "iterations", "its attempts", "lists.show", "fe show {task}"),
        Key("h", "history", "history", "what happened to it", "lists.show", "fe show {task}"),
        Key("l", "log", "", "its log", "lists.show", "fe show {task}"),
        Key("w", "why", "why", "every rule, for you"),
        Key("1 2 3 4 5 6 7 8 9", "jump", "", "the diff, at file n"),
        Key("enter", "open", "", "open the section at the cursor"),
        Key("space", "page_down", "", "a page on"),
        Key("tab", "section", "", "next section"),
        Key(". ,", "finding", "", "next finding, the one before"),
        Key("/", "find", "", "find in the page"),
        Key("f5", "refresh", "", "take in what moved"),
        _UNDO,
        *_MOVE,
        *_ALWAYS,
        _ESC,
    ),
    "diff": (
        Key("space", "read_on", "read on", "a page on, then the next file that has something unseen"),
        Key("] [", "hunk", "hunk", "next hunk, the one before"),
        Key("} {", "file", "file", "next file, the one before"),
        Key(". ,", "finding", "finding", "next finding, the one before"),
        Key("c", "comment", "comment", "comment on the line; it is sent with the decision"),
        Key("v", "range", "", "begin or end a range of lines for a comment"),
        Key("i", "iteration", "iteration", "compare: since you looked, with the attempt before, the whole change"),
        Key("s", "split", "split", "side by side, or in one column"),
        Key("z", "context", "", "more lines around, or fewer"),
        Key("m", "mark", "", "mark the file as seen; recorded as marked, not shown"),
        Key("t", "files", "files", "the list of files"),
        Key("tab", "files", "", "between files and diff"),
        _APPROVE,
        _REDO,
        _REJECT,
        Key("n", "next", "next task", "next task of the review"),
        Key("p", "previous", "previous task", "task before"),
        Key("d", "pager", "pager", "read it in your pager", "attempts.diff", "fe show {task} --diff"),
        Key("/", "find", "find", "find in the diff"),
        Key("w", "why", "", "every rule, for you"),
        Key("enter", "open", "", "unfold, or open the finding"),
        Key("left", "left", "", "scroll to the left"),
        Key("right", "right", "", "scroll to the right"),
        Key("f5", "refresh", "", "compare with what moved"),
        _UNDO,
        *_MOVE,
        *_ALWAYS,
        _ESC,
    ),
    "checks": (
        Key("e", "run_checks", "run", "run what has no result yet; where all have one, asks and runs them once more",
            "checks.run", "fe check run {task}", True),
        Key("delete", "stop", "", "stop the checks that run here; what has ended keeps its result"),
        Key("/", "find", "find", "find in the page"),
        Key("space", "page_down", "", "a page on"),
        Key("f5", "refresh", "", "take in what others ran"),
        *_MOVE,
        *_ALWAYS,
        _ESC,
    ),
    "finding": (
        Key("1 2 3 4 5 6 7 8 9", "choose", "choose", "answer, rule, or waive, as listed", "rulings.rule",
            "fe finding judge {finding} --verified", True),
        Key(". ,", "finding", "next/previous finding", "next finding, the one before"),
        Key("d", "diff", "diff at the line", "the diff at the finding's line", "attempts.changes",
            "fe show {task} --diff"),
        Key("enter", "open", "", "open its task"),
        Key("tab", "part", "", "next part"),
        Key("space", "page_down", "", "a page on"),
        Key("f5", "refresh", "", "take in what changed"),
        _UNDO,
        *_MOVE,
        *_ALWAYS,
        _ESC,
    ),
    "attention": (
        Key("1 2 3 4 5 6 7 8 9", "choose", "choose", "do what the number says", "", "", True),
        Key("f5", "refresh", "", "take in what changed"),
        Key("enter", "open", "open task", "open its task", "lists.show", "fe show {task}"),
        Key("d", "diff", "diff", "its diff", "attempts.changes", "fe show {task} --diff"),
        Key("tab", "part", "", "between the list and why it waits"),
        Key("space", "page_down", "", "a page on"),
        _UNDO,
        *_MOVE,
        *_ALWAYS,
        _ESC,
    ),
    "drafts": (
        Key("enter", "open", "open task", "open its task", "lists.show", "fe show {task}"),
        Key("delete", "discard", "discard", "discard the draft; asks", "drafts.drop"),
        Key("tab", "part", "", "between the list and the words"),
        Key("space", "page_down", "", "a page on in the words"),
        Key("f5", "refresh", "", "take in what changed"),
        *_MOVE,
        *_ALWAYS,
        _ESC,
    ),
    "planning": (
        Key("enter", "start", "Start Sprint", "store the plan and start it: a checkpoint, a runner, and off it goes",
            "sprints.start", "fe sprint start", True),
        Key("space", "tick", "tick", "tick or untick; in the target, the next one"),
        Key("+", "all", "all", "tick everything that is listed"),
        Key("-", "none", "none", "untick everything that is listed"),
        Key("tab", "part", "part", "next part: tasks, options, target"),
        Key("shift+tab", "part_before", "", "part before"),
        Key("/", "find", "filter", "filter the tasks as you type"),
        Key("left", "left", "", "target before"),
        Key("right", "right", "", "next target"),
        Key("0 1 2 3 4 5 6 7 8 9 :", "type", "", "how many, how long, until when: typed into the target"),
        Key("backspace", "erase", "", "take the last sign of the target back"),
        *_MOVE,
        *_ALWAYS,
        Key("escape", "back", WholeLabel("Esc"), "up; nothing is stored"),
    ),
    "sprint": (
        Key("1", "stop", "stop after running tasks", "end it: what runs finishes; asks", "sprints.stop",
            "fe sprint stop {sprint}", True),
        Key("2", "pause", "pause now", "let none of its tasks begin, or let it go on", "sprints.pause",
            "fe sprint pause {sprint}", True),
        Key("3", "review", "open review", "review what waits", "queue.view", "fe queue"),
        Key("4", "runner", "", "start a runner, where none is at work", "sprints.start", "fe sprint start {sprint}"),
        Key("f5", "refresh", "", "take in what changed"),
        *_MOVE,
        *_ALWAYS,
        _ESC,
    ),
    "form": (
        Key("enter", "submit", "submit", "submit (in a text of several lines: a new line)"),
        Key("ctrl+s", "submit", "submit", "submit from anywhere"),
        Key("tab", "next_part", "next part", "next part"),
        Key("shift+tab", "part_before", "", "part before"),
        Key("ctrl+e", "editor", "editor", "write in your editor"),
        Key("ctrl+o", "preview", "preview", "what the agent will be told"),
        Key("ctrl+t", "discard", "", "throw the draft of a new task away; asks", "drafts.save_new_task"),
        Key("ctrl+q", "leave", "", "quit; the draft is kept"),
        Key("escape", "back", WholeLabel("Esc keeps draft"), "up; the draft is kept"),
    ),
    "refusal": (
        Key("r", "redo", "redo", "send back what was refused, with feedback", "feedback.redo", 'fe redo {task} -m "…"',
            True),
        Key("1 2 3 4 5 6 7 8 9", "choose", "", "the next step with this number"),
        Key("space", "page_down", "", "a page on"),
        *_MOVE,
        _HELP,
        Key("ctrl+q", "leave", "", "quit"),
        Key("escape", "back", WholeLabel("Esc"), "back"),
    ),
    "page": (
        Key("/", "find", "find", "find in the page"),
        Key("space", "page_down", "", "a page on"),
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
