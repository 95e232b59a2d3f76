"""D5: a required check that broke itself is tried again, after a pause that grows: a job that runs checks recovers by
itself, and a machine on which they cannot run is not kept busy by them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.core.nouns.check import CheckResult, CheckState
from foureyes.core.rules.check_states import RAN, counts

if TYPE_CHECKING:
    from foureyes.core.rules.facts import Facts

FIRST_PAUSE = 60
LONGEST_PAUSE = 3_600


class BrokenCheckRuns(msgspec.Struct, frozen=True):
    """Runs of a check that ended one after the other without saying anything about the work: the last one, how many
    there were, and how many seconds after the last the next is due.
    """

    last: CheckResult
    tries: int

    @property
    def pause(self) -> int:
        return pause_after(self.tries)


def pause_after(tries: int) -> int:
    """How many seconds after so many failures in a row the next try is due."""
    return int(min(FIRST_PAUSE * 2 ** min(tries - 1, 10), LONGEST_PAUSE))


def lacks_a_run(state: CheckState) -> bool:
    """Whether a required check has no result that says something and counts, or nothing to compare it with."""
    has_result = state.result is not None and state.result.outcome in RAN
    return state.rule.required and (not has_result or state.claimed or not state.compared)


def broken_of(facts: Facts, state: CheckState) -> BrokenCheckRuns | None:
    """Why a run that is lacking is not begun at once: the latest ones broke, on the attempt's tree or, where only that
    is to be compared, on the target's.
    """
    attempt = facts.attempt
    if attempt is None or not lacks_a_run(state):
        return None
    has_result = state.result is not None and state.result.outcome in RAN and not state.claimed
    tree = attempt.base_tree if has_result else attempt.tree
    tries, last = 0, None
    for result in reversed(facts.results_beside(attempt.base_tree)):
        if (result.tree, result.name, result.digest) != (tree, state.rule.name, state.rule.digest):
            continue
        if not counts(facts, result):
            continue
        if result.outcome in RAN:
            break
        tries, last = tries + 1, last or result
    return BrokenCheckRuns(last, tries) if last else None
