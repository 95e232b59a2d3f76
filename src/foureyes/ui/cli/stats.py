"""`fe stats`: one page of figures from the journal."""

from __future__ import annotations

from collections.abc import Sequence

import click
import msgspec

from foureyes.core.loop.metrics import ReviewerScore, Share, Stats
from foureyes.steps import fe
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, verb
from foureyes.ui.steps import next_line

NOTHING = "-"
MICROS = 1_000_000


@verb("stats", example="fe stats")
@click.option(
    "--limit",
    type=click.IntRange(1, 10_000),
    default=100,
    show_default=True,
    metavar="N",
    help="Maximum number of rows.",
)
def stats(session: Session, limit: int) -> None:
    """Show how reviews go. It shows iterations to approval, results of findings, escalations, and a scorecard for
    each reviewer: precision, coverage, misses, time and cost.
    """
    view = session.app.stats.show()
    shown = msgspec.structs.replace(view, reviewers=view.reviewers[:limit])
    session.answer(shown, stats_text(shown, len(view.reviewers)))


def stats_text(view: Stats, reviewers: int) -> str:
    """Return the figures and scorecards. `reviewers` is the total number of reviewers."""
    if not (view.reviews or view.findings or view.approved or reviewers):
        return f"nothing has been reviewed yet\n{next_line(fe('list', '--reviewable'))}"
    parts = [output.table(("FIGURE", "VALUE", "COUNTED"), _figures(view))]
    if view.reviewers:
        parts.append(output.table(SCORECARD, [_score(row) for row in view.reviewers]))
    if reviewers > len(view.reviewers):
        parts.append(f"{reviewers - len(view.reviewers)} more: --limit {reviewers}")
    return "\n\n".join(parts)


def _figures(view: Stats) -> Sequence[tuple[str, str, str]]:
    def of(share: Share, what: str) -> tuple[str, str]:
        return share.percent, f"{share.n} of {share.of} {what}"

    return (
        ("reviews with actionable feedback", *of(view.actionable, "reviews")),
        ("iterations to approval, mean", _number(view.iterations), output.count(view.approved, "approved task")),
        ("iterations to approval with blocking findings, mean", _number(view.iterations_with_findings), ""),
        ("escalations after unclear feedback", *of(view.unclear, "escalations")),
        ("blocking findings missed on approval", *of(view.missed, "blocking findings")),
        ("open blocking findings", str(view.open_blocking), f"of {output.count(view.blocking, 'blocking finding')}"),
        ("rejected", *of(view.rejected, "blocking findings")),
        ("rejections accepted", *of(view.rejections_accepted, "rejections")),
        ("notes adopted", *of(view.notes_adopted, "notes")),
        ("approved by rule alone", *of(view.automatic, "approved tasks")),
    )


SCORECARD = (
    "REVIEWER", "AGENT", "MODEL", "REVIEWS", "FINDINGS", "PRECISION", "COVERAGE", "UNTOLD", "UNANCHORED", "MISSED",
    "SENT BACK", "MEDIAN TIME", "RUN", "COST",
)  # fmt: skip


def _score(row: ReviewerScore) -> tuple[str, ...]:
    tokens = row.input_tokens + row.output_tokens
    return (
        row.name,
        row.agent or NOTHING,
        row.model or NOTHING,
        str(row.reviews),
        str(row.findings),
        _share(row.precision),
        _share(row.coverage),
        str(row.unconfirmed),
        _share(row.unanchored),
        str(row.missed),
        str(row.sent_back),
        lasting(row.median_seconds),
        lasting(row.run_seconds),
        f"{row.cost_micros / MICROS:.2f}" if row.cost_micros else f"{tokens:,} tokens" if tokens else NOTHING,
    )


def _number(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.1f}"


def _share(share: Share) -> str:
    return f"{share.percent} ({share.n}/{share.of})" if share.of else NOTHING


def lasting(seconds: int | None) -> str:
    """Return a duration in the largest unit that fits, with one decimal for hours and days."""
    if seconds is None:
        return NOTHING
    for size, unit in ((86_400, "d"), (3_600, "h")):
        if seconds >= size:
            return f"{seconds * 10 // size / 10} {unit}"
    return f"{seconds // 60} min" if seconds >= 60 else f"{seconds} s"
