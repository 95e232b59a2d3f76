"""Runs of reviewers (V2, V3) and clarifying authors (R2): their files, prompts and answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.app.context import not_submitted
from foureyes.app.facts import attempt_of
from foureyes.app.results.session import SessionView
from foureyes.app.review.cycle_verbs import clarify_points
from foureyes.app.review.early_reviews import early_reviews_of, submit_early_review
from foureyes.app.review.prompts import PromptFiles, prompt_about, prompt_with_files
from foureyes.app.review.review_documents import attempt_request, early_review_request
from foureyes.app.review.reviews import submit_review
from foureyes.app.runner.rows import ReviewRun
from foureyes.app.work.remote_attempts import bring
from foureyes.config.effective_policy import agent_profiles
from foureyes.core.documents.answer import document_in
from foureyes.core.documents.json_reader import parsed, read
from foureyes.core.documents.prompt import CHANGE, REQUEST
from foureyes.core.documents.shapes import ClarificationResult, PointAnswer, ReviewRequest, ReviewResult, name_of
from foureyes.core.loop.reviews import FilesRead, seen_by
from foureyes.core.nouns.attempt import ChangedFile
from foureyes.core.nouns.cycle import Clarification, EarlyReview
from foureyes.core.nouns.session import Actor
from foureyes.core.runner.plan import is_about
from foureyes.core.words.text import one_line, visible
from foureyes.core.words.untrusted_text import fenced
from foureyes.errors import BadInput, FoureyesError, Refused

if TYPE_CHECKING:
    from foureyes.app.agent_ports import LocalAgents
    from foureyes.app.context import Context
    from foureyes.app.ports import Tx
    from foureyes.app.results.review import ReviewOutcome
    from foureyes.app.runner.live_runs import CurrentRun
    from foureyes.core.nouns.run import Run
    from foureyes.core.runner.steps import StartRun
    from foureyes.core.words.ids import Sha


# ---- Reviews by runs (V2, V3) ----

MOST_DIFF = 5_000_000
MOST_REQUEST = 12_000
"""Longest request in the prompt, in characters. A longer one is in a file."""
PROBLEM_LENGTH = 2_000
MOST_LINES = 1_000
"""Number of lines of the longest diff that counts as read at once. Some programs show at most 2,000 lines of a file.
(V6)
"""
RESULT = name_of(ReviewResult)

AGAIN = """Your {what} {task} was not accepted, and none of it was saved. The problems:

{why}

