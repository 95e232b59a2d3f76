"""What waits to be merged, what each item waits for, and who is at work on it (Q0, Q1, Q4)."""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec

from foureyes.app.call.attempts import attempt_of
from foureyes.app.call.context import Context, stamp
from foureyes.app.call.refusals import refuse_task
from foureyes.app.call.stacks import drawn_of, from_below, passed_by
from foureyes.app.ports import Tx
from foureyes.app.views.merge import MergeItem
from foureyes.core.nouns.task import Task
from foureyes.core.rules.four_eyes import GLASS
from foureyes.errors import Reason
from foureyes.steps import Steps, by_person, by_person_or_service, fe, phrase

ALL = 2**62


class Lease(msgspec.Struct, frozen=True):
    """Who is merging a task, and until when that holds (J4)."""

    task: str
    state: str
    until: str
    process: str
    host: str


def is_live(context: Context, lease: Lease) -> bool:
    """Q4: a lease holds until its time is up or its process is shown to have ended."""
    return lease.state == "merging" and lease.until > context.now() and not context.outside.is_gone(lease.process)


def refuse_while_merging(context: Context, tx: Tx, task: Task) -> None:
    """T `withdraw`: until the merge queue has leased it."""
    lease = tx.one("merge.of", Lease, task=task.id)
    if lease is not None and task.status == "approved" and is_live(context, lease):
        reason = Reason("Q1", f"{task.id} is being merged now", fe("merges", "list"))
        refuse_task(task.id, "was not changed", reason)


def refuse_landed(context: Context, tx: Tx, task: Task) -> None:
    """Q4: a merge that was cut off after the branch had moved is a merge; what is on the target is not taken back by a
    word.
    """
    attempt = attempt_of(tx, task.id)
    tip = context.repo.commit_of(f"refs/heads/{context.project(tx).target}") if task.status == "approved" else None
    if attempt is not None and tip is not None and context.repo.is_ancestor(attempt.head, tip):
        reason = Reason("Q4", f"the approved head of {task.id} is on the target branch already", fe("merge"))
        refuse_task(task.id, "was not changed", reason)


def items_of(tx: Tx, *, after: int = 0, limit: int = ALL) -> list[MergeItem]:
    """What is approved and not merged, by priority, then order of approval, and what is merged first before what stands
    on it (A7); a window of it where one is asked for.
    """
    rows = tx.all("merge.queue", MergeItem, after=after, limit=limit)
    stacks = drawn_of(tx, [row.task for row in rows])
    passed = passed_by(tx, [row.approval for row in rows if row.exception == GLASS])
    items = [
        msgspec.structs.replace(row, stack=stacks.get(row.task, ()), passed=passed.get(row.approval, ()))
        for row in rows
    ]
    return [msgspec.structs.replace(row, n=number) for number, row in enumerate(from_below(items), after + 1)]


class Rules(msgspec.Struct, frozen=True):
    """What every item waits by: the project's hold, how long a person's approval settles, the time. Read once for all
    of them.
    """

    hold: str | None
    settle_seconds: int
    now: str


def rules_of(context: Context, tx: Tx) -> Rules:
    """The rules in force now."""
    seconds = context.gate_policy(tx).human.settle_seconds
    return Rules(context.project(tx).hold, seconds, context.now())


def explain(context: Context, item: MergeItem, rules: Rules) -> MergeItem:
    """The item with what it waits for. A lease does not count once its process has ended."""
    lease = Lease(item.task, item.state, item.until, item.process, item.host)
    if item.state == "merging" and not is_live(context, lease):
        item = msgspec.structs.replace(item, state="waiting", why="")
    why = "being merged now" if item.state == "merging" else waits_for(item, rules)
    return msgspec.structs.replace(item, why=why or item.why, next=_step(item, rules))


def _step(item: MergeItem, rules: Rules) -> Steps:
    """What brings an item on: what it waits for, or the merge."""
    if rules.hold is not None or item.hold is not None:
        held = "--project" if item.hold is None else item.task
        return by_person(fe("resume", held, "-m", phrase("why")))
    if first := merged_first(item):
        return fe("show", first[-1])
    if item.open_deps or item.state == "merging":
        return fe("show", item.task)
    if item.state == "stuck":
        return fe("merges", "retry", item.task)
    return fe("merge", "--wait") if settles_at(item, rules) > rules.now else fe("merge")


def for_an_agent(item: MergeItem) -> MergeItem:
    """The item as an agent sees it: the queue is not theirs to work off (D5)."""
    is_merge = any(each.argv[:2] == ("fe", "merge") for each in item.next.steps)
    return msgspec.structs.replace(item, next=by_person_or_service(item.next)) if is_merge else item


def merged_first(item: MergeItem) -> list[str]:
    """A7: the tasks that are merged before it, the lowest last; none where something inside cannot stay: then it is
    taken, for its approval to end.
    """
    rows = [row for row in item.stack if row.task not in item.passed]
    return [] if any(row.refused for row in rows) else [row.task for row in rows if row.first]


def waits_for(item: MergeItem, rules: Rules) -> str:
    """Q0, Q1: why an item cannot be taken yet; empty when it can."""
    settles = settles_at(item, rules)
    return obstacle(item, rules) or (f"settles until {settles[11:19]} (Q0)" if settles > rules.now else "")


def obstacle(item: MergeItem, rules: Rules) -> str:
    """Why an item cannot be taken however long it has settled; empty when there is nothing."""
    if rules.hold is not None or item.hold is not None:
        return f"held: {item.hold or rules.hold}"
    if item.open_deps:
        return f"waits for {item.open_deps} {'dependency' if item.open_deps == 1 else 'dependencies'}"
    if first := merged_first(item):
        return f"waits for {', '.join(first)}, whose work is inside (A7)"
    return f"{item.why}; fe merges retry {item.task}" if item.state == "stuck" else ""


def settles_at(item: MergeItem, rules: Rules) -> str:
    """Q0: a person's approval can be taken back for some seconds before the queue may have it."""
    if item.approver_kind != "human":
        return ""
    return stamp(datetime.fromisoformat(item.approved_at) + timedelta(seconds=rules.settle_seconds))


def seconds_to_next(items: list[MergeItem], rules: Rules, *, alone: bool) -> float | None:
    """Q0: how long until the first of these items may be taken that only has to settle; None when none has to.

    An item that has settled by now counts too (0), unless another process is at work: then it is for that one.
    """
    moments = [settles_at(item, rules) for item in items if not obstacle(item, rules)]
    waits = [_between(rules.now, moment) for moment in moments if alone or moment > rules.now]
    return min(waits, default=None)


def _between(now: str, moment: str) -> float:
    if moment <= now:
        return 0.0
    return (datetime.fromisoformat(moment) - datetime.fromisoformat(now)).total_seconds()
