"""The merge queue as read: its items, why they wait, and which process merges one. (Q0, Q1, Q4)"""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec

from foureyes.app.context import Context, Count, refuse_task, stamp
from foureyes.app.facts import attempt_of
from foureyes.app.gate.landing import holds_change
from foureyes.app.outcome import merge_by
from foureyes.app.ports import Tx
from foureyes.app.results.attempt import MergeItem
from foureyes.app.results.task_list import Link
from foureyes.app.stacked_tasks import inside_of, passed_by
from foureyes.app.target import branch_here, remote_of, sent_merges, tip_there
from foureyes.app.target_merges import MergeStop, stopped
from foureyes.core.nouns.session import Actor
from foureyes.core.nouns.task import Task
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.four_eyes import GLASS
from foureyes.core.words.ids import Sha
from foureyes.errors import ConfigError, Reason
from foureyes.steps import Steps, by_person, fe, phrase

ALL = 2**62


class Lease(msgspec.Struct, frozen=True):
    """The process that merges a task, and when its lease ends. (J4)"""

    task: str
    state: str
    until: str
    process: str
    host: str
    beacon: str = ""
    """Lock that the process or its runner holds while connected, "" if none."""


def is_live(context: Context, lease: Lease) -> bool:
    """Return True if a lease is valid: not expired, its process has not ended, and its lock is taken. (J4, Q4)"""
    if lease.state != "merging" or lease.until <= context.now():
        return False
    return not context.outside.is_gone(lease.process) and not (lease.beacon and context.store.dark([lease.beacon]))


def lease_words(lease: Lease) -> str:
    """Describe the machine and the end of a lease. (J4)"""
    where = f" on {lease.host}" if lease.host else ""
    return f"{where}, until {lease.until[11:16]} UTC at the latest"


def unheard(context: Context, tx: Tx) -> list[str]:
    """Return tasks with an unconfirmed push by a process that has ended. The next `fe merge` settles them. (Q4)"""
    sent = sent_merges(tx)
    live = {lease.task for lease in (tx.all("merge.leases", Lease) if sent else []) if is_live(context, lease)}
    return [task for task in sent if task not in live]


def refuse_while_merging(context: Context, tx: Tx, task: Task) -> None:
    """Refuse to withdraw an approval while the task is being merged. (Q1, T `withdraw`)"""
    lease = tx.one("merge.of", Lease, task=task.id)
    if lease is not None and task.status == "approved" and is_live(context, lease):
        reason = Reason("Q1", f"{task.id} is being merged now{lease_words(lease)}", fe("merge", "--list"))
        refuse_task(task.id, "was not changed", reason)


def there_if_approved(context: Context, task: str) -> Sha | None:
    """Return the remote's target if the task is approved. Call it before the transaction that ends an approval."""
    with context.store.read() as tx:
        is_approved = context.find(tx, task).status == "approved"
    return tip_there(context) if is_approved else None


def refuse_landed(context: Context, tx: Tx, task: Task, there: Sha | None) -> None:
    """Refuse to end an approval whose head is on the target already, because an interrupted merge got that far. (Q4)

    `there` is the remote's target. If the remote gave no answer, refuse nothing, because refuse_sent() covers the
    gate's own pushes.
    """
    if task.status != "approved":
        return
    attempt, target = attempt_of(tx, task.id), context.project(tx).target
    tip = there if remote_of(context, tx) else branch_here(context, target)
    made = context.repo.merged_by(attempt.head, tip) if attempt is not None and tip is not None else None
    if attempt is not None and made is not None and holds_change(context, attempt, made):
        reason = Reason("Q4", f"the approved work of {task.id} is already on the target branch", fe("merge"))
        refuse_task(task.id, "was not changed", reason)


def items_of(tx: Tx, *, after: int = 0, limit: int = ALL) -> list[MergeItem]:
    """Return the queue by priority, then by time of approval, optionally only a part of it."""
    rows = _queued(tx, after=after, limit=limit)
    return [msgspec.structs.replace(row, n=number) for number, row in enumerate(rows, after + 1)]


def place_in_queue(tx: Tx, facts: Facts) -> int:
    """Return the place that a task would get in the queue when approved, 0 if it has nothing to merge."""
    if facts.attempt is None or not facts.attempt.is_merged_later:
        return 0
    before = tx.one("merge.before", Count, priority=facts.task.priority)
    return before.n + 1 if before else 1


def _queued(tx: Tx, *, after: int = 0, limit: int = ALL) -> list[MergeItem]:
    """Return the rows by priority, then by time of approval."""
    rows = tx.all("merge.queue", MergeItem, after=after, limit=limit)
    inside = inside_of(tx, [row.task for row in rows])
    passed = passed_by(tx, [row.approval for row in rows if row.exception == GLASS])
    return [
        msgspec.structs.replace(row, inside=inside.get(row.task, ()), passed=passed.get(row.approval, ()))
        for row in rows
    ]


