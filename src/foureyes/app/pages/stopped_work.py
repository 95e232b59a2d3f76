"""Stopped work that only a person can resolve: pauses, ended runners, cycles (V8, V9), broken checks (D5). (E6)"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from foureyes.app.context import IdRow, stamp
from foureyes.app.cycles.unreviewed_attempts import Unreviewed, unreviewed
from foureyes.app.results.run import Cooldown, PauseView, StuckView, once
from foureyes.app.runner_registry import LEASE_SECONDS
from foureyes.app.target import may_lack_merges
from foureyes.core.words.ids import TaskId
from foureyes.core.words.text import one_line
from foureyes.core.words.untrusted_text import named, some
from foureyes.steps import Steps, by_person, fe, phrase, prose

if TYPE_CHECKING:
    from foureyes.app.context import Context
    from foureyes.app.cycles.cycle_record import HeldTask, WholeCycle
    from foureyes.app.pages.attention import CallerWays
    from foureyes.app.ports import Tx
    from foureyes.app.results.project import ProjectView
    from foureyes.app.results.status import AttentionKind, Choice
    from foureyes.core.nouns.check import CheckState
    from foureyes.core.nouns.cycle import Cycle
    from foureyes.core.rules.policy import ReviewPolicy


# ---- Stopped runs (E6) ----

LINE = 160
MOST_OF_A_KIND = 50
WHY = phrase("why")
MADE = "The commits of its runs are on their branch, everything else is in their worktree. Nothing is lost."
MADE_NOTHING = "There is nothing new on its branch. Nothing is lost."
START = by_person(fe("run"))


class StoppedRow(msgspec.Struct, frozen=True, kw_only=True):
    """A stopped item, with the data for its attention row."""

    kind: AttentionKind
    text: str
    since: str
    task: str = ""
    of: str = ""
    details: tuple[str, ...] = ()
    choices: Callable[[], tuple[Choice, ...]] = tuple
    otherwise: Steps = START


class Stop(msgspec.Struct, frozen=True, kw_only=True):
    """A stored stop. `who` caused it or has to decide."""

    task: str
    title: str
    status: str
    text: str
    since: str
    who: str
    n: int = 0
    path: str = ""


class LeftRunner(msgspec.Struct, frozen=True, kw_only=True):
    """A runner that ended or went silent before its runs had ended."""

    session: str
    process: str
    host: str
    started_at: str
    until: str
    runs: int


class PausedSprint(msgspec.Struct, frozen=True, kw_only=True):
    """A paused sprint."""

    id: str
    why: str
    pause_kind: str
    at: str


class WaitsForPerson(msgspec.Struct, frozen=True, kw_only=True):
    """A person whose review is the only thing that a cycle waits for. An empty `reviewer` is any person. (V8)"""

    cycle: str
    task: str
    reviewer: str
    at: str


class Blocked(msgspec.Struct, frozen=True, kw_only=True):
    """A task whose agent or runner reported that it cannot continue."""

    task: str
    title: str
    why: str
    at: str


COOLED = {"auth": "is logged out", "missing": "is not installed", "crash": "fails on every task"}
MENDED = {
    "auth": "log in, then: ",
    "missing": "install it, or name another program in foureyes.toml, then: ",
    "crash": "read its output, then: ",
}


def halts(
    context: Context, tx: Tx, ways: CallerWays, by_rule: Collection[str] = (), reviewers: Collection[str] = ()
) -> Iterator[StoppedRow]:
    """Yield everything about runs that needs a person.

    `by_rule` names tasks whose review cycle already gives the reason. `reviewers` are those of the policy.
    """
    for pause in once(tx.all("run.pauses", PauseView)):
        if pause.made_by != "rule" or pause.task not in by_rule:
            yield _paused(pause, ways)
    for sprint in tx.all("sprint.paused", PausedSprint):
        yield _paused_sprint(sprint)
    for row in unreviewed(tx, reviewers, MOST_OF_A_KIND):
        if row.task not in by_rule:
            yield _unreviewed(row, ways)
    for waits in tx.all("cycle.waits_for_people", WaitsForPerson, limit=MOST_OF_A_KIND):
        yield _waits(waits)
    for stuck in tx.all("run.stuck", StuckView):
        yield _stuck(stuck, ways)
    for blocked in tx.all("run.blocked", Blocked, limit=MOST_OF_A_KIND):
        yield _blocked(blocked, ways)
    for left in tx.all("run.left_runners", LeftRunner):
        if left.until <= context.now() or context.outside.is_gone(left.process):
            yield _left(left, ways)
    for cooled in tx.all("run.cooled", Cooldown, host=""):
        if cooled.error in COOLED and cooled.holds(context.now()):
            yield _cooled(cooled)


def _paused(pause: PauseView, ways: CallerWays) -> StoppedRow:
    where = f"Only {pause.task} is paused, and other work continues." if pause.task else "Nothing new starts anywhere."
    return StoppedRow(
        kind="pause",
        task=pause.task,
        text=pause.reason if pause.task else f"the project: {pause.reason}",
        since=pause.at,
        details=(
            f"Paused by {'a rule' if pause.made_by == 'rule' else 'a person'}: {pause.reason}",
            f"{where} Current runs finish. Nothing is lost.",
            *([f"The reviews and the open questions: fe review show {pause.cycle}"] if pause.cycle else []),
        ),
        choices=lambda: ways.resuming(pause.task),
        otherwise=by_person(fe("resume", pause.task or "--project", "-m", WHY)),
    )


def _paused_sprint(sprint: PausedSprint) -> StoppedRow:
    """Return the row of a paused sprint. None of its tasks starts until a person resumes it or the reason is gone.
    (X3)
    """
    from foureyes.core.nouns.sprint import PASSING

    passes = (
        "It resumes automatically when that is solved." if sprint.pause_kind in PASSING else "A person must resume it."
    )
    return StoppedRow(
        kind="pause",
        of=sprint.id,
        text=f"sprint {sprint.id}: {one_line(sprint.why, LINE)}",
        since=sprint.at,
        details=(f"None of its tasks starts: {sprint.why}", f"Current runs finish. {passes} Nothing is lost."),
        otherwise=by_person(fe("sprint", "start", sprint.id)),
    )


def _unreviewed(row: Unreviewed, ways: CallerWays) -> StoppedRow:
    return StoppedRow(
        kind="review",
        task=row.task,
        of=row.cycle,
        text=row.sentence,
        since=row.at,
        details=(
            *[one_line(cause, LINE) for cause in row.causes],
            "No reviewer is left to ask, so a person must review it. Nothing approves it automatically.",
            f"Read the change: fe show {row.task} --diff. A person who is not its author may then: fe approve {row.task}",
        ),
        choices=lambda: (*ways.sending_back(row.task), *ways.rerunning(row.task)),
        otherwise=fe("show", row.task, "--diff"),
    )


def _waits(row: WaitsForPerson) -> StoppedRow:
    """Return the row of a cycle that waits for a person. While it is open, no rule approves. (V8)"""
    from foureyes.core.nouns.cycle import ANY_PERSON

    who = row.reviewer if row.reviewer == ANY_PERSON else named(one_line(row.reviewer, LINE))
    who = who if row.reviewer else "any reviewer"
    why = (
        f"{who} was asked to review it, and all others have answered."
        if row.reviewer
        else "No reviewer could be asked."
    )
    return StoppedRow(
        kind="review",
        task=row.task,
        of=f"{row.cycle} {row.reviewer}",
        text=f"{who} {'must' if row.reviewer else 'may'} review it ({row.cycle})",
        since=row.at,
        details=(why, "Nothing approves it automatically until then."),
        otherwise=by_person(fe("review", "decide", row.cycle, "--now")),
    )


def _stuck(stuck: StuckView, ways: CallerWays) -> StoppedRow:
    return StoppedRow(
        kind="run",
        task=stuck.task,
        text=stuck.why,
        since=stuck.at,
        details=(
            f"The runner cannot continue: {stuck.why}",
            f"The output of its agents: fe logs {stuck.task}",
            MADE_NOTHING if stuck.kind == "no_change" else MADE,
        ),
        choices=lambda: ways.resuming(stuck.task),
        otherwise=by_person(fe("resume", stuck.task, "-m", WHY)),
    )


def merges_stopped(context: Context, tx: Tx, project: ProjectView) -> Iterator[StoppedRow]:
    """Yield a row if the target lacks the last recorded merge, because then nothing is merged. (Q6)"""
    if not may_lack_merges(context, tx, project):
        return
    from foureyes.app.target_merges import amiss

    if stop := amiss(context, tx, project):
        details = (
            "Nothing is merged until the target has it again, or a person confirms that it was intended. Nothing is lost.",
        )
        yield StoppedRow(kind="merge", of="target", text=stop.text, since="", details=details, otherwise=stop.next)


def _blocked(blocked: Blocked, ways: CallerWays) -> StoppedRow:
    return StoppedRow(
        kind="blocked",
        task=blocked.task,
        text=blocked.why,
        since=blocked.at,
        details=(f"{blocked.title} (blocked)", f"Its agent cannot continue: {blocked.why}", "Nothing is lost."),
        choices=lambda: ways.unblocking(blocked.task),
        otherwise=by_person(fe("unblock", blocked.task, "-m", WHY)),
    )


def _left(left: LeftRunner, ways: CallerWays) -> StoppedRow:
    runs = "1 run" if left.runs == 1 else f"{left.runs} runs"
    return StoppedRow(
        kind="runner",
        of=left.session,
        text=f"the runner on {left.host} is gone and left {runs}",
        since=_last_sign(left),
        details=(
            "Its agents ended with it. Their work is in their worktrees.",
            "The next runner continues their tasks.",
        ),
        choices=ways.launching,
    )


def _last_sign(left: LeftRunner) -> str:
    """Return a runner's last sign of life, computed from the end of its lease. (J4)"""
    if not left.until:
        return left.started_at
    heard = stamp(datetime.fromisoformat(left.until) - timedelta(seconds=LEASE_SECONDS))
    return max(heard, left.started_at)