Correct it and send the whole document again. Your last message is exactly one {kind} document and nothing else.
"""


class ReviewFiles(msgspec.Struct, frozen=True, kw_only=True):
    """Files of a reviewer: the checkout, the folder in it for the request and the diff, and the change under review."""

    path: str
    review_folder: str
    change: Subject
    request: ReviewRequest


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """A change under review: an attempt, or an early review (`attempt` is then 0)."""

    attempt: int
    diff_id: str
    base: Sha
    head: Sha
    files: tuple[ChangedFile, ...]


def subject_of(context: Context, tx: Tx, run: Run) -> Subject:
    """Return the change that a run reviews, or refuse if its task was never submitted. (V1)"""
    early_review = (
        tx.one("cycle.early_review", EarlyReview, task=run.task, n=run.early_review) if run.early_review else None
    )
    if early_review is not None:
        files = context.repo.file_diffs(early_review.base, early_review.commit)
        return Subject(
            attempt=0,
            diff_id=early_review.diff_id,
            base=early_review.base,
            head=early_review.commit,
            files=tuple(
                ChangedFile(
                    file.path, None if file.binary else file.added, None if file.binary else file.removed, file.old_path
                )
                for file in files
            ),
        )
    attempt = attempt_of(tx, run.task)
    if attempt is None:
        raise not_submitted(run.task)
    return Subject(
        attempt=attempt.n,
        diff_id=attempt.diff_id,
        base=attempt.base,
        head=attempt.head,
        files=tuple(attempt.files),
    )


def review_files(context: Context, runner: Actor, agents: LocalAgents, run: Run) -> ReviewFiles:
    """Create a separate checkout for a reviewer. It has no repository and no worktree, and creating it runs no program.
    (V2)
    """
    with context.store.read() as tx:
        change = subject_of(context, tx, run)
    if not run.early_review:
        bring(context, run.task)
    request = _request(context, runner, run, change)
    files = {
        CHANGE: _cut(context.repo.diff_text(change.base, change.head)),
        REQUEST: msgspec.json.format(msgspec.json.encode(request), indent=2).decode(),
    }

    def write(path: str) -> dict[str, str]:
        context.workshop.export(change.head, path)
        return context.workshop.files_of(change.head)

    made = agents.checkout(run.id, write, files)
    return ReviewFiles(path=made.path, review_folder=made.review_folder, change=change, request=request)


def _request(context: Context, runner: Actor, run: Run, change: Subject) -> ReviewRequest:
    """Return the review request of an attempt or an early review. (V2)"""
    with context.store.read() as tx:
        if run.early_review:
            return early_review_request(context, tx, runner, run, change.diff_id)
        return attempt_request(context, tx, runner, run.task, run.profile)


def drop_files(agents: LocalAgents, run: Run) -> None:
    """Delete the checkout of a review run."""
    if run.purpose == "review":
        agents.drop_checkout(run.id)


def _cut(text: str) -> str:
    if len(text) <= MOST_DIFF:
        return text
    return f"{text[:MOST_DIFF]}\n[{len(text) - MOST_DIFF:,} characters more: read the files themselves]\n"


def review_prompt(context: Context, runner: Actor, run: Run, step: StartRun, files: ReviewFiles) -> str:
    """Return the whole prompt of a review run. A retry also quotes the problem with the last answer. (V2, V3)"""
    again = _again(context, run) if step.asks == "answer" else ""
    request = msgspec.json.format(msgspec.json.encode(_prompt_files(files)), indent=2).decode()
    files_of = PromptFiles(
        attempt=files.change.attempt,
        diff_id=files.change.diff_id,
        base=files.change.base,
        head=files.change.head,
        files=files.change.files,
        review_folder=files.review_folder,
        clarified=files.request.context.clarified,
        request=request if len(request) <= MOST_REQUEST else f"{files.review_folder}/{REQUEST}",
    )
    purpose = "rereview" if files.request.is_re_review else "review"
    text = prompt_with_files(context, runner, run.task, purpose, files_of)
    return "\n".join(filter(None, (text, again and f"## Try again\n\n{again}")))


def _prompt_files(files: ReviewFiles) -> ReviewRequest:
    """Return the request with the path of the diff file in place of a diff command."""
    context = msgspec.structs.replace(files.request.context, diff=f"{files.review_folder}/{CHANGE}")
    return msgspec.structs.replace(files.request, context=context)


def _again(context: Context, run: Run) -> str:
    """Return the problem with the last answer, fenced as data. (V3)"""
    with context.store.read() as tx:
        rows = tx.all("runner.review_runs", ReviewRun, ids=[run.cycle])
    why = [row.error_text for row in rows if (row.task, row.profile) == (run.task, run.profile) and row.error_text]
    text = fenced(why[-1] if why else "it was not a document")
    return AGAIN.format(what="review of", task=run.task, why=text, kind=RESULT)


def take_review(context: Context, agents: LocalAgents, own: CurrentRun) -> ReviewOutcome:
    """Submit the answer of a run as the review of its session. Refuse it if it is not a valid review, or if the
    checkout was changed. (V2, V3)
    """
    assert own.outcome is not None
    if altered := agents.altered(own.run.id):
        why = f"{visible(altered)} changed during the review, so the review is void"
        raise Refused(why)
    with context.store.read() as tx:
        change, reviewer = subject_of(context, tx, own.run), actor_of(tx, own)
        early = early_reviews_of(tx, own.run.task, own.run.early_review) if own.run.early_review else []
        read = _read_by(context, tx, own, change)
    document = document_in(own.outcome.answer, RESULT)
    _refuse_other_change(document, change)
    given = document.encode("utf-8", "surrogatepass")
    if early:
        return submit_early_review(context, reviewer, own.run.task, early, given, read=read)
    return submit_review(context, reviewer, own.run.task, given, read=read)


def _read_by(context: Context, tx: Tx, own: CurrentRun, change: Subject) -> FilesRead | None:
    """Return the files that the run read according to its output, and True if the profile reports all reads. None if
    the output reports no tools. (V6)
    """
    profile = agent_profiles(context.layers(tx, context.gate)).get(own.run.profile)
    complete = profile is not None and profile.reads == "complete"
    if own.outcome is None or not (complete or own.outcome.tells):
        return None
    text = context.repo.diff_text(change.base, change.head)
    whole = text.count("\n") <= MOST_LINES and len(text) <= MOST_DIFF
    seen = seen_by(own.outcome.read, own.run.worktree, CHANGE, change.files, whole=whole)
    return FilesRead(tuple(seen), complete)


def _refuse_other_change(document: str, change: Subject) -> None:
    """Refuse a review document of another change, for example one copied from the tree."""
    given = parsed(document, constant=float)
    payload = given.get("payload") if isinstance(given, dict) else None
    if isinstance(payload, dict) and not is_about(payload.get("diff_id"), change.diff_id):
        raise BadInput(f"payload.diff_id: it must name the reviewed change, {change.diff_id}.")


def actor_of(tx: Tx, own: CurrentRun) -> Actor:
    """Return the session that holds the run's token. Each write checks the token again. (I2)"""
    run = own.run
    row = tx.one("session.get", SessionView, id=run.session or "")
    assert run.session is not None
    return Actor(
        session=run.session,
        kind="agent",
        trust="issued",
        agent=run.profile,
        host=run.host,
        model=row.model if row else "",
        vendor=row.vendor if row else "",
        evidence=(run.process,),
        processes=(run.process,),
        token=own.token,
        role=run.role,
        task=run.task,
    )


