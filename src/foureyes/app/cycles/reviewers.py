"""Reviewers of a cycle: candidates, requests, and who may choose them. (V1, V4)"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from foureyes.app.context import Context, Count, IdRow, Work, refuse_verb
from foureyes.app.cycles.cycle_record import (
    WholeCycle,
    asked_as,
    chain,
    live_of,
    next_id,
    reviewer_names,
    whole,
    wholes,
)
from foureyes.app.facts import facts_of, parties_of, programs_of
from foureyes.app.ports import Tx
from foureyes.app.results.run import Cooldown, PauseView
from foureyes.app.results.session import SessionView
from foureyes.app.runner_registry import live_runners
from foureyes.config.effective_policy import agent_profiles
from foureyes.core import events as e
from foureyes.core.cycle.reviewers import MakerTraits, ReviewerCandidate, ReviewerChoice, choose, why_not
from foureyes.core.nouns.cycle import ANY_PERSON, Cycle, CycleId, CycleTarget, ReviewerKind, TargetRow, Trigger
from foureyes.core.nouns.session import Party, is_one_origin
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.involvement import labels_in_force, made_by, makers_of
from foureyes.core.rules.policy import ReviewPolicy, required_grade, required_reviews
from foureyes.core.rules.required import required_agents, wants_reviews
from foureyes.core.words.ids import SessionId, TaskId
from foureyes.core.words.text import one_line
from foureyes.core.words.untrusted_text import some
from foureyes.errors import Reason
from foureyes.steps import blank, by_person, fe, phrase

# ---- Asking (V4) ----

MOST_PEOPLE = 10_000
NAMED = 10
"""Number of people that a refusal names."""


def wants_reviewers(facts: Facts, policy: ReviewPolicy) -> bool:
    """Return True if a submission needs peer reviews: reviewers are required or named, and a peer's review could count.
    (V1)
    """
    grade, _ = required_grade(policy, labels_in_force(facts), facts.changed_paths())
    if grade == "human" or facts.attempt is None or facts.attempt.no_code:
        return False
    return wants_reviews(policy, labels_in_force(facts))


def seats_of(facts: Facts, policy: ReviewPolicy) -> tuple[int, int]:
    """Return how many reviewers to ask about a target, and how many counting reviews it needs, at least one. (V8)"""
    labels = labels_in_force(facts)
    quorum = max(1, required_reviews(policy, labels), len(required_agents(policy, labels)))
    return max(policy.peers.ask, quorum), quorum


def reviewers_of(facts: Facts, policy: ReviewPolicy) -> tuple[str, ...]:
    """Return the profiles that may be asked about a task: first those that must review it (D6), then those for every
    task. (V4)
    """
    return tuple(dict.fromkeys([*required_agents(policy, labels_in_force(facts)), *policy.peers.reviewers]))


def candidates(context: Context, tx: Tx, policy: ReviewPolicy, facts: Facts) -> list[ReviewerCandidate]:
    """Return the policy's reviewers with their current state."""
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
                missing="" if profile else "there is no agent profile with that name",
                cooled=f"it is skipped for now ({cooled[name]})" if name in cooled else "",
                required=name in required,
            )
        )
    return reviewers


def cooled_everywhere(context: Context, tx: Tx) -> dict[str, str]:
    """Return the profiles that no runner could start now, each with the error. (V4)

    A cooldown applies to one host, so a profile is left out if another host's runner can start it. Without a runner,
    every cooldown counts.
    """
    now = context.now()
    rows = [row for row in tx.all("run.cooled", Cooldown, host="") if row.holds(now)]
    if not rows:
        return {}
    hosts = {row.host for row in live_runners(context, tx) if row.agents}
    left = {(row.profile, row.host) for row in rows}
    return {row.profile: row.error for row in rows if all((row.profile, host) in left for host in hosts)}


def makers(tx: Tx, facts: Facts, policy: ReviewPolicy) -> list[MakerTraits]:
    """Return the makers of the work by the names of their profiles. A child session of an agent has both names."""
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
    """Return the reviewers to ask about a target, and why the others are not. `only_required`: only reviewers who must
    review it (D6). (V4)
    """
    facts, policy = facts_of(context, tx, target), context.gate_policy(tx)
    grade, _ = required_grade(policy, labels_in_force(facts), facts.changed_paths())
    pool = candidates(context, tx, policy, facts)
    pool = [each for each in pool if each.required] if only_required else pool
    return choose(pool, makers(tx, facts, policy), grade, seats=seats, already=already)


