"""`fe worktree|prune`: what they print, what they answer as JSON, how they exit (K1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stage.commands import Cast
from tests.ui.cli.counter import Counter, counter


@pytest.fixture
def shop(template: Path, tmp_path: Path, cast: Cast) -> Counter:
    return counter(template, tmp_path, cast, "")


def test_worktrees_are_listed_and_those_of_closed_tasks_go_unless_something_lies_there_K1(shop: Counter) -> None:
    alice = shop.cast.alice
    assert shop.text(alice, "worktree", "list") == "no worktrees\n"
    assert shop.text(alice, "worktree", "prune") == "no closed task has a worktree\n"
    clean, dirty = (shop.create(alice, title=title) for title in ("Add login", "Pay"))
    for task in (clean, dirty):
        shop.done(shop.cast.claude, "start", task, "--worktree")
    rows = {row["id"]: row for row in shop.lines(alice, "worktree", "list")}
    Path(rows[dirty]["path"], "left.txt").write_text("mine\n")
    next(
        path for path in Path(rows[clean]["path"]).iterdir() if path.name != ".git"
    ).unlink()  # as a killed removal leaves it
    for task in (clean, dirty):
        shop.done(shop.cast.claude, "unstart", task)
        shop.done(alice, "close", task, "-m", "not needed")
    lines = shop.text(alice, "worktree", "list").splitlines()
    assert lines[0].split() == ["TASK", "STATUS", "SIZE", "BRANCH", "PATH"]
    assert sorted(line.split()[:2] for line in lines[1:3]) == [["T1", "closed"], ["T2", "closed"]]
    assert lines[-1] == "next: fe worktree --prune --dry-run"
    tried = shop.text(alice, "worktree", "prune", "--dry-run").splitlines()
    assert sorted(line[:11] for line in tried) == ["stays    T2", "would go T1"]
    assert Path(rows[clean]["path"]).exists()
    said = shop.text(alice, "worktree", "prune").splitlines()
    assert sorted(line.split()[:2] for line in said) == [["removed", "T1"], ["stays", "T2"]]
    assert (Path(rows[clean]["path"]).exists(), Path(rows[dirty]["path"]).exists()) == (False, True)
    (row,) = shop.lines(alice, "worktree", "prune", "--dry-run")
    assert (row["id"], bool(row["stays"]), row["dry_run"]) == (dirty, True, True)
