"""Next steps of each page. They are part of the views, so that every interface shows the same ones. (G2)"""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.outcome import claim_by, first_of_epic
from foureyes.core.words.lifecycle import STATUSES
from foureyes.steps import NO_STEP, Steps, blank, by, by_person, either, fe, in_turn, phrase

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from foureyes.app.results.review import QueueRow
    from foureyes.app.results.status import StatusView
    from foureyes.app.results.task import TaskDetail
    from foureyes.app.results.task_list import Preview, TaskRow
    from foureyes.core.nouns.session import Actor
    from foureyes.core.nouns.task import Task


GAP = "      "
"""Space between two commands on one line."""
MERGE = fe("merge")


def after_status(view: StatusView, actor: Actor, merge: Steps = MERGE, moved: Callable[[], Steps] = Steps) -> Steps:
    """Return the next step on the status page. (E6)

    It is the first of these: the caller's reviews, a project hold, ready tasks, merges, items for a person. `merge` is
    the step for the merge queue. `moved` returns the step for the first item that only a person can resolve.
    """
    if view.reviewable:
        more = "or more " if view.reviewable_more else ""
        waits = "waits" if view.reviewable == 1 and not more else "wait"
        return fe("list", "--reviewable", after=f"{GAP}{view.reviewable} {more}{waits} for your review")
    if view.lacking:
        return view.lacking
    if view.hold is not None:
        return by_person(fe("resume", "--project", "-m", phrase("why")))
    if view.counts["ready"]:
        claim = fe("start", blank("ID")) if actor.kind == "agent" else claim_by(actor)
        return in_turn(fe("list", "--ready"), claim, joint=f"{GAP}then   ")
    if view.counts["approved"]:
        return merge
    if not sum(view.counts.values()):
        return fe("create", phrase("your first task"))
    if view.barred and view.barred == view.counts["reviewing"]:
        return moved() or fe("list", "--reviewable", after=f"{GAP}tasks waiting for others")
    if view.counts["closed"] == sum(view.counts[status] for status in STATUSES):
        return moved() or fe("create", phrase("your next task"))
    return moved() or fe("queue" if view.counts["reviewing"] else "list")


def after_task(
    detail: TaskDetail, actor: Actor, merge: Steps = NO_STEP, *, with_diff: bool, against: Steps = NO_STEP
) -> Steps:
    """Return the next step on a task's page. (E6, R2)

    For the author, reviewers' questions come first. In review, it is to approve, or to remove the first obstacle.
    Otherwise it depends on the status. `merge` is the step for an approved task. `with_diff`: the caller already sees
    the diff. `against` removes the first reason why nobody can start the task.
    """
    task, you = detail.task, detail.you
    if detail.points and actor.session == task.implementer:
        return detail.points[0].step
    if you is None:
        submit = fe("submit", task.id)
        makes = actor.session == task.implementer
        steps = {
            "open": _of_epic(detail) if task.type == "epic" else claim_by(actor, task.id),
            "in_progress": submit if makes or actor.kind != "agent" else by("other", submit, "its author runs: "),
            "approved": merge,
        }
        if against and actor.kind == "service" and task.status in ("blocked", "deferred"):
            against = by_person(against)
        return against or steps.get(task.status, NO_STEP)
    if not you.may_approve:
        asked = next((pause.cycle for pause in detail.pauses if pause.cycle), "")
        return fe("review", "show", asked) if asked else lifting(detail.task, you, actor)
    seen = detail.attempts[-1].seen if detail.attempts else ""
    reason = ("-m", phrase("why it is fine")) if you.needs_reason else ()
    look = NO_STEP if with_diff else fe("show", task.id, "--diff")
    return in_turn(look, fe("approve", task.id, "--seen", seen, *reason), joint=f"{GAP}then   ")


def _of_epic(detail: TaskDetail) -> Steps:
    """Return the next step for an epic, which is about its tasks, because nobody starts the epic itself. (T4, T5)"""
    if not detail.children:
        return first_of_epic(detail.task.id)
    return fe("list", "--parent", detail.task.id)


def lifting(task: Task | TaskRow, you: Preview, actor: Actor) -> Steps:
    """Return the step that removes the first reason. If only the author can take it, others are told so."""
    first = you.reasons[0] if you.reasons else None
    makes = actor.session == task.implementer
    if first is None or not first.next:
        return fe("list", "--reviewable")
    if first.rule == "D2":  # the answer and the ruling need different people
        return fe("finding", "list", task.id, "--open")
    if first.rule == "A7" and not makes:  # needs a rebase of the author's branch
        return by("other", first.next, "its author runs: ")
    return first.next


def after_queue(rows: Sequence[QueueRow], auto_approvable: int) -> Steps:
    """Return the step to view the first change that the caller may approve, or else the first one. Add the batch
    approval if possible.
    """
    if not rows:
        return fe("list", "--ready")
    first = next((row for row in rows if row.you.may_approve), None)
    ruled = next((row for row in rows if row.to_rule), None) if first is None else None
    if ruled is not None:
        return fe("finding", "list", ruled.task, "--open", after=f"{GAP}{ruled.to_rule}")
    first = first or rows[0]
    all_auto = fe("approve", "--all-auto") if auto_approvable else NO_STEP
    return either(fe("show", first.task, "--diff"), all_auto, joint=GAP)
