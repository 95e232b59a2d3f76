"""Requests for a review (V2): what a reviewer of an attempt, or of a look, is told before it looks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.facts import facts_of
from foureyes.app.call.refusals import not_handed_in
from foureyes.app.cycles.clarifying import clarified_of
from foureyes.app.findings.lookup import findings_of
from foureyes.app.views.finding import AnswerView
from foureyes.core.documents.briefing import CHANGE
from foureyes.core.documents.shapes import CheckLine, ClarifiedPoint, OpenFinding, RequestContext, ReviewRequest
from foureyes.core.loop.review import Review
from foureyes.core.nouns.cycle import TargetRow
from foureyes.core.nouns.finding import Finding
from foureyes.core.nouns.finding_state import UNRESOLVED
from foureyes.core.rules.check_states import check_states

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx
    from foureyes.core.nouns.run import Run
    from foureyes.core.nouns.session import Actor
    from foureyes.core.nouns.task import Task
    from foureyes.core.rules.policy import ReviewPolicy
    from foureyes.core.words.ids import TaskId


class RequestSubject(msgspec.Struct, frozen=True, kw_only=True):
    """What a request is about: which change, in whose words, where it is to be read, and what is known of it."""

    attempt: int
    diff_id: str
    summary: str
    diff: str
    seen: str = ""
    checks: tuple[CheckLine, ...] = ()
    clarified: tuple[ClarifiedPoint, ...] = ()


def attempt_request(context: Context, tx: Tx, actor: Actor, task: TaskId, reviewer: str) -> ReviewRequest:
    """V2: what a reviewer of the latest attempt is asked."""
    facts, policy = facts_of(context, tx, task), context.policy(tx, actor)
    attempt = facts.attempt
    if attempt is None:
        raise not_handed_in(task)
    about = RequestSubject(
        attempt=attempt.n,
        diff_id=attempt.diff_id,
        summary=attempt.message or facts.task.title,
        diff=f"fe show {task} --diff",
        seen=attempt.seen,
        checks=tuple(
            CheckLine(check=state.rule.name, outcome=state.word, summary=state.summary)
            for state in check_states(facts, policy)
        ),
        clarified=clarified_of(tx, task, attempt=attempt.n),
    )
    known = _unresolved(tx, task)
    given = [row for row in tx.all("review.of_task", Review, task=task) if not row.look and row.attempt < attempt.n]
    again = bool(given or any(finding.flagged < attempt.n for finding in known))
    return _request(tx, policy, facts.task, about, known, reviewer, is_re_review=again)


def look_request(context: Context, tx: Tx, actor: Actor, run: Run, diff_id: str) -> ReviewRequest:
    """V1, V2: what a reviewer of a look is asked: what is known before there is an attempt."""
    task, policy = context.get(tx, run.task), context.policy(tx, actor)
    targets = [row for row in tx.all("cycle.targets", TargetRow, ids=[run.cycle]) if row.task == run.task]
    about = RequestSubject(
        attempt=task.iteration + 1,
        diff_id=diff_id,
        summary=targets[0].summary if targets else task.title,
        diff=CHANGE,
        clarified=clarified_of(tx, run.task, look=run.look),
    )
    return _request(tx, policy, task, about, _unresolved(tx, run.task), run.profile)


def _unresolved(tx: Tx, task: TaskId) -> list[Finding]:
    return [finding for finding in findings_of(tx, task) if finding.state in UNRESOLVED]


def _request(
    tx: Tx,
    policy: ReviewPolicy,
    task: Task,
    about: RequestSubject,
    known: Sequence[Finding],
    reviewer: str,
    *,
    is_re_review: bool = False,
) -> ReviewRequest:
    answers = {row.root: row for row in tx.all("finding.answers", AnswerView, task=task.id)}
    return ReviewRequest(
        reviewer=reviewer,
        task=task.id,
        title=task.title,
        attempt=about.attempt,
        diff_id=about.diff_id,
        seen=about.seen,
        targets=(str(task.id),),
        context=RequestContext(
            summaries={str(task.id): about.summary},
            diff=about.diff,
            acceptance=task.acceptance,
            checks=about.checks,
            open_findings=tuple(asked(finding, answers.get(finding.root)) for finding in known),
            clarified=about.clarified,
        ),
        focus_areas=policy.focus,
        max_words=policy.max_words,
        is_re_review=is_re_review,
        iteration=about.attempt,
    )


def asked(finding: Finding, answer: AnswerView | None) -> OpenFinding:
    """An open finding as a reviewer is asked about it."""
    return OpenFinding(
        id=finding.id,
        severity=finding.severity,
        state=finding.state,
        title=finding.title,
        location=finding.where,
        problem=finding.problem,
        fix=finding.fix,
        quote=finding.quote,
        answer=answer.word if answer else "",
        answer_text=answer.words if answer else "",
        ground=answer.ground if answer else "",
    )
