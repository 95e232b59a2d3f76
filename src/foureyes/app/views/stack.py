"""The work of other tasks inside an attempt (A7), as every face says it."""

from __future__ import annotations

import msgspec


class InsideRow(msgspec.Struct, frozen=True, kw_only=True):
    """A task whose work is inside. `how`: how it was found; `standing`: how the task stands now; `first`: it is merged
    first; `refused`: why its work cannot stay inside; `says`: all of this in a sentence.
    """

    task: str
    how: str
    standing: str
    first: bool
    refused: str
    says: str
