"""Whose work a submission is (A5, K4): what was merged for others is theirs, and so is what another task submitted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.refusals import refuse_task
from foureyes.app.call.rows import IdRow
from foureyes.app.gate import stacking
from foureyes.app.gate.work_place import NOT_IN
from foureyes.core.nouns.attempt import Change, Commit
from foureyes.core.rules.stacks import status_words
from foureyes.core.words.fence import some
from foureyes.core.words.ids import Sha, TaskId
from foureyes.core.words.refs import DETACHED, OWN_BRANCHES, own_branch, own_name
from foureyes.errors import Reason
from foureyes.steps import fe

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx
    from foureyes.core.events.decision import AttemptSubmitted
    from foureyes.core.nouns.attempt import Attempt
    from foureyes.core.nouns.task import Task

TASKS_NAMED = 3


class MergedAs(msgspec.Struct, frozen=True):
    """The commit that brought a task to the target, and the commits that came with it."""

    task: str
    sha: str
    commits: list[Commit]


class Others(msgspec.Struct, frozen=True):
    """Where the own part of a change begins, after what was merged for others; and for whom, if nothing is left."""

    begins: Sha
    only: str = ""


def after_others(tx: Tx, task: TaskId, change: Change) -> Others | None:
    """K4: what was merged for other tasks is theirs. None where the own part begins where the task did."""
    merged = tx.all("stack.merged_as", MergedAs, shas=[commit.sha for commit in change.commits], task=task)
    if not merged:
        return None
    points = {row.sha for row in merged}
    brought = points | {commit.sha for row in merged for commit in row.commits}
    if all(commit.sha in brought for commit in change.commits):
        return Others(change.head, some([row.task for row in merged], TASKS_NAMED))
    begins: Sha | None = None
    for commit in change.commits:
        if commit.sha not in brought:
            break
        begins = commit.sha if commit.sha in points else begins
    return Others(begins) if begins is not None else None


def refuse_nothing_own(context: Context, task: TaskId, event: AttemptSubmitted) -> None:
    """A5, A7: what another task submitted, with nothing besides, is that task's."""
    if event.landed or not event.pieces:
        return
    with context.store.read() as tx:
        other = stacking.handed_in_before(tx, task, event)
    if other is None:
        return
    own, name = own_name(task), _short(event.ref)
    why = f"{name} has nothing of its own beyond {other.id} ({status_words(other)})"
    if event.ref != own_branch(task) and context.repo.branch_ref(own) is not None:
        step = fe("submit", task, "--branch", own)
    else:
        step = fe("submit", task, before=f"commit the changes for {task}, then: ")
    refuse_task(task, NOT_IN, Reason("A5", why, step))


def about_the_branch(context: Context, task: Task, last: Attempt | None, ref: str) -> tuple[str, ...]:
    """What there is to say about where a submission came from: another task's branch, another one than the last time."""
    notes = []
    named = ref.removeprefix(OWN_BRANCHES)
    if ref.startswith(OWN_BRANCHES) and named != task.id:
        with context.store.read() as tx:
            is_task = tx.one("task.exists", IdRow, id=named) is not None
        notes += [f"it came from {_short(ref)}, the branch of {named}. The next commit there ends it."] * is_task
    if last is not None and last.ref != ref:
        notes.append(f"attempt {last.n} came from {_short(last.ref)}, this one from {_short(ref)}")
    return tuple(notes)


def _short(ref: str) -> str:
    return "a detached head" if ref == DETACHED else ref.removeprefix("refs/heads/")
