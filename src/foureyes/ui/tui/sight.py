"""Sight: what of a change was on screen long enough to be read (H4), and for how long somebody looked (H5). Pure: times
come from the caller, in seconds.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foureyes.app.views.diff import DiffView, Hunk

READ_SECONDS = 0.3
"""So long must a line be on screen to count as shown; holding PageDown shows nothing."""
IDLE_SECONDS = 60.0
"""A longer silence than this is not looking."""


class Sight:
    """What the person who sits here was shown of one task. A hunk keeps its id as long as its lines do not change, so
    what was seen of an earlier attempt stays seen.
    """

    def __init__(self) -> None:
        self.shown: set[str] = set()
        self.marked: set[str] = set()
        self.paged: set[str] = set()
        """The diff ids that were read in an external pager."""
        self.attempt = 0
        """The attempt that was looked at last."""
        self.seconds = 0.0
        self._read: dict[str, set[int]] = {}
        self._since: dict[tuple[str, int], float] = {}
        self._attended: float | None = None

    def watch(self, lines: Iterable[tuple[Hunk, int]], now: float) -> bool:
        """Say which lines (of a hunk, by their place in it) are on screen now; call it at every scroll, and again after
        READ_SECONDS. Whether a hunk came to be shown in full.
        """
        there: set[tuple[str, int]] = set()
        sizes: dict[str, int] = {}
        for hunk, number in lines:
            there.add((hunk.id, number))
            sizes[hunk.id] = len(hunk.lines)
        for place, since in self._since.items():
            if now - since >= READ_SECONDS:
                self._read.setdefault(place[0], set()).add(place[1])
        self._since = {place: self._since.get(place, now) for place in there}
        complete = {name for name, size in sizes.items() if len(self._read.get(name, ())) >= size} - self.shown
        self.shown |= complete
        return bool(complete)

    def attend(self, now: float) -> None:
        """The person does something here: the time since they last did is time of looking, unless it was long."""
        if self._attended is not None and now - self._attended <= IDLE_SECONDS:
            self.seconds += now - self._attended
        self._attended = now

    def turn_away(self, now: float) -> None:
        """Something else is on screen from now on."""
        self.attend(now)
        self._attended = None
        self._since = {}

    def saw(self, hunk: Hunk) -> bool:
        """Whether a hunk was shown, or ticked off by hand."""
        return hunk.id in self.shown or hunk.id in self.marked

    def unseen(self, view: DiffView) -> list[Hunk]:
        """The hunks of a change that were neither shown nor ticked off."""
        return [hunk for file in view.files for hunk in file.hunks if not self.saw(hunk)]


class Sights:
    """What was seen of each task, for as long as the app is open."""

    def __init__(self) -> None:
        self._sights: dict[str, Sight] = {}

    def of(self, task: str) -> Sight:
        """The sight of one task."""
        return self._sights.setdefault(task, Sight())
