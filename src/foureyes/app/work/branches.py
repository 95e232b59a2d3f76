"""Branches of attempts and tasks: tips, kept refs and resets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from foureyes.app.context import IdRow
from foureyes.app.facts import attempt_of
from foureyes.app.target import ask_target, branch_here, noted_tip, remote_of
from foureyes.app.work.remote_attempts import branch_there, is_elsewhere, machine_of
from foureyes.core.nouns.attempt import Attempt
from foureyes.core.words.ids import Sha, TaskId
from foureyes.core.words.refs import DETACHED, attempt_ref, exactly, own_branch, own_name
from foureyes.core.words.untrusted_text import named
from foureyes.errors import FoureyesError, GitProblem
from foureyes.steps import NO_STEP, Steps, shell

if TYPE_CHECKING:
    from foureyes.app.case import Case
    from foureyes.app.context import Context
    from foureyes.app.ports import Tx
    from foureyes.core.rules import gate


def tip_of(
    context: Context, task: str, attempt: Attempt, target: str, inside: Tx | None = None, *, shown: bool = False
) -> gate.Tip | None:
    """Return the tip of an attempt's branch, or None if git fails. (D4)

    A branch from another machine, or the target of landed work, is read from the remote, which is impossible `inside` a
    transaction. With `shown`, this clone's copy is used instead.
    """
    from foureyes.core.rules import gate

    try:
        if attempt.landed:
            return gate.Tip(on_target=_has_landed(context, attempt, target, inside, shown=shown))
        if is_elsewhere(context, attempt.clone):
            tip = branch_there(context, task, attempt, inside)
            return gate.Tip(head=tip.head, remote_problem=tip.remote_problem, machine=machine_of(attempt.clone))
        return gate.Tip(head=None if attempt.ref == DETACHED else context.repo.commit_of(attempt.ref))
    except GitProblem:
        return None


def tip_since(context: Context, case: Case, inside: Tx) -> gate.Tip | None:
    """Return the tip again just before a signed decision is written, because the branch may have moved. The remote is
    not asked again. (D4)
    """
    if case.attempt is None or (case.attempt.landed and remote_of(context, inside)):
        return case.tip
    tip = tip_of(context, case.task.id, case.attempt, case.target, inside)
    return replace(tip, remote_problem=case.tip.remote_problem) if tip and case.tip else tip


def _has_landed(context: Context, attempt: Attempt, target: str, inside: Tx | None, *, shown: bool) -> bool:
    """Return True if the attempt is on the target.

    With a remote, its target is asked, which is impossible inside a transaction. If the commit is missing here and came
    from another machine, the answer is True.
    """
    head = branch_here(context, target)
    if shown and inside is not None:
        head = noted_tip(context, inside, context.project(inside))
    elif inside is not None and remote_of(context, inside):
        raise GitProblem("the remote is not asked while something is written")
    elif inside is None and (answered := ask_target(context)) is not None:
        return answered.tip is not None and context.repo.is_ancestor(attempt.head, answered.tip)
    if head is not None and context.repo.is_ancestor(attempt.head, head):
        return True
    return is_elsewhere(context, attempt.clone) and context.repo.commit_of(attempt.head) is None


def tip_among(context: Context, attempt: Attempt, heads: dict[str, Sha], target: Sha | None) -> gate.Tip:
    """Return the tip of an attempt for display, given all branch heads. Landed work costs one more git call. `target`
    is the target's head as known here.
    """
    from foureyes.core.rules import gate

    if not attempt.landed:
        return gate.Tip(head=attempt.head if is_elsewhere(context, attempt.clone) else heads.get(attempt.ref))
    return gate.Tip(on_target=target is not None and context.repo.is_ancestor(attempt.head, target))


def why_not_reset(tx: Tx, task: TaskId, attempt: Attempt) -> str:
    """Return why the attempt's branch must not be reset: it is not the task's own, or other tasks submitted from it.
    (F1)
    """
    name = attempt.ref.removeprefix("refs/heads/")
    if attempt.landed or attempt.ref == DETACHED:
        where = "already on the target branch" if attempt.landed else "on no branch"
        return f"the work of {task} is {where}, so there is no branch to reset"
    if attempt.ref != own_branch(task):
        return f"the work of {task} came from {name}, which is not its own branch {own_name(task)}"
    others = [row.id for row in tx.all("stack.from_ref", IdRow, ref=attempt.ref, task=task)]
    return f"{', '.join(others)} also came from {name}" if others else ""


def begin_again(context: Context, task: TaskId) -> str:
    """Reset the branch to the point that the latest redo asks for. Return why that failed, or "". (F1, A1)

    The branch is reset only if it is still at the reviewed head, which is kept under its own ref. Repeating this is
    harmless.
    """
    try:
        return _begin_again(context, task)
    except FoureyesError as problem:
        return f"the branch was not checked: {problem.message}"


def _begin_again(context: Context, task: TaskId) -> str:
    from foureyes.app.results.review import FeedbackView

    with context.store.read() as tx:
        tx.along(("attempt.feedback", {"task": task}))
        attempt, rows = attempt_of(tx, task), tx.all("attempt.feedback", FeedbackView, task=task)
        why = why_not_reset(tx, task, attempt) if attempt is not None else ""
    wanted = rows[-1] if rows and rows[-1].decision == "redo" else None
    if wanted is None or wanted.reset_to is None or attempt is None or wanted.iteration != attempt.n:
        return ""
    if why:
        return f"no branch was reset: {why}"
    if is_elsewhere(context, attempt.clone) and context.repo.commit_of(attempt.ref) != attempt.head:
        return ""  # the judged head is not here: the next author begins there
    context.workshop.keep(attempt_ref(task, attempt.n), attempt.head)
    why = context.workshop.reset(attempt.ref, old=attempt.head, new=Sha(wanted.reset_to))
    name = attempt.ref.removeprefix("refs/heads/")
    return f"branch {name} was not reset to {wanted.reset_to[:7]}: {why}" if why else ""


def way_back(context: Context, task: TaskId) -> tuple[str, Steps]:
    """Return where the latest attempt came from and the command to get there, both empty if the caller is on its
    branch. (K1)
    """
    with context.store.read() as tx:
        attempt = attempt_of(tx, task)
    if attempt is None or attempt.no_code or attempt.landed or attempt.ref == DETACHED:
        return "", NO_STEP
    name, repo = attempt.ref.removeprefix("refs/heads/"), context.repo
    place = context.workshop.worktrees().get(task, "")
    came = f"attempt {attempt.n} came from the branch {named(name)}"
    try:
        if repo.current_ref() == attempt.ref:
            return "", NO_STEP
        if repo.commit_of(attempt.ref) is not None:
            return came, shell("cd", place) if place else shell("git", "switch", name)
        is_kept = repo.commit_of(attempt_ref(task, attempt.n)) is not None
    except GitProblem:
        return came, NO_STEP
    if is_kept:
        return f"{came}, which is gone", shell("git", "switch", "-c", name, exactly(attempt.head))
    return f"{came}, which is not in this clone", NO_STEP
