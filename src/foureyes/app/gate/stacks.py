"""Stacks: work of other tasks inside a submission, and attempts that build on it. (A7)"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from foureyes.app.context import Context, IdRow, Work
from foureyes.app.facts import attempts_of
from foureyes.app.findings.auto_decisions import decide_by_rule
from foureyes.app.ports import NamedQuery, Tx
from foureyes.app.stacked_tasks import BelowRow
from foureyes.app.work.branches import tip_of
from foureyes.core.events.decision import AttemptSubmitted, StackFound
from foureyes.core.nouns.attempt import Author, Below, Change, ChangedFile, Commit, How
from foureyes.core.nouns.session import Actor
from foureyes.core.nouns.task import Task
from foureyes.core.rules.stacks import (
    LATER,
    LIVE,
    StackPart,
    found_below,
    found_later,
    is_over,
    quoted,
    sent_back,
    strictest,
    the_same,
)
from foureyes.core.words.ids import Sha, TaskId
from foureyes.core.words.refs import OWN_BRANCHES, own_branch

NOW = LATER


SAID = ("branch", "trailer")
"""Ways in which another task declared that it builds on this one, before this one was submitted. The shared commits
then belong to this one.
"""


class StackedAttempt(msgspec.Struct, frozen=True):
    """An attempt with its commits."""

    task: str
    n: int
    seq: int
    commits: list[Commit]
    files: list[ChangedFile]


class SentBack(msgspec.Struct, frozen=True):
    """An attempt that a person sent back or rejected."""

    task: str
    n: int


class Claimed(msgspec.Struct, frozen=True):
    """The journal row of a task's first start."""

    task: str
    seq: int


class PieceRow(msgspec.Struct, frozen=True):
    """A piece of an attempt (A6)."""

    task: str
    attempt: int
    piece: str


def branches_inside(context: Context, task: TaskId, change: Change) -> dict[TaskId, Sha]:
    """Return other tasks' own branches that end inside a change, with their heads."""
    if change.landed:
        return {}
    inside = {commit.sha for commit in change.commits} - {change.head}
    own = own_branch(task)
    return {
        TaskId(ref.removeprefix(OWN_BRANCHES)): head
        for ref, head in context.repo.heads().items()
        if ref.startswith(OWN_BRANCHES) and ref != own and head in inside
    }


def stacked(tx: Tx, task: TaskId, event: AttemptSubmitted, branches: Mapping[TaskId, Sha]) -> AttemptSubmitted:
    """Add the tasks inside the attempt to the event, and as authors the sessions that work on them. (A6)"""
    mine, own = _part_of(task, event), parts_of(tx, [task])
    ids = shared_by(tx, task, event)
    above = [row for row in (tx.all("stack.below", BelowRow, ids=ids) if ids else []) if row.task == task]
    whose = _whose(tx, task, event, branches)
    named = {TaskId(name) for commit in event.commits for name in commit.tasks} | {
        name for name in whose if whose[name]
    }
    parts = parts_of(tx, ids)
    stated = _said_to_be_ours(parts, above)
    ours = {each.task: each for each in parts if each.commits and each.shas <= stated.get(each.task, frozenset())}
    others = [each for each in parts if each not in ours.values()] + _left_behind(tx, task, event, mine)
    live = {row.id for row in tx.all("task.some", Task, ids=sorted(stated)) if row.status in LIVE} if stated else set()
    below_it = found_below(mine, others, own, {name: stated[name] for name in live}, named)
    known = {below.task for below in below_it}
    below_it += tuple(quoted(each) for name, each in ours.items() if name not in known)
    theirs = {(below.task, below.attempt) for below in below_it}
    spoken_for = {
        sha for each in (*own, *others) if each in own or (each.task, each.n) in theirs for sha in each.commits
    }
    tips = {name: (branches[name], is_theirs) for name, is_theirs in whose.items()}
    below_it = strictest((*below_it, *_not_submitted(tx, task, event, tips, spoken_for)))
    if not below_it:
        return event
    more = _holders(tx, [below.task for below in below_it if below.how == "branch"], event)
    return replace(event, below=below_it, authors=(*event.authors, *more))


def shared_by(tx: Tx, task: TaskId, event: AttemptSubmitted) -> list[str]:
    """Return unmerged tasks that have ever submitted one of its pieces."""
    return [row.id for row in tx.all("stack.shared", IdRow, pieces=list(event.pieces), task=task)]


