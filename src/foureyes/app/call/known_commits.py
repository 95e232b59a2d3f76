"""Commits of the target that the journal knows (Q5): merges, the work that they brought, and where tasks began; without
what a person gave up when the target lacked it (Q6).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.rows import TargetCommit
from foureyes.core.events.decision import TaskMerged
from foureyes.core.events.gate import TargetSetBack
from foureyes.core.nouns.attempt import Commit
from foureyes.core.words.ids import Sha, TaskId

if TYPE_CHECKING:
    from foureyes.app.ports import Tx
    from foureyes.app.views.project import ProjectView


class MergeOf(msgspec.Struct, frozen=True):
    """A task, and the commit that it was merged as."""

    id: str
    sha: Sha


class SetBackRow(msgspec.Struct, frozen=True):
    """When a person accepted that the target lacks merges, and what was recorded."""

    seq: int
    at: str
    payload: str

    @property
    def event(self) -> TargetSetBack:
        return msgspec.json.decode(self.payload, type=TargetSetBack)


class AttemptCommits(msgspec.Struct, frozen=True):
    """The commits of an attempt."""

    task: str
    commits: list[Commit]


class MergedBefore(msgspec.Struct, frozen=True):
    """A merge of a task whose approval has ended since, as it was recorded, and the commits of the attempt."""

    seq: int
    task: str
    payload: str
    commits: list[Commit]


class KnownCommits(msgspec.Struct, frozen=True):
    """What the journal says about commits: where the target was when the first task began there or was merged, or when
    a person accepted it; which are merges; and which are these or work of tasks.
    """

    ends: list[Sha]
    merged: set[Sha]
    brought: set[Sha]


def known_commits(tx: Tx, project: ProjectView) -> KnownCommits:
    """All that is on record about commits of the target."""
    accepted = [row.event.tip for row in tx.all("merge.set_back", SetBackRow)]
    ends = [*(row.sha for row in tx.all("merge.first", TargetCommit)), *accepted, Sha(project.tip or "")]
    merged, brought = _merges(tx)
    return KnownCommits([end for end in dict.fromkeys(ends) if end], merged, merged | brought)


def brought_by_tasks(tx: Tx) -> set[Sha]:
    """The work of tasks that is on the target by a merge, or was there before its review; of a task only the attempt
    that was merged, and none whose merge a person gave up (Q6).
    """
    return _merges(tx)[1]


def approved_commits(tx: Tx) -> set[Sha]:
    """The work of tasks that are approved and not merged yet."""
    return {commit.sha for row in tx.all("merge.approved", AttemptCommits) for commit in row.commits}


def task_merged_as(tx: Tx, merge: Sha) -> str:
    """The task that was merged as this commit; empty where none was."""
    return next((row.id for row in tx.all("merge.shas", MergeOf) if row.sha == merge), "")


def given_up(tx: Tx) -> dict[str, str]:
    """Q6: tasks whose merges a person has accepted to be off the target, and when that was last."""
    return {task: row.at for row in tx.all("merge.set_back", SetBackRow) for task in row.event.lost}


def _merges(tx: Tx) -> tuple[set[Sha], set[Sha]]:
    """Merges, and the work that they brought, without those that a person gave up when the target lacked them."""
    lost = {task: row.seq for row in tx.all("merge.set_back", SetBackRow) for task in row.event.lost}
    merged = {row.sha for row in tx.all("merge.shas", MergeOf) if row.id not in lost}
    brought = [row.commits for row in tx.all("merge.brought", AttemptCommits) if row.task not in lost]
    for row in tx.all("merge.earlier", MergedBefore):  # a task that was opened again can have several
        if row.seq > lost.get(TaskId(row.task), 0):
            merged.add(msgspec.json.decode(row.payload, type=TaskMerged).sha)
            brought.append(row.commits)
    return merged, {commit.sha for commits in brought for commit in commits}
