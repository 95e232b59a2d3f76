"""Snapshot of a project for the planner. The number of queries is bounded, however many tasks there are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from msgspec.structs import replace

from foureyes.app.context import Context, Count, IdRow, stamp
from foureyes.app.cycles.unreviewed_attempts import unreviewed
from foureyes.app.gate.merge_queue import Lease, is_live, items_of, obstacle, rules_of, settles_at
from foureyes.app.project.accepted_config import unaccepted
from foureyes.app.results.project import CounterRow
from foureyes.app.results.run import PauseView
from foureyes.app.runner.due_work import MOST_OF_A_KIND as DUE
from foureyes.app.runner.due_work import (
    SprintsSeen,
    WaitingChecks,
    called,
    no_longer_awaited,
    reviews_due,
    sprint_over,
    to_decide,
    waits_for_cooled,
)
from foureyes.app.runner.leases import checks_of_others
from foureyes.app.runner.live_runs import NO_ROOM, RunnerMemory
from foureyes.app.runner.profiles import Profiles
from foureyes.app.runner.rows import Cost, PastRow, ReadyRow, RunTask, SubmissionTime, Troubled
from foureyes.app.runner_registry import runners_seen
from foureyes.app.tasks.escalation import loop_state_of, profile_of
from foureyes.app.tasks.sprint_records import sprints_of
from foureyes.app.work.worktrees import reserved_by_others
from foureyes.core.nouns.cycle import Cycle
from foureyes.core.nouns.run import MAKES, Run
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.required import all_reviewers
from foureyes.core.runner.snapshot import AttentionItem, LiveState, PastRun, PutOff, Snapshot, TaskState
from foureyes.core.runner.steps import RunChecks
from foureyes.core.words.ids import TaskId
from foureyes.core.words.text import one_line
from foureyes.errors import FoureyesError

if TYPE_CHECKING:
    from foureyes.app.agent_ports import LocalAgents
    from foureyes.app.ports import NamedQuery, Tx
    from foureyes.app.results.run import Cooldown, RunnerState
    from foureyes.app.runner.live_runs import Options
    from foureyes.core.nouns.run import Purpose
    from foureyes.core.rules.policy import ReviewPolicy


# ---- Candidates ----

SPARE = 10
"""Number of extra candidates to read, because some wait for a profile."""


def states(
    context: Context, tx: Tx, runner: Actor, policy: ReviewPolicy, options: Options, free: int, *, sprints: bool = False
) -> list[TaskState]:
    """Return the first tasks that a run may start on: sent back, waiting for the lead, then new. `sprints` limits new
    tasks to running sprints. (X2)
    """
    limit = free + SPARE
    chosen = [task for task, _ in options.assigned]
    rows = tx.all("runner.some", ReadyRow, ids=chosen) if chosen else []
    rows += tx.all("runner.sent_back", ReadyRow, limit=limit)
    rows += tx.all("runner.leads", ReadyRow, limit=limit) if policy.tiers.lead != "human" else []
    rows += tx.all("sprint.ready" if sprints else "runner.ready", ReadyRow, limit=limit)
    taken = reserved_by_others(context, tx, runner) if tx.one("reservation.any", IdRow) is not None else {}
    by_id = {row.id: row for row in rows if row.id not in taken}
    ids = sorted(by_id)
    past = past_of(tx, ids, runner.host)
    of_sprint = sprints_of(tx, ids) if sprints else {}
    costs = {row.task: row.n for row in tx.all("runner.costs", Cost, ids=ids)} if ids else {}
    states = [_state(context, tx, policy, row, past.get(row.id, ()), costs.get(row.id, 0)) for row in by_id.values()]
    return [replace(state, sprint=of_sprint.get(state.id, "")) for state in states] if sprints else states


def past_of(tx: Tx, ids: Sequence[str], host: str) -> dict[str, tuple[PastRun, ...]]:
    """Return the failed runs of each task since its last submission or a person's last action on it."""
    past: dict[str, list[PastRun]] = defaultdict(list)
    for row in tx.all("runner.past", PastRow, ids=list(ids)) if ids else ():
        past[row.task].append(row.past(host))
    return {task: tuple(runs) for task, runs in past.items()}


