"""Risk of waiting tasks: how much care a review needs, with reasons instead of scores. (H1)"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from foureyes.core.rules.involvement import labels_in_force, shared_program
from foureyes.core.rules.policy import ReviewPolicy, bars_auto_approval, deciding, gate_files, required_grade
from foureyes.core.rules.required import is_profile, unmet_names, wants_reviews
from foureyes.core.words.paths import matching, matching_any_case
from foureyes.core.words.untrusted_text import named
from foureyes.errors import Reason

if TYPE_CHECKING:
    from foureyes.core.nouns.check import CheckState
    from foureyes.core.rules.facts import Facts
    from foureyes.core.rules.modes import ModeChoice


# ---- H1 ----

# Computed from git, checks and the journal, so an author's text cannot change it. Risk orders tasks and raises
# questions. It never decides.

RiskClass = Literal["high", "medium", "low"]
CLASSES: tuple[RiskClass, ...] = ("high", "medium", "low")
WORDS: dict[RiskClass, str] = {"high": "look closely", "medium": "look", "low": "routine"}
MANY_ITERATIONS = 3
SOME_LINES = 100
MANY_FILES = 20
NEW_AGENT = 5
"""Number of decided attempts up to which an agent counts as new."""


class Risk(msgspec.Struct, frozen=True):
    """The risk class with all reasons, the worst first."""

    level: RiskClass
    reasons: tuple[Reason, ...] = ()


class Around(msgspec.Struct, frozen=True):
    """Facts from outside the task: how many attempts of this agent were decided, and files shared with other waiting
    tasks.
    """

    decided: int | None = None
    shared: tuple[str, ...] = ()


def risk_of(
    facts: Facts,
    policy: ReviewPolicy,
    chosen: ModeChoice,
    states: tuple[CheckState, ...],
    not_by_itself: tuple[Reason, ...],
) -> Risk:
    """Return the highest class that has a reason, with all reasons. beside() adds facts from outside the task."""
    high = [
        *_by_policy(facts, policy),
        *_by_history(facts),
        *_by_checks(states),
        *_by_tests(facts, policy),
        *_by_content(facts, policy),
    ]
    medium = _to_look_at(facts, policy, chosen, states, not_by_itself)
    level: RiskClass = "high" if high else "medium" if medium else "low"
    return Risk(level, tuple(Reason("H1", text) for text in [*high, *medium]))


def raised_by(risk: Risk, around: Around, policy: ReviewPolicy) -> Risk:
    """Return the risk with facts from outside the task, which raise it to medium at most."""
    signs = []
    if around.decided is not None and around.decided < NEW_AGENT:
        signs.append(f"a new agent: only {around.decided} of its attempts were decided so far")
    signs += [f"{named(path)} is touched by another waiting task" for path in around.shared[:1]]
    if not signs:
        return risk
    level: RiskClass = "medium" if risk.level == "low" else risk.level
    return Risk(level, (*risk.reasons, *[Reason("H1", text) for text in signs]))


def _by_policy(facts: Facts, policy: ReviewPolicy) -> list[str]:
    paths = facts.changed_paths()
    signs = [f"gate file {named(path)}" for path in gate_files(policy, paths)[:1]]
    grade, source = required_grade(policy, labels_in_force(facts), [])
    barred = bars_auto_approval(policy, labels_in_force(facts))
    if barred:
        signs.append(f"{barred} label")
    elif grade == "human":
        signs.append(f"{source} requires a person")
    return signs


def _by_history(facts: Facts) -> list[str]:
    attempt = facts.attempt
    signs = []
    if facts.task.tier != "developer":
        signs.append(f"escalated to {facts.task.tier}")
    if attempt is not None and attempt.n >= MANY_ITERATIONS:
        signs.append(f"iteration {attempt.n}")
    if attempt is not None and attempt.landed:
        signs.append("landed before review")
    if any(entry.action == "created" and not entry.session for entry in facts.history or ()) or facts.history is None:
        signs.append("incomplete history")
    signs += facts.troubles
    return signs


def _by_checks(states: tuple[CheckState, ...]) -> list[str]:
    words = {"failed": "failed", "crashed": "crashed", "timed_out": "timed out", "unsound": "unsound"}
    red = [f"{state.rule.name} {words[state.word]}" for state in states if state.rule.required and state.word in words]
    return red + [
        f"{state.rule.name} is flaky: it passed and failed on the same files" for state in states if state.flaky
    ]


def _by_tests(facts: Facts, policy: ReviewPolicy) -> list[str]:
    """Return signs of removed, skipped or weakened tests."""
    attempt = facts.attempt
    if attempt is None:
        return []
    tests = [changed for changed in attempt.files if matching_any_case([changed.path], policy.risk.test_paths)]
    net = sum((changed.added or 0) - (changed.removed or 0) for changed in tests)
    signs = [f"{-net} fewer test lines"] if net < 0 else []
    kinds = {"deleted": "test file deleted", "skip": "test skipped", "assert": "assertions removed"}
    for kind, words in kinds.items():
        marked = matching_any_case([mark.path for mark in attempt.marks if mark.kind == kind], policy.risk.test_paths)
        signs += [f"{words}: {named(marked[0])}"] if marked else []
    return signs


def _by_content(facts: Facts, policy: ReviewPolicy) -> list[str]:
    attempt = facts.attempt
    if attempt is None:
        return []
    paths = facts.changed_paths()
    signs = [f"changes how checks run: {named(path)}" for path in deciding(policy, paths, facts.called_paths())[:1]]
    signs += [f"touches {named(path)}" for path in matching_any_case(paths, policy.risk.watched_paths)[:1]]
    kinds = {
        "executable": "executable bit set",
        "link": "symbolic link",
        "unlinked": "symbolic link removed",
        "submodule": "submodule",
        "binary": "binary file",
        "hidden": "hidden characters",
        "long": "line of more than 500 characters",
    }
    for kind, words in kinds.items():
        marked = [mark.path for mark in attempt.marks if mark.kind == kind]
        signs += [f"{words}: {named(marked[0])}"] if marked else []
    lines = attempt.added + attempt.removed
    if lines > policy.risk.large_change or len(attempt.files) > MANY_FILES:
        signs.append(f"{lines} lines in {len(attempt.files)} file{'' if len(attempt.files) == 1 else 's'}")
    return signs


def _to_look_at(
    facts: Facts,
    policy: ReviewPolicy,
    chosen: ModeChoice,
    states: tuple[CheckState, ...],
    not_by_itself: tuple[Reason, ...],
) -> list[str]:
    attempt = facts.attempt
    if attempt is None:
        return []
    paths = facts.changed_paths()
    tests = matching(paths, policy.risk.test_paths)
    documents = matching(paths, policy.docs_paths)
    signs = ["code changed, no test changed"] if len(documents) < len(paths) and not tests else []
    lines = attempt.added + attempt.removed
    if SOME_LINES <= lines <= policy.risk.large_change:
        signs.append(f"{lines} changed lines")
    signs += [
        f"optional check {state.rule.name} {state.summary}"
        for state in states
        if not state.rule.required and state.word not in ("passed", "not_run")
    ]
    required = [state for state in states if state.rule.required]
    if missing := [state.rule.name for state in required if state.result is None]:
        signs.append(f"required check{'s' if len(missing) > 1 else ''} {', '.join(missing)} not run")
    for state in required:
        if state.result is not None and state.word == "not_run":
            signs.append(f"required check {state.rule.name} {state.summary}")
        elif state.is_green and state.claimed:
            signs.append(f"required check {state.rule.name} was run only by an agent or an author (claimed)")
    signs += [f"reviewed by another {program}" for program in _same_programs(facts, policy)]
    if not facts.reviewers and wants_reviews(policy, labels_in_force(facts)):
        signs.append("no counting peer review")
    elif unmet := [name for name in unmet_names(facts, policy) if is_profile(name)]:
        signs.append(f"no counting review of {', '.join(map(named, unmet))}")
    if attempt.signal != "DONE":
        signs.append(f"signal {attempt.signal}")
    other_reasons = [reason.message for reason in not_by_itself if reason.rule != "D5"]  # the checks are named above
    if chosen.mode == "auto-approve" and other_reasons:
        signs.append(f"not auto-approved: {', '.join(other_reasons)}")
    return signs


def _same_programs(facts: Facts, policy: ReviewPolicy) -> list[str]:
    """Return the programs shared by a counting reviewer and an author. (I6)"""
    programs = {shared_program(facts, policy, facts.party(reviewer)) for reviewer in facts.reviewers}
    return sorted(program for program in programs if program)


# ---- H1 ----


def side_by_side(paths: Sequence[Collection[str]]) -> list[int]:
    """Return an order of the tasks, given their paths, that puts tasks with shared paths together.

    A group takes the place of its first task. Sharing through a third task counts too.
    """
    leaders = list(range(len(paths)))

    def leader(place: int) -> int:
        while leaders[place] != place:
            leaders[place] = leaders[leaders[place]]
            place = leaders[place]
        return place

    first: dict[str, int] = {}
    for place, touched in enumerate(paths):
        for path in touched:
            earlier, later = sorted((leader(first.setdefault(path, place)), leader(place)))
            leaders[later] = earlier
    return sorted(range(len(paths)), key=leader)
