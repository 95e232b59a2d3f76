"""Changes as structure: the files and hunks of an attempt, or what is new in it since an earlier one."""

from __future__ import annotations

from collections import Counter

import msgspec
from msgspec.structs import replace

from foureyes.app.call.context import Context
from foureyes.app.call.refusals import not_handed_in
from foureyes.app.ports import Tx
from foureyes.app.views.diff import DiffView, FileDiff
from foureyes.app.work.other_machines import bring
from foureyes.core.documents.lens import CONTEXT, MOST_CONTEXT, widened, without_space
from foureyes.core.rules.policy import FOLDED_PATHS
from foureyes.core.words.globs import matching
from foureyes.core.words.ids import Sha, TaskId
from foureyes.errors import NotFound
from foureyes.steps import fe


class Frozen(msgspec.Struct, frozen=True):
    """An attempt's place in git, and the name of its change."""

    n: int
    base: Sha
    head: Sha
    diff_id: str


def change_of(
    context: Context, task: str, attempt: int | None, since: int | None, around: int = CONTEXT, *, space: bool = True
) -> DiffView:
    """The change of an attempt (the latest, if none is named): from its base, or from the head of another."""
    with context.store.read() as tx:
        name = context.find_id(tx, task)
        rows = attempts_of_task(tx, name)
        now = named_attempt(rows, name, attempt)
        then = named_attempt(rows, name, since) if since is not None else None
        exclude = context.gate_policy(tx).coverage_exclude
    bring(context, name)
    base = then.head if then else now.base
    wanted = min(max(around, CONTEXT), MOST_CONTEXT)
    whole = _carried(context, then, now, CONTEXT) if then else None
    is_carried = whole is not None
    if whole is None:
        whole = context.repo.file_diffs(base, now.head)
    files = whole
    if wanted > CONTEXT:
        wider = _carried(context, then, now, wanted) if then and is_carried else None
        files = widened(whole, context.repo.file_diffs(base, now.head, wanted) if wider is None else wider)
    files = files if space else without_space(files)
    hidden = None if space else _hunks(whole) - _hunks(files)
    own = _own(context, then, now) if then else None
    if then and own and then.base != now.base and not is_carried:
        files = _without_target(files, own, context.repo.file_diffs(then.base, now.base))
    files = marked(files, exclude)
    return DiffView(
        task=name,
        attempt=now.n,
        diff_id=now.diff_id,
        since=since,
        base=base,
        head=now.head,
        files=files,
        unchanged=_unchanged(own) if own else (),
        context=wanted,
        hidden=hidden,
    )


def _carried(context: Context, then: Frozen, now: Frozen, around: int) -> tuple[FileDiff, ...] | None:
    """What is new between two attempts, where the target went on in between: the earlier one is brought onto it first.
    None where it did not go on, or git cannot do that by itself.
    """
    if then.base == now.base:
        return None
    return context.repo.diffs_since(then.base, then.head, now.base, now.head, around)


OwnAndOthers = tuple[tuple[FileDiff, ...], tuple[FileDiff, ...]]
"""The whole changes of two attempts, each from its own base."""


def _own(context: Context, then: Frozen, now: Frozen) -> OwnAndOthers:
    return context.repo.file_diffs(then.base, then.head), context.repo.file_diffs(now.base, now.head)


def _without_target(
    files: tuple[FileDiff, ...], own: OwnAndOthers, brought: tuple[FileDiff, ...]
) -> tuple[FileDiff, ...]:
    """What is new between two attempts, without what only the target brought in between: a file that neither of them
    touches, and a hunk just as the target has it. What both have in one hunk stays.
    """
    touched = {path for files in own for file in files for path in _paths(file)}
    hunks = {file.path: Counter(hunk.id for hunk in file.hunks) for file in brought}
    parts = [_without(file, hunks.get(file.path, Counter())) for file in files if _paths(file) & touched]
    return tuple(part for part in parts if part is not None)


def _paths(file: FileDiff) -> set[str]:
    return {file.path, file.old_path or file.path}


def _without(file: FileDiff, brought: Counter[str]) -> FileDiff | None:
    """A file without these hunks, each as often as it is there; None where nothing is left of it."""
    left, hunks = Counter(brought), []
    for hunk in file.hunks:
        if left[hunk.id] > 0:
            left[hunk.id] -= 1
        else:
            hunks.append(hunk)
    if len(hunks) == len(file.hunks):
        return file
    kinds = Counter(line.kind for hunk in hunks for line in hunk.lines)
    left_over = replace(file, hunks=tuple(hunks), added=kinds["added"], removed=kinds["removed"])
    return left_over if hunks else None


def _hunks(files: tuple[FileDiff, ...]) -> int:
    return sum(len(file.hunks) for file in files)


def attempts_of_task(tx: Tx, task: TaskId) -> list[Frozen]:
    """Every attempt, the first one first; `NotFound` where nothing was submitted."""
    rows = tx.all("attempt.of_task", Frozen, task=task)
    if not rows:
        raise not_handed_in(task)
    return rows


def named_attempt(rows: list[Frozen], task: TaskId, n: int | None) -> Frozen:
    """The attempt of this number; without one the latest."""
    for row in rows:
        if row.n == n:
            return row
    if n is not None:
        raise NotFound(f"{task} has no attempt {n}; it has {len(rows)}.", next_step=fe("show", task), task=task)
    return rows[-1]


def marked(files: tuple[FileDiff, ...], exclude: tuple[str, ...]) -> tuple[FileDiff, ...]:
    """The files, those that tools write folded and at the end, those that nobody has to look at marked as such. One
    that was moved there from elsewhere is neither: what is gone from its old place is to be seen.
    """
    aside = {file.path for file in files if _stays_among(file, exclude)}
    names = aside | {file.path for file in files if _stays_among(file, FOLDED_PATHS)}
    written = tuple(replace(file, folded=True, counts=file.path not in aside) for file in files if file.path in names)
    return tuple(file for file in files if file.path not in names) + written


def _stays_among(file: FileDiff, globs: tuple[str, ...]) -> bool:
    paths = {file.path, file.old_path or file.path}
    return len(matching(paths, globs)) == len(paths)


def hunks_to_see(context: Context, base: Sha, head: Sha, exclude: tuple[str, ...]) -> list[str]:
    """H4: the ids of all hunks that somebody who decides should see; what is excluded from coverage is not among
    them.
    """
    return [
        hunk.id for file in marked(context.repo.file_diffs(base, head), exclude) if file.counts for hunk in file.hunks
    ]


def _unchanged(own: OwnAndOthers) -> tuple[str, ...]:
    """The paths whose change is the same in both attempts, wherever their lines are now."""
    before, after = map(_by_path, own)
    return tuple(path for path, change in after.items() if before.get(path) == change)


def _by_path(files: tuple[FileDiff, ...]) -> dict[str, tuple[object, ...]]:
    return {
        file.path: (file.status, file.old_path, file.mode_change, *(hunk.id for hunk in file.hunks)) for file in files
    }
