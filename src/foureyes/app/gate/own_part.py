"""The own part of a stacked change (A7): what an attempt adds to the tasks that it stands on, apart from what is
theirs.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from foureyes.app.call.context import Context
from foureyes.app.call.stacks import BelowRow, drawn_of
from foureyes.app.ports import Tx
from foureyes.app.views.diff import FileDiff
from foureyes.app.views.stack import StackRow
from foureyes.core.nouns.attempt import ChangedFile
from foureyes.core.words.ids import Sha, TaskId


class AttemptFiles(msgspec.Struct, frozen=True):
    """The files of an attempt of a task."""

    task: str
    n: int
    base: str
    files: list[ChangedFile]


class Latest(msgspec.Struct, frozen=True):
    """The number of a task's latest attempt, and where it begins."""

    n: int
    base: str


class OwnStart(msgspec.Struct, frozen=True):
    """What the own part stands on: the head of the topmost task inside, all tasks inside, and whose file is whose."""

    top: Sha
    below: tuple[StackRow, ...]
    whose: dict[str, tuple[str, ...]]


def own_start(tx: Tx, task: TaskId, attempt: int) -> OwnStart | None:
    """Where the own part of the latest attempt begins; None where nothing of others is inside as a line of commits.
    What begins elsewhere than this attempt was looked at without the commits between.
    """
    rows = [row for row in tx.all("stack.below", BelowRow, ids=[task]) if row.how == "whole" and row.top]
    latest = tx.one("attempt.latest", Latest, ids=[task])
    if not rows or latest is None or latest.n != attempt:
        return None
    looked_at = tx.all("stack.files", AttemptFiles, ids=[row.task for row in rows])
    same = {(each.task, each.n) for each in looked_at if each.base == latest.base}
    rows = [row for row in rows if (row.task, row.attempt) in same]
    if not rows:
        return None
    top = max(rows, key=lambda row: row.commits)
    whose: dict[str, tuple[str, ...]] = {}
    for each in looked_at:
        if any(row.task == each.task and row.attempt == each.n for row in rows):
            for path in {path for file in each.files for path in (file.path, file.old_path) if path}:
                whose[path] = (*whose.get(path, ()), each.task)
    return OwnStart(Sha(top.top), drawn_of(tx, [task]).get(task, ()), whose)


def own_first(context: Context, files: tuple[FileDiff, ...], start: OwnStart, head: Sha) -> tuple[FileDiff, ...]:
    """The files with those that are exactly as a task inside left them folded, marked as theirs, after the others."""
    added = context.repo.file_diffs(start.top, head)
    own = {path for file in added for path in (file.path, file.old_path) if path}
    theirs = [file for file in files if file.path not in own and file.path in start.whose]
    names = {file.path for file in theirs}
    folded = tuple(replace(file, folded=True, of=start.whose[file.path]) for file in theirs)
    return tuple(file for file in files if file.path not in names) + folded


def in_parts(context: Context, start: OwnStart, base: Sha, head: Sha) -> str:
    """The change in two parts: what this task adds, then, apart, what is inside of others."""
    names = ", ".join(f"{row.task} ({row.standing})" for row in start.below)
    own = context.repo.diff_text(start.top, head).rstrip("\n") or "(nothing)"
    theirs = context.repo.diff_text(base, start.top).rstrip("\n")
    return f"# its own part, on top of {names}\n{own}\n\n# inside: {names}; looked at there\n{theirs}\n"
