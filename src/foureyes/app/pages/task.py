"""One task in full, and what the caller can do. Imports for submitted tasks only are local, because agents view their
own tasks often.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.app.context import IdRow, of_party
from foureyes.app.facts import facts_of, of_facts, parties_of
from foureyes.app.pages.next_steps import after_task
from foureyes.app.results.run import PauseView
from foureyes.app.results.session import SessionView
from foureyes.app.results.task import EditView, HandoffView, LogView, PastRunView, TaskDetail
from foureyes.app.results.task_list import Link
from foureyes.core.nouns.attempt import Attempt
from foureyes.core.nouns.session import Actor, is_tied
from foureyes.core.rules.facts import Facts, HistoryEntry
from foureyes.core.rules.involvement import makers_of
from foureyes.core.words.ids import SessionId, TaskId
from foureyes.core.words.text import one_line
from foureyes.steps import NO_STEP

if TYPE_CHECKING:
    from foureyes.app.context import Context
    from foureyes.app.ports import NamedQuery, Tx
    from foureyes.app.results.review import ApprovalView, FeedbackView
    from foureyes.app.results.status import OpenPoint
    from foureyes.core.nouns.task import Task
    from foureyes.steps import Steps


def show(context: Context, actor: Actor, task: str, log_lines: int, *, with_diff: bool = False) -> TaskDetail:
    """Return everything about one task, and what the caller can do."""
    with context.store.read() as tx:
        row = context.find(tx, task)
        tx.ahead(*of_party(actor), *of_facts([row.id]), *_of_detail(row.id, log_lines))
        me = context.party(tx, actor)
        facts = facts_of(context, tx, row.id, me)
        detail = _detail(tx, facts, log_lines)
        if row.status == "in_progress":
            detail = msgspec.structs.replace(detail, worktree=context.workshop.worktrees().get(row.id, ""))
        if row.status == "reviewing":
            from foureyes.app.gate.merge_queue import place_in_queue
            from foureyes.app.pages.review_queue import preview_of

            you = preview_of(context, tx, facts, me, actor)
            detail = msgspec.structs.replace(detail, you=you, place=place_in_queue(tx, facts))
        if facts.attempt is not None:
            from foureyes.app.stacked_tasks import inside_row

            inside = tuple(inside_row(lower.inside, lower.task) for lower in facts.below)
            detail = msgspec.structs.replace(detail, inside=inside)
            from foureyes.app.pages.loop import with_loop
            from foureyes.app.pages.review_queue import gated

            detail = with_loop(context, tx, gated(context, tx, detail, facts, actor), facts)
        elif row.status != "closed":
            detail = _before_work(context, tx, detail, facts, actor)
        detail = msgspec.structs.replace(detail, remarks=[*detail.remarks, *_lost(context, tx, row)])
        merge = _merge(context, tx, row.id, actor) if row.status == "approved" else NO_STEP
        against = _against_work(context, tx, detail) if row.status in AT_REST else NO_STEP
    if detail.you is not None:
        from foureyes.app.project.accepted_config import with_unaccepted

        you = msgspec.structs.replace(detail.you, reasons=with_unaccepted(context, detail.you.reasons))
        detail = msgspec.structs.replace(detail, you=you)
    if with_diff and detail.attempts:
        from foureyes.app.work.remote_attempts import bring

        detail = msgspec.structs.replace(detail, remarks=[*detail.remarks, *bring(context, row.id)])
    step = after_task(detail, actor, merge, with_diff=with_diff, against=against)
    return msgspec.structs.replace(detail, next=step)


SHOWN_RUNS = 4
SHOWN_POINTS = 20
REASON = 500
OF_DETAIL = ("attempt.of_task", "record.latest_handoff", "journal.edits", "run.pauses_of")
AT_REST = ("open", "blocked", "deferred")


def _against_work(context: Context, tx: Tx, detail: TaskDetail) -> Steps:
    """Return the step that removes the first reason why the task cannot start, or none. (E6)"""
    task = detail.task
    if task.ready:
        return NO_STEP
    from foureyes.core.rules.claims import why_not_free

    reasons = why_not_free(
        task,
        project_hold=context.project(tx).hold,
        waits_for=[(link.id, link.status) for link in detail.depends_on],
        is_parent_blocked=task.parent is not None and context.get(tx, task.parent).status == "blocked",
    )
    return reasons[0].next if reasons else NO_STEP


def _before_work(context: Context, tx: Tx, detail: TaskDetail, facts: Facts, actor: Actor) -> TaskDetail:
    """Add the review mode that the task would get now. (M)"""
    from foureyes.app.modes import modes_of

    chosen = modes_of(context, tx, actor, {facts.task.id: facts}).get(facts.task.id)
    return msgspec.structs.replace(detail, mode=chosen.words, mode_reasons=chosen.reasons) if chosen else detail


def _lost(context: Context, tx: Tx, task: Task) -> list[str]:
    """Return a note if a person accepted a target without this task's merge. (Q6)"""
    if task.merge is None:
        return []
    from foureyes.app.target_merges import lost_merge

    text = lost_merge(context, tx, context.project(tx), task)
    return [text] if text else []


def _merge(context: Context, tx: Tx, task: TaskId, actor: Actor) -> Steps:
    """Return the merge queue's next step for an approved task."""
    from foureyes.app.gate.merge_queue import next_for

    return next_for(context, tx, task, actor)


def _of_detail(task: TaskId, log_lines: int) -> list[NamedQuery]:
    """Return the queries for a task's page, for `ahead`."""
    by_id: list[NamedQuery] = [
        (f"task.{name}", {"id": task}) for name in ("dependencies", "dependent_tasks", "children")
    ]
    return [
        *by_id,
        *((name, {"task": task}) for name in OF_DETAIL),
        ("record.logs", {"task": task, "limit": log_lines}),
        ("run.of_task", {"task": task, "limit": 1}),
    ]


