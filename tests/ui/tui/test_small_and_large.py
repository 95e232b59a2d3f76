"""The main screens at 80×24 and at 120×40: what each must show is there, and what only one of them has room for."""

from __future__ import annotations

import pytest

from foureyes.core.nouns.finding import ReportedFinding

from tests.ui.tui.stage import BOB, CLAUDE, CODE, CODEX, LARGE, SMALL, Player, Seat, play, small_work

STEPS = {"src/steps.py": CODE.replace("return 5\n", "return 55\n")}
TOGETHER: dict[str, tuple[str, ...]] = {
    "board": ("foureyes", "AGENTS", "EVENTS", "Press [R] to review", "R review"),
    "summary": ("REVIEW SUMMARY", "2 tasks · by risk", "‼ LOOK CLOSELY (1)", "0 decided · 2 left", "Enter one by one"),
    "batch": ("APPROVE AUTO-APPROVABLE", "one decision each", "preview of", "Enter"),
    "task": ("REVIEW TASK", "[1/2]", "WHY YOU", "CHANGES", "QUALITY", "FINDINGS", "IF YOU APPROVE", "[A] Why not?"),
    "diff": ("DIFF fe-", "unseen", "findings 1", "55 is written in the code", "X reject", "Space read on"),
    "redo": ("REDO WITH FEEDBACK", "Quick Issues", "Redo Options", "Priority After Redo", "Submit & Queue Redo"),
    "reject": ("REJECT", "Why? (required, shown on the task)", "Ctrl+S reject"),
    "finding": ("FINDING", "HIGH", "55 is written in the code", "src/steps.py:22"),
    "refusal": ("NOT DONE", "D2", "Nothing was changed."),
    "help": ("HELP  task review", "approve exactly this change"),
    "attention": ("ATTENTION (1)", "ask legal first", "1 resume"),
    "new task": ("NEW TASK", "Title", "Labels", "Priority"),
}
"""What stands on a screen at every size."""
ONLY_SMALL = {"board": ("▐Reviewing 2▌",)}
ONLY_LARGE = {
    "board": ("REVIEWING 2 ═", "IN PROGRESS 1"),
    "summary": ("WHY YOU", "IF YOU APPROVE"),
    "task": ("@@ ", "return 55"),
    "diff": ("FILES",),
}
"""What there is room for at one size alone."""


def plan(seat: Seat) -> None:
    task = seat.deliver("Add login", STEPS, labels=["security"])
    found = ReportedFinding(severity="HIGH", title="55 is written in the code", path="src/steps.py", line=22)
    seat.app.findings.add(CODEX, task, found)
    seat.deliver("Sort the list", small_work("sort"))
    taken = seat.create("Export orders")
    seat.app.claims.start(CLAUDE, taken)
    seat.app.stops.hold(BOB, taken, "ask legal first")


async def screens(at: Player) -> dict[str, str]:
    """Every main screen, by its name."""
    seen = {"board": at.screen}
    seen["attention"] = await at.press("!")
    seen["new task"] = await at.press("escape", "n")
    seen["summary"] = await at.press("escape", "r")
    seen["batch"] = await at.press("a")
    seen["task"] = await at.press("escape", "1")
    seen["refusal"] = await at.press("a")
    seen["help"] = await at.press("escape", "?")
    seen["redo"] = await at.press("escape", "r")
    seen["reject"] = await at.press("escape", "x")
    seen["finding"] = await at.press("escape", "f")
    seen["diff"] = await at.press("escape", "d", ".")
    return seen


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "120x40"])
def test_every_main_screen_shows_what_it_must_at_every_size(seat: Seat, size: tuple[int, int]) -> None:
    plan(seat)
    seen = play(seat.sit(), screens, size)
    assert set(seen) == set(TOGETHER)
    here, not_here = (ONLY_SMALL, ONLY_LARGE) if size == SMALL else (ONLY_LARGE, ONLY_SMALL)
    for name, screen in seen.items():
        lines = screen.splitlines()
        assert len(lines) <= size[1]
        assert max(map(len, lines)) <= size[0]
        missing = [words for words in (*TOGETHER[name], *here.get(name, ())) if words not in screen]
        assert missing == [], f"{name}\n{screen}"
        assert [words for words in not_here.get(name, ()) if words in screen] == [], f"{name}\n{screen}"
