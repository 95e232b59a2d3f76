"""Every key in every context: what is on screen, in the store and in git after it. One app and one story a context; the
registry says which keys there are, so a key that no row presses fails here.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from foureyes.app.results.draft import Draft, RedoDraft
from foureyes.app.results.sprint import SprintAsk
from foureyes.core.nouns.finding import Answer, ReportedFinding
from foureyes.ui.tui.keys import CONTEXTS, KeyContext, bound
from foureyes.ui.tui.screens.diff import DiffPage

from tests.ui.tui.every_key import Press, Told, always, each, scrolled, scrolling, tell, uncovered, up_and_down
from tests.ui.tui.stage import ALICE, BOB, CI, CLAUDE, CODE, CODEX, Player, Seat, play, small_work

FILTER, SEARCH = "words, label:docs", "text to find here"
TWO = {"src/login.py": "def login():\n    return 1\n", "src/steps.py": CODE.replace("return 5\n", "return 55\n")}
DIFF = {
    "src/login.py": "".join(f"line_{number} = {number}\n" for number in range(40)),
    "src/steps.py": CODE.replace("return 5\n", "return 55\n").replace("return 20\n", "return 2020\n"),
}

PROMISED: dict[KeyContext, str] = {
    "board": "up down j k left right pageup pagedown home end enter escape r n shift+s u f / i o l tab delete ! ? "
    "ctrl+p q ctrl+q",
    "summary": "up down j k pageup pagedown home end enter escape a d 1 2 3 4 5 6 7 8 9 u f / w o f5 ! ? ctrl+p ctrl+q",
    "batch": "up down j k pageup pagedown home end enter escape r d space u / ! ? ctrl+p ctrl+q",
    "task": "up down j k pageup pagedown home end enter escape a r x d n p 1 2 3 4 5 6 7 8 9 space u f / w i c e . , "
    "l h f5 tab ! ? ctrl+p ctrl+q",
    "diff": "up down j k left right pageup pagedown home end enter escape a r x d n p space u / w i c v ] [ } { . , s "
    "z m t f5 tab ! ? ctrl+p ctrl+q",
    "checks": "up down j k pageup pagedown home end escape e delete space / f5 ! ? ctrl+p ctrl+q",
    "finding": "up down j k pageup pagedown home end enter escape d 1 2 3 4 5 6 7 8 9 space tab u . , ! ? ctrl+p "
    "ctrl+q",
    "attention": "up down j k pageup pagedown home end enter escape d 1 2 3 4 5 6 7 8 9 space tab u ! ? ctrl+p ctrl+q",
    "planning": "up down j k enter escape space + - tab / ! ? ctrl+p ctrl+q",
    "sprint": "1 2 3 escape ! ? ctrl+p ctrl+q",
    "form": "enter escape tab ctrl+s ctrl+e ctrl+o ctrl+q",
}
"""The keys that the design promises, the first design's table among them; D of the board waits for what it opens
(`NOT_YET` in the registry).
"""


def note(seat: Seat, task: str, title: str, severity: str = "LOW", **fields: str) -> str:
    """Somebody finds something at the line that changed."""
    found = ReportedFinding(severity=severity, title=title, path="src/steps.py", line=22, **fields)  # type: ignore[arg-type]
    return seat.app.findings.add(CODEX, task, found).id


def routine(seat: Seat, title: str) -> str:
    """Routine work that waits: small, green, with its test."""
    return seat.deliver(title, small_work(title.lower().replace(" ", "_")))


def kinds(told: Told, title: str) -> list[str]:
    return told.seat.kinds(told.tasks[title])


def rows_at(told: Told) -> str:
    return told.at.app.pages[-1].rows.at or ""


def diff_page(told: Told) -> DiffPage:
    page = told.at.app.pages[-1]
    assert isinstance(page, DiffPage)
    return page


# The board


def plan_board(seat: Seat) -> dict[str, str]:
    tasks = {title: routine(seat, title) for title in ("Add login", "Sort the list")}
    tasks["Export orders"] = seat.create("Export orders")
    seat.app.claims.start(CLAUDE, tasks["Export orders"])
    seat.app.notes.log(CLAUDE, tasks["Export orders"], "reading the old exporter")
    return tasks


BOARD = [
    *up_and_down("Add login", "Sort the list"),
    Press("enter", "REVIEW TASK.*Add login", back=("escape",)),
    Press("r", "REVIEW SUMMARY 2 tasks", back=("escape",)),
    Press("n", "NEW TASK", then=(*"Plan", "ctrl+s"), holds=lambda told: told.seat.rows("open")[0].title == "Plan"),
    Press("shift+s", "SPRINT PLANNING", back=("escape",)),
    Press("tab", "══ AGENTS"),
    Press("delete", "was not started by a runner"),
    Press("shift+tab", "── AGENTS"),
    Press("left", "▐In progress 1▌", on="Export orders"),
    Press("l", "reading the old exporter", back=("escape",)),
    Press("right", "▐Reviewing 2▌", on="Add login"),
    Press("/", FILTER, then=(*"sort", "enter"), holds=lambda told: rows_at(told) == told.tasks["Sort the list"]),
    Press("escape", "Add login"),
    Press("f", "FILTERS", back=("escape",)),
    Press("o", "order"),
    Press("i", "IMPORT A PLAN", back=("escape",)),
    Press(
        "u", "is back in review", first=("r", "1", "a", "escape", "escape"),
        holds=lambda told: kinds(told, "Add login")[-2:] == ["Approved", "ApprovalWithdrawn"],
    ),
    Press("g", "", until="nothing to merge"),
    *always("board", "Reviewing 2"),
    Press("q", "Reviewing 2", leaves=True),
]  # fmt: skip


# The summary


def plan_summary(seat: Seat) -> dict[str, str]:
    return {
        "Add login": seat.deliver("Add login", TWO, labels=["security"]),
        "Sort the list": routine(seat, "Sort the list"),
    }


SUMMARY = [
    *up_and_down("Add login", "Sort the list"),
    Press("a", "APPROVE AUTO-APPROVABLE", back=("escape",)),
    Press("enter", r"REVIEW TASK \[1/2\]", back=("escape",)),
    Press("1", r"REVIEW TASK \[1/2\].*Add login", back=("escape",)),
    Press("2", r"REVIEW TASK \[2/2\].*Sort the list", back=("escape",)),
    *each("3 4 5 6 7 8 9", "there is no number {}"),
    Press("d", "DIFF fe-", back=("escape",)),
    Press("/", FILTER, then=(*"login", "enter"), holds=lambda told: "1 of 2 tasks" in told.at.screen),
    Press("escape", "2 tasks · by risk"),
    Press("f", "FILTERS", back=("escape",)),
    Press("o", "by age; the numbers stay", back=("o", "o", "o")),
    Press("w", "WHY fe-", back=("escape",)),
    Press("r", "R begins again when all is decided"),
    Press(
        "u", "is back in review", first=("2", "a", "escape"),
        holds=lambda told: kinds(told, "Sort the list")[-2:] == ["Approved", "ApprovalWithdrawn"],
    ),
    Press("f5", "3 tasks", meanwhile=lambda told: told.seat.deliver("Come late", checked=False)),
    *always("review summary", "REVIEW SUMMARY"),
]  # fmt: skip


# The list of several


def plan_batch(seat: Seat) -> dict[str, str]:
    return {title: routine(seat, title) for title in ("Add login", "Sort the list")}


def are(told: Told, status: str) -> bool:
    return {told.status(title) for title in told.tasks} == {status}


BATCH = [
    *up_and_down("Add login", "Sort the list"),
    Press("space", "Enter approve 1"),
    Press("space", "Enter approve 2"),
    Press("d", "DIFF fe-", back=("escape",)),
    Press("r", "REDO WITH FEEDBACK", back=("escape",), holds=lambda told: are(told, "reviewing")),
    Press("/", FILTER, then=(*"sort", "enter"), holds=lambda told: "filter: sort" in told.at.screen),
    Press("escape", "APPROVE AUTO-APPROVABLE 2 of 2"),
    *always("approving several", "APPROVE AUTO-APPROVABLE"),
    Press("enter", "2 approved", holds=lambda told: are(told, "approved")),
    Press("u", "is back in review", holds=lambda told: not are(told, "approved")),
]


# A task


def plan_task(seat: Seat) -> dict[str, str]:
    tasks = {title: seat.deliver(title, {**TWO, f"{title}.txt": ""}) for title in ("First", "Second", "Third")}
    note(seat, tasks["First"], "Five is written down")
    seat.app.notes.log(ALICE, tasks["First"], "the log says so")
    return tasks


def hand_in_again(told: Told) -> None:
    """The first task's change moves."""
    task = told.tasks["First"]
    told.seat.app.feedback.redo(BOB, task, "once more")
    told.seat.work(task, {"src/steps.py": CODE.replace("return 5\n", "return 555\n")})
    told.seat.app.checks.run(CI, task)
    told.at.app.look_around()