class Rules(msgspec.Struct, frozen=True):
    """Conditions for all items, read once: the project's hold, the settle time, and the current time."""

    hold: str | None
    settle_seconds: int
    now: str
    stop: MergeStop | None = None
    """Why this clone cannot merge, for pages that ask. (Q6)"""


def rules_of(context: Context, tx: Tx, *, with_stop: bool = False) -> Rules:
    """Read the conditions. `with_stop`: also why this clone cannot merge, without asking the remote."""
    seconds, project = context.gate_policy(tx).human.settle_seconds, context.project(tx)
    return Rules(project.hold, seconds, context.now(), stopped(context, tx, project) if with_stop else None)


def explain(context: Context, item: MergeItem, rules: Rules, actor: Actor | None = None) -> MergeItem:
    """Return the item with why it waits and this caller's next step. A lease whose process has ended is ignored."""
    lease = Lease(item.task, item.state, item.until, item.process, item.host, item.beacon)
    if item.state == "merging" and not is_live(context, lease):
        item = msgspec.structs.replace(item, state="waiting", why="")
    why = f"being merged now{lease_words(lease)}" if item.state == "merging" else waits_for(item, rules)
    why = why or (rules.stop.text if rules.stop else "")
    return msgspec.structs.replace(item, why=why or item.why, ready=not why, next=_step(item, rules, actor))


def _step(item: MergeItem, rules: Rules, actor: Actor | None) -> Steps:
    """Return the next step for an item."""
    if rules.hold is not None or item.hold is not None:
        held = "--project" if item.hold is None else item.task
        return by_person(fe("resume", held, "-m", phrase("why")))
    if first := merged_first(item):
        return fe("show", first[0])
    if item.open_deps or item.state == "merging":
        return fe("show", item.task)
    if rules.stop is not None:
        return rules.stop.next
    return merge_by(actor, "--wait") if settles_at(item, rules) > rules.now else merge_by(actor)


def next_for(context: Context, tx: Tx, task: str, actor: Actor) -> Steps:
    """Return the next step for an approved task, for its page. If the configuration is invalid, point to the queue."""
    item = next((item for item in _queued(tx) if item.task == task), None)
    try:
        step = (
            explain(context, item, rules_of(context, tx, with_stop=True), actor).next if item else fe("merge", "--list")
        )
    except ConfigError:
        return fe("merge", "--list")
    if step != fe("show", task):
        return step
    waits = [link.id for link in tx.all("task.dependencies", Link, id=task) if link.status != "closed"]
    return fe("show", waits[0]) if waits else fe("merge", "--list")


def merged_first(item: MergeItem) -> list[str]:
    """Return the tasks to merge before this item.

    Return none if the work of a task inside cannot stay. The item is then processed, and its approval ends. (A7)
    """
    rows = [row for row in item.inside if row.task not in item.passed]
    return [] if any(row.refused for row in rows) else [row.task for row in rows if row.first]


def waits_for(item: MergeItem, rules: Rules) -> str:
    """Return why an item cannot be merged yet, or "". (Q0, Q1)"""
    return obstacle(item, rules) or _settling(item, rules)


def _settling(item: MergeItem, rules: Rules) -> str:
    until = settles_at(item, rules)
    if until <= rules.now:
        return ""
    day = "" if until[:10] == rules.now[:10] else f"{until[:10]} "
    ahead = " (the clock of the approving machine is ahead)" if item.approved_at > rules.now else ""
    return f"its approval can be withdrawn until {day}{until[11:19]}{ahead} (Q0)"


def obstacle(item: MergeItem, rules: Rules) -> str:
    """Return why an item cannot be merged, apart from its settle time, or ""."""
    if rules.hold is not None or item.hold is not None:
        return f"held: {item.hold or rules.hold}"
    if item.open_deps:
        return f"waits for {item.open_deps} {'dependency' if item.open_deps == 1 else 'dependencies'}"
    if first := merged_first(item):
        return f"waits for {', '.join(first)}, whose work it contains (A7)"
    return ""


def settles_at(item: MergeItem, rules: Rules) -> str:
    """Return until when a person's approval can be withdrawn before the queue merges it. "" for other approvals.
    (Q0)
    """
    if item.approver_kind != "human":
        return ""
    return stamp(datetime.fromisoformat(item.approved_at) + timedelta(seconds=rules.settle_seconds))


def seconds_to_next(items: list[MergeItem], rules: Rules, *, alone: bool) -> float | None:
    """Return the seconds until the first item has settled, of those that wait only for that. None if there are none.
    (Q0)

    An item that has settled counts as 0, unless another process is merging and will take it.
    """
    moments = [settles_at(item, rules) for item in items if not obstacle(item, rules)]
    waits = [_between(rules.now, moment) for moment in moments if alone or moment > rules.now]
    return min(waits, default=None)


def _between(now: str, moment: str) -> float:
    if moment <= now:
        return 0.0
    return (datetime.fromisoformat(moment) - datetime.fromisoformat(now)).total_seconds()
