"""Clarification (R2): the points in which reviewers have concerns, put to the agents that made the work."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import islice, takewhile

import msgspec

from foureyes.app.call.context import Context, stamp
from foureyes.app.call.facts import facts_of
from foureyes.app.call.work import Work
from foureyes.app.cycles.eyes import eyes, last_words
from foureyes.app.cycles.reading import WholeCycle, chain
from foureyes.app.ports import Tx
from foureyes.core import events as e
from foureyes.core.documents.shapes import ClarifiedPoint
from foureyes.core.nouns.cycle import CLARIFICATIONS_MOST, Clarification, Cycle, Point
from foureyes.core.nouns.finding import Finding
from foureyes.core.nouns.finding_state import UNRESOLVED
from foureyes.core.rules.involvement import makers_of
from foureyes.core.words.text import one_line

TEXT = 600


class LastWork(msgspec.Struct, frozen=True):
    """The runs that were at work on what a cycle is about when its question came, and when the last one ended."""

    runs: int
    live: int
    ended_at: str


def is_last_round(tx: Tx, cycle: Cycle) -> bool:
    """R2: whether so many cycles in a row came to it that a person is asked instead. What a person had clarified after
    a blocker (R1) is none of them.
    """
    before = islice(chain(tx, cycle), 1, None)
    rounds = 1 + sum(1 for _ in takewhile(lambda each: each.rule == "R2", before))
    return rounds >= CLARIFICATIONS_MOST


def ask_to_clarify(context: Context, work: Work, known: WholeCycle) -> None:
    """R2: every concern is a point; those who made the work are asked about it."""
    points = points_of(work.tx, known)
    minutes = max(1, context.gate_policy(work.tx).peers.timeout_minutes)
    asked: list[str] = []
    for task in known.tasks:
        facts = facts_of(context, work.tx, task)
        author = facts.task.implementer or next(iter(makers_of(facts)), None)
        asked += [str(author)] if author else []
    event = e.ClarificationAsked(
        cycle=known.cycle.id, points=points, asked=tuple(dict.fromkeys(asked)), until=context.later(minutes * 60)
    )
    work.gate.record(known.cycle.task, event)


def answer_by(context: Context, tx: Tx, cycle: Cycle) -> str:
    """V9: until when an answer is waited for. Who was at work on it when the question came has as long from the end of
    that; empty: it still is.
    """
    row = tx.one("cycle.at_work_since", LastWork, cycle=cycle.id, seq=cycle.seq)
    if row is None or not row.runs:
        return cycle.clarify_until
    if row.live:
        return ""
    minutes = max(1, context.gate_policy(tx).peers.timeout_minutes)
    return max(cycle.clarify_until, stamp(datetime.fromisoformat(row.ended_at) + timedelta(minutes=minutes)))


def points_of(tx: Tx, known: WholeCycle) -> tuple[Point, ...]:
    """The findings of each concern that stands; where none of them does, its summary. What a reviewer said before it
    agreed, and findings that were taken back, ask nobody anything.
    """
    names = eyes(tx, known)
    points: list[Point] = []
    for review in last_words(known, names):
        if review.effective == "approved":
            continue
        raised = tx.all("finding.raised_in", Finding, task=review.task, seq=review.raised_in)
        standing = [row for row in raised if row.state in UNRESOLVED]
        texts = [(row.root, f"{row.title}: {row.problem}" if row.problem else row.title) for row in standing]
        for finding, text in texts or [("", review.summary)]:
            points.append(
                Point(
                    id=f"p{len(points) + 1}",
                    task=next(target.task for target in known.live if target.task == review.task),
                    reviewer=names[review.session],
                    review=review.seq,
                    finding=finding,
                    text=one_line(text, TEXT),
                )
            )
    return tuple(points)


def clarified_of(tx: Tx, task: str, *, attempt: int = 0, look: int = 0) -> tuple[ClarifiedPoint, ...]:
    """R2, V2: what was answered to concerns about this attempt, or this look, for whoever is asked about it now."""
    rows = tx.all("cycle.clarified", Clarification, task=task, attempt=attempt, look=look)
    return tuple(
        ClarifiedPoint(
            point=f"{row.cycle} {row.id}",
            reviewer=row.reviewer,
            concern=row.text,
            answer=row.answer,
            answered_by=row.session,
            finding=row.finding,
        )
        for row in rows
    )
