"""Stacks: work of other tasks inside an attempt, and how it affects decisions about the attempt. (A7)

It is found when the attempt is submitted, from frozen attempts, and stored. The other task's current state is read
again at each decision and merge.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from foureyes.core.nouns.attempt import TAKEN_ALONG, Below, How
from foureyes.core.words.ids import Sha, TaskId
from foureyes.core.words.refs import DETACHED, OWN_BRANCHES, exactly, own_branch, own_name
from foureyes.errors import Reason
from foureyes.steps import NO_STEP, Steps, either, fe, in_turn, prose, shell

if TYPE_CHECKING:
    from foureyes.core.nouns.attempt import Commit
    from foureyes.core.nouns.task import Task
    from foureyes.core.rules.facts import Facts, Lower

DONE = ("merged", "approved")
"""Resolutions of work that was approved and reached the target."""
LIVE = ("reviewing", "approved")
"""Task statuses in which the attempt counts."""
BEGUN_AGAIN = ("open", "in_progress", "blocked", "deferred")
"""Task statuses in which the attempt is no longer in review or approved."""
LATER = 2**62
"""A number higher than every journal row."""
NOTHING_SAID: Mapping[TaskId, frozenset[str]] = {}


class StackPart(msgspec.Struct, frozen=True, kw_only=True):
    """The data needed to find an attempt inside others: its commits (oldest first), their diffs, the resulting file
    contents (A6) and its paths.

    `seq` is the journal row of its submission, `begun` that of its task's first start.
    """

    task: TaskId
    n: int
    seq: int
    commits: tuple[str, ...]
    diffs: frozenset[str]
    blobs: frozenset[str]
    paths: frozenset[str] = frozenset()
    begun: int = LATER

    @property
    def head(self) -> str:
        return self.commits[-1] if self.commits else ""

    @property
    def shas(self) -> frozenset[str]:
        return frozenset(self.commits)

    @property
    def pieces(self) -> frozenset[str]:
        return self.diffs | self.blobs

    def has(self, other: StackPart) -> bool:
        """Return True if this attempt contains all commits of the other, either the same ones or ones with equal
        diffs.
        """
        return other.head in self.shas or (bool(other.diffs) and other.diffs <= self.diffs)


# What is inside


def found_below(
    upper: StackPart,
    others: Iterable[StackPart],
    own: Sequence[StackPart] = (),
    known: Mapping[TaskId, frozenset[str]] = NOTHING_SAID,
    named: Collection[TaskId] = (),
) -> tuple[Below, ...]:
    """Return the other tasks with work inside this attempt, found by commit, by a commit's diff, or by content. (A7)

    - others: every attempt of each candidate task
    - own: earlier attempts of the same task. Work that was here first counts as another task's only if this task names
    that one.
    - named: tasks that this one names, by a trailer or by its branch
    - known: commits that other tasks declared as this task's work
    """
    by_task: dict[TaskId, list[StackPart]] = defaultdict(list)
    for each in others:
        by_task[each.task].append(each)
    tasks = {task: sorted(attempts, key=lambda each: each.n) for task, attempts in by_task.items()}
    taken = {
        task: [each for each in attempts if task in named or not _had_first(own, each, upper)]
        for task, attempts in tasks.items()
    }
    inside = {task: [each for each in attempts if upper.has(each)] for task, attempts in taken.items()}
    whole = [attempts[-1] for attempts in inside.values() if attempts]
    lower: list[Below] = []
    for task, attempts in sorted(tasks.items()):
        if inside[task]:
            lower.append(_whole(upper, attempts, inside[task][-1]))
            continue
        if upper.commits and upper.shas <= known.get(task, frozenset()):
            continue  # the other task is stacked on this one
        explained = [each for each in whole if each.task != task]
        below = _in_part(upper, taken[task], explained) or _in_content(upper, taken[task], explained)
        below = below or _begun_before(upper, attempts, own)
        lower += [below] if below else []
    return tuple(lower)


def found_later(upper: StackPart, attempts: Sequence[StackPart], *, named: bool) -> Below | None:
    """Return the entry for a task that submitted later, with all of its work inside the upper attempt, or None. (A7)

    None also if it contains the whole upper attempt. `named`: the upper task declared that it stacks on it. Otherwise
    the upper work came first, so a later submission cannot make it a stack. If the other task was begun before, only
    its strictness counts.
    """
    latest = attempts[-1]
    if not upper.has(latest) or latest.has(upper):
        return None
    if named:
        return _whole(upper, attempts, latest)
    return quoted(latest) if latest.begun < upper.seq else None


STRICTNESS: tuple[How, ...] = ("part", "whole", "copied", "branch", "trailer", "carved", "quoted")
"""Kinds of inclusion, the most demanding first."""


def strictest(found: Iterable[Below]) -> tuple[Below, ...]:
    """Return one entry per task, the most demanding. Anyone can place another task's branch anywhere, so one kind must
    not hide another.
    """
    one_each: dict[TaskId, Below] = {}
    for below in sorted(found, key=lambda below: STRICTNESS.index(below.how)):
        one_each.setdefault(below.task, below)
    return tuple(one_each.values())


def quoted(each: StackPart) -> Below:
    """Return an entry that only makes the review as strict as the other task's."""
    return Below(task=each.task, how="quoted", attempt=each.n, commits=len(each.commits))


