"""Stacks (A7): what an attempt has inside it of other tasks, and what that means for a decision about it.

What is inside is found at a hand-in, from frozen attempts, and stored. How the other task stands now is asked again by
whoever decides and by every merge.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from foureyes.core.nouns.attempt import DETACHED
from foureyes.core.nouns.stack import Below, How
from foureyes.core.words.ids import Sha, TaskId
from foureyes.errors import Reason
from foureyes.steps import Steps, fe, in_turn, prose, shell

if TYPE_CHECKING:
    from foureyes.core.nouns.task import Task
    from foureyes.core.rules.facts import Facts, Lower

DONE = ("merged", "approved")
"""The resolutions of work that reached the target by an approval."""
BEGUN_AGAIN = ("open", "in_progress", "blocked", "deferred")
"""Where a task stands whose attempt is neither in review nor approved any more."""
SHORT = 12


class Handed(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt as far as others may have it inside: its commits, the oldest first, the diffs of these, the contents
    it leaves behind (A6), and where. `seq`: the journal row of its hand-in.
    """

    task: TaskId
    n: int
    seq: int
    commits: tuple[str, ...]
    diffs: frozenset[str]
    blobs: frozenset[str]
    paths: frozenset[str] = frozenset()

    @property
    def head(self) -> str:
        return self.commits[-1] if self.commits else ""

    @property
    def shas(self) -> frozenset[str]:
        return frozenset(self.commits)

    @property
    def pieces(self) -> frozenset[str]:
        return self.diffs | self.blobs

    def has(self, other: Handed) -> bool:
        """Whether all commits of the other one are in this one, as they are or each with an equal diff."""
        return other.head in self.shas or (bool(other.diffs) and other.diffs <= self.diffs)

    def shares(self, other: Handed) -> bool:
        return not (self.shas.isdisjoint(other.shas) and self.diffs.isdisjoint(other.diffs))


# What is inside


def found_below(
    upper: Handed, others: Iterable[Handed], own: Sequence[Handed] = (), known: Iterable[TaskId] = ()
) -> tuple[Below, ...]:
    """A7: the other tasks whose attempts are in this one, by commit, by the diff of a commit, or by content.

    `others`: every attempt of each unmerged task that may be; `own`: earlier attempts of the same task: what it had
    first, others took from it. `known`: tasks that said themselves that they stand on this one.
    """
    by_task: dict[TaskId, list[Handed]] = defaultdict(list)
    for each in others:
        by_task[each.task].append(each)
    tasks = {task: sorted(attempts, key=lambda each: each.n) for task, attempts in by_task.items()}
    inside = {task: [each for each in attempts if _is_inside(upper, each, own)] for task, attempts in tasks.items()}
    whole = [attempts[-1] for attempts in inside.values() if attempts]
    found = []
    for task, attempts in sorted(tasks.items()):
        if inside[task]:
            found.append(_whole(upper, attempts, inside[task][-1]))
            continue
        if task in known and any(each.has(upper) for each in attempts):
            continue
        explained = [each for each in whole if each.task != task]
        taken = [each for each in attempts if not _had_first(own, each, upper)]
        below = _in_part(upper, taken, explained) or _in_content(upper, taken, explained)
        found += [below] if below else []
    return tuple(found)


def found_later(upper: Handed, attempts: Sequence[Handed]) -> Below | None:
    """A7: another task handed in, after the upper one, what is inside of it; None where it is not, or where it is all
    of it: then the other one came later.
    """
    latest = attempts[-1]
    return _whole(upper, attempts, latest) if upper.has(latest) and not latest.has(upper) else None


def _is_inside(upper: Handed, other: Handed, own: Sequence[Handed]) -> bool:
    """Of two that have the same commits, the one that had them first is inside the other."""
    if not upper.has(other):
        return False
    return not other.has(upper) or not _had_first(own, other, upper)


def _had_first(own: Sequence[Handed], other: Handed, upper: Handed) -> bool:
    """Whether an earlier attempt of this task had what both have, before the other one was handed in."""
    shared = upper.pieces & other.pieces
    return any(each.seq < other.seq and shared <= each.pieces for each in own)


def _whole(upper: Handed, attempts: Sequence[Handed], inside: Handed) -> Below:
    """One attempt is here as a whole. Commits that only earlier ones had make it a part: they were taken back since."""
    ever = frozenset[str]().union(*(each.diffs for each in attempts))
    loose = (upper.diffs & ever) - attempts[-1].diffs
    how: How = "part" if loose and inside.n == attempts[-1].n else "whole"
    top = inside.head if inside.head in upper.shas else ""
    return Below(task=inside.task, how=how, attempt=inside.n, commits=len(inside.commits), top=top)


def _in_part(upper: Handed, attempts: Sequence[Handed], explained: Sequence[Handed]) -> Below | None:
    """Some commits, apart from those that come with another task which is here as a whole."""
    shas = frozenset[str]().union(*(each.shas for each in explained))
    diffs = frozenset[str]().union(*(each.diffs for each in explained))
    for each in reversed(attempts):
        shared = (upper.diffs & each.diffs) - diffs
        same = (upper.shas & each.shas) - shas
        if not shared and not same:
            continue
        if each.has(upper):
            return Below(task=each.task, how="carved", attempt=each.n, commits=len(upper.commits))
        top = next((sha for sha in reversed(upper.commits) if sha in same), "")
        return Below(task=each.task, how="part", attempt=each.n, commits=max(len(shared), len(same)), top=top)
    return None