def _state(
    context: Context, tx: Tx, policy: ReviewPolicy, row: ReadyRow, past: tuple[PastRun, ...], cost: int
) -> TaskState:
    profile, purpose = _turn(context, tx, policy, row)
    return TaskState(
        id=TaskId(row.id),
        status=row.status,
        priority=row.priority,
        n=row.n,
        ready=True,
        profile="" if profile == "human" else profile,
        purpose=purpose,
        has_feedback=row.iteration > 0,
        past=past,
        cost_micros=cost,
    )


def _turn(context: Context, tx: Tx, policy: ReviewPolicy, row: ReadyRow) -> tuple[str, Purpose]:
    """Return the profile and purpose of the task's next run. (E2, E4)"""
    if row.waiting_for == "lead":
        return policy.tiers.lead, "lead"
    if not row.iteration:
        return policy.tiers.developer, "implement"
    task = context.get(tx, TaskId(row.id))
    profile = profile_of(context, tx, task, loop_state_of(context, tx, task))
    to_answer = tx.one("finding.unresolved", Count, task=row.id)
    return profile, "respond" if to_answer is not None and to_answer.n else "implement"


def count_reviewing(tx: Tx) -> int:
    """Return the number of tasks in review."""
    return next((row.n for row in tx.all("project.counters", CounterRow) if row.name == "status:reviewing"), 0)


# ---- Other waiting items (P12) ----

TARGET_SECONDS = 30
"""How long a result of git is cached."""
MOST_WAITING = 5
WAITING_LINE_LENGTH = 200


