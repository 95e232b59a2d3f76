"""A stack as every face draws it (A7): what is inside an attempt, and what stands on it."""

from __future__ import annotations

import msgspec


class StackRow(msgspec.Struct, frozen=True, kw_only=True):
    """A task below or above another. `how`: how it was found; `standing`: how it stands now; `first`: it is merged
    first; `refused`: why its work cannot stay inside; `says`: what is inside, in words.
    """

    task: str
    title: str = ""
    standing: str = ""
    how: str = ""
    attempt: int = 0
    commits: int = 0
    first: bool = False
    refused: str = ""
    says: str = ""
