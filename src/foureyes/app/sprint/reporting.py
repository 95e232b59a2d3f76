"""The report of a sprint: what a person reads in the morning. Everything is from the journal (G6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.app.pages.review_queue import Queue
from foureyes.app.sprint.looking import failures, incomplete
from foureyes.app.sprint.planning import target_view
from foureyes.app.tasks.sprinting import find, tasks_of, zone_of
from foureyes.app.views.sprint import ReportedTask, SprintReport
from foureyes.core.sprint.progress import clock_of, parts, progress_of, sentence, stage_of
from foureyes.core.words.text import one_line
from foureyes.errors import FoureyesError
from foureyes.steps import Steps, fe

if TYPE_CHECKING:
    from datetime import tzinfo

    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx
    from foureyes.core.nouns.session import Actor
    from foureyes.core.nouns.sprint import Sprint
    from foureyes.core.sprint.progress import SprintTask, Stage

RISKS = {"high": "look closely", "medium": "look", "low": "routine"}
WHY = 200


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """What the runs of a sprint took."""

    runs: int
    seconds: int
    cost_micros: int
    input_tokens: int
    output_tokens: int


class MergedTask(msgspec.Struct, frozen=True, kw_only=True):
    """A task that went through, and who agreed."""

    id: str
    title: str
    sha: str = ""
    rule: str = ""
    name: str = ""


class SeverityCount(msgspec.Struct, frozen=True):
    """How many findings of a severity are in a state."""

    severity: str
    state: str
    n: int


class SprintHalt(msgspec.Struct, frozen=True, kw_only=True):
    """What stopped a sprint, or let it go on."""

    kind: str
    why: str
    at: str


def report(context: Context, actor: Actor, name: str) -> SprintReport:
    """All of it. What waits comes by risk, the riskiest first, as in the queue (H1)."""
    waiting = _by_risk(context, actor)
    with context.store.read() as tx:
        sprint = find(tx, name, "report")
        rows = tasks_of(tx, sprint.id)
        page = _report(context, tx, sprint, rows, waiting)
    why = incomplete(context, actor, sprint) if sprint.started_at else ()
    return msgspec.structs.replace(page, incomplete=why)


def _report(
    context: Context, tx: Tx, sprint: Sprint, rows: list[SprintTask], waiting: dict[str, tuple[int, str]]
) -> SprintReport:
    how_far, zone = progress_of(sprint, rows), zone_of(context, sprint)
    spent = tx.one("sprint.spent", Spent, sprint=sprint.id, after=sprint.started_seq)
    assert spent is not None
    severities = tx.all("sprint.findings", SeverityCount, sprint=sprint.id, after=sprint.started_seq)
    end = sprint.ended_at or context.now()
    in_review = sorted(_of(rows, "reviewing"), key=lambda row: waiting.get(row.id, (len(waiting), ""))[0])
    return SprintReport(
        id=sprint.id,
        state=sprint.state,
        target=target_view(context, sprint.target, sprint.ends_at),
        sentence=sentence(parts(sprint, how_far, context.clock.now(), zone)),
        why=sprint.why,
        started_at=sprint.started_at,
        ended_at=sprint.ended_at,
        elapsed_seconds=_between(sprint.started_at, end) if sprint.started_at else 0,
        work_seconds=spent.seconds,
        runs=spent.runs,
        cost_micros=spent.cost_micros,
        input_tokens=spent.input_tokens,
        output_tokens=spent.output_tokens,
        merged=tuple(map(_merged, tx.all("sprint.merged", MergedTask, sprint=sprint.id))),
        approved=tuple(_line(row, "approved, waits to be merged") for row in _of(rows, "merging")),
        waiting=tuple(_waiting(row, waiting) for row in in_review),
        failed=tuple(
            ReportedTask(task=row.task, title=row.title, why=row.why, next=fe("show", row.task))
            for row in failures(tx, sprint, rows)
        ),
        unfinished=tuple(_line(row, _unfinished(row)) for row in _of(rows, "running", "begun")),
        untouched=tuple(_line(row, "" if row.ready else "waits for another task") for row in _of(rows, "todo")),
        out=tuple(_line(row, row.resolution or row.status) for row in _of(rows, "out")),
        findings=_total(severities),
        open_findings=how_far.blocking,
        halts=tuple(_halt(row, zone) for row in tx.all("sprint.halts", SprintHalt, sprint=sprint.id)),
        checkpoint=sprint.checkpoint,
        next=_next(sprint, len(in_review)),
    )


def _by_risk(context: Context, actor: Actor) -> dict[str, tuple[int, str]]:
    """Where each task stands in the review queue, and its risk."""
    try:
        rows = Queue(context).view(actor).rows
    except FoureyesError:  # a broken configuration, a repository that cannot be read: the queue itself says so
        return {}
    return {row.task: (place, row.risk.level) for place, row in enumerate(rows)}


def _of(rows: list[SprintTask], *wanted: Stage) -> list[SprintTask]:
    return [row for row in rows if stage_of(row) in wanted]


def _line(row: SprintTask, why: str) -> ReportedTask:
    return ReportedTask(task=row.id, title=row.title, why=why)


def _unfinished(row: SprintTask) -> str:
    if stage_of(row) == "running":
        return "at work"
    return f"sent back, round {row.iteration + 1}" if row.iteration else "to be tried again"


def _waiting(row: SprintTask, waiting: dict[str, tuple[int, str]]) -> ReportedTask:
    risk = waiting.get(row.id, (0, ""))[1]
    return ReportedTask(
        task=row.id, title=row.title, risk=risk, why=RISKS.get(risk, ""), next=fe("show", row.id, "--diff")
    )


def _merged(row: MergedTask) -> ReportedTask:
    by = "rule" if row.rule in ("M4", "M5") else row.name
    return ReportedTask(task=row.id, title=row.title, sha=row.sha, by=by)


def _total(rows: list[SeverityCount]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.severity] = counts.get(row.severity, 0) + row.n
        if row.state in ("open", "claimed", "disputed"):
            counts["open"] = counts.get("open", 0) + row.n
    return counts


def _halt(row: SprintHalt, zone: tzinfo) -> str:
    what = "went on" if row.kind == "resumed" else "paused"
    return one_line(f"{clock_of(row.at, zone)} {what}: {row.why}", WHY)


def _between(first: str, last: str) -> int:
    from datetime import datetime

    return max(0, int((datetime.fromisoformat(last) - datetime.fromisoformat(first)).total_seconds()))


def _next(sprint: Sprint, waiting: int) -> Steps:
    if waiting:
        return fe("queue")
    return fe("validate", "--sprint", sprint.id) if sprint.state == "ended" else fe("sprint", "status", sprint.id)