def submitted_before(tx: Tx, task: TaskId, event: AttemptSubmitted) -> Task | None:
    """Return a task in review or approved that submitted exactly these commits, or None. Also None if a commit names
    the current task. (A5)
    """
    if any(task in commit.tasks for commit in event.commits):
        return None
    ids = shared_by(tx, task, event)
    same = the_same(_part_of(task, event), parts_of(tx, ids), parts_of(tx, [task])) if ids else []
    rows = tx.all("task.some", Task, ids=sorted(same)) if same else []
    return next((row for row in rows if row.status in LIVE), None)


def _whose(tx: Tx, task: TaskId, event: AttemptSubmitted, branches: Mapping[TaskId, Sha]) -> dict[TaskId, bool]:
    """Return the tasks whose branches end inside, with True if the commits there are theirs.

    They are if that task began first, if the same session made both, or if a commit names the task or its implementer.
    A branch alone proves nothing, because anyone can put one on another task's commits.
    """
    rows = tx.all("task.some", Task, ids=sorted(branches)) if branches else []
    since = _claimed(tx, [task, *branches]) if rows else {}
    order = {commit.sha: number for number, commit in enumerate(event.commits)}

    def is_named(row: Task) -> bool:
        upto = event.commits[: order[branches[row.id]] + 1]
        return any(row.implementer in commit.sessions or row.id in commit.tasks for commit in upto)

    return {
        row.id: since[row.id] < since.get(task, LATER) or row.implementer == event.implementer or is_named(row)
        for row in rows
        if row.id in since and not is_over(row)
    }


def _said_to_be_ours(parts: Sequence[StackPart], above: Sequence[BelowRow]) -> dict[TaskId, frozenset[str]]:
    """Return commits of other attempts that, as those declared, belong to the current task."""
    tops = {(row.upper, row.top) for row in above if row.how in SAID and row.top}
    return {
        each.task: frozenset(each.commits[: each.commits.index(top) + 1])
        for each in parts
        for task, top in tops
        if task == each.task and top in each.commits
    }


def _left_behind(tx: Tx, task: TaskId, event: AttemptSubmitted, mine: StackPart) -> list[StackPart]:
    """Return work that was sent back from other tasks before they merged with other content, as far as the target lacks
    it.
    """
    ids = [row.id for row in tx.all("stack.left_behind", IdRow, pieces=list(event.pieces), task=task)]
    if not ids:
        return []
    back = {(row.task, row.n) for row in tx.all("stack.sent_back", SentBack, ids=ids)}
    merged_as = {row.id: row.iteration for row in tx.all("task.some", Task, ids=ids)}
    attempts = parts_of(tx, ids)
    commits = frozenset(sha for each in attempts if each.n == merged_as[each.task] for sha in each.commits)
    gone = [each for each in attempts if (each.task, each.n) in back and each.n != merged_as[each.task]]
    pieces = sorted({piece for each in gone for piece in each.pieces})
    landed = frozenset(row.id for row in tx.all("stack.landed", IdRow, pieces=pieces)) if pieces else frozenset[str]()
    return sent_back(gone, landed, commits, mine)


def _not_submitted(
    tx: Tx, task: TaskId, event: AttemptSubmitted, tips: Mapping[TaskId, tuple[Sha, bool]], spoken_for: set[str]
) -> tuple[Below, ...]:
    """Return unsubmitted work of other tasks inside: commits on their branch or with their trailer.

    Commits that this task had before or names as its own are left out, and commits that others submitted. A branch that
    may build on this task is treated as the stricter case.
    """
    free = [commit for commit in event.commits if commit.sha not in spoken_for and task not in commit.tasks]
    order = {commit.sha: number for number, commit in enumerate(event.commits)}
    inside: dict[TaskId, tuple[How, list[Sha]]] = {}
    for name in {TaskId(name) for commit in free for name in commit.tasks}:
        inside[name] = "trailer", [commit.sha for commit in free if name in commit.tasks]
    for name, (tip, is_theirs) in tips.items():
        how: How = "branch" if is_theirs else "quoted"
        inside[name] = how, [commit.sha for commit in free if order[commit.sha] <= order[tip]]
    wanted = sorted(name for name, (_, commits) in inside.items() if commits and name != task)
    tasks = [row for row in tx.all("task.some", Task, ids=wanted) if not is_over(row)] if wanted else []
    return tuple(
        Below(task=row.id, how=how, attempt=row.iteration, commits=len(commits), top=commits[-1])
        for row in tasks
        for how, commits in [inside[row.id]]
    )


