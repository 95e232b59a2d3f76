"""Conditions of every approval (D), in the order of rules.md. Each one that fails is a reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from foureyes.core.attempt import DETACHED
from foureyes.core.facts import Facts
from foureyes.core.ids import Sha, short_diff
from foureyes.core.policy import AgentApproval
from foureyes.core.session import Party
from foureyes.errors import Reason

SEEN_DIGITS = 8


class Tip(msgspec.Struct, frozen=True):
    """What git says about the attempt's ref right now: its head, and for landed work whether the target holds it."""

    head: Sha | None = None
    on_target: bool = False


def check(facts: Facts, actor: Party, tip: Tip | None, seen: str, agent_approval: AgentApproval = "reason") -> tuple[Reason, ...]:
    """D1–D4, D7 and D9: everything but who is asking. `tip` None means git could not be asked."""
    conditions: tuple[Callable[[], Iterable[Reason | None]], ...] = (
        lambda: [is_reviewing(facts)],
        lambda: [has_blocking(facts)],
        lambda: holds(facts),
        lambda: [is_stale(facts, tip)],
        lambda: [was_not_seen(facts, actor, seen)],
        lambda: [was_not_reviewed(facts, actor, agent_approval)],
    )
    return tuple(reason for condition in conditions for reason in fail_closed(condition))


def fail_closed(condition: Callable[[], Iterable[Reason | None]]) -> list[Reason]:
    """G1: a condition that raises is a reason against it."""
    try:
        return [reason for reason in condition() if reason is not None]
    except Exception as problem:
        return [Reason("G1", f"a condition could not be checked ({type(problem).__name__}: {problem})", "fe doctor")]


def is_reviewing(facts: Facts) -> Reason | None:
    """D1: status is reviewing."""
    task = facts.task
    if task.status == "reviewing":
        return None
    hint = {
        "open": f"fe start {task.id}",
        "in_progress": f"fe submit {task.id}",
        "blocked": f"fe show {task.id}",
        "deferred": f"fe undefer {task.id}",
    }
    return Reason("D1", f"{task.id} is {task.status}, not reviewing", hint.get(task.status, f"fe show {task.id}"))


def has_blocking(facts: Facts) -> Reason | None:
    """D2: no open blocking finding."""
    if not facts.open_blocking:
        return None
    return Reason("D2", f"blocking findings are open: {', '.join(facts.open_blocking)}", f"fe show {facts.task.id}")


def holds(facts: Facts) -> list[Reason]:
    """D3: no hold on task or project; each one is a reason."""
    found = []
    if facts.project_hold is not None:
        found.append(Reason("D3", f"the project is held: {facts.project_hold}", 'a person runs: fe resume --project -m "why"'))
    if facts.task.hold is not None:
        found.append(Reason("D3", f"{facts.task.id} is held: {facts.task.hold}", f'a person runs: fe resume {facts.task.id} -m "why"'))
    return found


def is_stale(facts: Facts, tip: Tip | None) -> Reason | None:
    """D4: the attempt is current: its head is the head of the ref it came from; landed work is on the target."""
    attempt = facts.attempt
    again = f"fe submit {facts.task.id}"
    if attempt is None:
        return Reason("D4", f"nothing was handed in for {facts.task.id}", again)
    if tip is None:
        return Reason("D4", "git could not say whether the attempt is current", "fe doctor")
    if attempt.no_code and attempt.base == attempt.head:
        return None
    if attempt.landed:
        return None if tip.on_target else Reason("D4", f"{attempt.head[:7]} is no longer on the target branch", again)
    if attempt.ref == DETACHED or tip.head == attempt.head:
        return None
    name = attempt.ref.removeprefix("refs/heads/")
    moved = f"moved to {tip.head[:7]}" if tip.head else "is gone"
    return Reason("D4", f"attempt {attempt.n} is stale: branch {name} {moved} after {attempt.head[:7]} was handed in", again)


def was_not_seen(facts: Facts, actor: Party, seen: str) -> Reason | None:
    """D7: an approval names the diff that was looked at; a person on the command line may leave it out."""
    attempt = facts.attempt
    if attempt is None:
        return None
    look = f"fe show {facts.task.id} --diff"
    given = seen.removeprefix("sha256:").lower()
    if not given:
        if actor.kind == "human":
            return None
        return Reason("D7", "an agent says which diff it looked at: --seen DIFF_ID is missing", look)
    if len(given) < SEEN_DIGITS:
        return Reason("D7", f"--seen needs at least {SEEN_DIGITS} digits of the diff id", look)
    if attempt.diff_id.removeprefix("sha256:").startswith(given):
        return None
    return Reason(
        "D7",
        f"the change moved while you looked: you saw {given[:SEEN_DIGITS]}, attempt {attempt.n} is {short_diff(attempt.diff_id)}",
        look,
    )


def was_not_reviewed(facts: Facts, actor: Party, agent_approval: AgentApproval) -> Reason | None:
    """D9: where the policy asks for it, an agent's approval needs its own counting review of this diff."""
    if agent_approval != "review" or actor.kind != "agent" or actor.session in facts.reviewers:
        return None
    return Reason(
        "D9",
        "review.agent_approval = review: an agent's approval needs its own counting review of this diff, and there is none",
        f"a person runs: fe approve {facts.task.id}",
    )
