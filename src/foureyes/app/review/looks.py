"""Looks (V1): a worktree in the middle of work, frozen for reviewers. It approves nothing."""

from __future__ import annotations

import msgspec

from foureyes.app.call.caller import refuse_other_task
from foureyes.app.call.context import Context
from foureyes.app.call.refusals import refuse_task
from foureyes.app.call.told_target import counted_against
from foureyes.app.call.work import Work
from foureyes.core import events as e
from foureyes.core.nouns.attempt import Change
from foureyes.core.nouns.cycle import CycleTarget, Look, look_ref
from foureyes.core.nouns.session import Actor
from foureyes.core.words.ids import Sha, TaskId
from foureyes.core.words.text import one_line
from foureyes.errors import GitProblem, Reason
from foureyes.steps import fe

SUMMARY = 400


class ReviewSubject(msgspec.Struct, frozen=True, kw_only=True):
    """What a reviewer is to look at: the latest attempt, or the work as it is now (`change`)."""

    task: TaskId
    summary: str = ""
    commit: Sha = Sha("")
    change: Change | None = None


def take_look(context: Context, actor: Actor, task: str) -> ReviewSubject:
    """Freeze what is there: of a task in review its attempt is frozen already, of one in progress its worktree is."""
    with context.store.read() as tx:
        row = context.find(tx, task)
        refuse_other_task(actor, row.id)
    if row.status == "reviewing":
        return ReviewSubject(task=row.id)
    if row.status != "in_progress":
        why = f"{row.id} is {row.status}: only tasks in progress or in review can be reviewed"
        refuse_task(row.id, "was not reviewed", Reason("V1", why, fe("show", row.id)))
    summary = one_line(row.title, SUMMARY)
    try:
        commit = context.workshop.look(row.id, f"review {row.id}: {summary}")
    except GitProblem as problem:
        again = fe("submit", row.id)
        refuse_task(row.id, "was not reviewed", Reason("V1", f"it has no worktree: {problem.message}", again))
    target = counted_against(context, row.start_target, asks=False).at
    change = context.repo.change(target=target, ref=commit, since=None)
    if change.is_empty:
        why = f"nothing has changed in {row.id} yet"
        refuse_task(row.id, "was not reviewed", Reason("V1", why, fe("show", row.id)))
    return ReviewSubject(task=row.id, summary=summary, commit=commit, change=change)


def record_look(context: Context, work: Work, looked: ReviewSubject) -> CycleTarget:
    """The look, on record; the same work again is the same look. Its number is given, and its ref made, in the writing
    transaction: of two who look at once each has its own.
    """
    change = looked.change
    assert change is not None
    known = work.tx.all("cycle.looks", Look, task=looked.task)
    same = next((each for each in known if each.diff_id == change.diff_id and each.base == change.base), None)
    n = same.n if same else len(known) + 1
    if same is None:
        context.workshop.keep(look_ref(looked.task, n), looked.commit)
        files = tuple(file.path for file in change.files)
        event = e.LookTaken(n=n, commit=looked.commit, base=change.base, diff_id=change.diff_id, files=files)
        work.record(looked.task, event)
    return CycleTarget(task=looked.task, look=n, diff_id=change.diff_id, summary=looked.summary)