def why_refused(problem: FoureyesError) -> str:
    """Return every reason with its rule, for the reviewer that must answer again."""
    reasons = [f"{reason.message} ({reason.rule})" for reason in problem.reasons]
    return one_line("; ".join([problem.message.rstrip("."), *reasons]), PROBLEM_LENGTH)


# ---- Clarification by runs (R2, V9) ----

KIND = name_of(ClarificationResult)


def points_of(tx: Tx, run: Run) -> list[Clarification]:
    """Return the unanswered points of a task in order."""
    rows = [row for row in tx.all("cycle.points", Clarification, ids=[run.cycle]) if row.task == run.task]
    return sorted((row for row in rows if not row.answer), key=lambda row: (len(row.id), row.id))


def clarify_prompt(context: Context, runner: Actor, run: Run, step: StartRun) -> str:
    """Return the prompt with the numbered points. A retry also quotes the problem with the last answer. (R2)"""
    with context.store.read() as tx:
        points = points_of(tx, run)
        rows = tx.all("runner.clarify_runs", ReviewRun, ids=[run.cycle])
    text = prompt_about(context, runner, run.task, [f"{point.reviewer}: {point.text}" for point in points])
    why = [row.error_text for row in rows if row.task == run.task and row.error_text]
    if step.asks != "answer" or not why:
        return text
    return f"{text}\n## Try again\n\n{AGAIN.format(what='answer about', task=run.task, why=fenced(why[-1]), kind=KIND)}"


def take_clarification(context: Context, own: CurrentRun) -> None:
    """Record the answers to all points. If one is missing, refuse all. (R2)"""
    assert own.outcome is not None
    with context.store.read() as tx:
        points, author = points_of(tx, own.run), actor_of(tx, own)
    given = read(document_in(own.outcome.answer, KIND), ClarificationResult)
    answers = {answer.point: answer for answer in given.answers}
    missing = [str(n) for n in range(1, len(points) + 1) if n not in answers or not answers[n].answer.strip()]
    if missing:
        raise BadInput(f"answers: there is none about {', '.join(missing)}.")
    texts = {point.id: _said(answers[n]) for n, point in enumerate(points, start=1)}
    clarify_points(context, author, own.run.cycle, texts)


def _said(answer: PointAnswer) -> str:
    """Return the answer, and the place that supports it."""
    seen = answer.seen.strip()
    return answer.answer.strip() + (f" ({seen})" if seen else "")