def why_not_asked(context: Context, tx: Tx, task: TaskId, reviewer: str, kind: ReviewerKind) -> str:
    """Return why a named reviewer cannot be asked about a task, or "". (V4)"""
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
        return f"there is no agent profile with that name, and {_why_unknown(tx)}"
    candidate = ReviewerCandidate(
        name=reviewer, program=policy.programs.get(reviewer, reviewer), model=profile.model, vendor=profile.vendor
    )
    return why_not(candidate, makers(tx, facts, policy), grade, ())


def _why_unknown(tx: Tx) -> str:
    """Return a message about an unknown person. They could not answer, and waiting for them would never end. (V4)"""
    people = [row.id for row in tx.all("session.people", IdRow, limit=MOST_PEOPLE)]
    return f"no person with that name is known. Known people: {some(people, NAMED) or 'none yet'}"


def ask(context: Context, work: Work, cycle: CycleId, task: str, reviewer: str, kind: ReviewerKind) -> None:
    """Ask a reviewer, with the deadline that the policy gives."""
    minutes = max(1, context.gate_policy(work.tx).peers.timeout_minutes)
    until = "" if kind == "person" else context.later(minutes * 60)
    work.gate.record(task, e.ReviewAsked(cycle=cycle, reviewer=reviewer, kind=kind, until=until))


def ask_more(
    context: Context, work: Work, known: WholeCycle, short: Collection[str] = (), lacking: Collection[str] = ()
) -> bool:
    """Ask the next reviewer for each target that needs more answers than are pending. Return True if anyone was asked.
    (R0, V4)

    Targets in `short` have too few counting reviews, so one more is asked. For those in `lacking`, only a required
    reviewer (D6) helps.
    """
    asked_any = False
    names = reviewer_names(work.tx, known, is_one_origin)
    for target in known.live:
        answered = {names[review.session] for review in known.reviews if review.task == target.task}
        missing = known.cycle.seats - len(answered) - pending_of(known, target)
        missing = max(missing, 1) if target.task in (*short, *lacking) else missing
        if missing <= 0:
            continue
        already = {row.reviewer for row in known.requested if row.task == target.task}
        only = target.task in lacking and target.task not in short
        choice = choice_for(context, work.tx, target.task, seats=missing, already=already, only_required=only)
        for name in choice.chosen:
            ask(context, work, known.cycle.id, target.task, name, "profile")
            asked_any = True
    return asked_any


def can_ask(context: Context, tx: Tx, known: WholeCycle) -> bool:
    """Return True if there is someone left to ask about a target. (V4)"""
    for target in known.live:
        already = {row.reviewer for row in known.requested if row.task == target.task}
        if choice_for(context, tx, target.task, seats=1, already=already).chosen:
            return True
    return False


def is_cooling(context: Context, tx: Tx, known: WholeCycle) -> bool:
    """Return True if a reviewer could be asked that is only skipped for now. (V4)"""
    policy = context.gate_policy(tx)
    for target in known.live:
        facts = facts_of(context, tx, target.task)
        grade, _ = required_grade(policy, labels_in_force(facts), facts.changed_paths())
        pool = [replace(each, cooled="") for each in candidates(context, tx, policy, facts) if each.cooled]
        already = {row.reviewer for row in known.requested if row.task == target.task}
        if choose(pool, makers(tx, facts, policy), grade, seats=1, already=already).chosen:
            return True
    return False


def left_out(context: Context, tx: Tx, known: WholeCycle) -> list[str]:
    """Return why nobody could be asked, for each candidate. (V4)"""
    reasons = []
    for target in known.live:
        choice = choice_for(context, tx, target.task, seats=known.cycle.seats, already=())
        reasons += [f"{each.name} was not asked: {each.why}" for each in choice.left_out]
    return list(dict.fromkeys(reasons)) or ["the policy names no reviewer to ask"]


def pending_of(known: WholeCycle, target: TargetRow) -> int:
    """Return the number of open requests about the target."""
    return sum(row.state == "asked" and row.task == target.task for row in known.requested)


# ---- Choosing (V4) ----

HUMANS = frozenset({"human", "person", "a person", "me"})