def _begun_before(upper: StackPart, attempts: Sequence[StackPart], own: Sequence[StackPart]) -> Below | None:
    """Return an entry for shared work that this task submitted first, although the other task was begun earlier."""
    for each in reversed(attempts):
        shared = upper.diffs & each.diffs
        mine = [earlier for earlier in own if each.begun < earlier.seq < each.seq and shared <= earlier.diffs]
        if shared and any(earlier.has(each) or not each.has(earlier) for earlier in mine):  # otherwise a stack
            return quoted(each)
    return None


def _had_first(own: Sequence[StackPart], other: StackPart, upper: StackPart) -> bool:
    """Return True if an earlier attempt of this task had the shared work before the other task submitted."""
    shared = upper.pieces & other.pieces
    return any(each.seq < other.seq and shared <= each.pieces for each in own)


def the_same(upper: StackPart, others: Iterable[StackPart], own: Sequence[StackPart]) -> list[TaskId]:
    """Return the tasks whose latest attempt has the same head commit, without those that took it from here. (A5)"""
    latest = {each.task: each for each in sorted(others, key=lambda each: each.n)}
    same = [each for each in latest.values() if upper.head and upper.head == each.head]
    return [each.task for each in same if not _had_first(own, each, upper)]


def sent_back(
    attempts: Iterable[StackPart], landed: frozenset[str], commits: frozenset[str], upper: StackPart
) -> list[StackPart]:
    """Return earlier attempts of tasks that merged with other content, reduced to what is missing on the target. (A7)

    `landed` and `commits` are the content and the commits on the target.
    """
    left = [
        msgspec.structs.replace(
            each,
            commits=tuple(sha for sha in each.commits if sha not in commits),
            diffs=each.diffs - landed,
            blobs=each.blobs - landed,
            paths=each.paths & upper.paths or each.paths,
        )
        for each in attempts
    ]
    return [each for each in left if each.pieces]


def _whole(upper: StackPart, attempts: Sequence[StackPart], inside: StackPart) -> Below:
    """Return an entry for an attempt that is inside as a whole, or for a part of it if commits that it dropped are
    inside too.
    """
    ever = frozenset[str]().union(*(each.diffs for each in attempts))
    loose = (upper.diffs & ever) - attempts[-1].diffs
    how: How = "part" if loose and inside.n == attempts[-1].n else "whole"
    top = inside.head if inside.head in upper.shas else ""
    return Below(task=inside.task, how=how, attempt=inside.n, commits=len(inside.commits), top=top)


def _in_part(upper: StackPart, attempts: Sequence[StackPart], explained: Sequence[StackPart]) -> Below | None:
    """Return an entry for shared commits, without those that come from another task that is here as a whole."""
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


