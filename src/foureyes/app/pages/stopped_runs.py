"""What of agents' runs only a person can move (E6): pauses, tasks that runners have done with, dead runners, profiles
that need a login.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.context import stamp
from foureyes.app.call.leasing import LEASE_SECONDS
from foureyes.app.call.rows import IdRow
from foureyes.app.cycles.unreviewed import Unreviewed, unreviewed
from foureyes.app.views.pause import PauseView, once
from foureyes.app.views.standstill import Cooldown, StuckView
from foureyes.core.words.fence import named
from foureyes.core.words.text import one_line
from foureyes.steps import Steps, by_person, fe, phrase, prose

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.pages.choices import CallerWays
    from foureyes.app.ports import Tx
    from foureyes.app.views.attention import AttentionKind, Choice
    from foureyes.app.views.project import ProjectView

LINE = 160
MOST_OF_A_KIND = 50
WHY = phrase("why")
MADE = "What runs committed is on the branch that they had checked out, the rest in their worktree. Nothing is lost."
MADE_NOTHING = "There is nothing new on its branch. Nothing is lost."
START = by_person(fe("run"))


class StandstillRow(msgspec.Struct, frozen=True, kw_only=True):
    """Something that stands still, as a row of attention needs it."""

    kind: AttentionKind
    text: str
    since: str
    task: str = ""
    of: str = ""
    details: tuple[str, ...] = ()
    choices: Callable[[], tuple[Choice, ...]] = tuple
    otherwise: Steps = START


class Stop(msgspec.Struct, frozen=True, kw_only=True):
    """Something that stopped, as the store has it; `who` is whom it was stopped by or waits for."""

    task: str
    title: str
    status: str
    text: str
    since: str
    who: str
    n: int = 0
    path: str = ""


class LeftRunner(msgspec.Struct, frozen=True, kw_only=True):
    """A runner that ended, or never said so, while runs of its own had not."""

    session: str
    process: str
    host: str
    started_at: str
    until: str
    runs: int


class PausedSprint(msgspec.Struct, frozen=True, kw_only=True):
    """A sprint that is paused, why, and since when."""

    id: str
    why: str
    pause_kind: str
    at: str


class WaitsForPerson(msgspec.Struct, frozen=True, kw_only=True):
    """V8: a person whom a cycle waits for, and nobody else; empty where nobody could be asked, and anybody may look."""

    cycle: str
    task: str
    reviewer: str
    at: str


class Blocked(msgspec.Struct, frozen=True, kw_only=True):
    """A task of which an agent, or its runner for it, said that it cannot go on."""

    task: str
    title: str
    why: str
    at: str


COOLED = {"auth": "is logged out", "missing": "is not there", "crash": "fails on every task"}
MENDED = {
    "auth": "log in, then: ",
    "missing": "install it, or name another in foureyes.toml, then: ",
    "crash": "read its output, then: ",
}


def halts(
    context: Context, tx: Tx, ways: CallerWays, by_rule: Collection[str] = (), reviewers: Collection[str] = ()
) -> Iterator[StandstillRow]:
    """Everything of runs that waits for a person; `by_rule`: tasks whose review cycle says already why they wait,
    `reviewers`: whom the policy names.
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