class WaitingItems:
    """Items that wait but do not block the runner, with a cached result of git."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._unaccepted = ""
        self._until = ""
        self._counted: dict[str, int] = {}
        self._held: tuple[str, ...] = ()

    def ask(self) -> None:
        """Refresh the unaccepted configuration on the target. It calls git, so it must run before the snapshot's
        transaction. (P12)
        """
        if self._until > self._context.now():
            return
        self._until = stamp(self._context.clock.now() + timedelta(seconds=TARGET_SECONDS))
        try:
            with self._context.store.read() as tx:
                project = self._context.project(tx)
            left = unaccepted(self._context, project)
        except FoureyesError:
            return
        self._unaccepted = f"{left.text}: fe config accept" if left is not None and left.acceptable else ""

    def read(self, tx: Tx, agents: int) -> tuple[str, ...]:
        """Return one line per waiting item."""
        if self._unaccepted:
            self._until = min(self._until, self._context.later(1))  # show an acceptance soon
        texts = [self._unaccepted] if self._unaccepted else []
        return tuple(one_line(text, WAITING_LINE_LENGTH) for text in (*texts, *self._tasks(tx, agents)))

    def _tasks(self, tx: Tx, agents: int) -> Iterator[str]:
        counted = {row.name: row.n for row in tx.all("project.counters", CounterRow)}
        if not agents:
            if counted.get("ready"):
                yield "tasks are ready but no agents run here. To start some: fe run"
            return
        yield from self._held_now(tx, counted)
        for row in tx.all("runner.paused", Troubled, limit=MOST_WAITING):
            yield f"{row.id} is paused: {row.text} (fe resume {row.id} -m …)"

    def _held_now(self, tx: Tx, counted: dict[str, int]) -> tuple[str, ...]:
        """Return the held tasks, one line each. The search walks all open tasks, so it runs only if some are held and
        the counters changed.
        """
        if not counted.get("held"):
            return ()
        if counted != self._counted:
            rows = tx.all("runner.held", Troubled, limit=MOST_WAITING)
            self._held = tuple(f"{row.id} is held: {row.text} (fe resume {row.id} -m …)" for row in rows)
            self._counted = counted
        return self._held


# ---- Attention (E6) ----

MOST_ATTENTION_ROWS = 10
ATTENTION_LINE_LENGTH = 300


def attention(tx: Tx, policy: ReviewPolicy, cooled: Sequence[Cooldown]) -> tuple[AttentionItem, ...]:
    """Return the newest items of each kind that need a person."""
    rows = [
        AttentionItem(
            key=f"stuck:{row.id}:{row.seq}", text=f"{row.id} is stuck and needs a person: {row.text}   ({row.title})"
        )
        for row in tx.all("runner.stuck", Troubled, limit=MOST_ATTENTION_ROWS)
    ]
    rows += [
        AttentionItem(key=f"held:{row.id}:{row.seq}", text=f"{row.id} is held by a reviewer: {row.text} (R1)")
        for row in tx.all("runner.stopped", Troubled, limit=MOST_ATTENTION_ROWS)
    ]
    who = ("user", "lead") if policy.tiers.lead == "human" else ("user",)
    rows += [
        AttentionItem(key=f"loop:{row.id}:{row.text}", text=f"{row.id} needs a decision of a person: {row.text}")
        for row in tx.all("runner.loops", Troubled, who=list(who), limit=MOST_ATTENTION_ROWS)
    ]
    rows += [
        AttentionItem(key=f"blocked:{row.id}:{row.text}", text=f"{row.id} is blocked: {row.text}")
        for row in tx.all("runner.blocked", Troubled, limit=MOST_ATTENTION_ROWS)
    ]
    rows += [
        AttentionItem(key=f"cooled:{row.profile}:{row.error}", text=f"{row.profile} cannot be used: {row.error_text}")
        for row in cooled
        if row.error in ("auth", "crash") or (row.error == "missing" and row.until)
    ]
    rows += _cycles(tx, policy)
    return tuple(
        AttentionItem(key=one_line(row.key, ATTENTION_LINE_LENGTH), text=one_line(row.text, ATTENTION_LINE_LENGTH))
        for row in rows
    )


def _cycles(tx: Tx, policy: ReviewPolicy) -> list[AttentionItem]:
    """Return tasks paused by reviewers and tasks without a review. (V8)"""
    rows = tx.all("cycle.flagged", Cycle, limit=MOST_ATTENTION_ROWS)
    paused = {row.task for row in tx.all("run.pauses", PauseView) if row.made_by == "rule"}
    stopped = [
        row
        for row in rows
        if row.rule == "R0"
        or (row.rule == "R2" and row.state == "decided" and (row.task in paused or (row.wide and "" in paused)))
    ]
    items = [AttentionItem(key=f"cycle:{row.id}:{row.task}:{row.rule}", text=_ruled(row)) for row in stopped]
    return items + [
        AttentionItem(
            key=f"cycle:{row.cycle}:{row.task}:{row.state}", text=f"{row.task} was not reviewed: {row.sentence}"
        )
        for row in unreviewed(tx, all_reviewers(policy), MOST_ATTENTION_ROWS)
        if row.state != "decided"
    ]


def _ruled(cycle: Cycle) -> str:
    """Return the line about a cycle that waits for a person. (V8)"""
    what = "was not reviewed" if cycle.rule == "R0" else "is paused by reviewers"
    return f"{cycle.task} {what} ({cycle.id} {cycle.rule}): {'; '.join(cycle.reasons)}"


# ---- The snapshot ----

GRACE_SECONDS = 60
"""Seconds that a program may continue after its submission."""
QUEUE = 50
MIN_FREE_MB = 200
"""Least free disk space. With less, nothing starts. (X3)"""
MICROS, MIB = 1_000_000, 1 << 20
ALWAYS: list[NamedQuery] = [
    ("project.get", {}), ("project.settings", {}), ("project.counters", {}), ("journal.head", {}),
    ("run.runners", {}), ("run.cooled", {"host": ""}), ("run.pauses", {}), ("run.pauses_of", {"task": ""}),
    ("runner.left_claims", {"limit": QUEUE}), ("runner.clarifying", {"limit": DUE}),
    *((query, {"limit": MOST_ATTENTION_ROWS}) for query in ("runner.stuck", "runner.stopped", "runner.blocked",
                                             "cycle.flagged", "cycle.unreviewed")),
]  # fmt: skip
"""Queries that every snapshot needs."""


class SnapshotReader:
    """Reads snapshots. Between two of them it only keeps caches."""

    def __init__(self, context: Context, runner: Actor, agents: LocalAgents) -> None:
        self._context = context
        self._runner = runner
        self._profiles = Profiles(context, agents)
        self._checks = WaitingChecks(context, runner)
        self._waiting_items = WaitingItems(context)
        self._sprints = SprintsSeen()
        self._keeping = Keeping(context, agents)
        self.place = (0, 1)
        """This runner's position among the live runners, and their number, at the last snapshot."""

    def read(self, memory: RunnerMemory) -> Snapshot:
        """Return everything that the planner needs. Tasks being fetched from another machine are marked as stopped.
        (Q6)
        """
        self._waiting_items.ask()
        snapshot, fetched = (
            self._read(memory),
            dict.fromkeys(memory.fetching, "it was submitted on another machine and is being fetched"),
        )
        reviews = [replace(row, stopped=row.stopped or fetched.get(row.task, "")) for row in snapshot.reviews]
        tasks = [replace(row, stopped=row.stopped or fetched.get(row.id, "")) for row in snapshot.tasks]
        due = {*snapshot.checks_due, *snapshot.merges_due, *(row.task for row in reviews), *(row.id for row in tasks)}
        return replace(
            snapshot,
            reviews=tuple(reviews),
            tasks=tuple(tasks),
            fetching=bool(fetched),
            put_off=self._put_off(memory, due),
        )

    def _put_off(self, memory: RunnerMemory, due: Collection[TaskId]) -> dict[str, PutOff]:
        """Return the retries that still wait, for work that is still due."""
        checks = {RunChecks(task=task).name: off for task, off in self._checks.put_off.items()}
        known, now = {**checks, **memory.put_off}, self._context.now()
        return {name: off for name, off in known.items() if off.until > now and (off.task is None or off.task in due)}

    def _read(self, memory: RunnerMemory) -> Snapshot:
        """Read the snapshot in one transaction."""
        with self._context.store.read() as tx:
            tx.ahead(*ALWAYS)
            policy = self._context.gate_policy(tx)
            runs = self._runs(tx, memory)
            slots = self._profiles.slots(tx, self._runner)
            sprints = self._sprints.read(tx, memory)
            tasks = self._tasks(
                tx, policy, memory, runs, bound=bool(sprints or memory.sprint or memory.options.sprints)
            )
            merges_due, settles = self._merges(tx)
            self._checks.read(tx, policy, memory.checking)
            cooled = self._profiles.wake_at
            cooled = cooled if cooled and (tasks or waits_for_cooled(self._context, tx)) else ""
            project = self._context.project(tx)
            everywhere = tx.all("run.pauses_of", PauseView, task="")
            ends = [live.sprint.ends_at for live in sprints]
            return Snapshot(
                agents=memory.options.agents,
                host=self._runner.host,
                stopping=memory.stopping,
                starting=not (memory.options.once and memory.begun),
                until_idle=memory.options.until_idle or memory.options.once,
                paused=_paused(everywhere, project.hold),
                halted=_halted(everywhere, project.hold),
                reviews=reviews_due(self._context, tx, self._runner.host),
                called=called(self._context, tx, memory, policy, self._runner.host),
                to_decide=to_decide(self._context, tx),
                full=_full(tx, policy),
                no_room=self._no_room(policy, memory),
                sprints=sprints,
                sprint_over=sprint_over(tx, memory),
                only_sprints=memory.options.sprints,
                at=self._context.now(),
                held=project.hold or "",
                waiting_lines=self._waiting_items.read(tx, memory.options.agents),
                tasks=tuple(tasks),
                runs=tuple(runs),
                slots=tuple(slots),
                order=self._profiles.order,
                assigned=memory.options.assigned,
                checks_due=tuple(self._checks_due(tx, memory)),
                checks_running=len(memory.checking),
                checks_at_once=policy.run.checks_at_once,
                merges_due=merges_due,
                merging=bool(memory.merging),
                unsent=memory.unsent and self._context.remote(tx) is not None,
                sending=memory.sending,
                more=self._checks.more,
                wake_at=min(filter(None, (settles, cooled, *ends)), default=""),
                worth_waiting=bool(settles or cooled),
                max_runs_per_task=policy.run.max_runs_per_task,
                spend_micros=round(policy.run.spend_per_task * MICROS),
                spend_sprint_micros=round(policy.run.spend_per_sprint * MICROS),
                attention=attention(tx, policy, self._profiles.cooled),
                kept=self._keeping.read(tx),
                shown=frozenset(memory.shown),
            )

    # Runs

    def _runs(self, tx: Tx, memory: RunnerMemory) -> list[LiveState]:
        states = {str(row.session): state for row, state in runners_seen(self._context, tx)}
        at_work = [session for session, state in states.items() if state == "live"]
        mine = str(self._runner.session)
        self.place = (at_work.index(mine) if mine in at_work else len(at_work), len(at_work))
        runs = self._seen(tx, [session for session, state in states.items() if state in ("live", "silent")])
        ids = sorted({run.task for run in runs})
        tasks = {row.id: row for row in tx.all("runner.tasks", RunTask, ids=ids)} if ids else {}
        submitted = {row.id: row.at for row in tx.all("runner.submitted_task", SubmissionTime, ids=ids)} if ids else {}
        hold = self._context.project(tx).hold if runs else None
        unwanted, given = no_longer_awaited(tx, runs)
        live = [
            self._state(run, memory, tasks.get(run.task), states.get(run.runner), str(run.session or "") in given)
            for run in runs
        ]
        return [
            self._to_end(
                state,
                tasks.get(state.run.task),
                hold,
                given.get(str(state.run.session or ""), submitted.get(state.run.task, "")),
                state.run.id in unwanted,
            )
            for state in live
        ]

    def _seen(self, tx: Tx, living: Sequence[str]) -> list[Run]:
        """Return the live runs that concern this runner: its own, those on its host, reviews, clarifications, and runs
        without a runner or lease. Healthy runs on other machines are left out.
        """
        me, now = self._runner, self._context.now()
        return tx.all("run.seen", Run, runner=me.session, host=me.host, living=list(living), now=now)

    def _state(
        self, run: Run, memory: RunnerMemory, task: RunTask | None, runner: RunnerState | None, has_reviewed: bool
    ) -> LiveState:
        mine = run.runner == self._runner.session
        own = memory.current_runs.get(run.id) if mine else None
        is_done = has_reviewed or (task is not None and _is_done(run, task))
        if own is not None:
            return LiveState(run=run, outcome=own.outcome, left=own.left, asked=bool(own.asked), done=is_done)
        lost = mine or runner not in ("live", "silent") or run.until <= self._context.now()
        return LiveState(run=run, mine=mine, lost=lost, done=is_done)

    def _to_end(
        self, state: LiveState, task: RunTask | None, hold: str | None, since: str, is_unwanted: bool
    ) -> LiveState:
        """Return the run with why it should stop: a hold, a lost claim, or work after its submission. A hold of the
        task does not stop reviews and clarifications. (V9)
        """
        why = ""
        run = state.run
        if task is None:
            why = "its task was deleted"
        elif state.done:
            why = "it has submitted" if not since or self._is_ago(since, GRACE_SECONDS) else ""
        elif hold is not None or (task.hold is not None and run.purpose not in ("review", "clarify")):
            why = f"held: {hold or task.hold}"
        elif run.purpose in MAKES and (task.status != "in_progress" or task.implementer != run.session):
            why = f"it no longer has {run.task}, which is {task.status}"
        elif task.status == "closed":
            why = f"{run.task} is closed"
        elif is_unwanted:
            why = "its answer is no longer needed"
        if run.state == "reserved" or not why:
            return state
        return replace(state, stop=why)

    def _is_ago(self, moment: str, seconds: int) -> bool:
        return stamp(datetime.fromisoformat(moment) + timedelta(seconds=seconds)) <= self._context.now()

    # Tasks

    def _tasks(
        self, tx: Tx, policy: ReviewPolicy, memory: RunnerMemory, runs: Iterable[LiveState], *, bound: bool
    ) -> list[TaskState]:
        left = [
            TaskState(id=TaskId(row.id), status="in_progress", left_claim=True)
            for row in tx.all("runner.left_claims", IdRow, limit=QUEUE)
        ]
        free = memory.options.agents - sum(state.mine or state.lost for state in runs)
        if free <= 0 or memory.stopping or (memory.options.once and memory.begun):
            return left
        most = free + len(memory.put_off)  # tasks put off take no place
        return left + states(self._context, tx, self._runner, policy, memory.options, most, sprints=bound)

    def _checks_due(self, tx: Tx, memory: RunnerMemory) -> Iterable[TaskId]:
        """Yield the first due checks and the broken ones. Checks leased by another runner are skipped. (J4)"""
        due, broke = self._checks.due, [task for task in self._checks.put_off if task not in memory.checking]
        others = checks_of_others(self._context, tx, self._runner.session) if due or broke else set()
        rest = [task for task in due if RunChecks(task=task).name in memory.put_off]
        free = [task for task in due if task not in others and task not in rest][:QUEUE]
        return [*free, *[task for task in (*rest, *broke) if task not in others]]

    def _no_room(self, policy: ReviewPolicy, memory: RunnerMemory) -> str:
        """Return why the disk has no room, or an empty string. (X3)"""
        full = memory.put_off.get(NO_ROOM)
        if full is not None and full.until > self._context.now():
            return "the disk is full"
        free = self._context.outside.free_space()
        if free is None or free >= MIN_FREE_MB * MIB:
            return ""
        return f"only {free // MIB} MB are free on the disk, and a runner needs {MIN_FREE_MB} MB"

    # Merges

    def _merges(self, tx: Tx) -> tuple[tuple[TaskId, ...], str]:
        """Return the tasks that can merge now, and when the next approval settles. (Q0, Q1)"""
        items = items_of(tx, limit=QUEUE)
        if not items:
            return (), ""
        rules = rules_of(self._context, tx)
        for lease in tx.all("merge.leases", Lease):
            if is_live(self._context, lease) and lease.process != self._context.outside.process():
                return (), stamp(self._context.clock.now() + timedelta(seconds=5))
        free = {TaskId(item.task): settles_at(item, rules) for item in items if not obstacle(item, rules)}
        due = tuple(task for task, at in free.items() if at <= rules.now)
        return due, min((at for at in free.values() if at > rules.now), default="")


