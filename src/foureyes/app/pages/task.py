"""One task in full, and what the caller could do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.authors import authors_of
from foureyes.app.call.facts import HistoryRow, facts_of, parties_of
from foureyes.app.pages.next_steps import after_task
from foureyes.app.views.check import CheckView
from foureyes.app.views.review import ApprovalView, FeedbackView
from foureyes.app.views.session import SessionView
from foureyes.app.views.task import EditView, HandoffView, LogView, TaskDetail
from foureyes.app.views.task_list import Link, Preview
from foureyes.app.work.branches import tip_of
from foureyes.core.events import DependencyRemoved, LabelAdded, LabelRemoved, MinorSet, TaskEdited, kind_of
from foureyes.core.nouns.attempt import Attempt
from foureyes.core.nouns.look import Looked
from foureyes.core.nouns.session import Actor, Party, is_tied
from foureyes.core.rules import gate
from foureyes.core.rules.check_states import check_states
from foureyes.core.rules.facts import Facts, HistoryEntry
from foureyes.core.rules.four_eyes import NOTHING, may_approve
from foureyes.core.rules.involvement import labels_in_force, makers_of
from foureyes.core.rules.modes import mode_of
from foureyes.core.rules.policy import must_be_seen
from foureyes.core.words.ids import SessionId
from foureyes.errors import ConfigError, Reason

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx
    from foureyes.core.rules.policy import ReviewPolicy

ALL_OF_IT = Looked(hunks=0)
"""The look of somebody whom nothing escaped."""


def show(context: Context, actor: Actor, task: str, log_lines: int, *, with_diff: bool = False) -> TaskDetail:
    """Everything about one task, with what the caller could do about it."""
    with context.store.read() as tx:
        row = context.find(tx, task)
        me = context.party(tx, actor)
        facts = facts_of(context, tx, row.id, me)
        target = context.project(tx).target
        detail = _detail(tx, facts, log_lines)
        you = _preview(context, tx, facts, me, actor, target) if row.status == "reviewing" else None
        if facts.attempt is not None:
            from foureyes.app.pages.loop import with_loop

            detail = with_loop(context, tx, _gated(context, tx, detail, facts, actor), facts)
    detail = msgspec.structs.replace(detail, you=you)
    return msgspec.structs.replace(detail, next=after_task(detail, with_diff=with_diff))


def _gated(context: Context, tx: Tx, detail: TaskDetail, facts: Facts, actor: Actor) -> TaskDetail:
    """M, D5: how it is reviewed and where its checks stand; nothing while the configuration is broken."""
    try:
        policy = context.policy(tx, actor)
    except ConfigError:
        return detail
    chosen = mode_of(facts, policy)
    checks = tuple(
        CheckView(
            check=state.rule.name,
            required=state.rule.required,
            outcome=state.word,
            summary=state.summary,
            claimed=state.claimed,
        )
        for state in check_states(facts, policy)
    )
    return msgspec.structs.replace(detail, mode=chosen.mode, mode_reasons=chosen.reasons, checks=checks)


def _preview(context: Context, tx: Tx, facts: Facts, me: Party, actor: Actor, target: str) -> Preview:
    """What the caller may do; nothing while the configuration is broken (G1)."""
    tip = tip_of(context, facts.attempt, target) if facts.attempt else gate.Tip()
    try:
        return preview(facts, me, context.policy(tx, actor), tip)
    except ConfigError as problem:
        reason = Reason("G1", problem.message, problem.next_step)
        return Preview(may_approve=False, rule="G1", reasons=(reason,))


def _detail(tx: Tx, facts: Facts, log_lines: int) -> TaskDetail:
    task = facts.task.id
    detail = TaskDetail(
        task=facts.task,
        depends_on=tx.all("task.dependencies", Link, id=task),
        dependents=tx.all("task.dependent_tasks", Link, id=task),
        children=tx.all("task.children", Link, id=task),
        attempts=tx.all("attempt.of_task", Attempt, task=task),
        authors=[row.session for row in authors_of(tx, [task])],
        cleared=sorted(author.session for author in facts.authors or () if author.session not in makers_of(facts)),
        history=[
            HistoryEntry(row.session, row.action, row.attempt, row.via, row.at)
            for row in tx.all("attempt.history", HistoryRow, ids=[task])
        ],
        approvals=tx.all("attempt.approvals", ApprovalView, task=task),
        feedback=tx.all("attempt.feedback", FeedbackView, task=task),
        logs=list(reversed(tx.all("record.logs", LogView, task=task, limit=log_lines))),
        handoff=tx.one("record.latest_handoff", HandoffView, task=task),
        edits=edits_of(tx, facts),
    )
    return msgspec.structs.replace(detail, names=names_in(tx, detail))


class EditRow(msgspec.Struct, frozen=True):
    """A journal row about what a task says."""

    seq: int
    at: str
    session: str
    kind: str
    payload: str


def edits_of(tx: Tx, facts: Facts) -> list[EditView]:
    """T3, T8: what was changed about the task since it was created, and whether an author did it after the start."""
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
    """What an edit changed, in a few words."""
    event = msgspec.json.decode(row.payload, type=kind_of(row.kind))
    match event:
        case TaskEdited():
            return "edited " + ", ".join(sorted(event.old))
        case DependencyRemoved():
            return f"no longer waits for {event.depends_on}"
        case LabelAdded():
            return f"label {event.label} put on"
        case LabelRemoved():
            return f"label {event.label} taken off"
        case MinorSet():
            return "marked minor" if event.minor else "no longer minor"
        case _:
            return "moved to another parent"


def preview(facts: Facts, me: Party, policy: ReviewPolicy, tip: gate.Tip | None) -> Preview:
    """What would happen if the caller approved now, having looked at the diff."""
    seen = facts.attempt.diff_id if facts.attempt else ""
    reasons = gate.check(facts, me, tip, seen, policy, look=ALL_OF_IT)
    decision = may_approve(facts, me, policy, NOTHING)
    label = must_be_seen(policy, labels_in_force(facts)) if me.kind == "human" else None
    return Preview(
        may_approve=not reasons and (decision.allowed or decision.needs_reason),
        rule=decision.rule,
        needs_reason=decision.needs_reason,
        stale=any(reason.rule == "D4" for reason in reasons),
        reasons=reasons if decision.allowed or decision.needs_reason else (*reasons, *decision.reasons),
        unseen=policy.label_rules[label].unseen if label else "note",
    )


def names_in(tx: Tx, detail: TaskDetail) -> dict[str, str]:
    """What people call every session that a task's story mentions."""
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
    """`claude#1 (ses-…)`, or just a person's name; a name that somebody typed is shown as that."""
    if row.trust == "asserted":
        return f'"{row.name}" (typed, {row.id})'
    return row.name if row.kind == "human" and row.trust != "asserted" else f"{row.name} ({row.id})"
