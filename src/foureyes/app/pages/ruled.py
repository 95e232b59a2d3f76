"""What review cycles stopped (V8, V9): work that R1 holds and that R2 pauses, with what the reviewers said and the ways
on.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.rows import IdRow
from foureyes.app.pages.stopped_runs import WHY, StandstillRow
from foureyes.app.views.pause import PauseView
from foureyes.core.words.fence import some
from foureyes.core.words.text import one_line
from foureyes.steps import by_person, fe

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.cycles.reading import HeldTask, WholeCycle
    from foureyes.app.pages.choices import CallerWays
    from foureyes.app.ports import Tx
    from foureyes.app.views.attention import Choice
    from foureyes.core.nouns.cycle import Cycle

REVIEWABLE = ("in_progress", "reviewing")
MOST_CYCLES = 50
LINE = 160
NAMED = 5
"""So many tasks a row names."""
WAIVED_MOST = 2
"""So many findings of a task can be waived from here."""


class BlockedBy(msgspec.Struct, frozen=True):
    """A blocker of an agent that may not stop its task (R1)."""

    task: str
    session: str
    name: str
    summary: str
    at: str


def ruled(context: Context, tx: Tx, ways: CallerWays) -> Iterator[StandstillRow]:
    """R1, R2, and R0 where nobody clarified: a row for each task that its last cycle stopped; R3 only flags."""
    if tx.one("cycle.flagged", IdRow, limit=1) is None:
        return
    from foureyes.core.nouns.cycle import Cycle

    flagged = tx.all("cycle.flagged", Cycle, limit=MOST_CYCLES)
    rows = {row.task: row for row in reversed(flagged) if row.rule != "R3"}
    if not rows:
        return
    from foureyes.app.cycles.reading import HeldTask, wholes

    known = {each.cycle.id: each for each in wholes(tx, list({row.id: row for row in rows.values()}.values()))}
    paused = {row.task for row in tx.all("run.pauses", PauseView) if row.made_by == "rule"}
    for held in tx.all("cycle.stands", HeldTask, ids=list(rows)):
        cycle = rows[held.id]
        stopped = held.hold is not None if cycle.rule == "R1" else held.id in paused
        if stopped:
            yield _halt(context, tx, ways, held, known[cycle.id])


def _halt(context: Context, tx: Tx, ways: CallerWays, held: HeldTask, known: WholeCycle) -> StandstillRow:
    task, cycle = held.id, known.cycle
    return StandstillRow(
        kind="pause",
        task=task,
        of=f"{task} {cycle.id}",
        text=f"rule {cycle.rule}: {'; '.join(cycle.reasons)}",
        since=cycle.ended_at or cycle.at,
        details=(
            *_said(tx, task, known),
            *([one_line(f"Held: {held.hold}", LINE)] if held.hold is not None else []),
            f"Paused by {cycle.id}: {task} only; other agents go on. Nothing is lost, its worktree is kept.",
            *_since(tx, task, cycle),
        ),
        choices=partial(_choices, context, tx, ways, held, known),
        otherwise=by_person(fe("resume", task, "-m", WHY)),
    )


def unheard_blockers(context: Context, tx: Tx, ways: CallerWays) -> Iterator[StandstillRow]:
    """R1: the blockers of agents that may not stop a task, a row for each agent, as long as they keep anybody from
    approving.
    """
    rows = tx.all("review.blocked_by", BlockedBy)
    if not rows:
        return
    from foureyes.app.call.facts import facts_for
    from foureyes.core.words.ids import TaskId

    facts = facts_for(context, tx, [TaskId(task) for task in dict.fromkeys(row.task for row in rows)])
    by_agent: dict[str, dict[str, BlockedBy]] = {}
    for row in rows:
        if row.session in facts[TaskId(row.task)].blocked_by:
            by_agent.setdefault(row.session, {}).setdefault(row.task, row)
    for agent, blocked in by_agent.items():
        last = next(iter(blocked.values()))
        yield StandstillRow(
            kind="review",
            of=agent,
            text=f"{last.name} reported a blocker on {some(list(blocked), NAMED)}, and was not asked to review",
            since=last.at,
            details=(
                *[one_line(f"{row.task}: {row.summary}", LINE) for row in list(blocked.values())[:NAMED]],
                "No agent and no rule approves these attempts; a person may.",
            ),
            choices=partial(ways.setting_aside, agent),
            otherwise=by_person(fe("resume", "--agent", agent, "-m", WHY)),
        )


def _since(tx: Tx, task: str, cycle: Cycle) -> Iterator[str]:
    """R2: what reviewers said after it was left to a person; that lifts nothing."""
    from foureyes.core.nouns.cycle import Cycle

    last = tx.all("cycle.latest", Cycle, task=task, limit=1)
    if cycle.state == "decided" and last and last[0].id != cycle.id and last[0].rule:
        yield one_line(f"Since then {last[0].id} {last[0].rule}: {'; '.join(last[0].reasons)}", LINE)
    if cycle.rule == "R1":
        yield "A person lets it go on (resume), or its reviewer withdraws the blocker."
    elif cycle.state == "decided":
        yield "Whatever reviewers say now, a person lets it go on (resume)."


def _said(tx: Tx, task: str, known: WholeCycle) -> Iterator[str]:
    """Who said what about it, and what was asked about that."""
    from foureyes.app.call.facts import parties_of

    reviews = [review for review in known.reviews if review.task == task]
    parties = parties_of(tx, {review.session for review in reviews}) if reviews else {}
    for review in reviews:
        name = party.name if (party := parties.get(review.session)) else str(review.session)
        whole = len(review.files) + len(review.missing)
        yield one_line(f"{name}, {len(review.files)}/{whole} files read, verdict {review.effective}:", LINE)
        yield f'  "{one_line(review.summary, LINE)}"'
    for asked in known.asked:
        if asked.task == task and asked.state == "not_given":
            yield one_line(f"{asked.reviewer} gave no review: {asked.why} {asked.text}", LINE)
    for point in known.points:
        if point.task == task:
            yield one_line(f"{point.id} {point.reviewer}: {point.text}", LINE)
            yield f"  {one_line(point.answer, LINE) or 'not answered yet'}"


def _choices(context: Context, tx: Tx, ways: CallerWays, held: HeldTask, known: WholeCycle) -> tuple[Choice, ...]:
    """Send back, resume, clarify, look again, waive: those that would not be refused."""
    from foureyes.app.findings.lookup import open_blocking

    task, cycle = held.id, known.cycle
    point = next((each for each in known.points if each.task == task and not each.answer), None)
    waived = [
        msgspec.structs.replace(choice, text=f"waive {finding.id}")
        for finding in open_blocking(tx, task, context.now())[:WAIVED_MOST]
        for choice in ways.waiving(task, finding.id)
    ]
    return (
        *ways.sending_back(task),
        *ways.resuming(task),
        *(ways.clarifying(cycle.id, point.id, task) if cycle.state == "clarifying" and point else ()),
        *(ways.asking_author(cycle.id, task, _who(context, tx, known)) if _may_ask(context, tx, known) else ()),
        *(ways.looking_again(task) if held.status in REVIEWABLE else ()),
        *waived,
    )


def _may_ask(context: Context, tx: Tx, known: WholeCycle) -> bool:
    from foureyes.app.review.clarifications import why_not_clarified

    return not why_not_clarified(context, tx, known)


def _who(context: Context, tx: Tx, known: WholeCycle) -> str:
    """Who is asked, and who looks again after that: the makers, then the reviewers who do not agree."""
    from foureyes.app.call.facts import parties_of
    from foureyes.core.words.ids import SessionId

    makers = [context.get(tx, task).implementer for task in known.tasks]
    against = [review.session for review in known.reviews if review.effective != "approved"]
    sessions = [SessionId(each) for each in dict.fromkeys([*against, *filter(None, makers)])]
    parties = parties_of(tx, set(sessions))
    return " and ".join(party.name for each in sessions if (party := parties.get(each))) or "its author"
