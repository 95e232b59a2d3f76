"""Reviewers required by name (D6), and agents configured as reviewers (V4)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from foureyes.core.rules.policy import HUMAN, ReviewPolicy, required_reviews, rule_of
from foureyes.core.words.untrusted_text import named
from foureyes.errors import Reason
from foureyes.steps import Steps, by, by_person, fe, phrase

if TYPE_CHECKING:
    from foureyes.core.nouns.session import Party
    from foureyes.core.rules.facts import Facts


def required_reviewers(policy: ReviewPolicy, labels: Iterable[str]) -> dict[str, str]:
    """Return the required reviewers by name, each with the label that requires them. (D6)"""
    reviewers: dict[str, str] = {}
    for label in sorted(labels):
        rule = rule_of(policy, label)
        for name in rule.reviewers if rule is not None else ():
            reviewers.setdefault(name, label)
    return reviewers


def is_profile(name: str) -> bool:
    """Return True for an agent's name. A person is `user@host`, and `human` is any person. (D6)"""
    return name != HUMAN and "@" not in name


def required_agents(policy: ReviewPolicy, labels: Iterable[str]) -> tuple[str, ...]:
    """Return only the agents among the required reviewers. (D6)"""
    return tuple(name for name in required_reviewers(policy, labels) if is_profile(name))


def all_reviewers(policy: ReviewPolicy) -> tuple[str, ...]:
    """Return every agent configured as a reviewer, for all tasks or for a label. (V4)"""
    rules = [name for rule in policy.label_rules.values() for name in rule.reviewers if is_profile(name)]
    return tuple(dict.fromkeys([*policy.peers.reviewers, *rules]))


def wants_reviews(policy: ReviewPolicy, labels: Iterable[str]) -> bool:
    """Return True if peers are asked to review this task: reviewers are configured, or counting reviews are required.
    (V1)
    """
    labels = list(labels)
    needed = required_reviews(policy, labels) or required_agents(policy, labels)
    return bool(policy.peers.reviewers or needed)


def wants_peers(policy: ReviewPolicy) -> bool:
    """Return True if reviewers are configured or a task may need reviews. Otherwise early reviews are not requested.
    (V1)
    """
    return bool(all_reviewers(policy) or policy.reviews or any(rule.reviews for rule in policy.label_rules.values()))


def unmet_names(facts: Facts, policy: ReviewPolicy, actor: Party | None = None) -> dict[str, str]:
    """Return the required reviewers who have not reviewed, each with the label that requires them. (D6, I4)

    An approving person counts as having reviewed. An agent counts under its name only if no other agent is above it, as
    a session or as a process.
    """
    from foureyes.core.rules.involvement import called, labels_in_force  # `fe status` has a policy and no facts

    reviewed: set[str] = set()
    for party in [*map(facts.party, facts.reviewers), *([actor] if actor is not None else [])]:
        if party.kind == "human":
            reviewed |= {HUMAN, party.person}
        elif party is not actor and party.session not in facts.nested and len(names := called(facts, party)) == 1:
            reviewed |= names
    wanted = required_reviewers(policy, labels_in_force(facts))
    return {name: label for name, label in wanted.items() if name not in reviewed}


def lacks_named(facts: Facts, policy: ReviewPolicy, actor: Party | None = None) -> list[Reason]:
    """Return a reason for each named reviewer without a review, with the request as next step. (D6)"""
    return [
        Reason(
            "D6", f"label {label} requires a counting review by {_who(name)}, and there is none", _asked(facts, name)
        )
        for name, label in unmet_names(facts, policy, actor).items()
    ]


def _who(name: str) -> str:
    return "a person" if name == HUMAN else named(name)


def _asked(facts: Facts, name: str) -> Steps:
    """Return the next step for a missing reviewer. If that reviewer made the work, a person has to break the glass."""
    from foureyes.core.rules.involvement import called, makers_of

    task, cycle = facts.task.id, facts.cycle
    if not is_profile(name):
        return by("person", fe("approve", task), f"{_who(name)} runs: ")
    if any(name in called(facts, facts.party(maker)) for maker in makers_of(facts)):
        return by_person(fe("approve", task, "--break-glass", phrase("why")))
    if cycle is not None and cycle.state == "open":
        return fe("review", "show", cycle.cycle)
    return by_person(fe("review", "request", task, "--ask", name))