def meant(tx: Tx, name: str) -> tuple[str, ReviewerKind]:
    """Return the reviewer that a name stands for, and its kind: any person, a known person, an existing session, or
    else an agent profile.
    """
    if name in HUMANS:
        return ANY_PERSON, "person"
    if tx.one("session.person", IdRow, person=name) is not None:
        return name, "person"
    return name, "session" if tx.one("session.get", SessionView, id=name) is not None else "profile"


def refuse_choosing(context: Context, work: Work, tasks: Sequence[TaskId], reviewers: Sequence[str]) -> None:
    """Refuse if the caller may not choose these reviewers or open a cycle. (V4, R2)

    Only a person may name reviewers, and not for their own work. `human` may be asked by people, and by agents that
    made the work or were asked to review it. While a cycle is left to a person, only a person opens another one.
    """
    me = context.party(work.tx, work.actor)
    names = [name for name in reviewers if name not in HUMANS]
    for task in tasks:
        left = _left_to_a_person(work, task) if me.kind != "human" else []
        reasons = []
        if names:
            made = made_by(facts_of(context, work.tx, task), me)
            why = "the policy or a person chooses reviewers" if me.kind != "human" else ""
            why = f"{work.actor.name} {made.why}, and an author cannot choose the reviewers" if made else why
            step = left[0].next if left else fe("review", "request", task, "--open")
            reasons += [Reason("V4", why, step)] if why else []
        asks_person = len(names) < len(reviewers)
        if asks_person and me.kind == "agent" and not left and not _has_a_part(context, work, task, me):
            why = f"{work.actor.name} neither worked on {task} nor was asked to review it, so it may not require a person's review of the task"
            reasons.append(Reason("V4", why, fe("review", "submit", task, blank("FILE"))))
        reasons += left or _nobody_to_ask(context, work, task, me, asks_person=asks_person)
        if reasons:
            refuse_verb(f"no reviewer was asked about {task}.", *reasons, task=task)


def _has_a_part(context: Context, work: Work, task: TaskId, me: Party) -> bool:
    """Return True if an agent made the work or was asked to review it. (V4)"""
    facts = facts_of(context, work.tx, task)
    if made_by(facts, me) is not None:
        return True
    return any(asked_as(work.tx, known, facts, me, work.actor) for known in wholes(work.tx, live_of(work.tx, task)))


def _nobody_to_ask(context: Context, work: Work, task: TaskId, me: Party, *, asks_person: bool) -> list[Reason]:
    """Return a reason if an agent would open a cycle in which nobody can be asked. (V4)

    No rule would approve that work before a person came by, and nothing would call one.
    """
    named = reviewers_of(facts_of(context, work.tx, task), context.gate_policy(work.tx))
    if work.actor.kind == "human" or named or asks_person or live_of(work.tx, task):
        return []
    step = fe("review", "request", task, "--ask", "human")
    if me.kind == "agent" and not _has_a_part(context, work, task, me):
        step = fe("review", "submit", task, blank("FILE"))
    return [Reason("V4", "the policy names no reviewers (review.peers.reviewers)", step)]


def _left_to_a_person(work: Work, task: TaskId) -> list[Reason]:
    for row in work.tx.all("run.pauses_of", PauseView, task=task):
        if row.task == task and row.made_by == "rule" and row.rule == "R2":
            step = by_person(fe("resume", task, "-m", phrase("why")))
            return [
                Reason("V4", f"{row.cycle} paused it (R2), so only a person may open another cycle or resume it", step)
            ]
    return []


# ---- Cycles are opened (V1) ----

SUMMARY = 400


def open_cycle(
    context: Context,
    work: Work,
    trigger: Trigger,
    targets: Sequence[CycleTarget],
    *,
    reason: str = "",
    follows: str = "",
    wide: bool = False,
    choose: bool = True,
    remote_problem: bool = False,
) -> CycleId:
    """Open a cycle about these targets, or return the open one about the same work. (V1)

    `choose`: ask the reviewers that the policy gives. `remote_problem`: it waits for nobody and needs no quorum.
    """
    known = None if follows else same_work(work, targets, trigger, wide=wide)
    if known is not None:
        return known.id
    cycle = next_id(work.tx)
    policy = context.gate_policy(work.tx)
    seats = [seats_of(facts_of(context, work.tx, target.task), policy) for target in targets]
    event = e.CycleOpened(
        cycle=cycle,
        trigger=trigger,
        targets=tuple(targets),
        quorum=0 if remote_problem else max(quorum for _, quorum in seats),
        seats=0 if remote_problem else max(wanted for wanted, _ in seats),
        reason=one_line(reason, SUMMARY),
        follows=follows,
        wide=wide,
    )
    work.record(targets[0].task if len(targets) == 1 else "", event)
    if choose and not remote_problem:
        ask_more(context, work, whole(work.tx, cycle))
    return cycle


