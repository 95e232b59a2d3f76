"""Who is asked in a cycle (V4): candidates from the accepted policy, in turns; never who made the work."""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from foureyes.app.call.context import Context
from foureyes.app.call.facts import facts_of, parties_of
from foureyes.app.call.leasing import live_runners
from foureyes.app.call.parties import programs_of
from foureyes.app.call.rows import Count, IdRow
from foureyes.app.call.work import Work
from foureyes.app.cycles.eyes import eyes
from foureyes.app.cycles.reading import WholeCycle
from foureyes.app.ports import Tx
from foureyes.app.views.session import SessionView
from foureyes.app.views.standstill import Cooldown
from foureyes.config.policy import agent_profiles
from foureyes.core import events as e
from foureyes.core.cycle.choosing import MakerTraits, ReviewerCandidate, ReviewerChoice, choose, why_not
from foureyes.core.nouns.cycle import ANY_PERSON, CycleId, ReviewerKind, TargetRow
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.involvement import labels_in_force, made_by, makers_of
from foureyes.core.rules.policy import ReviewPolicy, required_grade, required_reviews
from foureyes.core.rules.required import required_agents, wants_reviews
from foureyes.core.words.fence import some
from foureyes.core.words.ids import SessionId, TaskId

MOST_PEOPLE = 10_000
NAMED = 10
"""So many people a refusal names."""


def wants_eyes(facts: Facts, policy: ReviewPolicy) -> bool:
    """V1: whether a submission asks peers: reviews are required, or reviewers named; and a peer could count at all."""
    grade, _ = required_grade(policy, labels_in_force(facts), facts.changed_paths())
    if grade == "human" or facts.attempt is None or facts.attempt.no_code:
        return False
    return wants_reviews(policy, labels_in_force(facts))


def seats_of(facts: Facts, policy: ReviewPolicy) -> tuple[int, int]:
    """How many are asked about a target, and how many counting reviews it needs (V8: at least one)."""
    labels = labels_in_force(facts)
    quorum = max(1, required_reviews(policy, labels), len(required_agents(policy, labels)))
    return max(policy.peers.ask, quorum), quorum


def reviewers_of(facts: Facts, policy: ReviewPolicy) -> tuple[str, ...]:
    """V4: the profiles that may be asked about a task: who has to review it (D6), then those for every task."""
    return tuple(dict.fromkeys([*required_agents(policy, labels_in_force(facts)), *policy.peers.reviewers]))


def candidates(context: Context, tx: Tx, policy: ReviewPolicy, facts: Facts) -> list[ReviewerCandidate]:
    """The profiles that the policy names as reviewers, as they stand now."""
    names, required = reviewers_of(facts, policy), required_agents(policy, labels_in_force(facts))
    if not names:
        return []
    profiles = agent_profiles(context.layers(tx, context.gate))
    cooled = cooled_everywhere(context, tx)
    reviewers = []
    for order, name in enumerate(names):
        profile = profiles.get(name)
        reviewers.append(
            ReviewerCandidate(
                name=name,
                program=policy.programs.get(name, name),
                order=order,
                model=profile.model if profile else "",
                vendor=profile.vendor if profile else "",
                last_asked=row.n if (row := tx.one("cycle.last_asked", Count, reviewer=name)) else 0,
                missing="" if profile else "there is no profile of that name",
                cooled=f"skipped for now ({cooled[name]})" if name in cooled else "",
                required=name in required,
            )
        )
    return reviewers


def cooled_everywhere(context: Context, tx: Tx) -> dict[str, str]:
    """V4: the profiles that no runner could start now, and from what they cool down: cooldowns are of a host, and one
    where the profile may be used is enough. Without a runner each of them counts.
    """
    now = context.now()
    rows = [row for row in tx.all("run.cooled", Cooldown, host="") if row.holds(now)]
    if not rows:
        return {}
    hosts = {row.host for row in live_runners(context, tx) if row.agents}
    left = {(row.profile, row.host) for row in rows}
    return {row.profile: row.error for row in rows if all((row.profile, host) in left for host in hosts)}


def makers(tx: Tx, facts: Facts, policy: ReviewPolicy) -> list[MakerTraits]:
    """Who made the work, by what their profiles are called; of a child that an agent made a session for, both names."""
    rows = tx.all("session.some", SessionView, ids=sorted(makers_of(facts)))
    programs = programs_of(tx, [SessionId(row.id) for row in rows])
    return [
        MakerTraits(name=name, program=policy.programs.get(name, name), model=row.model, vendor=row.vendor)
        for row in rows
        for name in sorted(programs.get(SessionId(row.id), ())) or [row.agent or row.name]
    ]