def _cooled(cooled: Cooldown) -> StoppedRow:
    what = COOLED[cooled.error]
    return StoppedRow(
        kind="run",
        of=f"{cooled.profile} {cooled.host}",
        text=f"{cooled.profile} {what} on {cooled.host}. Its tasks go to other agents where the rules allow it.",
        since=cooled.at,
        details=(one_line(cooled.error_text, LINE),) if cooled.error_text else (),
        otherwise=prose(MENDED[cooled.error]) + fe("agent", "list"),
    )


# ---- Tasks stopped by a cycle (V8, V9) ----

REVIEWABLE = ("in_progress", "reviewing")
MOST_CYCLES = 50
NAMED = 5
"""Number of tasks to name in a row."""
WAIVED_MOST = 2
"""Number of a task's findings that can be waived here."""


class BlockedBy(msgspec.Struct, frozen=True):
    """A blocker of an agent that may not stop the task. (R1)"""

    task: str
    session: str
    name: str
    summary: str
    at: str


def ruled(context: Context, tx: Tx, ways: CallerWays) -> Iterator[StoppedRow]:
    """Yield a row for each task that its last cycle stopped (R0, R1, R2). R3 only flags and gets none."""
    if tx.one("cycle.flagged", IdRow, limit=1) is None:
        return
    from foureyes.core.nouns.cycle import Cycle

    flagged = tx.all("cycle.flagged", Cycle, limit=MOST_CYCLES)
    rows = {row.task: row for row in reversed(flagged) if row.rule != "R3"}
    if not rows:
        return
    from foureyes.app.cycles.cycle_record import HeldTask, wholes

    known = {each.cycle.id: each for each in wholes(tx, list({row.id: row for row in rows.values()}.values()))}
    paused = {row.task for row in tx.all("run.pauses", PauseView) if row.made_by == "rule"}
    for held in tx.all("cycle.stands", HeldTask, ids=list(rows)):
        cycle = rows[held.id]
        stopped = held.hold is not None if cycle.rule == "R1" else held.id in paused
        if stopped:
            yield _halt(context, tx, ways, held, known[cycle.id])


