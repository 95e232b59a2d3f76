"""The project's status page."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec

from foureyes.app.context import Count, IdRow
from foureyes.app.pages.next_steps import after_status
from foureyes.app.project.accepted_config import unaccepted
from foureyes.app.results.project import CounterRow, ProjectView
from foureyes.app.results.status import OpenPoint, StatusView
from foureyes.app.results.task_list import ListQuery, ReviewablePage, ReviewableRow
from foureyes.app.target import merge_place_of, misplaced, noted_tip
from foureyes.core.words.ids import TaskId
from foureyes.core.words.lifecycle import STATUSES
from foureyes.core.words.store_place import FILE as STORE_FILE
from foureyes.core.words.text import one_line
from foureyes.errors import ConfigError, GitProblem
from foureyes.steps import NO_STEP, Steps, fe, prose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foureyes.app.context import Context
    from foureyes.app.git_ports import CaughtUp
    from foureyes.app.ports import Tx
    from foureyes.app.results.sprint import SprintSummary
    from foureyes.core.nouns.session import Actor
    from foureyes.steps import Who


REVIEWABLE_SHOWN = 20
OF_STATUS = (
    "project.counters",
    "run.stuck_ready",
    "project.ready_goals",
    "merge.place",
    "merge.last",
    "merge.sent",
    "sprint.any",
)
"""Queries that every project needs (`ahead`)."""
POINTS = 10
POINT = 200
NOTHING = ReviewablePage(rows=[], examined=0)


class Status:
    """Counts, policy and notes of the project."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def show(self, actor: Actor) -> StatusView:
        """Return the project's status for this caller."""
        with self._context.store.read() as tx:
            tx.along(*((name, {}) for name in OF_STATUS))
            project = self._context.project(tx)
            counts = _counts(tx)
            policy, source, notes, config = self._policy(tx, actor, project)
            newest, tip = merge_place_of(tx).newest, noted_tip(self._context, tx, project)
            sprint = self._sprint(tx)
            points = self._points(tx, actor)
            notes += [prose(f"{text}: ") + fe("doctor") for text in misplaced(self._context, tx, project)]
        notes += [
            prose(one_line(f"reviewers ask you about {each.task}, {each.cycle} {each.id}: {each.text}", POINT))
            for each in points
        ]
        known = newest or project.tip  # where the target was last, by the journal
        moved = bool(tip and known and tip != known)
        stopped = self._lacking(project) if moved else None
        notes += self._of_target(project, stopped, is_merged=bool(newest), moved=moved)
        notes += self._unheard() if counts["approved"] else []
        page = self._reviewable(actor) if counts["reviewing"] else NOTHING
        notes += self._to_fetch(page)
        reviewable = [row for row in page.rows if not row.you.stale]
        view = StatusView(
            project=project.name,
            target=project.target,
            policy=policy,
            policy_source=source,
            counts=counts,
            reviewable=min(len(reviewable), REVIEWABLE_SHOWN),
            reviewable_more=len(reviewable) > REVIEWABLE_SHOWN,
            lacking=lacking_in(page.missing, actor),
            barred=len(page.barred),
            unchecked=page.unchecked,
            hold=project.hold,
            notes=tuple(notes),
            unaccepted=config,
            stopped=stopped,
            sprint=sprint,
        )
        if points:
            return msgspec.structs.replace(view, next=points[0].step)
        merge = self._merge(actor) if counts["approved"] else NO_STEP
        return msgspec.structs.replace(view, next=after_status(view, actor, merge, partial(self._moved, actor)))

    def own(self, actor: Actor) -> list[str]:
        """Return what an agent has to do about its own work before new work. (D5, L6, R2, T4)"""
        from foureyes.app.work.claims import own_work

        with self._context.store.read() as tx:
            return [each.text for each in own_work(self._context, tx, actor)]

    def _of_target(self, project: ProjectView, stopped: Steps | None, *, is_merged: bool, moved: bool) -> list[Steps]:
        """Return notes about checkouts left behind by a merge, missing merges, and commits of no task. (Q5)"""
        behind = [
            prose(f"the checkout {left.here} of {project.target} is behind ({left.why}): ") + left.next
            for left in (checkouts_behind(self._context, project.target) if is_merged else ())
        ]
        return [*behind, *([stopped] if stopped else []), *(self._unbrought() if moved else [])]

    def _points(self, tx: Tx, actor: Actor) -> list[OpenPoint]:
        """Return the questions that this agent must answer before its work can continue. (R2)"""
        if actor.kind != "agent":
            return []
        return tx.all("cycle.asks_maker", OpenPoint, session=actor.session, limit=POINTS)

    def _sprint(self, tx: Tx) -> SprintSummary | None:
        """Return the running sprint. If there was never one, nothing about sprints is imported. (X2)"""
        if tx.one("sprint.any", IdRow) is None:
            return None
        from foureyes.app.tasks.sprint_records import sprint_summary

        return sprint_summary(self._context, tx)

    def _moved(self, actor: Actor) -> Steps:
        """Return the step for the first item that only a person can resolve. (E6)"""
        from foureyes.app.pages.attention import Attention

        return next((row.next for row in Attention(self._context).view(actor, limit=1).rows), NO_STEP)

    def _lacking(self, project: ProjectView) -> Steps | None:
        """Return a note if the target lacks the last recorded merge. (Q6)"""
        from foureyes.app.target_merges import amiss

        with self._context.store.read() as tx:
            stop = amiss(self._context, tx, project)
        return prose(f"{stop.text}: ") + stop.next if stop else None

    def _unheard(self) -> list[Steps]:
        """Return notes about unconfirmed pushes of ended processes. (Q4)"""
        from foureyes.app.gate.merge_queue import unheard
        from foureyes.app.target import NOT_KNOWN

        with self._context.store.read() as tx:
            return [prose(f"{task}: {NOT_KNOWN}: ") + fe("merge") for task in unheard(self._context, tx)]

    def _to_fetch(self, page: ReviewablePage) -> list[Steps]:
        """Return a note if the first task without checks is not in this clone and has to be fetched. (Q6)"""
        if self._context.store.place in ("", STORE_FILE) or not page.missing:
            return []
        from foureyes.app.work.remote_attempts import is_to_fetch

        task = page.missing[0].task.id
        if not is_to_fetch(self._context, TaskId(task)):
            return []
        text = f"the work of {task} is not in this clone. It is fetched from the remote when needed"
        return [prose(f"{text}. To see whether the remote answers: ") + fe("doctor")]

    def _unbrought(self) -> list[Steps]:
        """Return a note about commits on the target that no task brought. (Q5)"""
        from foureyes.app.target_merges import unbrought

        stray = unbrought(self._context)
        return [prose(f"{stray.text}: ") + stray.next] if stray else []

    def _merge(self, actor: Actor) -> Steps:
        """Return the next step for the merge queue. If the configuration is invalid, point to the queue."""
        from foureyes.app.gate.merger import Merges
        from foureyes.app.results.attempt import what_brings_it_on

        try:
            return what_brings_it_on(Merges(self._context).all(actor))
        except ConfigError:
            return fe("merge", "--list")

    def _reviewable(self, actor: Actor) -> ReviewablePage:
        """Return the tasks that wait for the caller. With an invalid configuration there are none, because nothing can
        be approved.
        """
        from foureyes.app.pages.lists import Lists

        try:
            return Lists(self._context).reviewable(actor, ListQuery(limit=REVIEWABLE_SHOWN + 1))
        except ConfigError:
            return NOTHING

    def _policy(self, tx: Tx, actor: Actor, project: ProjectView) -> tuple[str, str, list[Steps], Steps | None]:
        """Return the policy's name, its source, notes about it, and the note about an unaccepted configuration. (P12)"""
        try:
            policy, source, ignored = self._in_force(tx, actor)
        except ConfigError as problem:
            notes = [prose(f"{problem.message}. Nothing can be approved until it is fixed")]
            return "strict", "default", notes, None
        left = unaccepted(self._context, project)
        note = prose(f"{left.text}: ") + left.next if left else None
        return policy, source, ([prose(ignored)] if ignored else []) + ([note] if note else []), note

    def _in_force(self, tx: Tx, actor: Actor) -> tuple[str, str, str]:
        """Return the policy's name, its source, and a note about ignored settings."""
        if not self._context.is_configured(tx):
            return self._context.policy(tx, actor).name, "default", ""
        from foureyes.config.layers import resolve
        from foureyes.config.settings import BY_KEY

        resolved = resolve(BY_KEY["review.policy"], self._context.layers(tx, actor))
        return str(resolved.value), resolved.source, resolved.note