def choice_for(
    context: Context, tx: Tx, target: TaskId, *, seats: int, already: Collection[str], only_required: bool = False
) -> ReviewerChoice:
    """V4: whom to ask about a target, and why the others are not. `only_required`: of those who have to (D6)."""
    facts, policy = facts_of(context, tx, target), context.gate_policy(tx)
    grade, _ = required_grade(policy, labels_in_force(facts), facts.changed_paths())
    pool = candidates(context, tx, policy, facts)
    pool = [each for each in pool if each.required] if only_required else pool
    return choose(pool, makers(tx, facts, policy), grade, seats=seats, already=already)


def why_not_asked(context: Context, tx: Tx, task: TaskId, reviewer: str, kind: ReviewerKind) -> str:
    """V4: why somebody who is named is not asked about a task; empty where nothing speaks against it."""
    facts, policy = facts_of(context, tx, task), context.gate_policy(tx)
    if kind == "person":
        known = reviewer == ANY_PERSON or tx.one("session.person", IdRow, person=reviewer) is not None
        return "" if known else _why_unknown(tx)
    if kind == "session":
        party = parties_of(tx, {SessionId(reviewer)}).get(SessionId(reviewer))
        made = made_by(facts, party) if party else None
        return "there is no such session" if party is None else made.why if made else ""
    grade, _ = required_grade(policy, labels_in_force(facts), facts.changed_paths())
    profile = agent_profiles(context.layers(tx, context.gate)).get(reviewer)
    if profile is None:
        return f"there is no profile of that name, and {_why_unknown(tx)}"
    candidate = ReviewerCandidate(
        name=reviewer, program=policy.programs.get(reviewer, reviewer), model=profile.model, vendor=profile.vendor
    )
    return why_not(candidate, makers(tx, facts, policy), grade, ())


def _why_unknown(tx: Tx) -> str:
    """V4: a person who was never here cannot answer, and would be waited for without an end."""
    people = [row.id for row in tx.all("session.people", IdRow, limit=MOST_PEOPLE)]
    return f"no person of that name is known. People: {some(people, NAMED) or 'none yet'}"


def ask(context: Context, work: Work, cycle: CycleId, task: str, reviewer: str, kind: ReviewerKind) -> None:
    """Somebody is asked, from now on until the time that the policy gives."""
    minutes = max(1, context.gate_policy(work.tx).peers.timeout_minutes)
    until = "" if kind == "person" else context.later(minutes * 60)
    work.gate.record(task, e.ReviewAsked(cycle=cycle, reviewer=reviewer, kind=kind, until=until))


def ask_more(
    context: Context, work: Work, known: WholeCycle, short: Collection[str] = (), lacking: Collection[str] = ()
) -> bool:
    """R0, V4: for each target that waits for more answers than it can get, whoever is next; whether anybody was. Of
    those in `short` too few answers count: one more is asked. Of those in `lacking` nobody but who has to (D6) helps.
    """
    asked_any = False
    names = eyes(work.tx, known)
    for target in known.live:
        answered = {names[review.session] for review in known.reviews if review.task == target.task}
        missing = known.cycle.seats - len(answered) - pending_of(known, target)
        missing = max(missing, 1) if target.task in (*short, *lacking) else missing
        if missing <= 0:
            continue
        already = {row.reviewer for row in known.asked if row.task == target.task}
        only = target.task in lacking and target.task not in short
        choice = choice_for(context, work.tx, target.task, seats=missing, already=already, only_required=only)
        for name in choice.chosen:
            ask(context, work, known.cycle.id, target.task, name, "profile")
            asked_any = True
    return asked_any


def can_ask(context: Context, tx: Tx, known: WholeCycle) -> bool:
    """V4: whether there is anybody left to ask about a target."""
    for target in known.live:
        already = {row.reviewer for row in known.asked if row.task == target.task}
        if choice_for(context, tx, target.task, seats=1, already=already).chosen:
            return True
    return False


def is_cooling(context: Context, tx: Tx, known: WholeCycle) -> bool:
    """V4: whether somebody could be asked about a target, were it not skipped for now."""
    policy = context.gate_policy(tx)
    for target in known.live:
        facts = facts_of(context, tx, target.task)
        grade, _ = required_grade(policy, labels_in_force(facts), facts.changed_paths())
        pool = [replace(each, cooled="") for each in candidates(context, tx, policy, facts) if each.cooled]
        already = {row.reviewer for row in known.asked if row.task == target.task}
        if choose(pool, makers(tx, facts, policy), grade, seats=1, already=already).chosen:
            return True
    return False


def left_out(context: Context, tx: Tx, known: WholeCycle) -> list[str]:
    """V4: why nobody could be asked, of each candidate."""
    reasons = []
    for target in known.live:
        choice = choice_for(context, tx, target.task, seats=known.cycle.seats, already=())
        reasons += [f"{each.name} was not asked: {each.why}" for each in choice.left_out]
    return list(dict.fromkeys(reasons)) or ["the policy names no reviewer to ask"]


def pending_of(known: WholeCycle, target: TargetRow) -> int:
    """How many were asked about it and have neither answered nor said that they will not."""
    return sum(row.state == "asked" and row.task == target.task for row in known.asked)
