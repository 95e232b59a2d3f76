"""Clarification by runs (R2, V9): the author goes on with its own conversation, reads, and answers every point by one
document; each answer is linked to the concern that it is about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.review.clarifications import clarify_points
from foureyes.app.review.prompts import prompt_about
from foureyes.app.run.reviewing import AGAIN, actor_of
from foureyes.app.run.rows import ReviewRun
from foureyes.core.documents.answer import document_in
from foureyes.core.documents.reader import read
from foureyes.core.documents.shapes import ClarificationResult, PointAnswer, name_of
from foureyes.core.nouns.cycle import Clarification
from foureyes.core.words.fence import fenced
from foureyes.errors import BadInput

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx
    from foureyes.app.run.in_hand import InHand
    from foureyes.core.nouns.run import Run
    from foureyes.core.nouns.session import Actor
    from foureyes.core.run.step import StartRun

KIND = name_of(ClarificationResult)


def points_of(tx: Tx, run: Run) -> list[Clarification]:
    """The points of a task that wait for an answer, in their order."""
    rows = [row for row in tx.all("cycle.points", Clarification, ids=[run.cycle]) if row.task == run.task]
    return sorted((row for row in rows if not row.answer), key=lambda row: (len(row.id), row.id))


def clarify_prompt(context: Context, runner: Actor, run: Run, step: StartRun) -> str:
    """R2: the points by number; where an answer was none, what was wrong with it."""
    with context.store.read() as tx:
        points = points_of(tx, run)
        rows = tx.all("runner.clarify_runs", ReviewRun, ids=[run.cycle])
    text = prompt_about(context, runner, run.task, [f"{point.reviewer}: {point.text}" for point in points])
    why = [row.error_text for row in rows if row.task == run.task and row.error_text]
    if step.asks != "answer" or not why:
        return text
    return f"{text}\n## Once more\n\n{AGAIN.format(what='answer about', task=run.task, why=fenced(why[-1]), kind=KIND)}"


def take_clarification(context: Context, own: InHand) -> None:
    """R2: every point is answered, or none is; then it is refused."""
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
    """An answer, and where that can be seen."""
    seen = answer.seen.strip()
    return answer.answer.strip() + (f" ({seen})" if seen else "")
