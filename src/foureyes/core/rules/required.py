"""Whose reviews a task needs by name (D6), and who is named as a reviewer at all (V4)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from foureyes.core.rules.policy import HUMAN, ReviewPolicy, required_reviews, rule_of
from foureyes.core.words.fence import named
from foureyes.errors import Reason
from foureyes.steps import Steps, by, by_person, fe, phrase

if TYPE_CHECKING:
    from foureyes.core.nouns.session import Party
    from foureyes.core.rules.facts import Facts


def required_reviewers(policy: ReviewPolicy, labels: Iterable[str]) -> dict[str, str]:
    """D6: who has to review by name, each with the label that says so."""
    reviewers: dict[str, str] = {}
    for label in sorted(labels):
        rule = rule_of(policy, label)
        for name in rule.reviewers if rule is not None else ():
            reviewers.setdefault(name, label)
    return reviewers


def is_profile(name: str) -> bool:
    """D6: whether a reviewer's name is an agent's: people are `user@host`, or `human` for any of them."""
    return name != HUMAN and "@" not in name


def required_agents(policy: ReviewPolicy, labels: Iterable[str]) -> tuple[str, ...]:
    """D6: the agents among those who have to review by name."""
    return tuple(name for name in required_reviewers(policy, labels) if is_profile(name))


def all_reviewers(policy: ReviewPolicy) -> tuple[str, ...]:
    """V4: the agents that are named as reviewers, for every task or for a label."""
    rules = [name for rule in policy.label_rules.values() for name in rule.reviewers if is_profile(name)]
    return tuple(dict.fromkeys([*policy.peers.reviewers, *rules]))


def wants_reviews(policy: ReviewPolicy, labels: Iterable[str]) -> bool:
    """V1: whether peers are asked about a task: some are named, or counting reviews are needed."""
    labels = list(labels)
    needed = required_reviews(policy, labels) or required_agents(policy, labels)
    return bool(policy.peers.reviewers or needed)


def wants_peers(policy: ReviewPolicy) -> bool:
    """V1: whether reviewers are named, or any task may need reviews: else nobody is asked in the middle of work."""
    return bool(all_reviewers(policy) or policy.reviews or any(rule.reviews for rule in policy.label_rules.values()))


def unmet_names(facts: Facts, policy: ReviewPolicy, actor: Party | None = None) -> dict[str, str]:
    """D6: who has to review by name and has not, each with the label that says so. A person who approves is one who
    did; an agent is called so alone, without another one above it, as a session or as a process (I4).
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
    """D6: each who is named and did not review, with whom to ask."""
    return [
        Reason("D6", f"label {label} wants a counting review of {_who(name)}, and there is none", _asked(facts, name))
        for name, label in unmet_names(facts, policy, actor).items()
    ]


def _who(name: str) -> str:
    return "a person" if name == HUMAN else named(name)


def _asked(facts: Facts, name: str) -> Steps:
    """Who is to be asked next; whoever made the work cannot review it."""
    from foureyes.core.rules.involvement import called, makers_of

    task, cycle = facts.task.id, facts.cycle
    if not is_profile(name):
        return by("person", fe("approve", task), f"{_who(name)} runs: ")
    if any(name in called(facts, facts.party(maker)) for maker in makers_of(facts)):
        return by_person(fe("approve", task, "--break-glass", phrase("why")))
    if cycle is not None and cycle.state == "open":
        return fe("review", "show", cycle.cycle)
    return by_person(fe("review", "request", task, "--ask", name))