TASK = [
    Press("down", on="risk"), Press("up", on="why"), Press("j", on="risk"), Press("k", on="why"),
    Press("end", on="answer"), Press("home", on="why"),
    Press("pagedown", holds=lambda told: rows_at(told) != "why"), Press("pageup", on="why"),
    Press("space", holds=lambda told: rows_at(told) != "why", back=("home",)),
    Press("tab", on="risk"),
    Press(".", holds=lambda told: rows_at(told).startswith("finding:")),
    Press(",", "no further finding"),
    Press("/", SEARCH, then=(*"signal", "enter"), holds=lambda told: rows_at(told) == "signal"),
    Press("enter", "LOG|log", back=("escape",)),
    Press("n", r"\[2/3\]"),
    Press("p", r"\[1/3\].*First"),
    Press("d", "DIFF fe-", back=("escape",)),
    Press("f", "FINDING .*Five is written down", back=("escape",)),
    Press("c", "12 passed", back=("escape",)),
    Press("e", "CHECKS fe-", until="nothing to run", back=("escape",)),
    Press("i", "Iteration 1|iteration 1", back=("escape",)),
    Press("h", "HISTORY|submitted", back=("escape",)),
    Press("l", "the log says so", back=("escape",)),
    Press("w", "WHY fe-", back=("escape",)),
    Press("g", "", until="nothing to merge"),
    Press("1", r"DIFF fe-\S+ \S+ \(1/3\)", back=("escape",)),
    Press("2", r"DIFF fe-\S+ \S+ \(2/3\)", back=("escape",)),
    Press("3", r"DIFF fe-\S+ \S+ \(3/3\)", back=("escape",)),
    *each("4 5 6 7 8 9", "there is no file {}"),
    *always("task review", "REVIEW TASK"),
    Press("f5", "Iteration 2", meanwhile=hand_in_again),
    Press("a", "", holds=lambda told: told.status("First") == "approved"),
    Press("u", "is back in review", holds=lambda told: told.status("First") == "reviewing"),
    Press("r", "REDO WITH FEEDBACK", then=("1", "enter"), holds=lambda told: told.status("First") == "open"),
    Press("x", "REJECT", then=(*"no", "ctrl+s"), holds=lambda told: told.status("Second") == "blocked"),
    Press("escape", "REVIEW SUMMARY"),
]  # fmt: skip