def _detail(tx: Tx, facts: Facts, log_lines: int) -> TaskDetail:
    task = facts.task.id
    approvals, feedback = _decided(tx, task) if facts.attempt is not None else ([], [])
    detail = TaskDetail(
        task=facts.task,
        depends_on=tx.all("task.dependencies", Link, id=task),
        dependents=tx.all("task.dependent_tasks", Link, id=task),
        children=tx.all("task.children", Link, id=task),
        attempts=tx.all("attempt.of_task", Attempt, task=task),
        authors=[author.session for author in facts.authors or ()],
        cleared=sorted(author.session for author in facts.authors or () if author.session not in makers_of(facts)),
        history=[HistoryEntry(row.session, row.action, row.attempt, row.via, row.at) for row in facts.history or ()],
        approvals=approvals,
        feedback=feedback,
        logs=list(reversed(tx.all("record.logs", LogView, task=task, limit=log_lines))),
        handoff=tx.one("record.latest_handoff", HandoffView, task=task),
        edits=edits_of(tx, facts),
        runs=_runs(tx, task),
        pauses=[] if facts.task.status == "closed" else tx.all("run.pauses_of", PauseView, task=task),
    )
    if facts.task.hold is not None or any(pause.rule == "R2" for pause in detail.pauses):
        detail = msgspec.structs.replace(detail, points=_points(tx, task))
    return msgspec.structs.replace(detail, names=names_in(tx, detail))


def _points(tx: Tx, task: TaskId) -> list[OpenPoint]:
    """Return the reviewers' open questions. (R2)"""
    from foureyes.app.results.status import OpenPoint

    return tx.all("cycle.open_points", OpenPoint, task=task, limit=SHOWN_POINTS)


def _runs(tx: Tx, task: TaskId) -> list[PastRunView]:
    """Return the latest runs of a task and why they ended."""
    if tx.one("run.of_task", IdRow, task=task, limit=1) is None:
        return []
    from foureyes.core.nouns.run import Run

    rows = tx.all("run.of_task", Run, task=task, limit=SHOWN_RUNS)
    return [
        PastRunView(
            run=row.id,
            profile=row.profile,
            state=row.ending or row.state,
            why=one_line(row.why if row.state == "ended" else row.stop_asked, REASON),
            at=row.ended_at or row.started_at or row.reserved_at,
            purpose=row.purpose,
        )
        for row in reversed(rows)
    ]


def _decided(tx: Tx, task: TaskId) -> tuple[list[ApprovalView], list[FeedbackView]]:
    """Return the approvals and feedback of a task."""
    from foureyes.app.results.review import ApprovalView, FeedbackView

    return (
        tx.all("attempt.approvals", ApprovalView, task=task),
        tx.all("attempt.feedback", FeedbackView, task=task),
    )


class EditRow(msgspec.Struct, frozen=True):
    """A journal row about an edit of a task."""

    seq: int
    at: str
    session: str
    kind: str
    payload: str


def edits_of(tx: Tx, facts: Facts) -> list[EditView]:
    """Return the edits since the task was created, with those by an author and those after the start marked. (T3,
    T8)
    """
    rows = tx.all("journal.edits", EditRow, task=facts.task.id)
    parties = parties_of(tx, {SessionId(row.session) for row in rows})
    makers = [facts.party(session) for session in makers_of(facts)]
    started = min((entry.at for entry in facts.history or () if entry.action == "started"), default="")
    edits = []
    for row in rows:
        editor = parties[SessionId(row.session)]
        tied = any(is_tied(editor, maker) for maker in makers)
        late = bool(started) and row.at >= started
        edits.append(
            EditView(seq=row.seq, at=row.at, session=row.session, what=in_words(row), by_author=tied, after_start=late)
        )
    return edits


def in_words(row: EditRow) -> str:
    """Describe an edit in a few words."""
    from foureyes.core.events import DependencyRemoved, LabelAdded, LabelRemoved, MinorSet, TaskEdited, kind_of

    event = msgspec.json.decode(row.payload, type=kind_of(row.kind))
    match event:
        case TaskEdited():
            return "edited " + ", ".join(sorted(event.old))
        case DependencyRemoved():
            return f"no longer depends on {event.depends_on}"
        case LabelAdded():
            return f"label {event.label} added"
        case LabelRemoved():
            return f"label {event.label} removed"
        case MinorSet():
            return "marked minor" if event.minor else "no longer minor"
        case _:
            return "moved to another parent"


def names_in(tx: Tx, detail: TaskDetail) -> dict[str, str]:
    """Return display names of every session that the page mentions."""
    task = detail.task
    ids = {task.creator, task.implementer, task.rejected_by, *detail.authors}
    ids |= {entry.session for entry in detail.history} | {row.session for row in detail.logs}
    ids |= {row.finished_by for row in detail.approvals}
    ids |= {row.session for row in detail.approvals} | {row.session for row in detail.feedback}
    ids |= {row.session for row in detail.edits}
    ids |= {detail.handoff.session} if detail.handoff else set()
    wanted = sorted(str(session) for session in ids if session)
    return {row.id: display_name(row) for row in tx.all("session.some", SessionView, ids=wanted)}


def display_name(row: SessionView) -> str:
    """Return `claude#1 (ses-…)`, or just a person's name. A name that a caller typed is marked as typed."""
    if row.trust == "asserted":
        return f'"{row.name}" (typed, {row.id})'
    return row.name if row.kind == "human" and row.trust != "asserted" else f"{row.name} ({row.id})"
