"""`fe stats reviews|reviewers|loops|security`: figures from the journal; small charts on a terminal, plain tables
elsewhere.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence

import click
import msgspec

from foureyes.app.views.stats import LoopRow, LoopStats
from foureyes.core.loop.metrics import ReviewerScore, ReviewStats, Share
from foureyes.steps import fe
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, verb
from foureyes.ui.cli.security import show_security
from foureyes.ui.steps import next_line

EIGHTHS = " ▏▎▍▌▋▊▉"
WIDEST_BAR = 40
MICROS = 1_000_000
NARROWEST_BAR = 4
LIMIT = click.option(
    "--limit", type=click.IntRange(1, 10_000), default=50, show_default=True, help="How many rows to show."
)


class Style(msgspec.Struct, frozen=True):
    """How figures are drawn: for a terminal of this width, and with which characters."""

    terminal: bool = False
    blocks: bool = True
    width: int = 80

    @property
    def nothing(self) -> str:
        """What stands for a figure that there is none of."""
        return "–" if self.blocks else "-"


def style() -> Style:
    """As the caller's terminal is."""
    encoding = (sys.stdout.encoding or "utf-8").lower().replace("-", "")
    return Style(output.on_terminal(), encoding == "utf8", shutil.get_terminal_size().columns)


@click.group("stats")
def stats() -> None:
    """Show figures from the journal."""


@verb("security", example="fe stats security")
@click.option("--limit", type=click.IntRange(1, 10_000), default=100, show_default=True)
def stats_security(session: Session, limit: int) -> None:
    """Same as fe security."""
    show_security(session, limit)


@verb("reviews", example="fe stats reviews")
def stats_reviews(session: Session) -> None:
    """Show how reviews go. Shows iterations to approval, what became of findings, escalations and time in each status."""
    view = session.app.stats.reviews()
    session.answer(view, reviews_text(view, style()))


@verb("reviewers", example="fe stats reviewers")
@LIMIT
def stats_reviewers(session: Session, limit: int) -> None:
    """Compare reviewers: precision, coverage, misses, time. Also files that they claim to have read and their program
    does not report, and findings whose quote is nowhere in the code. Profiles also get the time and cost of their runs.
    """
    rows = session.app.stats.reviewers()
    if session.json:
        output.write_lines(rows[:limit])
        return
    output.write(reviewers_text(rows, limit, style()))


@verb("loops", example="fe stats loops")
@LIMIT
def stats_loops(session: Session, limit: int) -> None:
    """List tasks that go round in review. Tasks waiting for a decision come first, then those one round before it."""
    view = session.app.stats.loops()
    if session.json:
        output.write_json(msgspec.structs.replace(view, tasks=view.tasks[:limit]))
        return
    output.write(loops_text(view, limit, style()))


# Reviews


def reviews_text(view: ReviewStats, how: Style) -> str:
    """All figures, then the distributions."""
    if not (
        view.reviews or view.findings or view.iterations.tasks or view.invalid.n or view.exceptions or view.statuses
    ):
        return f"nothing was reviewed yet\n{next_line(fe('reviewable'))}"
    parts = [output.table(("FIGURE", "VALUE", "COUNTED"), _figures(view, how))]
    buckets = [
        (f"{row.iterations}", row.tasks, output.count(row.tasks, "task")) for row in view.iterations.distribution
    ]
    parts += chart("ITERATIONS TO APPROVAL", buckets, how)
    tiers = [(row.tier, row.n, f"{row.n}, {row.unclear} after unclear feedback") for row in view.escalations]
    parts += chart("ESCALATIONS TO", tiers, how)
    spent = [
        (
            row.status,
            row.total_seconds,
            f"{lasting(row.total_seconds)}, median {lasting(row.median_seconds)}, {output.count(row.tasks, 'task')}",
        )
        for row in view.statuses
    ]
    parts += chart(f"TIME IN STATUS ({_timed(view.timed_tasks)})", spent, how)
    parts += chart("EXCEPTIONS", [(row.kind, row.n, str(row.n)) for row in view.exceptions], how)
    return "\n\n".join(parts)


def _timed(timed: Share) -> str:
    all_of = output.count(timed.of, "closed task")
    return all_of if timed.n == timed.of else f"the last {timed.n} of {all_of}"


def _figures(view: ReviewStats, how: Style) -> list[tuple[str, str, str]]:
    def number(value: float | None) -> str:
        return how.nothing if value is None else f"{value:.1f}"

    def of(share: Share, what: str) -> tuple[str, str]:
        return share.percent if share.of else how.nothing, f"{share.n} of {share.of} {what}"

    tasks = output.count(view.iterations.tasks, "approved task")
    return [
        ("iterations to approval, mean", number(view.iterations.mean), tasks),
        ("iterations to approval, median", number(view.iterations.median), tasks),
        ("approved by rule alone", *of(view.automatic, "approved tasks")),
        ("open blocking", str(view.open_blocking), f"of {output.count(view.blocking, 'blocking finding')}"),
        ("rejected", *of(view.rejected, "blocking findings")),
        ("rejections accepted", *of(view.rejections_accepted, "rejections")),
        ("false fixes", *of(view.false_fixes, "fixes judged")),
        ("reopened", *of(view.reopened, "findings settled")),
        ("notes adopted", *of(view.notes_adopted, "notes")),
        ("missed: found after an approval", *of(view.missed, "blocking findings")),
        ("escalated after unclear feedback", *of(view.after_unclear_feedback, "escalations")),
        ("actionable reviews", *of(view.actionable, "reviews")),
        ("incomplete reviews", *of(view.incomplete, "reviews")),
        ("invalid reviews", *of(view.invalid, "documents")),
        ("tokens", "not reported" if view.tokens is None else str(view.tokens), ""),
        ("cost", "not reported" if view.cost is None else view.cost, ""),
    ]