COUNTED = ("ready", "waiting", "rejected", "held", "unmerged", "landed", "auto_approved")


def _counts(tx: Tx) -> dict[str, int]:
    """Return the numbers of tasks. `ready` leaves out epics, and tasks that the runner left to a person. (E6, T4)"""
    counters = {row.name: row.n for row in tx.all("project.counters", CounterRow)}
    stuck = tx.one("run.stuck_ready", Count)
    goals = tx.one("project.ready_goals", Count) if counters.get("ready") else None
    counts = {str(status): counters.get(f"status:{status}", 0) for status in STATUSES}
    counts |= {name: counters.get(name, 0) for name in COUNTED}
    counts["stuck"] = stuck.n if stuck else 0
    counts["epics"] = goals.n if goals is not None else 0
    counts["ready"] -= counts["stuck"] + counts["epics"]
    return counts


def lacking_in(missing: Sequence[ReviewableRow], actor: Actor) -> Steps:
    """Return the caller's first step toward an approval: run checks, rule on findings, or get a key. (D5, I9, P13)"""
    theirs: set[Who] = {"you", "person", "person_or_service"} if actor.kind == "human" else {"you"}
    ready = [row for row in missing if row.you.reasons[0].rule in ("D2", "D5", "I9")]
    steps = [row.next for row in ready if all(step.who in theirs for step in row.next.steps if step.argv)]
    return steps[0] if steps else NO_STEP


def checkouts_behind(context: Context, target: str) -> list[CaughtUp]:
    """Return checkouts of the target that were not updated after a merge. Committing everything there would revert it.
    (Q5)
    """
    try:
        return list(context.workshop.behind(target))
    except GitProblem:
        return []
