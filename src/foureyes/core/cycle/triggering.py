"""What begins a review cycle (V1): what agents say in the middle of their work, and their silence."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from foureyes.core.nouns.cycle import Trigger
from foureyes.core.nouns.run import EmitType

BY_EVENT: dict[EmitType, Trigger] = {
    "milestone": "MILESTONE",
    "blocker": "BLOCKER",
    "request_review": "REQUEST_REVIEW",
}
"""V1, S3: the events of an agent that ask for other eyes; the others ask for nothing."""


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """A live run, and when it was last heard of: an event of its stream, a row of its session, else its start."""

    run: str
    task: str
    at: str


def trigger_of(type_: EmitType) -> Trigger | None:
    """V1: the trigger that an agent's event is."""
    return BY_EVENT.get(type_)


def silent(live: Sequence[Heard], *, since: str, fired: str = "") -> tuple[Heard, ...]:
    """V1 TIMEOUT_FALLBACK: the runs it concerns, if no live run was heard of after `since` (now less the minutes of
    silence): all of them, else none. Once per silence: not when it `fired` after the last event. Without a live
    run there is no silence. Times are text that sorts.
    """
    if not live or any(each.at > since for each in live):
        return ()
    return () if fired and fired >= max(each.at for each in live) else tuple(live)