def _in_content(upper: Handed, attempts: Sequence[Handed], explained: Sequence[Handed]) -> Below | None:
    """Files as another attempt left them, under other commits: squashed, or copied."""
    known = frozenset[str]().union(*(each.blobs for each in explained))
    quoted: Below | None = None
    for each in reversed(attempts):
        if not (upper.blobs & each.blobs) - known:
            continue
        if each.blobs <= upper.blobs and each.paths <= upper.paths:
            return Below(task=each.task, how="copied", attempt=each.n)
        quoted = quoted or Below(task=each.task, how="quoted", attempt=each.n)
    return quoted


# What it means


def is_merged(task: Task) -> bool:
    """Whether the work of a task reached the target by an approval."""
    return task.status == "closed" and task.resolution in DONE


def is_over(task: Task) -> bool:
    """Whether nothing of a task has to be decided any more: it is merged, or over without anything handed in."""
    return is_merged(task) or task.deleted or (task.status == "closed" and not task.iteration)


def unmerged(facts: Facts) -> list[Lower]:
    """A7: the tasks whose work is inside and not on the target: their mode, labels, grade and hold count, too."""
    return [lower for lower in facts.below if not is_over(lower.task)]


def waits_for(facts: Facts) -> list[TaskId]:
    """A7, Q1: the tasks that are merged before this one."""
    return [lower.task.id for lower in unmerged(facts) if is_awaited(lower.inside, lower.task)]


def is_awaited(inside: Below, task: Task) -> bool:
    """Whether the other task is merged first: not one that holds this one itself."""
    return inside.how not in ("carved", "quoted") and not is_over(task)


def why_refused(facts: Facts) -> list[Reason]:
    """A7: what is inside was rejected, sent back, or is not what the other task has handed in by now."""
    attempt = facts.attempt
    if attempt is None or attempt.landed:
        return []
    return [
        Reason("A7", f"{in_words(lower.inside)}, which {why}", _to_do(facts, lower))
        for lower in facts.below
        if (why := what_became_of(lower.inside, lower.task))
    ]


def what_became_of(inside: Below, task: Task) -> str:
    """Why the work of another task cannot stay inside; empty where it can."""
    if inside.how == "quoted" or (is_over(task) and not is_merged(task)):
        return ""
    if task.status == "closed" and not is_merged(task):
        return "was closed without an approval"
    if task.rejected_by is not None:
        return "was rejected"
    if task.status in BEGUN_AGAIN and inside.how not in ("branch", "trailer"):
        return "was sent back"
    if inside.how == "carved":
        return ""
    if inside.attempt != task.iteration:
        return f"was handed in with other commits since (attempt {task.iteration})"
    return "is not here as a whole, as it was handed in" if inside.how == "part" else ""


def _to_do(facts: Facts, lower: Lower) -> Steps:
    """The rebase; old heads are kept (A1), so that nothing is lost by it."""
    assert facts.attempt is not None
    attempt, inside, task = facts.attempt, lower.inside, lower.task
    others = [each.task.id for each in unmerged(facts) if task.id in each.stands_on and each.task.id != task.id]
    if others:
        return fe("show", others[0], before=f"{others[0]} stands on {task.id}, too, and comes first: ")
    again = fe("submit", facts.task.id)
    branch = () if attempt.ref == DETACHED else (attempt.ref.removeprefix("refs/heads/"),)
    if not inside.top:
        out = prose(f"take the work of {task.id} out of {branch[0] if branch else 'it'} and commit")
        return in_turn(out, again)
    onto = attempt.base
    if lower.attempt is not None and task.iteration != inside.attempt and task.status in ("reviewing", "approved"):
        onto = lower.attempt.head
    elif task.merge is not None and is_merged(task):
        onto = task.merge
    return in_turn(shell("git", "rebase", "--onto", onto[:SHORT], inside.top[:SHORT], *branch), again)


def in_words(inside: Below) -> str:
    """What is inside, as a sentence begins: `it contains 1 commit of fe-7k2`."""
    commits = f"{inside.commits} commit{'' if inside.commits == 1 else 's'}"
    return {
        "whole": f"it contains {commits} of {inside.task}",
        "part": f"it contains {commits} of {inside.task}",
        "branch": f"it contains {commits} of {inside.task}",
        "trailer": f"it contains {commits} of {inside.task}",
        "carved": f"it has its commits in common with {inside.task}",
        "copied": f"it contains the files of {inside.task}",
        "quoted": f"it contains files of {inside.task}",
    }[inside.how]


def standing(task: Task) -> str:
    """How a task inside stands, in a word or two."""
    if is_merged(task):
        return "merged"
    if task.rejected_by is not None:
        return "rejected"
    if task.status == "closed":
        return "closed without an approval"
    words = {"reviewing": "in review", "in_progress": "in progress", "open": "sent back" if task.iteration else "open"}
    return words.get(task.status, task.status)


def why_not_by_rule(facts: Facts) -> list[Reason]:
    """A7: what contains unmerged work of others is approved by somebody, not by a rule."""
    return [
        Reason("A7", f"{in_words(lower.inside)}, {standing(lower.task)}", fe("show", lower.task.id))
        for lower in unmerged(facts)
    ]


def landed_below(facts: Facts) -> Sha | None:
    """A7: the head of the nearest task below that is on the target as it was handed in; None where there is none. What
    comes after it is all that the merge still has to bring.
    """
    landed = [
        lower.inside
        for lower in facts.below
        if lower.inside.how == "whole" and is_merged(lower.task) and lower.attempt is not None
        if lower.inside.top == lower.attempt.head
    ]
    return Sha(max(landed, key=lambda inside: inside.commits).top) if landed else None
