"""Conditions for work marked minor. The change itself can overrule the mark. (P10)"""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.core.nouns.attempt import NOT_MEASURED
from foureyes.core.rules.involvement import is_involved, labels_in_force, why_unsigned
from foureyes.core.rules.policy import ReviewPolicy, bars_auto_approval, gate_files
from foureyes.core.rules.stacks import why_not_by_rule
from foureyes.core.words.untrusted_text import named
from foureyes.errors import Reason

if TYPE_CHECKING:
    from foureyes.core.nouns.attempt import MarkKind
    from foureyes.core.nouns.session import Party
    from foureyes.core.rules.facts import Facts

MAX_BYTES = 4096
"""Largest size in bytes of a minor change, counting changed lines and file names. (P10)"""


def minor_refusals(facts: Facts, policy: ReviewPolicy, author: Party | None) -> tuple[Reason, ...]:
    """Return the reasons why the mark does not count, or nothing if it does. Pass `author` when an author approves
    their own work.
    """
    sentences = [
        _barred_by_label(facts, policy),
        _set_late_by_an_author(facts),
        *_unsigned(facts),
        *_too_large(facts, policy),
        _more_than_lines(facts),
        _touches_protected(facts, policy),
        _goes_elsewhere(facts),
        *(f"{reason.message} (A7)" for reason in why_not_by_rule(facts)),
    ]
    if author is not None:
        sentences += [_no_self_approval(policy), _used_up(facts, policy, author)]
    return tuple(Reason("P10", sentence) for sentence in sentences if sentence)


def _barred_by_label(facts: Facts, policy: ReviewPolicy) -> str:
    label = bars_auto_approval(policy, labels_in_force(facts))
    return f"label {label} forbids approval without a reviewer (auto_approve = false)" if label else ""


def _set_late_by_an_author(facts: Facts) -> str:
    """Return a message if the mark was set after the task was created, by a maker or delegator of the work or by nobody
    on record (G1).
    """
    task = facts.task
    if not task.minor_late:
        return ""
    if task.minor_by is None:
        return "it was marked minor after creation, and there is no record of who did that"
    if is_involved(facts, facts.party(task.minor_by)):
        return "it was marked minor after creation by a session that made or delegated the work"
    return ""


def _unsigned(facts: Facts) -> list[str]:
    """Return a message if a person set the mark without a signature although people here have keys. (M6)"""
    marked = [control for control in facts.controls if control.kind == "minor"]
    why = why_unsigned(facts, marked[-1]) if marked else ""
    return [f"it was marked minor, but {why}"] if why else []


def _too_large(facts: Facts, policy: ReviewPolicy) -> list[str]:
    """Return a message for each size limit exceeded. Bytes count too, because one line can hold a whole program."""
    attempt, bounds = facts.attempt, policy.minor
    if attempt is None:
        return []
    sentences = []
    if any(changed.added is None for changed in attempt.files):
        sentences.append("it changes a binary file, which cannot be measured in lines")
    lines = attempt.added + attempt.removed
    if lines > bounds.max_lines:
        sentences.append(f"it changes {lines} lines, more than minor.max_lines = {bounds.max_lines}")
    if attempt.size == NOT_MEASURED and attempt.files:
        sentences.append("its size in bytes was not recorded. Submit it again")
    elif attempt.size > MAX_BYTES:
        sentences.append(f"it changes {attempt.size} bytes, more than the {MAX_BYTES} allowed for minor work")
    return sentences


NEVER_MINOR: dict[MarkKind, str] = {
    "rename": "renames a file",
    "link": "makes or changes a symbolic link",
    "unlinked": "removes a symbolic link",
    "submodule": "changes a submodule",
    "mode": "changes the mode of a file",
    "executable": "makes a file executable",
}
"""Changes that counting lines does not show. (P10)"""


def _more_than_lines(facts: Facts) -> str:
    marks = facts.attempt.marks if facts.attempt else []
    mark = next((mark for kind in NEVER_MINOR for mark in marks if mark.kind == kind), None)
    return f"it {NEVER_MINOR[mark.kind]}: {mark.path}" if mark else ""


def _touches_protected(facts: Facts, policy: ReviewPolicy) -> str:
    hit = gate_files(policy, facts.changed_paths())
    return f"it touches the protected path {named(hit[0])}" if hit else ""


def _goes_elsewhere(facts: Facts) -> str:
    paths = facts.paths_at_merge()
    return f"the merge would place the change in {paths[0]}" if paths else ""


def _no_self_approval(policy: ReviewPolicy) -> str:
    return "" if policy.minor.self else "authors cannot approve their own minor work here (minor.self = false)"


def _used_up(facts: Facts, policy: ReviewPolicy, author: Party) -> str:
    line = [author, *[facts.party(session) for session in author.above]]
    origins = {origin for party in line if party.kind == "agent" or party is author for origin in party.origins}
    used = max((facts.minor_self_approvals.get(origin, 0) for origin in origins), default=0)
    limit = policy.minor.self_approvals_per_day
    return (
        f"this origin has approved {used} minor tasks of its own today (minor.self_approvals_per_day = {limit})"
        if used >= limit
        else ""
    )
