"""Claims with a checkout of their own (K1): the task is reserved, the worktree made, the task started; or none of it.

A reservation is no work: it stands in no history and makes nobody an author. It ends with its process, or in a while.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import asdict

from foureyes.app.call.outcome import claim_by
from foureyes.app.call.refusals import refuse_verb
from foureyes.app.call.rows import StoredSetting
from foureyes.app.views.work import ClaimedWorktree
from foureyes.core import events as e
from foureyes.core.words.refs import own_branch
from foureyes.errors import LostClaim, Reason
from foureyes.steps import fe

if TYPE_CHECKING:
    from collections.abc import Callable

    from foureyes.app.call.context import Context
    from foureyes.app.call.work import Work
    from foureyes.app.ports import Tx
    from foureyes.app.views.outcome import Outcome
    from foureyes.app.views.work import WorktreeView
    from foureyes.core.nouns.session import Actor
    from foureyes.core.rules.policy import WorktreeFor
    from foureyes.core.words.ids import Sha, TaskId

SETTING = "work.worktree"
SECONDS = 600
"""How long a reservation holds whose process cannot be seen, on another machine."""


class ClaimEvent(msgspec.Struct, frozen=True):
    """A row of the journal that says how far a claim came."""

    kind: str


class Reservation(msgspec.Struct, frozen=True):
    """Who is about to start a task, by which process, until when that holds at most."""

    task: str
    session: str
    process: str
    until: str


def wants_worktree(context: Context, tx: Tx, actor: Actor) -> bool:
    """K1: whether a claim of this caller comes with a worktree where the caller does not say."""
    chosen = _configured(context, tx, actor)
    return chosen == "always" or (chosen == "agents" and actor.kind == "agent")


def _configured(context: Context, tx: Tx, actor: Actor) -> WorktreeFor:
    """Whose claims come with a worktree; all of the configuration is read only where something about it is said."""
    from foureyes.core.rules.policy import WORKTREE_DEFAULT

    stored = any(row.name == SETTING for row in tx.all("project.settings", StoredSetting))
    if not stored and "worktree" not in (context.project(tx).accepted_text or ""):
        return WORKTREE_DEFAULT
    return context.policy(tx, actor).worktree


def no_target(target: str) -> str:
    """What is wrong where the target was renamed or removed."""
    return f"branch {target} does not exist, and it is the target of this project"


def refuse_targetless(context: Context, target: str) -> None:
    """K1: a checkout cannot be made where the target is gone, so nothing is claimed; only where nothing was committed
    at all yet is the work done where the caller stands.
    """
    if context.repo.heads():
        refuse_verb("nothing was claimed.", Reason("K1", no_target(target), fe("doctor")))


def is_at_its_place(context: Context, task: TaskId, head: Sha | None) -> bool:
    """Whether the caller stands where the task is worked on already, or nothing can be checked out yet."""
    from foureyes.app.work.worktrees import branch_of

    return head is None or context.repo.current_ref() == branch_of(context, task)


def is_lost(context: Context, task: TaskId) -> bool:
    """Whether a task that is claimed and has no worktree here had one: its branch is there, or by the journal the last
    claim was made with a worktree, whose clone somebody lost.
    """
    if context.repo.commit_of(own_branch(task)) is not None:
        return True
    with context.store.read() as tx:
        rows = tx.all("journal.claims", ClaimEvent, task=task)
    return [row.kind for row in rows] == ["TaskStarted", "TaskReserved"]


def taken_by_others(context: Context, tx: Tx, actor: Actor) -> dict[str, Reservation]:
    """The tasks that somebody is about to start right now."""
    rows = tx.all("reservation.all", Reservation)
    return {row.task: row for row in rows if _is_live(context, row) and not _is_mine(context, row, actor)}


def left_by_me(context: Context, tx: Tx, actor: Actor) -> str | None:
    """A task that this session was about to start when its call was cut off."""
    rows = tx.all("reservation.all", Reservation)
    return next((row.task for row in rows if row.session == actor.session and _is_mine(context, row, actor)), None)


def _is_live(context: Context, row: Reservation) -> bool:
    return row.until > context.now() and not (row.process and context.outside.is_gone(row.process))


def _is_mine(context: Context, row: Reservation, actor: Actor) -> bool:
    """This very process, or one of the same session that is no more."""
    if row.session != actor.session:
        return False
    return not row.process or row.process == context.outside.process() or context.outside.is_gone(row.process)


def refuse_reserved(context: Context, tx: Tx, actor: Actor, task: TaskId) -> None:
    """T1: one winner, also while its worktree is being made."""
    other = taken_by_others(context, tx, actor).get(task)
    if other is not None:
        raise LostClaim(f"{task} is being started by {other.session} right now.", next_step=claim_by(actor), task=task)


def reserve(context: Context, work: Work, task: TaskId) -> None:
    """Nobody else starts it from here on."""
    event = e.TaskReserved(process=context.outside.process(), until=context.later(SECONDS))
    work.record(task, event)


def start_reserved(
    context: Context, actor: Actor, task: TaskId, claim: Callable[[Work, Sha | None], Outcome]
) -> Outcome:
    """The worktree, then the claim, with where the target was then; where one of them fails, neither is left."""
    from foureyes.app.work.worktrees import worktree_and_target

    try:
        place, there = worktree_and_target(context, task, actor.session)
        with context.writing(actor, "start") as work:
            done = claim(work, there)
    except BaseException as problem:
        _release(context, actor, task, str(problem))
        raise
    return claimed_in(done, place)


def claimed_in(done: Outcome, place: WorktreeView) -> ClaimedWorktree:
    """A claim, and where it is worked on."""
    fields = {**asdict(done), "notes": (*done.notes, *place.notes)}
    return ClaimedWorktree(**fields, worktree=place.path, branch=place.branch)


def _release(context: Context, actor: Actor, task: TaskId, why: str) -> None:
    """The task is free again; a worktree that was made and holds nothing goes, too."""
    with context.writing(actor, "start") as work:
        rows = [row for row in work.tx.all("reservation.all", Reservation) if row.task == task]
        if not any(_is_mine(context, row, actor) for row in rows):
            return
        work.record(task, e.ReservationEnded(reason=" ".join(why.split())[:500]))
        is_new = not context.get(work.tx, task).iteration
    if is_new:
        context.workshop.drop_worktree(task)
        context.workshop.delete_merged(own_branch(task), target=_target(context))


def _target(context: Context) -> str:
    with context.store.read() as tx:
        return context.project(tx).target