def _holders(tx: Tx, tasks: Sequence[TaskId], event: AttemptSubmitted) -> list[Author]:
    """Return as authors the claim holders of tasks whose branches are inside."""
    if not tasks:
        return []
    known = {author.session for author in event.authors}
    rows = tx.all("task.some", Task, ids=sorted(tasks))
    holders = {row.implementer: row.id for row in rows if row.implementer and row.implementer not in known}
    return [Author.by("shared", session, f"commits with {other}") for session, other in holders.items()]


def raise_others(work: Work, task: TaskId, event: AttemptSubmitted) -> None:
    """Record other attempts in review as built on this one, if they contain it and declared that, by a trailer, its
    branch or an earlier submission. (A7)
    """
    tx = work.tx
    above = {row.upper: row.how for row in tx.all("stack.above", BelowRow, ids=[task])}
    ids = {*shared_by(tx, task, event), *above}
    rows = tx.all("task.some", Task, ids=sorted(ids)) if ids else []
    live = [row for row in rows if row.status in LIVE]
    if not live:
        return
    latest = {each.task: each for each in parts_of(tx, [row.id for row in live])}
    mine = parts_of(tx, [task])
    for row in live:
        named = above.get(row.id, "quoted") != "quoted"
        below = found_later(latest[row.id], mine, named=named) if row.id in latest else None
        if below is not None and (named or row.id not in above):
            work.gate.record(row.id, StackFound(attempt=row.iteration, below=below))


def decide_above(context: Context, actor: Actor, merged: Sequence[str]) -> None:
    """Let attempts that waited for the merged tasks be approved by rule, if nothing else prevents it. (A7, M4)"""
    if not merged:
        return
    with context.store.read() as tx:
        uppers = {row.upper for row in tx.all("stack.above", BelowRow, ids=list(merged))}
        rows = tx.all("task.some", Task, ids=sorted(uppers)) if uppers else []
        attempts = attempts_of(tx, [row.id for row in rows if row.status == "reviewing"])
        target = context.project(tx).target
    for task, attempt in attempts.items():
        tip = tip_of(context, task, attempt, target)
        with context.writing(actor, "merge") as work:
            if context.get(work.tx, TaskId(task)).iteration == attempt.n:
                decide_by_rule(context, work, TaskId(task), tip)


def of_attempts(task: TaskId) -> list[NamedQuery]:
    """Return the queries about every attempt of a task, for `along`."""
    return [(f"stack.{name}", {"ids": [task]}) for name in ("pieces", "claimed", "attempts")]


def parts_of(tx: Tx, tasks: Iterable[str]) -> list[StackPart]:
    """Return every attempt of these tasks, in order."""
    ids = sorted(tasks)
    if not ids:
        return []
    pieces: dict[tuple[str, int], set[str]] = defaultdict(set)
    for row in tx.all("stack.pieces", PieceRow, ids=ids):
        pieces[row.task, row.attempt].add(row.piece)
    since = _claimed(tx, ids)
    return [
        replace(_of(row, TaskId(row.task), row.seq, pieces[row.task, row.n]), begun=since.get(row.task, LATER))
        for row in tx.all("stack.attempts", StackedAttempt, ids=ids)
    ]


def _claimed(tx: Tx, tasks: Sequence[str]) -> dict[str, int]:
    """Return the tasks that have ever begun, with the journal row of their first start."""
    return {row.task: row.seq for row in tx.all("stack.claimed", Claimed, ids=sorted(tasks))}


def _part_of(task: TaskId, event: AttemptSubmitted) -> StackPart:
    return _of(event, task, NOW, event.pieces)


def _of(row: StackedAttempt | AttemptSubmitted, task: TaskId, seq: int, pieces: Iterable[str]) -> StackPart:
    names = frozenset(pieces)
    return StackPart(
        task=task,
        n=row.n,
        seq=seq,
        commits=tuple(commit.sha for commit in row.commits),
        diffs=frozenset(name for name in names if name.startswith("diff ")),
        blobs=frozenset(name for name in names if name.startswith("blob ")),
        paths=frozenset(path for file in row.files for path in (file.path, file.old_path) if path),
    )