# The diff


def plan_diff(seat: Seat) -> dict[str, str]:
    tasks = {title: seat.deliver(title, DIFF if title == "First" else TWO) for title in ("First", "Second", "Third")}
    note(seat, tasks["First"], "Five is written down")
    return tasks


def kind_at(told: Told) -> str:
    page = diff_page(told)
    return page.reading_now.rows.rows[page.canvas.at].kind


def is_at(told: Told, row: int) -> bool:
    return diff_page(told).canvas.at == row


def looked(told: Told) -> tuple[int | None, int | None]:
    """How much of the approved change the record says was marked or shown, of how much."""
    look = told.seat.app.lists.show(BOB, told.tasks["First"]).approvals[0].viewed
    return look.hunks, look.marked


DIFF_KEYS = [
    Press("down", holds=lambda told: is_at(told, 1)), Press("up", holds=lambda told: is_at(told, 0)),
    Press("j", holds=lambda told: is_at(told, 1)), Press("k", holds=lambda told: is_at(told, 0)),
    Press("pagedown", holds=lambda told: diff_page(told).canvas.at > 9),
    Press("pageup", holds=lambda told: is_at(told, 0)),
    Press("end", holds=lambda told: diff_page(told).canvas.at > 40), Press("home", holds=lambda told: is_at(told, 0)),
    Press("]", holds=lambda told: kind_at(told) == "hunk"),
    Press("}", r"src/steps.py \(2/2\)"),
    Press("]", r"src/steps.py \(2/2\)", back=("]",)),
    Press("[", r"src/steps.py \(2/2\)", holds=lambda told: kind_at(told) == "hunk"),
    Press(".", "Five is written down", holds=lambda told: kind_at(told) == "finding"),
    Press("enter", "FINDING .*Five is written down", back=("escape",)),
    Press(",", "no finding before this one"),
    Press("{", holds=lambda told: kind_at(told) == "file", back=("home",)),
    Press("right", "column 9"), Press("left", holds=lambda told: diff_page(told).painter.shift == 0),  # type: ignore[union-attr]
    Press("v", first=("]", "down"), holds=lambda told: diff_page(told).range_from is not None),
    Press("escape", "no range"),
    Press(
        "c", "omment", then=(*"why?", "enter"),
        holds=lambda told: told.seat.app.drafts.load(ALICE, told.tasks["First"]).draft.comments[0].text == "why?",
    ),
    Press("i", "first iteration"),
    Press("s", holds=lambda told: diff_page(told).reading_now.split, back=("s",)),
    Press("z", "lines around"),
    Press("t", "FILES", holds=lambda told: diff_page(told).files.has_focus),
    Press("tab", holds=lambda told: diff_page(told).canvas.has_focus),
    Press("/", SEARCH, then=(*"2020", "escape"), holds=lambda told: diff_page(told).canvas.at > 40, back=("home",)),
    Press("w", "WHY fe-", back=("escape",)),
    Press("d", "pager"),
    Press("n", r"DIFF fe-\S+ src/login.py \(1/2\).*unseen 2/2"), Press("p", "DIFF fe-.*findings 1"),
    Press("space", holds=lambda told: diff_page(told).canvas.at > 9, back=("home",)),
    Press("m", "marked as seen by hand"),
    *always("diff", "DIFF fe-"),
    Press("f5", "it 2 vs it 1", meanwhile=hand_in_again),
    Press("a", "REVIEW TASK", holds=lambda told: told.status("First") == "approved", back=("d",)),
    Press("u", "is back in review", holds=lambda told: told.status("First") == "reviewing"),
    Press("r", "REDO WITH FEEDBACK", then=("1", "enter"), holds=lambda told: "open" in map(told.status, told.tasks),
          back=("d",)),
    Press("x", "REJECT", then=(*"no", "ctrl+s"), holds=lambda told: "blocked" in map(told.status, told.tasks)),
]  # fmt: skip


