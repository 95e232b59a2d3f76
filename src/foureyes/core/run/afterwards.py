"""What becomes of the work of a run whose program has ended: by its signal and by what it changed (S1, S2, S4, L17)."""

from __future__ import annotations

from typing import Final

from foureyes.core.nouns.run import COOLING, Purpose, Run, RunOutcome
from foureyes.core.run.snapshot import Left, LiveState
from foureyes.core.run.step import AfterRun

DONE: Final[dict[Purpose, str]] = {
    "lead": "the lead has decided",
    "review": "its review is on record",
    "clarify": "it has answered",
}


def becomes_of(live: LiveState) -> tuple[AfterRun, str]:
    """S1, S2, S4: what is done with a run that is over and was tidied up, and why."""
    outcome, left, run = live.outcome, live.left, live.run
    assert outcome is not None
    assert left is not None
    if live.done:
        return "finished", DONE.get(run.purpose, "it submitted itself")
    if outcome.stopped:
        return "stopped", live.stop or run.stop_asked or "the runner ends"
    if outcome.error in COOLING and not outcome.succeeded:
        return "cool", f"{run.profile}: {outcome.error_text or outcome.error}"
    if not outcome.succeeded:
        return "retry", how_it_failed(outcome)
    if run.purpose == "lead":
        return "retry", "the lead ended without a decision"
    if run.purpose in ("review", "clarify"):
        return "answer", ""
    return _by_signal(run, signal_of(live), left, outcome)


def signal_of(live: LiveState) -> str:
    """S1: the last word of a run: the signal line of its final message comes after whatever it said before."""
    return (live.outcome.signal if live.outcome else None) or live.run.signal


def _by_signal(run: Run, signal: str, left: Left, outcome: RunOutcome) -> tuple[AfterRun, str]:
    """S4: a run that did come to its end."""
    if signal == "BLOCKED":
        return "blocked", outcome.message or run.message or "it says that it is blocked"
    if signal == "FAILED":
        return "retry", outcome.message or run.message or "it says that it failed"
    if left.problem:
        return "send_back", left.problem
    if not signal and outcome.conversation and not run.resumes:
        return "ask_signal", "it ended without a signal"
    if not left.changed:
        return "no_change", "it changed nothing" if signal else "it ended without a signal and changed nothing"
    if signal == "DONE":
        return "hand_in", ""
    return "needs_review", "it ended without a signal" if not signal else "it asks for a review"


def how_it_failed(outcome: RunOutcome) -> str:
    """S2: a failed run, in a sentence."""
    if outcome.timed_out:
        return "it took too long" if outcome.timed_out == "deadline" else "nothing was heard of it for too long"
    if outcome.error_text:
        return outcome.error_text
    if outcome.rc not in (0, None):
        return f"it ended with exit code {outcome.rc}"
    return "its output broke off"
