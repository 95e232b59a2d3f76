"""Import a plan from the board: its file is asked for, its tasks are made, all of them or none."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from foureyes.app.results.task import PlannedRow, without_reviewer
from foureyes.bootstrap.files import read_given
from foureyes.errors import BadInput
from foureyes.ui.tui.worker import Desk

if TYPE_CHECKING:
    from foureyes.ui.tui.screens.page import Page

WORDS = "import a plan"
LIMIT = 2_000_000
"""Larger than this is no plan."""


def import_plan(page: Page) -> None:
    """I: ask for the file of a plan, and make its tasks."""
    from foureyes.ui.tui.screens.ask_text import ask_text

    def given(file: str) -> None:
        def work(desk: Desk) -> list[PlannedRow]:
            text = read_plan_file(os.path.join(page.app.environ.get("PWD", ""), os.path.expanduser(file)))
            return desk.application.plans.import_(desk.actor, text, os.path.basename(file))

        def planned(rows: list[PlannedRow]) -> None:
            page.app.unsent.pop(WORDS, None)
            page.reload()
            page.note(counted(rows))

        page.ask(work, planned)

    lines = ["the file, in Markdown: a section ## Task: ... for each task"]
    ask_text(page, "IMPORT A PLAN", given, lines=lines, enter="import", words=WORDS)


def counted(rows: list[PlannedRow]) -> str:
    """How many were made, and how many were there."""
    made, differ = sum(row.state == "new" for row in rows), sum(row.state == "differs" for row in rows)
    words = [f"planned {made} task{'' if made == 1 else 's'}"]
    words += [f"{len(rows) - made} there already"] if made < len(rows) else []
    words += [f"{differ} not as the plan has it: fe plan import FILE --dry-run"] if differ else []
    return ", ".join([*words, *filter(None, [without_reviewer(rows)])])


def read_plan_file(path: str) -> str:
    """The text of a plan, as far as there is one."""
    name = os.path.basename(path)
    try:
        data = read_given(path, LIMIT + 1, handed_over=False)
    except OSError as problem:
        raise BadInput(f"{name} cannot be read: {problem.strerror}.") from None
    if len(data) > LIMIT:
        raise BadInput(f"{name} is larger than {LIMIT:,} bytes; that is no plan.")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise BadInput(f"{name} is not valid UTF-8.") from None