def _in_content(upper: StackPart, attempts: Sequence[StackPart], explained: Sequence[StackPart]) -> Below | None:
    """Return an entry for files with the same content under other commits, for example squashed or copied."""
    known = frozenset[str]().union(*(each.blobs for each in explained))
    some: Below | None = None
    for each in reversed(attempts):
        if not (upper.blobs & each.blobs) - known:
            continue
        if each.blobs <= upper.blobs and each.paths <= upper.paths:
            return Below(task=each.task, how="copied", attempt=each.n)
        some = some or Below(task=each.task, how="quoted", attempt=each.n)
    return some


# What it means


def is_merged(task: Task) -> bool:
    """Return True if the task's work was approved and reached the target."""
    return task.status == "closed" and task.resolution in DONE


def is_over(task: Task) -> bool:
    """Return True if the task needs no further decision: merged, deleted, or closed without a submission."""
    return is_merged(task) or task.deleted or (task.status == "closed" and not task.iteration)


def is_left_behind(inside: Below, task: Task) -> bool:
    """Return True if the included attempt was sent back and its task merged with another attempt."""
    return is_merged(task) and inside.attempt != task.iteration


def unmerged(facts: Facts) -> list[Lower]:
    """Return the tasks inside whose work is not on the target. Their mode, labels, grade and holds count here too.
    (A7)
    """
    return [lower for lower in facts.below if not is_over(lower.task) or is_left_behind(lower.inside, lower.task)]


def waits_for(facts: Facts, passed: Collection[str] = ()) -> list[TaskId]:
    """Return the tasks to merge before this one. `passed` lists tasks that a person overrode (N3). (A7, Q1)"""
    return [
        lower.task.id
        for lower in unmerged(facts)
        if is_awaited(lower.inside, lower.task) and lower.task.id not in passed
    ]


def is_awaited(inside: Below, task: Task) -> bool:
    """Return True if the other task must merge first. Not if it contains this one, or if only its strictness counts."""
    return inside.how in TAKEN_ALONG and not is_over(task)


def why_refused(facts: Facts, passed: Collection[str] = ()) -> list[Reason]:
    """Return a reason for each included task that was rejected, sent back, or submitted again with other commits.
    `passed` lists tasks that a person overrode (N3). (A7)
    """
    return [
        Reason(
            "A7", f"{in_words(lower.inside)}, which {what_became_of(lower.inside, lower.task)}", _to_do(facts, lower)
        )
        for lower in _refused(facts)
        if lower.task.id not in passed
    ]


def passed_over(facts: Facts) -> tuple[TaskId, ...]:
    """Return the tasks that a break-glass approval would override now. (N3)"""
    return tuple(lower.task.id for lower in _refused(facts))


def _refused(facts: Facts) -> list[Lower]:
    if facts.attempt is None or facts.attempt.landed:
        return []
    return [lower for lower in facts.below if what_became_of(lower.inside, lower.task)]


def what_became_of(inside: Below, task: Task) -> str:
    """Return why the other task's work cannot stay inside, or ""."""
    if inside.how == "quoted" or (is_over(task) and not is_merged(task)):
        return ""
    if task.status == "closed" and not is_merged(task):
        return "was closed without an approval"
    if task.rejected_by is not None:
        return "was rejected"
    if task.status in BEGUN_AGAIN and inside.how not in ("branch", "trailer"):
        return "was sent back"
    if inside.how == "carved" and not is_merged(task):
        return ""
    if inside.attempt != task.iteration:
        return f"was submitted again with other commits (attempt {task.iteration})"
    return "is included only in part" if inside.how == "part" else ""


