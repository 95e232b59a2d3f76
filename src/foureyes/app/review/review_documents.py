"""Review documents: the request to a reviewer, and the document in answer. (V2, V3)"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from foureyes.app.case import Case
from foureyes.app.context import Context, not_submitted
from foureyes.app.cycles.decisions import clarified_of
from foureyes.app.facts import facts_of
from foureyes.app.findings.raising import findings_of_task, open_blocking
from foureyes.app.ports import Tx
from foureyes.app.results.finding import AnswerView
from foureyes.core import events as e
from foureyes.core.documents.findings import files_of, findings_of, rulings_of, status_problem
from foureyes.core.documents.json_reader import read
from foureyes.core.documents.prompt import CHANGE
from foureyes.core.documents.shapes import (
    CheckLine,
    ClarifiedPoint,
    OpenFinding,
    RequestContext,
    ReviewRequest,
    ReviewResult,
)
from foureyes.core.loop.reviews import Review
from foureyes.core.nouns.cycle import TargetRow
from foureyes.core.nouns.finding import AFTER_RULING, Finding, ReportedFinding, Ruling, Severity
from foureyes.core.nouns.finding_state import UNRESOLVED
from foureyes.core.nouns.session import Actor, Party
from foureyes.core.rules.check_states import check_states
from foureyes.core.rules.facts import Facts
from foureyes.core.words.ids import TaskId
from foureyes.errors import BadInput, FoureyesError, Reason, Refused
from foureyes.steps import blank, fe, in_turn, prose

if TYPE_CHECKING:
    from foureyes.core.nouns.run import Run
    from foureyes.core.nouns.task import Task
    from foureyes.core.rules.policy import ReviewPolicy


# ---- Review content (V3) ----


class ReviewContent(msgspec.Struct, frozen=True, kw_only=True):
    """A review from its document, in our own types.

    `left_open` has the severities of findings that it rules not settled. `program` is the program of the caller's
    profile.
    """

    document: ReviewResult
    findings: list[ReportedFinding]
    notes: list[str]
    files: list[str]
    rulings: list[Ruling]
    left_open: list[Severity]
    program: str = ""

    @property
    def severities(self) -> list[Severity]:
        """Severities of everything that the review objects to: its findings, and those it leaves open. (V5, L5)"""
        return [*[finding.severity for finding in self.findings], *self.left_open]


def is_not_you(given: ReviewContent, me: Party) -> list[Reason]:
    """Return a reason if the document names another reviewer than the session or its program. (V3)"""
    reviewer = given.document.reviewer
    mine = {me.session, me.name, me.person, me.agent, me.name.partition("#")[0], given.program}
    if reviewer.casefold() in {name.casefold() for name in ("", *mine)}:
        return []
    why = f"reviewer: the document says {reviewer!r}, but you are {me.name or me.session}"
    return [Reason("V3", why, prose("correct it, or leave it out"))]


class Return(msgspec.Struct, frozen=True):
    """A review that was returned once."""

    seq: int
    why: str


def came_back(tx: Tx, case: Case, *, attempt: int, since: int = 0) -> bool:
    """Return True if a review was returned already because a quote was not found. For an early review (attempt 0), only
    since it was frozen. (V7)
    """
    rows = tx.all("review.returns", Return, task=case.task.id, attempt=attempt, session=case.me.session)
    return any(row.why == "quote" and row.seq > since for row in rows)


def went_back(task: TaskId, lost: tuple[Reason, ...]) -> Refused:
    """V7: what its reviewer is told."""
    step = prose(
        "quote the code exactly and send the review again. If you send it unchanged, someone else must confirm the finding"
    )
    what = "the review was returned to you, and none of it was saved."
    return Refused(what, reasons=lost, next_step=step, task=task)


def content_of(context: Context, actor: Actor, facts: Facts, document: bytes) -> ReviewContent:
    """Return the review in a document. Refuse prose, and name every wrong field. (V3)"""
    task = facts.task.id
    try:
        content, problems = _content(context, actor, task, document)
    except BadInput as problem:
        _note_return(context, actor, facts)
        form = fe("show", task, "--prompt", "review", before="the form: ")
        again = fe("review", "submit", task, blank("FILE"))
        raise BadInput(problem.message, reasons=problem.reasons, next_step=in_turn(form, again)) from None
    if problems:
        _note_return(context, actor, facts)
        step = fe("review", "submit", task, blank("FILE"), before="fix these and send it again: ")
        what = "the review_result was refused, and none of it was saved."
        raise BadInput(what, reasons=tuple(problems), next_step=step)
    return content


def _content(context: Context, actor: Actor, task: TaskId, document: bytes) -> tuple[ReviewContent, list[Reason]]:
    result = read(document, ReviewResult)
    findings, notes, problems = findings_of(result.payload.issues, "payload.issues")
    files, more = files_of(result.payload.files_reviewed, "payload.files_reviewed")
    ruled, others = rulings_of(result.payload.rulings)
    rulings = [Ruling(ruling.finding, ruling.ruling, ruling.reason) for ruling in ruled]
    left_open, known = _left_open(context, task, rulings)
    content = ReviewContent(
        document=result, findings=findings, notes=notes, files=files, rulings=rulings, left_open=left_open,
        program=_program_of(context, actor),
    )  # fmt: skip
    stated, own = result.payload.status, content.severities
    wrong = status_problem(stated, own, len(notes))
    if wrong and status_problem(stated, [*own, *known], len(notes)):
        problems = [*problems, wrong]
    return content, [*problems, *more, *others]


def _program_of(context: Context, actor: Actor) -> str:
    """Return the program of the profile that an agent was started from."""
    if actor.kind != "agent":
        return ""
    from foureyes.config.effective_policy import agent_profiles

    with context.store.read() as tx:
        profile = agent_profiles(context.layers(tx, actor)).get(actor.agent)
    return profile.program if profile else ""


def _left_open(context: Context, task: TaskId, rulings: Sequence[Ruling]) -> tuple[list[Severity], list[Severity]]:
    """Return the severities of findings that these rulings leave open, and of those open before. A ruling on a missing
    finding is refused later.
    """
    names = [ruling.finding for ruling in rulings if AFTER_RULING[ruling.ruling] == "open"]
    with context.store.read() as tx:
        ruled = [tx.one("finding.one", Finding, id=name) for name in names]
        known = open_blocking(tx, task, context.now())
    return [finding.severity for finding in ruled if finding is not None], [finding.severity for finding in known]


def _note_return(context: Context, actor: Actor, facts: Facts) -> None:
    """Record that a document was not a valid review, without its content, for the reviewer's score (Y). (V3)"""
    assert facts.attempt is not None
    if actor.kind != "agent":
        return
    try:
        with context.writing(actor, "review submit") as work:
            work.record(facts.task.id, e.ReviewReturned(attempt=facts.attempt.n, why="document"))
    except FoureyesError:
        return  # what matters is what is wrong with the document


