"""Reviews by runs: what becomes of somebody who was asked (V3, V4): a run, once more after an answer that was none, or
nothing. Never a pass.
"""

from __future__ import annotations

from typing import Final

import msgspec

from foureyes.core.nouns.cycle import NotGivenWhy
from foureyes.core.nouns.run import ErrorKind
from foureyes.core.run.retrying import NextRun
from foureyes.core.run.snapshot import PastRun, ReviewDue, Slot

INVALID_MOST: Final = 2
"""V3: asked for once more, then it counts as no review."""
RUNS_MOST: Final = 5
"""So many runs, also such as nobody is to blame for."""
DIGEST: Final = "sha256:"
LEAST_DIGITS: Final = 8
KINDS: dict[ErrorKind, NotGivenWhy] = {
    "quota": "quota", "auth": "auth", "missing": "missing", "refused": "refused", "timeout": "timeout",
    "crash": "crash",
}  # fmt: skip


class NoReview(msgspec.Struct, frozen=True, kw_only=True):
    """Why somebody gives none."""

    kind: NotGivenWhy
    text: str


def next_of(due: ReviewDue, slot: Slot | None) -> NextRun | NoReview | None:
    """V3, V4: the next run for who was asked, or why there is no review; None: it is waited for."""
    if due.late:
        return NoReview(kind="timeout", text="there was no answer in time")
    if not due.is_profile:
        return None
    if given_up := _given_up(due):
        return given_up
    if slot is not None and slot.elsewhere and (slot.cooled or not slot.available):
        return None
    if slot is None or not slot.available:
        why = slot.problem if slot and slot.problem else "it is no profile of the policy in force"
        return NoReview(kind="missing", text=why)
    if slot.cooled:
        return NoReview(kind=KINDS.get(slot.error, "quota"), text=slot.error_text or "it is skipped for now")
    last = due.past[-1] if due.past else None
    if last is not None and is_invalid(last):
        goes_on = (
            due.purpose == "clarify" and not last.elsewhere
        )  # a reviewer begins again, in files and a home of its own
        return NextRun(profile=due.reviewer, resumes=last.conversation if goes_on else "", asks="answer")
    return NextRun(profile=due.reviewer, resumes=due.resumes if last is None else "")


def is_about(named: object, diff_id: str) -> bool:
    """V3, D7: whether an answer names the change that was asked about: its digest, or at least eight digits of it."""
    if not isinstance(named, str):
        return False
    digits = named.strip().lower().rpartition(".")[2].removeprefix(DIGEST)
    return len(digits) >= LEAST_DIGITS and diff_id.removeprefix(DIGEST).startswith(digits)


def is_invalid(run: PastRun) -> bool:
    """V3: its program came to a good end, and its answer was no valid document."""
    return run.ending == "finished" and run.error == "refused"


def _given_up(due: ReviewDue) -> NoReview | None:
    """Why the runs so far come to nothing; one that was stopped, or lost its runner, is nobody's fault."""
    invalid = [run for run in due.past if is_invalid(run)]
    if len(invalid) >= INVALID_MOST:
        return NoReview(kind="invalid", text=invalid[-1].text)
    for run in due.past:
        if is_invalid(run) or run.ending in ("stopped", "lost"):
            continue
        if run.ending == "timeout":
            return NoReview(kind="timeout", text=run.text or "it took too long")
        return NoReview(kind=KINDS.get(run.error, "crash"), text=run.text or "it ended without an answer")
    if len(due.past) >= RUNS_MOST:
        return NoReview(kind="crash", text=f"{len(due.past)} runs came to nothing")
    return None