def same_work(work: Work, targets: Sequence[CycleTarget], trigger: Trigger, *, wide: bool) -> Cycle | None:
    """Return the live cycle about exactly this work, or None. (V1, V4)

    An attempt has one cycle, whatever opened it. An early review can have one per trigger.
    """
    is_attempt = all(each.attempt for each in targets)
    wanted = {(each.task, each.attempt, each.diff_id) for each in targets}
    for known in wholes(work.tx, live_of(work.tx, targets[0].task)):
        about = {(each.task, each.attempt, each.diff_id) for each in known.live}
        if about == wanted and known.cycle.wide == wide and (is_attempt or trigger in _triggers(work, known.cycle)):
            return known.cycle
    return None


def _triggers(work: Work, cycle: Cycle) -> set[Trigger]:
    """Return the triggers of a cycle and of those whose clarification led to it."""
    return {each.trigger for each in chain(work.tx, cycle)}


def attempt_target(facts: Facts) -> CycleTarget:
    """Return the latest attempt of a task as a target."""
    attempt = facts.attempt
    assert attempt is not None
    summary = one_line(attempt.message or facts.task.title, SUMMARY)
    return CycleTarget(task=facts.task.id, attempt=attempt.n, diff_id=attempt.diff_id, summary=summary)


def open_at_submission(context: Context, work: Work, task: TaskId) -> CycleId | None:
    """Open a cycle for a submission if the policy wants peer reviews and the mode has not decided, in the same
    transaction. (V1)

    If two concerns about an earlier attempt pause the task, their reviewers are asked again.
    """
    facts = facts_of(context, work.tx, task)
    paused = facts.cycle.paused if facts.cycle is not None else ""
    wants = wants_reviewers(facts, context.gate_policy(work.tx))
    if facts.task.status != "reviewing" or not (wants or paused):
        return None
    target = attempt_target(facts)
    new = open_cycle(context, work.gate, "REQUEST_REVIEW", [target], reason="submitted", choose=not paused)
    if paused:
        _ask_again(context, work.gate, whole(work.tx, paused), new, {task})
    return new


def open_unasked(context: Context, work: Work, facts: Facts) -> CycleId:
    """Open a cycle for a review that nobody requested and that does not approve. Nobody else is asked or waited for.
    (R1, R2, R3)
    """
    reason = "a review that was not requested"
    return open_cycle(context, work.gate, "REQUEST_REVIEW", [attempt_target(facts)], reason=reason, remote_problem=True)


def open_again(context: Context, work: Work, known: WholeCycle, rows: Sequence[TargetRow]) -> CycleId:
    """Open a cycle again after its clarification, about these targets, and ask the same reviewers. (R2)"""
    cycle = known.cycle
    targets = [
        CycleTarget(task=t.task, attempt=t.attempt, early_review=t.early_review, diff_id=t.diff_id, summary=t.summary)
        for t in rows
    ]
    new = open_cycle(
        context, work, "CLARIFIED", targets, reason=cycle.id, follows=cycle.id, wide=cycle.wide, choose=False
    )
    _ask_again(context, work, known, new, {row.task for row in rows})
    return new


def _ask_again(context: Context, work: Work, known: WholeCycle, new: CycleId, tasks: Collection[str]) -> None:
    """Ask the reviewers who answered, and those who have concerns without having been asked. (V4, R2)"""
    answered = [row for row in known.requested if row.state == "answered" and row.task in tasks]
    for row in answered:
        ask(context, work, new, row.task, row.reviewer, row.kind)
    seated = {(row.session, row.task) for row in answered}
    remote_problem = [
        each
        for each in known.reviews
        if each.task in tasks and each.effective != "approved" and (each.session, each.task) not in seated
    ]
    parties = parties_of(work.tx, {review.session for review in remote_problem})
    for review in remote_problem:
        person = party.person if (party := parties[review.session]).kind == "human" else ""
        ask(context, work, new, review.task, person or str(review.session), "person" if person else "session")
    ask_more(context, work, whole(work.tx, new))
