"""Tidying up after a run: its processes proven dead, what it left committed, where its work stands (S4, K1).

No program of the tree is run, and nothing outside of the task's own worktree is touched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from foureyes.app.call.attempts import attempt_of
from foureyes.app.call.told_target import counted_against
from foureyes.app.findings.at_hand_in import answers_in
from foureyes.app.work.worktrees import branch_of
from foureyes.core.nouns.run import MAKES
from foureyes.core.run.snapshot import Left
from foureyes.core.words.fence import some
from foureyes.core.words.globs import matching
from foureyes.core.words.secrets import is_likely_secret
from foureyes.errors import FoureyesError, GitProblem

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.git_ports import Additions, Fence
    from foureyes.core.nouns.attempt import Attempt
    from foureyes.core.nouns.run import Run
    from foureyes.core.nouns.session import Actor
    from foureyes.core.nouns.task import Task
    from foureyes.core.words.ids import Sha

PATHS_SHOWN = 5
MIB = 1 << 20
COMMIT_MAX_FILES = 200
COMMIT_MAX_MB = 20
"""S4: how much a runner commits for an agent."""


class Yardstick(msgspec.Struct, frozen=True):
    """What the work of a run is compared with."""

    task: Task
    attempt: Attempt | None
    target: str
    copies: tuple[str, ...]
    answered: bool
    """Whether findings were answered since the last submission."""


def tidy(context: Context, runner: Actor, run: Run) -> Left:
    """S4: what a run left, once nothing of it runs any more. What cannot be committed is named, never dropped. Only who
    holds its lease moves its branch (J4).
    """
    if run.purpose not in MAKES or run.session is None:
        return Left()
    with context.store.read() as tx:
        task, policy, attempt = context.get(tx, run.task), context.gate_policy(tx), attempt_of(tx, run.task)
        answered = bool(answers_in(tx, run.task, task.iteration + 1))
    fence: Fence = lambda: context.writing(replace(runner, lease=(run.id, run.fence)), "run")  # noqa: E731
    with fence():
        pass  # whoever has it now may be at work in this very worktree
    try:
        target = counted_against(context, task.start_target, asks=False).at
        yardstick = Yardstick(task, attempt, target, policy.copies, answered)
        return _looked_at(context, run, yardstick, fence)
    except FoureyesError as problem:
        return Left(problem=problem.message)


def _looked_at(context: Context, run: Run, yardstick: Yardstick, fence: Fence) -> Left:
    if run.task not in context.workshop.worktrees():
        return Left(problem="its worktree is gone")
    stands = context.workshop.unlock_worktree(run.task)
    ref = branch_of(context, run.task)
    problem = _elsewhere(stands, ref) or _commit_rest(context, run, ref, yardstick, fence)
    head = context.repo.commit_of(ref)
    if head is None:
        return Left(problem=f"its branch {ref} is gone")
    problem = problem or _from_elsewhere(context, yardstick, ref, head)
    return Left(changed=_is_new(context, yardstick, head) or yardstick.answered, problem=problem)


def _from_elsewhere(context: Context, yardstick: Yardstick, ref: str, head: Sha) -> str:
    """S4: whether the branch does not come from where the task began. Before the first submission that is any commit of
    the target: it may have moved between the worktree and the claim, or since an earlier run.
    """
    began = yardstick.attempt.base if yardstick.attempt is not None else yardstick.task.start_target
    if began is None or context.repo.is_ancestor(began, head):
        return ""
    base = context.repo.change(target=yardstick.target, ref=ref, since=None).base if yardstick.attempt is None else None
    if base is not None and context.repo.is_ancestor(base, began):
        return ""
    return f"{ref.removeprefix('refs/heads/')} does not come from {began[:7]}, where the task began"


def _elsewhere(stands: str, ref: str) -> str:
    """S4: whether something else than the task's branch is checked out in its worktree."""
    stood, wanted = stands.removeprefix("refs/heads/"), ref.removeprefix("refs/heads/")
    return "" if stands == ref else f"{stood or 'no branch'} is checked out in its worktree, not {wanted}"


def _is_new(context: Context, yardstick: Yardstick, head: str) -> bool:
    """Whether the branch holds something that is neither on the target nor submitted before."""
    if yardstick.attempt is not None and yardstick.attempt.head == head:
        return False
    tip = context.repo.commit_of(yardstick.target)
    return tip is None or not context.repo.is_ancestor(context.repo.commit_of(head) or tip, tip)


def _commit_rest(context: Context, run: Run, ref: str, yardstick: Yardstick, fence: Fence) -> str:
    """S4: commit what was left, as its session; why not, else empty."""
    paths = context.repo.uncommitted(ref)
    if not paths:
        return ""
    if problem := _too_much(paths, context.repo.additions(ref), yardstick):
        return problem
    trailers = [("Task", str(run.task)), ("Foureyes-Session", str(run.session))]
    message = f"{yardstick.task.title}\n\nWhat {run.profile} left uncommitted at the end of {run.id}."
    try:
        context.workshop.commit_all(message, trailers, apart=run.task, fence=fence)
    except GitProblem as refusal:
        return refusal.message
    return ""


def _too_much(paths: list[str], additions: Additions, yardstick: Yardstick) -> str:
    """S4: what nobody commits for somebody else: too many files, too large ones, what looks like a secret or was
    copied here to be used.
    """
    secret = sorted(path for path in additions.new if is_likely_secret(path))
    if secret:
        names = some(secret, PATHS_SHOWN)
        if len(secret) == 1:
            return f"{names} looks like a secret and was not committed: add it to .gitignore, or remove it"
        return f"{names} look like secrets and were not committed: add them to .gitignore, or remove them"
    if copied := matching(sorted(additions.new), yardstick.copies):
        was, them = ("was", "it") if len(copied) == 1 else ("were", "them")
        return f"{some(copied, PATHS_SHOWN)} {was} copied here (work.copy) and not committed: let git ignore {them}"
    if len(paths) > COMMIT_MAX_FILES:
        return (
            f"{len(paths)} files are not committed, and a runner commits {COMMIT_MAX_FILES} at most: "
            f"{some(sorted(paths), PATHS_SHOWN)}"
        )
    added = {**additions.grown, **additions.new}
    size = sum(added.values())
    if size > COMMIT_MAX_MB * MIB:
        large = sorted(added, key=lambda path: -added[path])
        return (
            f"{size // MIB} MB more are not committed, and a runner commits {COMMIT_MAX_MB} MB at most: "
            f"{some(large, PATHS_SHOWN)}"
        )
    return ""
