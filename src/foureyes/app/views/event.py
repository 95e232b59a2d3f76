"""Events as people read them: one sentence each."""

from __future__ import annotations

from typing import Literal

import msgspec

EventKind = Literal["plain", "decision", "stop", "security", "refused"]
"""What stands out: a decision, something that stopped and waits for somebody, an exception on record (P8), a
refusal.
"""


class EventLine(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the journal as one sentence, `text`, which begins with `who` did it. `task` is empty where it is about
    none.
    """

    seq: int
    at: str
    task: str
    who: str
    text: str
    kind: EventKind = "plain"