# Reviewers


def reviewers_text(rows: Sequence[ReviewerScore], limit: int, how: Style) -> str:
    """The scorecard; on a terminal with a bar for the precision."""
    if not rows:
        return f"nobody has reviewed yet\n{next_line(fe('reviewable'))}"
    head = (
        "REVIEWER",
        "AGENT",
        "MODEL",
        "REVIEWS",
        "FINDINGS",
        "PRECISION",
        "COVERAGE",
        "UNTOLD",
        "UNANCHORED",
        "MISSED",
        "SENT BACK",
        "MEDIAN TIME",
        "RUN",
        "COST",
    )
    parts = [output.table(head, [_score(row, how) for row in rows[:limit]])]
    judged = [
        (row.name, row.precision.n / row.precision.of, _share(row.precision, how))
        for row in rows[:limit]
        if row.precision.of
    ]
    parts += chart("PRECISION", judged, how, most=1.0) if how.terminal else []
    parts += [f"{len(rows) - limit} more: --limit {len(rows)}"] if len(rows) > limit else []
    return "\n\n".join(parts)


def _score(row: ReviewerScore, how: Style) -> tuple[str, ...]:
    time = how.nothing if row.median_seconds is None else lasting(row.median_seconds)
    shares = (_share(row.precision, how), _share(row.coverage, how), str(row.untold), _share(row.unanchored, how))
    who = (row.name, row.agent or how.nothing, row.model or how.nothing)
    counts = (str(row.missed), str(row.invalid + row.misquoted))
    return (*who, str(row.reviews), str(row.findings), *shares, *counts, time, *_runs(row, how))


def _runs(row: ReviewerScore, how: Style) -> tuple[str, str]:
    """How long a run of it takes, and what all of them have cost."""
    lasted = how.nothing if row.run_seconds is None else lasting(row.run_seconds)
    tokens = row.input_tokens + row.output_tokens
    cost = f"{row.cost_micros / MICROS:.2f}" if row.cost_micros else f"{tokens:,} tokens" if tokens else how.nothing
    return lasted, cost


def _share(share: Share, how: Style) -> str:
    return f"{share.percent} ({share.n}/{share.of})" if share.of else how.nothing


# Loops


def loops_text(view: LoopStats, limit: int, how: Style) -> str:
    """The totals, the tasks, and what each is about to do."""
    totals = view.totals
    if not totals.loops:
        return "no task goes round"
    parts = [f"{output.count(totals.loops, 'task')} going round: {totals.stuck} stuck, {totals.near} near escalation"]
    head = ("TASK", "STATUS", "TIER", "ITERATIONS", "NO PROGRESS", "OPEN BLOCKING", "ESCALATIONS", "STANDS")
    parts.append(output.table(head, [_loop(row) for row in view.tasks[:limit]]))
    parts += chart("TIERS", [(row.kind, row.n, str(row.n)) for row in totals.tiers], how)
    parts += chart("STEPS EVER TAKEN", [(row.kind, row.n, str(row.n)) for row in totals.steps], how)
    parts += chart("RUNS THAT ENDED ODDLY", [(row.kind, row.n, str(row.n)) for row in totals.odd_ends], how)
    parts += [f"{len(view.tasks) - limit} more: --limit {len(view.tasks)}"] if len(view.tasks) > limit else []
    parts += [f"{totals.left_off} more were not looked at"] if totals.left_off else []
    first = next((row for row in view.tasks if row.pressure), view.tasks[0])
    return "\n\n".join(parts) + f"\n{next_line(fe('show', first.task))}"


def _loop(row: LoopRow) -> tuple[str, ...]:
    stands = f"waits for {row.waiting_for}: {row.why}" if row.waiting_for else row.warning or "goes on"
    numbers = (row.iterations, row.no_progress, row.open_blocking, row.escalations)
    return (row.task, row.status, row.tier, *map(str, numbers), stands)


# Drawing


def chart(title: str, rows: Sequence[tuple[str, float, str]], how: Style, *, most: float = 0.0) -> list[str]:
    """A heading and a bar per row, as long as the width allows; without a terminal a table of the same. Nothing for no
    rows.
    """
    if not rows:
        return []
    if not how.terminal:
        return [output.table((title, ""), [(label, text) for label, _, text in rows])]
    names, texts = max(len(label) for label, _, _ in rows), max(len(text) for _, _, text in rows)
    room = max(NARROWEST_BAR, min(WIDEST_BAR, how.width - names - texts - 6))
    top = most or max(n for _, n, _ in rows)
    return [
        "\n".join(
            [
                title,
                *[
                    f"  {label:<{names}}  {bar(n, top, room, blocks=how.blocks):<{room}}  {text}"
                    for label, n, text in rows
                ],
            ]
        )
    ]


def bar(n: float, most: float, width: int, *, blocks: bool) -> str:
    """A bar of at most `width` characters, in eighths of one; something, however little, is never drawn as nothing."""
    if n <= 0 or most <= 0:
        return ""
    if not blocks:
        return "#" * max(1, round(width * min(n, most) / most))
    whole, eighths = divmod(max(1, round(8 * width * min(n, most) / most)), 8)
    return "█" * whole + (EIGHTHS[eighths] if eighths else "")


def lasting(seconds: int) -> str:
    """How long, in the largest unit that fits, to one decimal from hours on."""
    for size, unit in ((86_400, "d"), (3_600, "h")):
        if seconds >= size:
            return f"{seconds * 10 // size / 10} {unit}"
    return f"{seconds // 60} min" if seconds >= 60 else f"{seconds} s"


for _command in (stats_reviews, stats_reviewers, stats_loops, stats_security):
    stats.add_command(_command)
