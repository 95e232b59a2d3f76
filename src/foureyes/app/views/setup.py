"""Setting up agent programs: what is done to their files, and what is found in them."""

from __future__ import annotations

from typing import Literal

import msgspec

SetupResult = Literal["written", "updated", "unchanged", "removed", "absent", "kept", "by hand"]


class FileChange(msgspec.Struct, frozen=True, kw_only=True):
    """What `fe setup` does to a file; `before` and `after` are its texts, None where there is no file. `lines` are what
    somebody adds, or takes out, by hand.
    """

    file: str
    result: SetupResult
    why: str = ""
    lines: str = ""
    before: str | None = None
    after: str | None = None


class ProgramSetup(msgspec.Struct, frozen=True, kw_only=True):
    """What a program finds in this checkout, and what of it does not fit."""

    program: str
    found: tuple[str, ...]
    wrong: tuple[str, ...] = ()