# Checks


def plan_checks(seat: Seat) -> dict[str, str]:
    return {"First": seat.deliver("First", {"check.sh": "seq 60; echo '12 passed'\n"}, checked=False)}


def results(told: Told) -> list[str]:
    return [row.outcome for row in told.seat.app.check_runs.of_task(BOB, told.tasks["First"]).checks]


def ran(told: Told) -> int:
    return kinds(told, "First").count("CheckFinished")


CHECKS = [
    Press("delete", "no checks run here"),
    Press("e", "CHECKS fe-", until="tests passed, lint passed", holds=lambda told: results(told) == ["passed"] * 2),
    *scrolling(),
    Press("space", holds=lambda told: scrolled(told) > 0, back=("home",)),
    Press("/", SEARCH, then=(*"42", "escape"), back=("home",)),
    Press("f5", "tests: passed"),
    *always("checks", "CHECKS fe-"),
    Press("e", "every check has its result", then=("escape",), holds=lambda told: ran(told) == 2),
    Press("escape", "REVIEW TASK"),
]


# A finding


LONG = "\n".join(f"sentence {number} of the problem" for number in range(40))


def plan_finding(seat: Seat) -> dict[str, str]:
    task = seat.deliver("First", TWO)
    finding = note(seat, task, "Five is written down", "HIGH", problem=LONG)
    seat.app.feedback.redo(BOB, task, "please mend it")
    seat.app.claims.start(CLAUDE, task)
    seat.app.answers.respond(CLAUDE, task, [Answer(finding=finding, action="FIXED", text="reads the settings now")])
    seat.work(task, {"src/steps.py": CODE.replace("return 5\n", "return settings.five\n")})
    seat.app.checks.run(CI, task)
    return {"First": task, "finding": finding}


