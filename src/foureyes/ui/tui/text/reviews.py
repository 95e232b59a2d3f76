"""What the page of a task says about its reviews: who, which verdict, how much was read, whether it counts, and the
cycle with its rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from foureyes.ui.tui.marks import visible
from foureyes.ui.tui.text.lines import clock

if TYPE_CHECKING:
    from foureyes.app.results.review import AskedView, CycleView, ReviewView
    from foureyes.app.results.task import TaskDetail


def reviews_text(detail: TaskDetail, cycles: Sequence[CycleView] = ()) -> str:
    """What reviewers said about the latest attempt, a line each; then the cycle that asked, and what came of it."""
    latest = detail.attempts[-1].n if detail.attempts else 0
    now = [review for review in detail.reviews if review.attempt == latest]
    lines = [_review(review, detail) for review in now]
    if cycles:
        newest = cycles[0]
        lines += [
            _asked(asked) for asked in newest.requested if asked.task == detail.task.id and asked.state != "answered"
        ]
        lines.append(_cycle(newest))
    earlier = len(detail.reviews) - len(now)
    lines += [f"{earlier} of earlier attempts"] if earlier else []
    return "\n".join(lines) or "none asked"


def _review(review: ReviewView, detail: TaskDetail) -> str:
    name = visible(review.by or detail.name(review.session))
    stated = "" if review.verdict == review.effective else f" (stated {review.verdict}, V5)"
    whole = len(review.files) + len(review.missing)
    against = f"does not count: {visible(review.against)}" if review.against else ""
    parts = (f"{name} {review.effective}{stated}", f"{len(review.files)}/{whole} files read",
             "counts" if review.counts else against)  # fmt: skip
    head = ", ".join(part for part in parts if part)
    return f'{head}: "{visible(review.summary)}"' if review.summary else head


def _asked(asked: AskedView) -> str:
    if asked.state == "not_given":
        return visible(f"{asked.reviewer} gave no review: {asked.why}{f', {asked.text}' if asked.text else ''}")
    until = f" until {clock(asked.until)}" if asked.until else ""
    return visible(f"{asked.reviewer} asked{until}{', late' if asked.late else ''}")


def _cycle(cycle: CycleView) -> str:
    """Why it was opened, and the rule it came to, or whom it waits for."""
    waits = f"waits for {', '.join(cycle.waits_for)}"
    ruled = f"{cycle.rule} ({'; '.join(cycle.reasons)})" if cycle.reasons else cycle.rule
    ended = "; ".join(part for part in (ruled, f"ended: {cycle.why}") if part)
    text = {"open": waits, "clarifying": f"R2, {waits}", "ended": ended}.get(cycle.state, ruled)
    return visible(f"{cycle.id} {cycle.trigger.lower().replace('_', ' ')}: {text}")
