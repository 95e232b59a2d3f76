"""The findings loop on a task's page: findings with their history, reviews, rounds and remarks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import msgspec

from foureyes.app.context import Context
from foureyes.app.findings.findings import view_of
from foureyes.app.findings.raising import findings_of_task
from foureyes.app.pages.task import display_name
from foureyes.app.ports import Tx
from foureyes.app.results.finding import ALERT_AFTER, MoveView, NoteRow
from foureyes.app.results.review import ApprovalView, ReviewView
from foureyes.app.results.session import SessionView
from foureyes.app.results.task import LogView, TaskDetail
from foureyes.app.tasks.escalation import loop_state_of
from foureyes.core.loop.reviews import Review, has_reviewed, why_not_counting
from foureyes.core.loop.rounds import LoopState
from foureyes.core.nouns.task import Task
from foureyes.core.rules.facts import Facts
from foureyes.errors import ConfigError


def with_loop(context: Context, tx: Tx, detail: TaskDetail, facts: Facts) -> TaskDetail:
    """Add the loop to the page of a submitted task."""
    task = detail.task.id
    findings, reviews = findings_of_task(tx, task), tx.all("review.of_task", Review, task=task)
    moves: dict[str, list[MoveView]] = defaultdict(list)
    for move in tx.all("finding.moves", MoveView, task=task) if findings else ():
        moves[move.root].append(move)
    patches = tx.all("record.logs_of_type", LogView, task=task, type="patch")
    sessions = (
        {str(finding.session) for finding in findings}
        | {str(review.session) for review in reviews}
        | {patch.session for patch in patches}
    )
    sessions |= {move.session for rows in moves.values() for move in rows}
    known = tx.all("session.some", SessionView, ids=sorted(sessions)) if sessions else []
    called, now = {row.id: row.name for row in known}, context.now()
    names = detail.names | {row.id: display_name(row) for row in known}
    loop = _standing(context, tx, detail.task)
    return msgspec.structs.replace(
        detail,
        findings=[
            msgspec.structs.replace(view_of(finding, now, called, detail.task.iteration), moves=moves[finding.root])
            for finding in findings
        ],
        reviews=[_review(review, reviews, facts, names) for review in reviews],
        approvals=[_with_ground(row, reviews) for row in detail.approvals],
        counting=sorted(facts.reviewers),
        loop=loop,
        escalation=loop.outlook if loop and detail.task.status != "closed" else "",
        remarks=_remarks(tx, task) if findings else [],
        patches=patches,
        names=names,
    )


def _review(review: Review, reviews: Sequence[Review], facts: Facts, names: dict[str, str]) -> ReviewView:
    """Return a review, and why it does not count for the latest attempt, if so."""
    diff_id = facts.attempt.diff_id if facts.attempt else ""
    against = why_not_counting(review, reviews, diff_id, facts.reviewers, facts.voiceless)
    by = names.get(review.session, review.session)
    return ReviewView(**msgspec.structs.asdict(review), by=by, counts=not against, against=against)


def _with_ground(row: ApprovalView, reviews: Sequence[Review]) -> ApprovalView:
    """Return an approval with its basis. (D9)"""
    reviewed = has_reviewed(row.session, row.diff_id, row.seq, reviews)
    if row.basis == "person":
        rests_on = row.grade + (", with a counting review" if reviewed else "")
    elif row.basis == "rule":
        rests_on = "automatically by a rule"
    else:
        rests_on = "with a counting review" if reviewed else "without a review"
    return msgspec.structs.replace(row, rests_on=rests_on)


def _standing(context: Context, tx: Tx, task: Task) -> LoopState | None:
    """Return the loop's state, None while the configuration is invalid."""
    try:
        return loop_state_of(context, tx, task)
    except ConfigError:
        return None


def _remarks(tx: Tx, task: str) -> list[str]:
    skipped: Sequence[NoteRow] = tx.all("finding.all_skipped", NoteRow, ids=[task])
    debts: Sequence[NoteRow] = tx.all("finding.debts", NoteRow, ids=[task], least=ALERT_AFTER)
    return [
        *[f"all suggestions of iteration 1 ({row.n}) were skipped (L15)" for row in skipped],
        *[
            f"{row.id} was noted in {row.n} attempts. To plan it as tech debt: fe finding answer {row.id} --track (L16)"
            for row in debts
        ],
    ]
