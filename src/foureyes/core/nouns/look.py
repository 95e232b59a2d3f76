"""A look at a change before a decision: what was on screen, and how the decision was made (H4, H5)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


class Looked(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a decision was made, as the journal has it. `hunks`: how many there were to look at; None where the face does
    not measure. `shown` were on screen long enough, `marked` are others that were ticked off by hand. `spaceless` were
    on screen only without what changed in white space, which is not all of them (D8).

    The ids stand one after the other; `ALL` for all of them.
    """

    face: str = ""
    hunks: int | None = None
    shown: int = 0
    marked: int = 0
    shown_ids: str = ""
    marked_ids: str = ""
    spaceless: int = 0
    spaceless_ids: str = ""
    pager: bool = False
    confirmed: bool = False
    seconds: int = 0

    @property
    def unseen(self) -> int | None:
        """Hunks that were neither on screen as they are nor ticked off; None where nobody knows."""
        return None if self.hunks is None else self.hunks - self.shown - self.marked

    @property
    def words(self) -> str:
        """How it was looked at, for people; empty where nothing is on record."""
        if self.hunks is None:
            return "not measured" if self.face else ""
        marked = f", {self.marked} marked" if self.marked else ""
        marked += f", {self.spaceless} with whitespace hidden" if self.spaceless else ""
        pager = ", in a pager" if self.pager else ""
        return f"{self.shown}/{self.hunks} {'hunk' if self.hunks == 1 else 'hunks'} shown{marked}{pager}"


ALL = "all"
NOTHING_KNOWN = Looked()
LONGEST = 24 * 60 * 60
"""Seconds: nobody looks at one change for longer."""


def counted(hunks: Sequence[str], shown: Sequence[str], marked: Sequence[str], spaceless: Sequence[str] = ()) -> Looked:
    """What of these hunks was seen. Ids that are none of them count for nothing, nor does one that is said twice."""
    wanted = dict.fromkeys(hunks)
    on_screen, by_hand, in_part = set(shown), set(marked), set(spaceless)
    seen = [name for name in wanted if name in on_screen]
    partly = [name for name in wanted if name in in_part - on_screen]
    ticked = [name for name in wanted if name in by_hand - on_screen]
    return Looked(
        hunks=len(wanted),
        shown=len(seen),
        marked=len(ticked),
        shown_ids=_packed(seen, wanted),
        marked_ids=_packed(ticked, wanted),
        spaceless=len(partly),
        spaceless_ids=_packed(partly, wanted),
    )


def _packed(some: Sequence[str], every: dict[str, None]) -> str:
    return ALL if some and len(some) == len(every) else "".join(some)
