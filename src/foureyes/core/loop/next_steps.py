"""Next steps for findings and loops, and their state in a word or two. (L6–L9, L16, E3)"""

from __future__ import annotations

from foureyes.core.loop.rounds import LoopState
from foureyes.core.nouns.finding import Finding, answer_step, rule_step, rulings_for
from foureyes.core.nouns.finding_state import UNRESOLVED
from foureyes.core.rules.claims import lead_step
from foureyes.core.words.ids import TaskId
from foureyes.steps import NO_STEP, Steps, by, by_person, fe, one_of, phrase

AT_WORK = ("in_progress", "reviewing")
"""Task statuses in which findings can be answered. (L6)"""


def state_in_words(finding: Finding, now: str) -> str:
    """Return the state of a finding in words."""
    if finding.state == "waived":
        return f"waived until {finding.waived_until[:10]}" if finding.is_waived(now) else "waiver ran out"
    if finding.is_withdrawn:
        return "withdrawn"
    if finding.state != "open":
        return "claimed fixed" if finding.state == "claimed" else finding.state
    if finding.waiting:
        return "to confirm"
    return ("must fix" if finding.must_fix else "open") if finding.blocking else "note"


def next_step(finding: Finding, now: str, *, status: str, mine: bool) -> Steps:
    """Return the next command for a finding in this state. `mine`: the caller made the work."""
    if finding.by_check and finding.holds(now):
        return fe("check", "run", finding.task, before="fix it, and passing the check resolves it: ")
    if finding.state in UNRESOLVED and finding.blocking:
        ruling = _ruling(finding)
        if ruling and status != "reviewing":
            return fe("show", finding.task, before="a reviewer rules on it once the work is in review: ")
        if ruling:
            return by("other", ruling, "someone else rules: ") if mine else ruling
        return _answering(finding, status, mine)
    if finding.state == "waived":
        again = by_person(fe("finding", "waive", finding.id, "-m", phrase("why")))
        return fe("show", finding.task) if finding.is_waived(now) else again
    if finding.state in ("open", "deferred", "skipped") and not finding.tracked:
        is_theirs = mine and finding.state == "open" and status in AT_WORK
        answer = fe("finding", "answer", finding.id, one_of("--fixed", "--deferred", "--skipped"), "-m", phrase("…"))
        return answer if is_theirs else fe("finding", "answer", finding.id, "--track")
    return fe("show", finding.tracked or finding.task)


def _ruling(finding: Finding) -> Steps:
    """Return the command to rule on a finding, or nothing if it needs an answer."""
    words = rulings_for(finding.state, waiting=finding.waiting, left_diff=finding.left_diff)
    return rule_step(finding.id, words) if words else NO_STEP


def _answering(finding: Finding, status: str, mine: bool) -> Steps:
    """Return the answer command, which is for the current implementer."""
    answer = answer_step(finding.id, must_fix=finding.must_fix)
    if status in AT_WORK:
        return answer if mine else by("other", answer, "its implementer runs: ")
    return fe("show", finding.task, before="the next author answers: ")


def loop_step(task: TaskId, state: LoopState) -> Steps:
    """Return the next command for a loop: the lead's decision, the list of open findings, or the task."""
    if state.waiting_for:
        return lead_step(task, state.waiting_for)
    return fe("finding", "list", task, "--open") if state.rounds and state.open_blocking else fe("show", task)
