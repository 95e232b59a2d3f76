"""Branches of attempts and tasks: tips, kept refs, a fresh start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from foureyes.app.context import IdRow
from foureyes.app.facts import attempt_of
from foureyes.app.target import ask_target, branch_here, noted_tip, remote_of
from foureyes.app.work.remote_attempts import branch_there, is_elsewhere, machine_of
from foureyes.core.nouns.attempt import Attempt
from foureyes.core.words.fence import named
from foureyes.core.words.ids import Sha, TaskId
from foureyes.core.words.refs import DETACHED, attempt_ref, exactly, own_branch, own_name
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
    """D4: what git says about where an attempt came from; None when git cannot be asked. A branch that lives on another
    machine is asked for at the remote, but not `inside` of a transaction; so is the target of landed work. What is only
    `shown` goes by what is noted of it here.
    """
    from foureyes.core.rules import gate

    try:
        if attempt.landed:
            return gate.Tip(on_target=_has_landed(context, attempt, target, inside, shown=shown))
        if is_elsewhere(context, attempt.clone):
            tip = branch_there(context, task, attempt, inside)
            return gate.Tip(head=tip.head, unasked=tip.unasked, machine=machine_of(attempt.clone))
        return gate.Tip(head=None if attempt.ref == DETACHED else context.repo.commit_of(attempt.ref))
    except GitProblem:
        return None


def tip_since(context: Context, case: Case, inside: Tx) -> gate.Tip | None:
    """D4: the same once more for who took their time to sign: the branch may have gone on meanwhile. At a remote it was
    asked before the transaction, or it is on record that it could not be; of landed work that is all there is to ask.
    """
    if case.attempt is None or (case.attempt.landed and remote_of(context, inside)):
        return case.tip
    tip = tip_of(context, case.task.id, case.attempt, case.target, inside)
    return replace(tip, unasked=case.tip.unasked) if tip and case.tip else tip


def _has_landed(context: Context, attempt: Attempt, target: str, inside: Tx | None, *, shown: bool) -> bool:
    """Whether the target has it: that of the remote, if there is one, which is not asked inside of a transaction. Of
    what was submitted elsewhere, a clone that is behind cannot say that it has not.
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
    """What one look at all branches says about an attempt, to who looks; landed work, which is rare, asks git once
    more. `target`: where it is as far as is noted here.
    """
    from foureyes.core.rules import gate

    if not attempt.landed:
        return gate.Tip(head=attempt.head if is_elsewhere(context, attempt.clone) else heads.get(attempt.ref))
    return gate.Tip(on_target=target is not None and context.repo.is_ancestor(attempt.head, target))


def why_not_reset(tx: Tx, task: TaskId, attempt: Attempt) -> str:
    """F1: why the branch of an attempt is not set back: it is not the task's own, or others submit from it, too."""
    name = attempt.ref.removeprefix("refs/heads/")
    if attempt.landed or attempt.ref == DETACHED:
        where = "on the target branch already" if attempt.landed else "on no branch"
        return f"the work of {task} is {where}, so there is no branch to begin again"
    if attempt.ref != own_branch(task):
        return f"the work of {task} came from {name}, which is not its own branch {own_name(task)}"
    others = [row.id for row in tx.all("stack.from_ref", IdRow, ref=attempt.ref, task=task)]
    return f"{', '.join(others)} came from {name}, too" if others else ""


def begin_again(context: Context, task: TaskId) -> str:
    """F1 fresh and checkpoint: bring the branch back to where the latest redo wants it; done again it does nothing.

    Only from the head that was judged: who has gone on since is skipped. The old head is kept (A1).
    """
    try:
        return _begin_again(context, task)
    except FoureyesError as problem:
        return f"the branch was not checked: {problem.message}"


def _begin_again(context: Context, task: TaskId) -> str:
    from foureyes.app.views.review import FeedbackView

    with context.store.read() as tx:
        tx.along(("attempt.feedback", {"task": task}))
        attempt, rows = attempt_of(tx, task), tx.all("attempt.feedback", FeedbackView, task=task)
        why = why_not_reset(tx, task, attempt) if attempt is not None else ""
    wanted = rows[-1] if rows and rows[-1].decision == "redo" else None
    if wanted is None or wanted.reset_to is None or attempt is None or wanted.iteration != attempt.n:
        return ""
    if why:
        return f"no branch was set back: {why}"
    if is_elsewhere(context, attempt.clone) and context.repo.commit_of(attempt.ref) != attempt.head:
        return ""  # what was judged is not on this one: who takes it up begins there
    context.workshop.keep(attempt_ref(task, attempt.n), attempt.head)
    why = context.workshop.reset(attempt.ref, old=attempt.head, new=Sha(wanted.reset_to))
    name = attempt.ref.removeprefix("refs/heads/")
    return f"branch {name} was not set back to {wanted.reset_to[:7]}: {why}" if why else ""


def way_back(context: Context, task: TaskId) -> tuple[str, Steps]:
    """K1: from which branch the latest attempt came, and the way there, for who takes the task up again elsewhere."""
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
