"""What a finding waits for: where it stands in a word or two, and the next command for who asks (L6–L9, L16, E3)."""

from __future__ import annotations

from foureyes.core.nouns.finding import UNRESOLVED, Finding, rulings_for


def state_in_words(finding: Finding, now: str) -> str:
    """A finding's state as people say it."""
    if finding.state == "waived":
        return f"waived until {finding.waived_until[:10]}" if finding.is_waived(now) else "waiver ran out"
    if finding.state != "open":
        return "claimed fixed" if finding.state == "claimed" else finding.state
    if finding.waiting:
        return "to confirm"
    return ("must fix" if finding.must_fix else "open") if finding.blocking else "note"


def next_step(finding: Finding, now: str, *, status: str, mine: bool) -> str:
    """The next command by the state of a finding, by the status of its task, and by whether the caller made the
    work.
    """
    if finding.by_check and finding.holds(now):
        return f"mend it; the passing check resolves it: fe check run {finding.task}"
    if finding.state in UNRESOLVED and finding.blocking:
        ruling = _ruling(finding)
        if ruling:
            return f"somebody else rules: {ruling}" if mine else ruling
        return _answering(finding, status, mine)
    if finding.state == "waived":
        again = f'a person runs: fe finding waive {finding.id} -m "why"'
        return f"fe show {finding.task}" if finding.is_waived(now) else again
    if finding.state in ("open", "deferred", "skipped") and not finding.tracked:
        answer = f"fe finding respond {finding.id} --fixed|--deferred|--skipped"
        return answer if mine and finding.state == "open" else f"fe finding track {finding.id}"
    return f"fe show {finding.tracked or finding.task}"


def _ruling(finding: Finding) -> str:
    """The ruling that a finding waits for; empty where it waits for an answer."""
    words = rulings_for(finding.state, waiting=finding.waiting, left_diff=finding.left_diff)
    flags = "|".join(f"--{word.lower().replace('_', '-')}" for word in words)
    return f"fe finding rule {finding.id} {flags}" if flags else ""


def _answering(finding: Finding, status: str, mine: bool) -> str:
    """An open one is answered by whoever works on the task."""
    other = "" if finding.must_fix else " | --rejected --ground …"
    answer = f'fe finding respond {finding.id} --fixed -m "what you changed"{other}'
    if status == "open":
        return f"fe start {finding.task}, then: {answer}"
    return answer if mine else f"its implementer runs: {answer}"
