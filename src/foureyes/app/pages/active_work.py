"""Active work: live claims and runs, when they started, and their last sign of life. (T1)"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from foureyes.app.context import seconds_since
from foureyes.app.results.run import AgentRow, Cooldown, Resting
from foureyes.app.runner_registry import left_runs
from foureyes.core.nouns.run import Run
from foureyes.core.rules.policy import ReviewPolicy
from foureyes.core.words.text import one_line

if TYPE_CHECKING:
    from foureyes.app.context import Context
    from foureyes.app.ports import Tx


MOST_CLAIMS = 100
LINE = 120


class ClaimRow(msgspec.Struct, frozen=True, kw_only=True):
    """A stored claim."""

    task: str
    title: str
    iteration: int
    tier: str
    since: str
    session: str
    name: str
    kind: str
    last_seen_at: str
    ended: bool
    line: str
    line_at: str


def claims_of(
    context: Context, tx: Tx, policy: ReviewPolicy | None, *, most: int = MOST_CLAIMS
) -> tuple[AgentRow, ...]:
    """Return live claims by priority, up to `most`. They are `silent` by the same rule that `unstart` uses."""
    limit = context.ago((policy or ReviewPolicy()).claim_stale_minutes)
    return tuple(_row(context, row, limit) for row in tx.all("board.claims", ClaimRow, limit=most))


class LatestWord(msgspec.Struct, frozen=True, kw_only=True):
    """The last message of the agent that works on a task. (S3)"""

    task: str
    title: str
    word: str
    text: str
    at: str


def at_work(context: Context, tx: Tx, policy: ReviewPolicy | None) -> tuple[AgentRow, ...]:
    """Return live claims with their runs, and runs that have no claim, such as reviews and those just starting."""
    claims, runs = claims_of(context, tx, policy), tx.all("run.live", Run, host="")
    if not runs:
        return claims
    heard = {row.task: row for row in tx.all("board.heard", LatestWord, ids=[run.task for run in runs])}
    by_task: dict[str, Run] = {run.task: run for run in runs if run.role == "implement"}
    rows = [_of_run(row, by_task[row.task], heard) if row.task in by_task else row for row in claims]
    claimed = {row.task for row in claims}
    rows += [_beginning(context, run, heard) for run in runs if run.task not in claimed or run.role != "implement"]
    left, of = left_runs(context, tx), {str(run.id): run.runner for run in runs}
    return tuple(replace(row, left=left.get(of.get(row.run, ""), "")) for row in rows)


def _of_run(row: AgentRow, run: Run, heard: dict[str, LatestWord]) -> AgentRow:
    latest = heard.get(row.task)
    is_newer = latest is not None and latest.word and latest.at >= row.line_at
    line = one_line(f"{latest.word.replace('_', ' ')}: {latest.text}", LINE) if latest and is_newer else row.line
    return replace(row, run=run.id, profile=run.profile, stopping=run.stop_asked, line=line)


def _beginning(context: Context, run: Run, heard: dict[str, LatestWord]) -> AgentRow:
    """Return the row of a run without a claim."""
    since = run.started_at or run.reserved_at
    latest = heard.get(run.task)
    return AgentRow(
        session=run.session or "",
        name=run.profile,
        kind="agent",
        task=run.task,
        title=latest.title if latest else "",
        iteration=run.iteration,
        tier="",
        since=since,
        age_seconds=seconds_since(context, since),
        quiet_seconds=0,
        silent=False,
        line="begins" if run.state == "reserved" else "reads" if run.role == "review" else run.purpose,
        line_at=since,
        run=run.id,
        profile=run.profile,
        stopping=run.stop_asked,
        reviews=run.role == "review",
    )


def resting(context: Context, tx: Tx) -> tuple[Resting, ...]:
    """Return the profiles in cooldown."""
    rows = tx.all("run.cooled", Cooldown, host="")
    now = context.now()
    return tuple(
        Resting(profile=row.profile, until=row.until, error=row.error, text=one_line(row.error_text, LINE))
        for row in rows
        if row.holds(now)
    )


def _row(context: Context, row: ClaimRow, limit: str) -> AgentRow:
    return AgentRow(
        session=row.session,
        name=row.name,
        kind=row.kind,
        task=row.task,
        title=row.title,
        iteration=row.iteration + 1,
        tier=row.tier,
        since=row.since,
        age_seconds=seconds_since(context, row.since),
        quiet_seconds=seconds_since(context, row.last_seen_at),
        silent=row.ended or row.last_seen_at <= limit,
        line=one_line(row.line, LINE),
        line_at=row.line_at,
    )