# ---- Requests for a review (V2) ----


class RequestSubject(msgspec.Struct, frozen=True, kw_only=True):
    """The subject of a request: the change, its summary, where to read it, and what is known about it."""

    attempt: int
    diff_id: str
    summary: str
    diff: str
    seen: str = ""
    checks: tuple[CheckLine, ...] = ()
    clarified: tuple[ClarifiedPoint, ...] = ()


def attempt_request(context: Context, tx: Tx, actor: Actor, task: TaskId, reviewer: str) -> ReviewRequest:
    """Return the request for a review of the latest attempt. (V2)"""
    facts, policy = facts_of(context, tx, task), context.policy(tx, actor)
    attempt = facts.attempt
    if attempt is None:
        raise not_submitted(task)
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
    given = [
        row for row in tx.all("review.of_task", Review, task=task) if not row.early_review and row.attempt < attempt.n
    ]
    again = bool(given or any(finding.flagged < attempt.n for finding in known))
    return _request(tx, policy, facts.task, about, known, reviewer, is_re_review=again)


def early_review_request(context: Context, tx: Tx, actor: Actor, run: Run, diff_id: str) -> ReviewRequest:
    """Return the request for an early review, before there is an attempt. (V1, V2)"""
    task, policy = context.get(tx, run.task), context.policy(tx, actor)
    targets = [row for row in tx.all("cycle.targets", TargetRow, ids=[run.cycle]) if row.task == run.task]
    about = RequestSubject(
        attempt=task.iteration + 1,
        diff_id=diff_id,
        summary=targets[0].summary if targets else task.title,
        diff=CHANGE,
        clarified=clarified_of(tx, run.task, early_review=run.early_review),
    )
    return _request(tx, policy, task, about, _unresolved(tx, run.task), run.profile)


def _unresolved(tx: Tx, task: TaskId) -> list[Finding]:
    return [finding for finding in findings_of_task(tx, task) if finding.state in UNRESOLVED]


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
    """Return an open finding as it appears in a request."""
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
