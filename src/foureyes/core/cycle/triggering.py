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


class RunActivity(msgspec.Struct, frozen=True, kw_only=True):
    """A live run, and when it was last heard of: an event of its stream, a row of its session, else its start. `makes`:
    there is work of it to look at; `fired`: when silence last had that looked at.
    """

    run: str
    task: str
    at: str
    makes: bool = True
    fired: str = ""


def trigger_of(type_: EmitType) -> Trigger | None:
    """V1: the trigger that an agent's event is."""
    return BY_EVENT.get(type_)


def silent(live: Sequence[RunActivity], *, since: str, agreed: str = "") -> tuple[RunActivity, ...]:
    """V1 TIMEOUT_FALLBACK: the runs it concerns, if no live run was heard of after `since` (now less the minutes of
    silence): all of them, else none. Once per silence, which an event ends, and R4 (`agreed`). Without a live run there
    is no silence. Times are text that sorts.
    """
    begins = silence_begins(live, agreed)
    if not live or begins > since:
        return ()
    return tuple(each for each in live if each.makes and not (each.fired and each.fired >= begins))


def silence_begins(live: Sequence[RunActivity], agreed: str = "") -> str:
    """V1: since when nothing is heard of any live run."""
    return max([agreed, *[each.at for each in live]])