def state(told: Told) -> str:
    return told.seat.app.findings.show(ALICE, told.tasks["finding"]).state


FINDING = [
    *scrolling(),
    Press("space", holds=lambda told: told.at.app.pages[-1].rows.scroll_offset.y > 0, back=("home",)),
    Press("tab", holds=lambda told: scrolled(told) > 0, back=("home",)),
    *each("4 5 6 7 8 9", "there is no choice {}"),
    Press(".", "last of 1"),
    Press(",", "first of 1"),
    Press("d", r"DIFF fe-\S+ src/steps.py", back=("escape",)),
    Press("enter", "REVIEW TASK", back=("f",)),
    Press("f5", "FINDING"),
    *always("finding", "FINDING"),
    Press("3", "WAIVE", then=("escape",), holds=lambda told: state(told) == "claimed"),
    Press("1", "VERIFIED", holds=lambda told: state(told) == "resolved"),
    Press("u", "1 verified", holds=lambda told: state(told) == "claimed"),
    Press("2", "", holds=lambda told: state(told) == "open"),
    Press("escape", "REVIEW TASK"),
]


# Attention


def plan_attention(seat: Seat) -> dict[str, str]:
    tasks = {"Older": seat.deliver("Older", checked=False), "Newer": seat.deliver("Newer", checked=False)}
    for title, task in tasks.items():
        seat.app.stops.hold(BOB, task, LONG if title == "Newer" else "ask legal first")
    return {**tasks, "older": f"hold {tasks['Older']}", "newer": f"hold {tasks['Newer']}"}


ATTENTION = [
    *up_and_down("newer", "older"),
    Press("space", on="newer"),
    Press(
        "tab",
        "════",
        holds=lambda told: told.at.app.pages[-1].focused is told.at.app.screen.query_one("#why"),
        back=("tab",),
    ),
    *each("2 3 4 5 6 7 8 9", "there is no choice {}"),
    Press("u", "nothing to take back"),
    Press("f5", r"ATTENTION \(2\)"),
    Press("enter", "REVIEW TASK.*Newer", back=("escape", "!")),
    Press("d", "DIFF fe-", back=("escape", "escape", "!")),
    *[row for row in always("attention", "ATTENTION") if row.key != "!"],
    Press("!", "ATTENTION", holds=lambda told: len(told.at.app.pages) == 2),
    Press("1", "resume", then=(*"fine", "enter"), holds=lambda told: kinds(told, "Newer")[-1] == "TaskResumed"),
    Press("escape", "Reviewing 2"),
]