def _paused(pause: PauseView, ways: CallerWays) -> StandstillRow:
    where = f"{pause.task} only; other work goes on." if pause.task else "Nothing new begins anywhere."
    return StandstillRow(
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


def _paused_sprint(sprint: PausedSprint) -> StandstillRow:
    """X3: none of its tasks begins until somebody says so, or its reason is gone."""
    from foureyes.core.nouns.sprint import PASSING

    passes = "It resumes by itself when that is solved." if sprint.pause_kind in PASSING else "A person resumes it."
    return StandstillRow(
        kind="pause",
        of=sprint.id,
        text=f"sprint {sprint.id}: {one_line(sprint.why, LINE)}",
        since=sprint.at,
        details=(f"None of its tasks starts: {sprint.why}", f"Current runs finish. {passes} Nothing is lost."),
        otherwise=by_person(fe("sprint", "start", sprint.id)),
    )


def _unreviewed(row: Unreviewed, ways: CallerWays) -> StandstillRow:
    return StandstillRow(
        kind="review",
        task=row.task,
        of=row.cycle,
        text=row.sentence,
        since=row.at,
        details=(
            *[one_line(cause, LINE) for cause in row.causes],
            "No reviewer is left to ask. A person has to review it, and nothing approves it automatically.",
            f"Read the change: fe show {row.task} --diff. A person who is not its author may then: fe approve {row.task}",
        ),
        choices=lambda: (*ways.sending_back(row.task), *ways.looking_again(row.task)),
        otherwise=fe("show", row.task, "--diff"),
    )


def _waits(row: WaitsForPerson) -> StandstillRow:
    """V8: nobody else moves such a cycle, and while it is open no rule approves."""
    from foureyes.core.nouns.cycle import ANY_PERSON

    who = row.reviewer if row.reviewer == ANY_PERSON else named(one_line(row.reviewer, LINE))
    who = who if row.reviewer else "any reviewer"
    why = (
        f"{who} was asked to review it, and all others have answered."
        if row.reviewer
        else "No reviewer could be asked."
    )
    return StandstillRow(
        kind="review",
        task=row.task,
        of=f"{row.cycle} {row.reviewer}",
        text=f"{row.cycle} waits for {who}",
        since=row.at,
        details=(why, "Nothing approves it automatically until then."),
        otherwise=by_person(fe("review", "decide", row.cycle, "--now")),
    )


def _stuck(stuck: StuckView, ways: CallerWays) -> StandstillRow:
    return StandstillRow(
        kind="run",
        task=stuck.task,
        text=stuck.why,
        since=stuck.at,
        details=(
            f"The runner cannot continue: {stuck.why}",
            f"Output of its programs: fe logs {stuck.task}",
            MADE_NOTHING if stuck.kind == "no_change" else MADE,
        ),
        choices=lambda: ways.resuming(stuck.task),
        otherwise=by_person(fe("resume", stuck.task, "-m", WHY)),
    )


def merges_stopped(context: Context, tx: Tx, project: ProjectView) -> Iterator[StandstillRow]:
    """Q6: that the target lacks the last merge on record, and so nothing is merged."""
    if tx.one("merge.any", IdRow) is None:
        return
    from foureyes.app.call.merge_stops import amiss

    if stop := amiss(context, tx, project):
        details = (
            "Nothing is merged until the target has it again, or a person confirms that it was intended. Nothing is lost.",
        )
        yield StandstillRow(kind="merge", of="target", text=stop.text, since="", details=details, otherwise=stop.next)


def _blocked(blocked: Blocked, ways: CallerWays) -> StandstillRow:
    return StandstillRow(
        kind="blocked",
        task=blocked.task,
        text=blocked.why,
        since=blocked.at,
        details=(f"{blocked.title} (blocked)", f"Its agent cannot go on: {blocked.why}", "Nothing is lost."),
        choices=lambda: ways.unblocking(blocked.task),
        otherwise=by_person(fe("unblock", blocked.task, "-m", WHY)),
    )


def _left(left: LeftRunner, ways: CallerWays) -> StandstillRow:
    runs = "1 run" if left.runs == 1 else f"{left.runs} runs"
    return StandstillRow(
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
    """When a runner was last heard of: a lease is renewed for a time to come (J4)."""
    if not left.until:
        return left.started_at
    heard = stamp(datetime.fromisoformat(left.until) - timedelta(seconds=LEASE_SECONDS))
    return max(heard, left.started_at)


def _cooled(cooled: Cooldown) -> StandstillRow:
    what = COOLED[cooled.error]
    return StandstillRow(
        kind="run",
        of=f"{cooled.profile} {cooled.host}",
        text=f"{cooled.profile} {what} on {cooled.host}. Its tasks go to other agents where the rules allow it.",
        since=cooled.at,
        details=(one_line(cooled.error_text, LINE),) if cooled.error_text else (),
        otherwise=prose(MENDED[cooled.error]) + fe("agent", "list"),
    )
