"""Proofs shown after the app was closed: real commands with their real output."""

from __future__ import annotations

import json
import shutil

from foureyes.demo.story import Story, found

EDIT = """UPDATE journal SET payload = replace(payload, 'Greet', 'Delete') WHERE kind = 'TaskCreated'"""


def show(s: Story) -> None:
    """Show each proof. The one about an approval is skipped if no task can be approved."""
    rows = [json.loads(line) for line in s.do(s.alice, "fe queue --json", quiet=True).splitlines()]
    if waiting := [row["task"] for row in rows if row["you"]["may_approve"]]:
        line_after_approval(s, waiting[-1])
    edited_row(s)


def line_after_approval(s: Story, task: str) -> None:
    """Show that a change after the approval voids it."""
    s.tell(
        f"Nobody can get one change approved and merge another. {task} is approved, then its branch gets one more line."
    )
    seen = found(r"--seen (\S+)", s.do(s.alice, f"fe show {task}", quiet=True))
    s.do(s.alice, f"fe approve {task} --seen {seen}", "approved")
    worktree = s.repo / ".foureyes" / "worktrees" / task
    (worktree / "one_line_more.py").write_text("PASSWORDS = False\n", encoding="utf-8")
    s.do(s.alice, "git add . && git commit -q -m 'One line more'", at=worktree)
    s.do(s.alice, "fe merge --wait", "the approval no longer holds", expect=6)


def edited_row(s: Story) -> None:
    """Show that an edited journal row is detected."""
    s.tell(
        "History cannot be rewritten unnoticed. In a copy of the project, one row of the journal is edited with plain SQL."
    )
    copy = s.folder / "edited"
    shutil.copytree(s.repo, copy, symlinks=True)
    edit = f"import sqlite3; c = sqlite3.connect('.foureyes/store.db'); c.execute(\\\"{EDIT}\\\"); c.commit()"
    s.do(s.alice, f'python -c "{edit}"', at=copy)
    s.do(s.alice, "fe audit verify", "(TaskCreated", expect=6, at=copy)