# Drafts


def plan_drafts(seat: Seat) -> dict[str, str]:
    tasks = {title: seat.deliver(title, checked=False) for title in ("First", "Second")}
    for task in tasks.values():
        seat.app.drafts.save(ALICE, Draft(task=task, redo=RedoDraft(text=LONG)))
        seat.app.drafts.release(ALICE, task)
        seat.app.feedback.reject(BOB, task, "not wanted any more")
    return tasks


DRAFTS = [
    *up_and_down("First", "Second"),
    Press("space", holds=lambda told: told.at.app.screen.query_one("#why").scroll_offset.y > 0),
    Press("tab", "════", back=("home", "tab")),
    Press("f5", r"DRAFTS \(2\)"),
    Press("enter", "TASK.*First", back=("r",)),
    *always("drafts", "DRAFTS"),
    Press("delete", "discard what you wrote", then=("delete",),
          holds=lambda told: not told.seat.app.drafts.load(ALICE, told.tasks["First"]).there),
    Press("escape", "TASK"),
]  # fmt: skip


# Sprints


def plan_planning(seat: Seat) -> dict[str, str]:
    return {title: seat.create(title) for title in ("First", "Second")}


PLANNING = [
    *up_and_down("First", "Second"),
    Press("space", "Selected: 1 task ", back=("space",)),
    Press("-", "Selected: 0 tasks"),
    Press("+", "Selected: 2 tasks"),
    Press("/", FILTER, back=("escape",)),
    Press("tab", "══ Options"),
    Press("shift+tab", "══ Task Selection"),
    Press("left", r"\(•\) Complete \[20\]"),
    Press("right", r"\(•\) Run until \[08:00\]"),
    *[Press(key, rf"\[{key}\]", back=("right", "left")) for key in "0123456789"],
    Press(":", r"\[7:\]", first=("7",), back=("right", "left")),
    Press("backspace", r"\[7\]", first=("7", "5"), back=("tab",)),
    *always("sprint planning", "SPRINT PLANNING"),
    Press("enter", "is not a time of the day"),
    Press("escape", "foureyes"),
]


def plan_sprint(seat: Seat) -> dict[str, str]:
    tasks = plan_planning(seat)
    name = seat.app.sprints.plan(ALICE, SprintAsk(hours=8, checkpoint=False)).id
    seat.app.runs.begin(ALICE, agents=1)
    seat.app.sprints.start(ALICE, name)
    seat.work(tasks["First"], small_work("first"))
    return tasks


SPRINT = [
    *[Press(key, "SPRINT s-01") for key in "down j up k pagedown pageup end home".split()],
    Press("f5", "SPRINT s-01"),
    Press("4", "s-01 is already running"),
    Press("2", "is paused"),
    Press("1", "end it", back=("escape",)),
    *always("sprint", "SPRINT s-01"),
    Press("3", "REVIEW TASK", back=("escape", "escape", "S")),
    Press("escape", "foureyes"),
]


# Forms and pages


def plan_form(seat: Seat) -> dict[str, str]:
    return {title: seat.deliver(title, checked=False) for title in ("First", "Second")}


def prompt(told: Told) -> str:
    told.seat.app.claims.start(CLAUDE, told.tasks["First"])
    return told.seat.app.prompts.text(CLAUDE, told.tasks["First"], "implement")


FORM = [
    Press("enter", "choose an issue or write a sentence"),
    Press("tab", "Ctrl.S Submit"),
    Press("shift+tab", "Enter Submit"),
    Press("ctrl+e", "editor"),
    Press("ctrl+t", "the list of your drafts discards it"),
    Press("ctrl+o", "WHAT THE AGENT WILL BE TOLD", first=(*"too slow",), back=("escape",)),
    Press("ctrl+q", "too slow", leaves=True),
    Press(
        "escape", "REVIEW TASK", back=("r",),
        holds=lambda told: told.seat.app.drafts.load(ALICE, told.tasks["First"]).draft.redo.text == "too slow",
    ),
    Press("ctrl+s", holds=lambda told: told.status("First") == "open" and "> too slow" in prompt(told), back=("r",)),
    Press("enter", "", first=("2",), holds=lambda told: told.status("Second") == "open"),
]  # fmt: skip


