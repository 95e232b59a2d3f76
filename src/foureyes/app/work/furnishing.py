"""What a worktree needs besides the files that are committed (K1): files of the main checkout, and an environment."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING

from foureyes.app.call.context import OF_PROJECT
from foureyes.app.call.rows import StoredSetting
from foureyes.core.words.text import visible
from foureyes.errors import FoureyesError

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.core.nouns.checkout import CheckoutRule
    from foureyes.core.rules.policy import ReviewPolicy
    from foureyes.core.words.ids import TaskId

COPY, PREPARE = "work.copy", "checkout.prepare"
REFUSED_SHOWN = 3


def furnish(context: Context, task: TaskId) -> tuple[str, ...]:
    """Do to the worktree of a task what comes after git has made it; what did not work, for who works there."""
    return tuple(note for step in STEPS if (note := step(context, task)))


def copy_files(context: Context, task: TaskId) -> str:
    """K1: the files that `[work] copy` names; none where nobody configured it."""
    globs = _configured(context)
    if not globs:
        return ""
    refused = context.workshop.copy_into(task, globs).refused
    more = f"; and {len(refused) - REFUSED_SHOWN} more" if len(refused) > REFUSED_SHOWN else ""
    return f"not copied (work.copy): {'; '.join(refused[:REFUSED_SHOWN])}{more}" if refused else ""


def prepare_environment(context: Context, task: TaskId) -> str:
    """K1, D5: the packages that the work needs, as checks have them: a copy of what is kept. Nothing is made here, as
    that can take long: whoever works there has the command.
    """
    rule = _prepared(context)
    if rule is None:
        return ""
    from foureyes.app.work.tree_files import FilesOfTree
    from foureyes.app.work.worktrees import branch_of

    head = context.repo.commit_of(branch_of(context, task))
    tree = context.workshop.tree_of(head) if head else None
    if tree is None:
        return ""
    try:
        with closing(context.outside.checks()) as runner, runner.lend(rule, FilesOfTree(context, tree, tree)) as lent:
            if lent is not None:
                context.workshop.lay_into(task, lent.path, lent.was)
                return ""
            why = "no environment is kept for it yet"
    except (FoureyesError, OSError) as problem:
        why = f"its environment was not created here: {visible(str(problem))}"
    return f"{why}; checkout.prepare is: {visible(rule.prepare)}"


STEPS: tuple[Callable[[Context, TaskId], str], ...] = (copy_files, prepare_environment)
"""From top to bottom."""


def _configured(context: Context) -> tuple[str, ...]:
    policy = _policy(context, COPY)
    return policy.copies if policy else ()


def _prepared(context: Context) -> CheckoutRule | None:
    policy = _policy(context, PREPARE)
    return policy.checkout if policy and policy.checkout.prepare.strip() else None


def _policy(context: Context, setting: str) -> ReviewPolicy | None:
    """The policy in force is read only where something is said about a setting."""
    with context.store.read() as tx:
        tx.along(*OF_PROJECT)
        stored = any(row.name == setting for row in tx.all("project.settings", StoredSetting))
        if not stored and setting.rpartition(".")[2] not in (context.project(tx).accepted_text or ""):
            return None
        return context.gate_policy(tx)
