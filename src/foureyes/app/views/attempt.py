"""What a submission answers."""

from __future__ import annotations

import msgspec

from foureyes.app.views.stack import InsideRow
from foureyes.errors import Reason
from foureyes.steps import NO_STEP, Steps


class SubmitOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What was submitted. `inside`: the tasks whose work is inside (A7); `person`: what asks for a person, empty where
    an agent may approve (P6); `unchecked`: required checks that nobody ran on it yet, `not_green`: those that ran on
    these files before and did not pass (D5); `first`: what else has to happen before anybody can approve. `notes`: what there is to say about where it came from. `repeats`: the
    attempt before, where this one is exactly its files again (L11), with `fixed_by_nothing` findings answered FIXED;
    `said`: how near escalation is (E5). `committed`: the paths that were committed on the way; `new`: those that git
    did not know before. `sent`: whether the project's remote has it by now (Q6); empty where it has none.
    """

    task: str
    attempt: int
    base: str
    head: str
    ref: str
    diff_id: str
    seen: str
    status: str
    files: int
    added: int
    removed: int
    commits: int
    landed: bool = False
    no_code: bool = False
    changed: bool = True
    next: Steps = NO_STEP
    signal: str = "DONE"
    mode: str = ""
    reasons: tuple[Reason, ...] = ()
    inside: tuple[InsideRow, ...] = ()
    person: str = ""
    unchecked: tuple[str, ...] = ()
    not_green: tuple[str, ...] = ()
    first: tuple[Reason, ...] = ()
    notes: tuple[str, ...] = ()
    repeats: int = 0
    fixed_by_nothing: int = 0
    said: str = ""
    committed: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    sent: str = ""
