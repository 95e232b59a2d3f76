"""What was submitted on another machine: whether an attempt lives here, what its branch is there, and how its objects
come here (D4, Q6).

A clone that lacks something is no reason against it: what is not here is fetched, or it is said why that cannot be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.noted_target import branch_here
from foureyes.app.call.recorded_target import merge_place_of
from foureyes.app.call.told_target import ToldTarget, told_target
from foureyes.core.words.ids import Sha, TaskId
from foureyes.core.words.place import FILE
from foureyes.core.words.refs import DETACHED, attempt_ref, attempt_refs, left_ref, own_branch, tracked
from foureyes.core.words.text import one_line
from foureyes.errors import RemoteProblem
from foureyes.steps import Steps, by, fe, in_turn, prose, shell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from foureyes.app.call.context import Context
    from foureyes.app.git_ports import Remote
    from foureyes.app.ports import Tx
    from foureyes.core.nouns.attempt import Attempt


WHY_LENGTH = 200


class BranchTip(msgspec.Struct, frozen=True):
    """Where a branch is on its own machine; `unasked`: why the remote could not be asked, so that this is what the
    machine last told.
    """

    head: Sha
    unasked: str = ""


class Handed(msgspec.Struct, frozen=True):
    """An attempt as far as its place matters."""

    n: int
    head: Sha
    ref: str
    tree: Sha
    clone: str = ""
    base_tree: Sha = Sha("")


def clone_of(context: Context) -> str:
    """D4: what a submission says about where it comes from; nothing where one repository has the store to itself."""
    return "" if context.store.place in ("", FILE) else context.outside.clone()


def is_elsewhere(context: Context, clone: str) -> bool:
    """Whether that is another clone than this one."""
    return bool(clone) and clone != context.outside.clone()


def machine_of(clone: str) -> str:
    """The machine that a clone is on."""
    return clone.rpartition(":")[0] or "another machine"


def unasked_in_words(why: str, attempt: Attempt) -> tuple[str, ...]:
    """D4: what stands for a branch that nobody could ask about."""
    if not why:
        return ()
    machine = machine_of(attempt.clone)
    return (
        f"it could not be checked whether its branch moved ({why}). The submission of {machine} counts, and the merge checks again.",
    )


def branch_there(context: Context, task: str, attempt: Attempt, inside: Tx | None = None) -> BranchTip:
    """D4: where the branch of an attempt of another clone is: what the remote has; where that cannot be asked, or has
    it not (branches of other names than the task's own are not pushed), or only what was left there, what its own
    machine last told, which is the attempt. `inside` of a transaction
    nobody waits for a network: what the remote had when this attempt was fetched, or later.
    """
    remote = _remote(context) if inside is None else context.remote(inside)
    if remote is None or attempt.ref != own_branch(task):
        return BranchTip(attempt.head)
    left = left_ref(task, attempt.n)
    if inside is None:
        try:
            tips = remote.fetch([attempt.ref, left])
        except RemoteProblem as problem:
            return BranchTip(attempt.head, one_line(problem.message, WHY_LENGTH))
        tip = tips.get(attempt.ref, attempt.head)
        return BranchTip(tip if tip != tips.get(left) else attempt.head)
    commit_of, names = context.repo.commit_of, attempt_refs(task, attempt.n, attempt.head)
    is_noted = any(commit_of(tracked(remote.name, ref)) == attempt.head for ref in names)
    tip = commit_of(tracked(remote.name, attempt.ref)) or attempt.head
    is_known = is_noted and tip != commit_of(tracked(remote.name, left))
    return BranchTip(tip if is_known else attempt.head)


def bring(context: Context, task: TaskId) -> tuple[str, ...]:
    """Make sure that the objects of a task's attempts are here; what was fetched for that. `RemoteProblem` where they
    cannot be.
    """
    lacking = _lacking(context, task)
    if not lacking:
        return ()
    remote = _remote(context)
    if remote is None:
        raise _unknown(task, lacking[-1])
    _fetch(context, remote, task, lacking)
    many = f"attempt {lacking[0].n}" if len(lacking) == 1 else f"{len(lacking)} attempts"
    return (f"{many} of {task}: not in this clone, fetched from {remote.name}",)


def catch_up(context: Context, *, asks: bool = True, told: ToldTarget | None = None) -> str:
    """Q6: where the target of this clone lacks the newest merge on record, bring it from the remote: work begins on
    what was merged. Why it cannot be, else empty; a target with commits of its own is skipped. Nobody is waited
    for where it `asks` nobody; what was `told` just now is not asked for again.
    """
    with context.store.read() as tx:
        tx.along(("merge.place", {}))
        remote, target, newest = context.remote(tx), context.project(tx).target, Sha(merge_place_of(tx).newest)
    repo, branch = context.repo, f"refs/heads/{target}"
    here = branch_here(context, target)
    if remote is None or not newest or here is None or _has(context, newest, here):
        return ""
    behind = f"{target} of this clone lacks the latest merges"
    if not asks:
        return "" if repo.commit_of(newest) is not None else behind
    if told is not None and told.unasked and not told.has_none:
        return f"{behind}: {told.unasked}"
    try:
        there = remote.fetch([branch]).get(branch, here) if told is None else (told.is_told and told.at) or here
    except RemoteProblem as problem:
        return f"{behind}: {problem.message}"
    if _has(context, here, there):
        context.workshop.move(branch, new=there, old=here)
        context.workshop.catch_up(target)
    return ""


def begin_at(context: Context, *, asks: bool = True, heard: Sha | None = None) -> tuple[Sha | None, str]:
    """K1, Q6: where new work begins: on what the remote has (or was `heard` to have), and what there is to tell about
    it. Where it is not asked, or cannot be, that is the last merge on record; before the first one nobody can say, and
    nothing begins (`RemoteProblem`). Commits that only this clone has are left where they are.
    """
    told = told_target(context, asks=asks, heard=heard)
    behind = catch_up(context, asks=asks, told=told)
    target = told.target
    here = branch_here(context, target)
    if told.remote and told.at is None and here is not None:
        raise told.must(target)
    if told.at is None or here is None or _has(context, here, told.at):
        return told.at, behind
    left = f"{target} of this clone has commits that {told.remote} lacks"
    if not told.is_told:
        asked = "could not be asked for them" if told.unasked else "was not asked for them"
        asked = f"has no branch {target}" if told.has_none else asked
        left = f"{target} of this clone has commits since the last merge on record; {told.remote} {asked}"
    return told.at, "; ".join(filter(None, (behind, f"{left}: work begins without them")))


def is_unsaid(context: Context) -> bool:
    """Q6: whether nobody but the remote can say where new work begins; it is not asked."""
    told = told_target(context, asks=False)
    return bool(told.remote) and told.at is None


def _has(context: Context, commit: Sha, tip: Sha) -> bool:
    return context.repo.commit_of(commit) is not None and context.repo.is_ancestor(commit, tip)


def is_to_fetch(context: Context, task: TaskId) -> bool:
    """Whether `bring` would have to ask the remote."""
    return bool(_lacking(context, task))


def _lacking(context: Context, task: TaskId) -> list[Handed]:
    if context.store.place in ("", FILE):
        return []
    with context.store.read() as tx:
        rows = tx.all("attempt.of_task", Handed, task=task)
    return [row for row in rows if not _is_here(context, task, row)]


def _remote(context: Context) -> Remote | None:
    with context.store.read() as tx:
        return context.remote(tx)


def _is_here(context: Context, task: TaskId, row: Handed) -> bool:
    """Its head is kept here, or was fetched by somebody: then it is kept from now on."""
    repo, ref = context.repo, attempt_ref(task, row.n)
    if repo.commit_of(ref) == row.head:
        return True
    if not _is_whole(context, row):
        return False
    if is_elsewhere(context, row.clone):
        context.workshop.keep(ref, row.head)
    return True


def _is_whole(context: Context, row: Handed) -> bool:
    """Whether what is read of it is here: a fetch by hand that was cut off leaves a commit without its files."""
    return not context.repo.missing([sha for sha in (row.head, row.tree, row.base_tree) if sha])


def _fetch(context: Context, remote: Remote, task: TaskId, lacking: Sequence[Handed]) -> None:
    refs = {attempt_ref(task, row.n): row for row in lacking}
    branches = ({row.ref for row in lacking} - {DETACHED}) | {left_ref(task, row.n) for row in lacking}
    branches |= {attempt_refs(task, row.n, row.head)[1] for row in lacking}
    try:
        tips = remote.fetch([*refs, *sorted(branches)])
    except RemoteProblem as problem:
        why = f"{_not_here(task, lacking[-1])}, and cannot be fetched: {problem.message}"
        raise RemoteProblem(why, kind=problem.kind, next_step=problem.next_step) from problem
    for ref, row in refs.items():
        if _is_whole(context, row):
            context.workshop.keep(ref, row.head)
            continue
        has = f"{remote.name} has {tips[ref][:7]} in its place" if ref in tips else f"{remote.name} does not have it"
        names, step = attempt_refs(task, row.n, row.head), _there(context, task, row)
        if all(name in tips for name in names):
            has, away = both_taken(remote.name, {name: tips[name] for name in names})
            step = in_turn(away, step)
        raise RemoteProblem(f"{_not_here(task, row)}, and cannot be fetched: {has}", kind="missing", next_step=step)


def both_taken(remote: str, tips: Mapping[str, Sha]) -> tuple[str, Steps]:
    """A1, Q6: that an attempt has no name left at the remote, and what gives it one: nobody else's has the second."""
    some = ", ".join(f"{at[:7]} as {ref}" for ref, at in tips.items())
    away = shell("git", "push", remote, f":{[*tips][-1]}", before="someone with the rights deletes one: ")
    return f"{remote} has something else under both of its names: {some}", away


def _not_here(task: TaskId, row: Handed) -> str:
    where = f" (it was submitted on {machine_of(row.clone)})" if row.clone else ""
    return f"attempt {row.n} of {task} is not in this clone{where}"


def _there(context: Context, task: TaskId, row: Handed) -> Steps:
    with context.store.read() as tx:
        status = context.find(tx, task).status
    return by("other", pushing(task, status), f"on {machine_of(row.clone)}, to push it: ")


def pushing(task: str, status: str, before: str = "", branch: str = "") -> Steps:
    """What pushes an attempt that waits on this machine: the same submission while nobody has decided, then a merge.
    `branch`: the name of the one that it came from, where that is not checked out.
    """
    if status != "reviewing":
        return fe("merge", before=before)
    return fe("submit", task, *(("--branch", branch) if branch else ()), before=before)


def _unknown(task: TaskId, row: Handed) -> RemoteProblem:
    step = prose('name the remote that the clones share in foureyes.toml: [git] remote = "origin"')
    return RemoteProblem(
        f"{_not_here(task, row)}, and cannot be fetched: the project names no remote", kind="missing", next_step=step
    )
