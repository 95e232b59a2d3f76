"""What a key must do: a row of the table that `test_every_key.py` plays, and how it is played."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from foureyes.ui.tui.keys import KeyContext, bound

from tests.ui.tui.stage import Clock, Player, Seat

NAMES = {"shift+s": "S"}
"""Keys that a terminal sends under another name than the registry's."""


class Told:
    """A story that is told: who plays, whose project, the tasks by their titles, and how often the app was left."""

    def __init__(self, at: Player, seat: Seat) -> None:
        self.at, self.seat = at, seat
        self.tasks: dict[str, str] = {}
        self.left = 0
        self.clock = Clock()
        at.app.clock = self.clock
        at.app.exit = self._exit  # type: ignore[method-assign, assignment]

    def _exit(self, *_: object) -> None:
        self.left += 1

    def status(self, title: str) -> str:
        return self.seat.status(self.tasks[title])

    @property
    def context(self) -> KeyContext:
        return self.at.app.pages[-1].context


class Press(NamedTuple):
    """A key of a context. `first`: keys that bring the reader there. `meanwhile`: what others do before it. `shows`: a
    pattern that is on screen afterwards; `until`: a text that comes by itself; `on`: the row that the cursor is on.
    `then`: keys that end what it began.
    `holds`: what is so in the store, in git, or on the page after all of that. `back`: keys that lead back.
    """

    key: str
    shows: str = ""
    on: str = ""
    first: tuple[str, ...] = ()
    meanwhile: Callable[[Told], object] | None = None
    until: str = ""
    then: tuple[str, ...] = ()
    holds: Callable[[Told], bool] | None = None
    back: tuple[str, ...] = ()
    leaves: bool = False


def each(keys: str, shows: str, **fields: object) -> list[Press]:
    """A row for each of some keys that do the same; a dot in braces is the key."""
    return [Press(key, shows.replace("{}", re.escape(key)), **fields) for key in keys.split()]  # type: ignore[arg-type]


def up_and_down(first: str, second: str) -> list[Press]:
    """The keys that move a cursor over two rows, from the first one on and back to it."""
    rows = [("down", second), ("up", first), ("j", second), ("k", first), ("pagedown", second), ("pageup", first)]
    rows += [("end", second), ("home", first)]
    return [Press(key, on=row) for key, row in rows]


def scrolling() -> list[Press]:
    """The keys that move in a text that is longer than the screen."""
    down, top = (lambda told: scrolled(told) > 0), (lambda told: scrolled(told) == 0)
    moves = [("down", "up"), ("j", "k"), ("pagedown", "pageup"), ("end", "home")]
    return [Press(key, holds=down if way == 0 else top) for pair in moves for way, key in enumerate(pair)]


def scrolled(told: Told) -> float:
    """How far the page is scrolled."""
    return told.at.app.pages[-1].rows.scroll_offset.y


def always(context: str, page: str) -> list[Press]:
    """The keys that every page of the review has; `page` is what is on screen before and afterwards."""
    return [
        Press("!", "ATTENTION", back=("escape",)),
        Press("?", f"HELP {context}", back=("escape",)),
        Press("ctrl+p", "Search for commands", back=("escape",)),
        Press("ctrl+q", page, leaves=True),
    ]


async def tell(told: Told, rows: Iterable[Press]) -> None:
    """Press every key of a table, and look."""
    home = told.context
    for row in rows:
        await told.at.press(*row.first)
        if row.meanwhile is not None:
            row.meanwhile(told)
        told.clock.now += 1.0
        here, left = told.context, told.left
        assert here == home, f"{row.key}: pressed in {here}, not in {home}\n{told.at.screen}"
        screen = await told.at.press(NAMES.get(row.key, row.key))
        assert re.search(row.shows, " ".join(screen.split())), f"{row.key}: no {row.shows!r}\n{screen}"
        if row.until:
            await told.at.until(row.until)
        if row.on:
            at = told.at.app.pages[-1].rows.at
            assert at == told.tasks.get(row.on, row.on), f"{row.key}: on {at}, not on {row.on}\n{screen}"
        for key in row.then:
            told.clock.now += 1.0
            await told.at.press(key)
        assert row.holds is None or row.holds(told), f"{row.key}: does not hold afterwards\n{told.at.screen}"
        assert told.left - left == row.leaves, f"{row.key}: left {told.left - left} times"
        await told.at.press(*row.back)


def uncovered(context: KeyContext, rows: Iterable[Press]) -> set[str]:
    """The keys of the registry that no row of a context presses."""
    return {key for key, _ in bound(context)} - {row.key for row in rows}