def _is_done(run: Run, task: RunTask) -> bool:
    """Return True if the run's result is recorded already."""
    if run.purpose == "lead":
        return task.waiting_for != "lead"
    if run.purpose in ("review", "clarify"):
        return False
    return task.iteration > run.iteration


def _paused(everywhere: Sequence[PauseView], hold: str | None) -> str:
    if everywhere:
        return f"the project is paused: {everywhere[0].reason} (fe resume --project -m …)"
    return f"the project is held: {hold} (fe resume --project -m …)" if hold is not None else ""


def _halted(everywhere: Sequence[PauseView], hold: str | None) -> str:
    """Return why nothing may start, not even a review: a person paused the project, or it is held. A pause by a rule
    stops only new work, so it is not included. (V9)
    """
    if hold is not None:
        return f"the project is held: {hold}"
    return next((each.reason for each in everywhere if each.made_by == "person"), "")


def _full(tx: Tx, policy: ReviewPolicy) -> str:
    """Return why no new task starts: too many wait for review."""
    limit = policy.run.review_limit
    if not limit:
        return ""
    waiting = count_reviewing(tx)
    return f"{waiting} tasks are waiting for review, and run.review_limit is {limit}" if waiting >= limit else ""


# ---- Data kept for closed tasks ----

HOMES_SECONDS = 60
MOST_RUNS = 500
"""Largest number of folders, and of runs of a task, to read."""


class Keeping:
    """Periodic search for closed tasks whose data is kept here."""

    def __init__(self, context: Context, agents: LocalAgents) -> None:
        self._context, self._agents = context, agents
        self._next = ""

    def read(self, tx: Tx) -> tuple[TaskId, ...]:
        """Return the closed tasks with data on this machine."""
        if self._next > self._context.now():
            return ()
        self._next = self._context.later(HOMES_SECONDS)
        kept = sorted(self._agents.kept())[:MOST_RUNS]
        rows = tx.all("runner.tasks", RunTask, ids=kept) if kept else []
        return tuple(TaskId(row.id) for row in rows if row.status == "closed")


def forget(context: Context, agents: LocalAgents, task: TaskId, host: str) -> bool:
    """Delete the data of a task. Return False if one of its runs here may still be alive."""
    with context.store.read() as tx:
        runs = [run for run in tx.all("run.of_task", Run, task=task, limit=MOST_RUNS) if run.host == host]
    if any(run.state != "ended" for run in runs):
        return False
    ids = [run.id for run in runs]
    if set(agents.end_left([], ids)) != set(ids):
        return False
    agents.forget(task)
    return True