def _halt(context: Context, tx: Tx, ways: CallerWays, held: HeldTask, known: WholeCycle) -> StoppedRow:
    task, cycle = held.id, known.cycle
    return StoppedRow(
        kind="pause",
        task=task,
        of=f"{task} {cycle.id}",
        text=f"{'. '.join(cycle.reasons)} ({cycle.rule})",
        since=cycle.ended_at or cycle.at,
        details=(
            *_said(tx, task, known),
            *([one_line(f"Held: {held.hold}", LINE)] if held.hold is not None else []),
            f"Stopped by the review cycle {cycle.id}. Other agents continue. Nothing is lost, and its worktree is kept.",
            *_since(tx, task, cycle),
        ),
        choices=partial(_choices, context, tx, ways, held, known),
        otherwise=by_person(fe("resume", task, "-m", WHY)),
    )


def unheard_blockers(context: Context, tx: Tx, ways: CallerWays) -> Iterator[StoppedRow]:
    """Yield a row for each agent whose blockers stopped no task but keep others from approving. (R1)"""
    rows = tx.all("review.blocked_by", BlockedBy)
    if not rows:
        return
    from foureyes.app.facts import facts_for
    from foureyes.core.words.ids import TaskId

    facts = facts_for(context, tx, [TaskId(task) for task in dict.fromkeys(row.task for row in rows)])
    by_agent: dict[str, dict[str, BlockedBy]] = {}
    for row in rows:
        if row.session in facts[TaskId(row.task)].blocked_by:
            by_agent.setdefault(row.session, {}).setdefault(row.task, row)
    for agent, blocked in by_agent.items():
        last = next(iter(blocked.values()))
        yield StoppedRow(
            kind="review",
            of=agent,
            text=f"{last.name} reported a blocker on {some(list(blocked), NAMED)}, but was not asked to review it",
            since=last.at,
            details=(
                *[one_line(f"{row.task}: {row.summary}", LINE) for row in list(blocked.values())[:NAMED]],
                "No agent and no rule can approve these attempts. A person can.",
            ),
            choices=partial(ways.setting_aside, agent),
            otherwise=by_person(fe("resume", "--agent", agent, "-m", WHY)),
        )