def _to_do(facts: Facts, lower: Lower) -> Steps:
    """Return the git commands that remove the other task's work.

    The rebase loses nothing, because old heads are kept (A1). The task's own commits stay, and the other task's branch
    does not change.
    """
    assert facts.attempt is not None
    attempt, inside, task, mine = facts.attempt, lower.inside, lower.task, facts.task.id
    is_mine = attempt.ref == own_branch(mine) or not attempt.ref.startswith((OWN_BRANCHES, DETACHED))
    new = f"{own_name(mine)}.{attempt.n + 1}"
    branch = attempt.ref.removeprefix("refs/heads/") if is_mine else new
    if not inside.top or (inside.how in ("branch", "trailer") and not _is_all_below(facts, inside)):
        return in_turn(prose(f"take the work of {task.id} out of {branch} and commit"), fe("submit", mine))
    first = NO_STEP if is_mine else shell("git", "branch", new, exactly(attempt.head))
    submit = fe("submit", mine) if is_mine else fe("submit", mine, "--branch", new)
    out = ("git", "rebase", "--onto", _onto(attempt.base, lower), inside.top, branch)
    if inside.how != "branch" or _is_named(facts, lower):
        return in_turn(first, shell(*out), submit)
    amend = f'git commit --amend --no-edit --trailer "Task: {mine}"'
    own, theirs = "if the commits are yours, mark them as yours: ", f"if they belong to {task.id}: "
    keep = shell("git", "rebase", "--exec", amend, attempt.base, branch, before=own)
    return either(in_turn(first, keep, submit), in_turn(first, shell(*out, before=theirs), submit), joint="; ")


def _is_named(facts: Facts, lower: Lower) -> bool:
    """Return True if a commit below the other task's branch names that task or its implementer. A branch alone proves
    nothing, because anyone can place it on other commits.
    """
    who, upto = lower.task.implementer, _upto(facts, lower.inside)
    return any(lower.task.id in commit.tasks or who in commit.sessions for commit in upto)


def _onto(base: Sha, lower: Lower) -> str:
    """Return the new base for the task's own commits: the other task's current work, or the start of the attempt."""
    task = lower.task
    if lower.attempt is not None and task.iteration != lower.inside.attempt and task.status in LIVE:
        return lower.attempt.head
    return task.merge if task.merge is not None and is_merged(task) else base


def _is_all_below(facts: Facts, inside: Below) -> bool:
    """Return True if all commits up to the other task's last one belong to it. Only then may a rebase drop them."""
    return bool(inside.top) and len(_upto(facts, inside)) == inside.commits


def _upto(facts: Facts, inside: Below) -> Sequence[Commit]:
    assert facts.attempt is not None
    shas = [str(commit.sha) for commit in facts.attempt.commits]
    return facts.attempt.commits[: shas.index(inside.top) + 1] if inside.top in shas else ()


def in_words(inside: Below) -> str:
    """Return the start of a sentence, like `it contains 1 commit of fe-7k2`."""
    commits = f"{inside.commits} commit{'' if inside.commits == 1 else 's'}"
    return {
        "carved": f"it shares its commits with {inside.task}",
        "copied": f"it contains the files of {inside.task}",
        "quoted": f"it shares {commits} with {inside.task}"
        if inside.commits
        else f"some of its files have the same content as files of {inside.task}",
    }.get(inside.how, f"it contains {commits} of {inside.task}")


def status_words(task: Task, inside: Below | None = None) -> str:
    """Return the status of an included task in a word or two."""
    if is_merged(task):
        return "sent back" if inside is not None and is_left_behind(inside, task) else "merged"
    if task.rejected_by is not None:
        return "rejected"
    if task.status == "closed":
        return "closed without an approval"
    words = {"reviewing": "in review", "in_progress": "in progress", "open": "sent back" if task.iteration else "open"}
    return words.get(task.status, task.status)


def why_not_by_rule(facts: Facts) -> list[Reason]:
    """Return reasons against approval by rule: work on top of unmerged tasks needs a reviewer. (A7)"""
    return [
        Reason("A7", f"{in_words(lower.inside)}, {status_words(lower.task, lower.inside)}", fe("show", lower.task.id))
        for lower in unmerged(facts)
    ]


def landed_below(facts: Facts) -> Sha | None:
    """Return the head of the nearest included task that merged as submitted, or None. The merge only has to bring the
    later commits. (A7)
    """
    landed = [
        lower.inside
        for lower in facts.below
        if lower.inside.how == "whole" and is_merged(lower.task) and lower.attempt is not None
        if lower.inside.top == lower.attempt.head
    ]
    return Sha(max(landed, key=lambda inside: inside.commits).top) if landed else None