def plan_page(seat: Seat) -> dict[str, str]:
    task = seat.deliver("First", {**TWO, "src/colours.py": "RED = 1\n"}, via=ALICE)
    return {"First": task, "finding": note(seat, task, "Five is written down", "HIGH")}


PAGE = [
    *scrolling(),
    Press("space", holds=lambda told: told.at.app.pages[-1].rows.scroll_offset.y > 0),
    Press("/", SEARCH, then=(*"quit", "escape")),
    Press("ctrl+q", "HELP", leaves=True),
    Press("escape", "REVIEW TASK"),
]
REFUSAL = [
    *each("down j up k pagedown space pageup end home", "NOT DONE"),
    Press("?", "HELP refusals", back=("escape",)),
    Press("ctrl+q", "NOT DONE", leaves=True),
    Press("r", "REDO WITH FEEDBACK", back=("escape", "a")),
    Press("escape", "REVIEW TASK", back=("a",)),
    Press("1", "FINDING|FAILED|failed", back=("escape", "a")),
    Press("2", "FINDING|FAILED|failed", back=("escape", "a")),
    *each("5 6 7 8 9", "there is no reason {}"),
    *each("3 4", "reason|FINDING|failed|type"),
]

Plan = Callable[[Seat], dict[str, str]]
STORIES: dict[KeyContext, tuple[Plan, tuple[str, ...], list[Press]]] = {
    "board": (plan_board, (), BOARD),
    "summary": (plan_summary, ("r",), SUMMARY),
    "batch": (plan_batch, ("r", "a"), BATCH),
    "task": (plan_task, ("r", "1"), TASK),
    "diff": (plan_diff, ("r", "1", "d"), DIFF_KEYS),
    "checks": (plan_checks, ("r", "c"), CHECKS),
    "drafts": (plan_drafts, ("left", "left", "enter", "r"), DRAFTS),
    "finding": (plan_finding, ("r", "f"), FINDING),
    "attention": (plan_attention, ("!",), ATTENTION),
    "planning": (plan_planning, ("S",), PLANNING),
    "sprint": (plan_sprint, ("S",), SPRINT),
    "form": (plan_form, ("r", "1", "r"), FORM),
    "refusal": (plan_page, ("r", "a"), REFUSAL),
    "page": (plan_page, ("r", "?"), PAGE),
}
"""What others did before, the keys that lead into the context, and its keys."""


@pytest.mark.parametrize("context", CONTEXTS)
def test_every_key_does_what_it_says(seat: Seat, context: KeyContext) -> None:
    plan, way, rows = STORIES[context]
    tasks = plan(seat)
    head = seat.checkout.git("rev-parse", "main")

    async def story(at: Player) -> None:
        told = Told(at, seat)
        told.tasks = tasks
        await at.hit(*way)
        assert told.context == context
        await tell(told, rows)

    play(seat.sit(), story)
    assert seat.checkout.git("rev-parse", "main") == head, "nothing is merged from here"
    assert seat.app.audit.verify().findings == ()


@pytest.mark.parametrize("context", CONTEXTS)
def test_no_key_of_the_registry_is_left_out(context: KeyContext) -> None:
    assert uncovered(context, STORIES[context][2]) == set()


@pytest.mark.parametrize("context", PROMISED)
def test_every_key_that_the_design_promises_is_in_the_registry(context: KeyContext) -> None:
    assert set(PROMISED[context].split()) - {key for key, _ in bound(context)} == set()