def _since(tx: Tx, task: str, cycle: Cycle) -> Iterator[str]:
    """Yield lines about later reviews, which do not lift the pause. (R2)"""
    from foureyes.core.nouns.cycle import Cycle

    last = tx.all("cycle.latest", Cycle, task=task, limit=1)
    if cycle.state == "decided" and last and last[0].id != cycle.id and last[0].rule:
        yield one_line(f"Since then, {last[0].id}: {'. '.join(last[0].reasons)} ({last[0].rule})", LINE)
    if cycle.rule == "R1":
        yield "A person must resume it, or its reviewer must withdraw the blocker."
    elif cycle.state == "decided":
        yield "A person must resume it, whatever reviewers say now."


def _said(tx: Tx, task: str, known: WholeCycle) -> Iterator[str]:
    """Yield lines about the reviews and questions of a task."""
    from foureyes.app.facts import parties_of

    reviews = [review for review in known.reviews if review.task == task]
    parties = parties_of(tx, {review.session for review in reviews}) if reviews else {}
    for review in reviews:
        name = party.name if (party := parties.get(review.session)) else str(review.session)
        whole = len(review.files) + len(review.missing)
        yield one_line(f"{name}, {len(review.files)}/{whole} files read, verdict {review.effective}:", LINE)
        yield f'  "{one_line(review.summary, LINE)}"'
    for asked in known.requested:
        if asked.task == task and asked.state == "not_given":
            yield one_line(f"{asked.reviewer} gave no review: {asked.why} {asked.text}", LINE)
    for point in known.points:
        if point.task == task:
            yield one_line(f"{point.id} {point.reviewer}: {point.text}", LINE)
            yield f"  {one_line(point.answer, LINE) or 'not answered yet'}"


def _choices(context: Context, tx: Tx, ways: CallerWays, held: HeldTask, known: WholeCycle) -> tuple[Choice, ...]:
    """Return the choices that would not be refused: send back, resume, clarify, review again, waive."""
    from foureyes.app.findings.raising import open_blocking

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
        *(ways.rerunning(task) if held.status in REVIEWABLE else ()),
        *waived,
    )


def _may_ask(context: Context, tx: Tx, known: WholeCycle) -> bool:
    from foureyes.app.review.cycle_verbs import why_not_clarified

    return not why_not_clarified(context, tx, known)


def _who(context: Context, tx: Tx, known: WholeCycle) -> str:
    """Name the sessions to ask: reviewers who did not approve, and the authors."""
    from foureyes.app.facts import parties_of
    from foureyes.core.words.ids import SessionId

    makers = [context.get(tx, task).implementer for task in known.tasks]
    against = [review.session for review in known.reviews if review.effective != "approved"]
    sessions = [SessionId(each) for each in dict.fromkeys([*against, *filter(None, makers)])]
    parties = parties_of(tx, set(sessions))
    return " and ".join(party.name for each in sessions if (party := parties.get(each))) or "its author"


# ---- Work in review whose required checks broke (D5, E6) ----


def broken_checks(context: Context, tx: Tx, policy: ReviewPolicy, most: int) -> Iterator[StoppedRow]:
    """Yield a row for each task in review that waits for a broken required check."""
    rows = tx.all("board.broken_checks", IdRow, limit=most)
    if not rows:
        return
    from foureyes.app.facts import facts_for
    from foureyes.core.rules.check_states import broken_of, check_states

    for task, facts in facts_for(context, tx, [TaskId(row.id) for row in rows]).items():
        broke = [state for state in check_states(facts, policy) if broken_of(facts, state) is not None]
        if broke:
            yield _row(task, facts.task.title, broke)


def _row(task: TaskId, title: str, broke: list[CheckState]) -> StoppedRow:
    from foureyes.core.nouns.check import moves_on

    lines = [f"{state.rule.name} {state.word.replace('_', ' ')} ({one_line(state.summary, LINE)})" for state in broke]
    return StoppedRow(
        kind="check",
        task=task,
        text=", ".join(lines),
        since=max(state.result.at for state in broke if state.result),
        details=(
            f"{title} (reviewing)",
            *lines,
            "This says nothing about the work, so it is neither sent back nor approved automatically.",
            f"The full output: fe check show {task}",
        ),
        otherwise=moves_on(broke[0], task, by_anyone=False),
    )
