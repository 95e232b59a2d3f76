"""The terminal app over 10,000 tasks in review, and over a change of 20,000 lines in 500 files.

The app is the real one, without a terminal: keys go in, and it has answered when nothing is under way and everything is
drawn. What counts is the time of the processor, of git too, not the time on the wall: how busy others keep the machine
says nothing about the app. Budgets are in seconds and milliseconds, because a hand waits in those.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from textual.pilot import Pilot

from foureyes.adapters.store.store_files import create_store
from foureyes.app.application import Application
from foureyes.app.ports import WriteTx
from foureyes.core.words.ids import task_id
from foureyes.ui.tui.app import FoureyesApp, open_app
from foureyes.ui.tui.garbage_collection import steady
from foureyes.ui.tui.worker import Desk

from bench.dataset import PROJECT, Life
from bench.figures import Figure, at_most, note, progress, show
from bench.places import ADA, NOW, PREFIX, TARGET, SqlitePlace, application, desk
from tests.stage.scripted_git import sha
from tests.ui.tui.stage import Player, Seat, build

PENDING = 10_000
FILES, LINES = 500, 40
KEYS = 200
FIRST_PAINT, DIFF_PAINT = 0.5, 1.0
MEDIAN, WORST = 50.0, 100.0
GROWTH = 1.1
"""After some hundred keys the app may have grown by a tenth, not more."""
SIZE = (120, 40)


class Pending(Life):
    """A project in which everything waits for review."""

    def live_through(self, tx: WriteTx, number: int) -> None:
        task = task_id(PREFIX, number * 7919 + 1, 5)
        maker = self.random.choice(self.agents)
        self.tell(tx, self.random.choice(self.agents), task, self.planned(number, "reviewing"))
        self.ids.append(task)
        self.work(tx, maker, task, "reviewing")

    def fill(self, tx: WriteTx, count: int) -> None:
        """No lines beside what happened."""


def crowded(folder: Path, tasks: int) -> Callable[[], Application]:
    """A way to open a store with so many tasks in review."""
    progress(f"making a store of {tasks:,} tasks in review")
    folder.mkdir(parents=True)
    store = create_store(str(folder), PROJECT, NOW)
    application(store).projects.create(ADA, "bench", PREFIX, TARGET)
    life = Pending(tasks)
    life.write(store)
    store.close()
    place = SqlitePlace.__new__(SqlitePlace)
    place.folder = folder

    def opened() -> Application:
        app = place.open()
        app.context.repo.heads().update({f"refs/heads/fe/{task}": sha(f"head {task}") for task in life.ids})
        return app

    return opened


def spent() -> float:
    """Seconds of the processor until now: this program's and those of the programs that it started."""
    others = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + others.ru_utime + others.ru_stime


async def answered(app: FoureyesApp, pilot: Pilot[None]) -> None:
    """Until nothing is under way and everything is drawn; looking seldom, because looking takes time, too."""
    await pilot.pause()
    while app.desk.pending:
        await asyncio.sleep(0.01)
    await pilot.pause()


def resident() -> float:
    """Megabytes in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


class Timed(Player):
    """A player who looks at the clock."""

    async def timed(self, *keys: str) -> float:
        """Seconds of the processor until the app has answered."""
        start = spent()
        for key in keys:
            await self.pilot.press(key)
            await answered(self.app, self.pilot)
        return spent() - start


async def keys(player: Timed, name: str, pressed: list[str]) -> list[Figure]:
    """How long each key takes: median and the slowest of a hundred."""
    taken = sorted([await player.timed(key) * 1000 for key in pressed])
    worst = taken[min(len(taken) - 1, len(taken) * 99 // 100)]
    return [
        at_most(f"{name}, median of {len(taken)} keys, ms", statistics.median(taken), MEDIAN),
        at_most(f"{name}, p99, ms", worst, WORST),
    ]


def opened(app: FoureyesApp, story: Callable[[Timed, float], Awaitable[list[Figure]]]) -> list[Figure]:
    """Open the app, and play something in it; the story is told how long the first paint took."""

    async def run() -> list[Figure]:
        start = spent()
        async with app.run_test(size=SIZE) as pilot:
            player = Timed(app, pilot)
            await answered(app, pilot)
            return await story(player, spent() - start)

    return asyncio.run(run())


def many(folder: Path, tasks: int, count: int) -> list[Figure]:
    """The board and the review summary over many tasks in review."""
    place = crowded(folder, tasks)

    async def story(player: Timed, first: float) -> list[Figure]:
        figures = [at_most(f"board, {tasks:,} in review, first paint, s", first, FIRST_PAINT)]
        figures += await keys(player, "board, down", ["down"] * count)
        begun, start = time.perf_counter(), spent()
        while not player.app.ahead.done:
            await asyncio.sleep(0.1)
        figures.append(note("judging ahead, the rest of it, s", f"{spent() - start:.2f}",
                            f"{time.perf_counter() - begun:.1f} s on the wall"))  # fmt: skip
        begun = time.perf_counter()
        figures.append(at_most(f"review summary, {tasks:,} rows, first paint, s", await player.timed("r"), FIRST_PAINT,
                               f"{time.perf_counter() - begun:.2f} s on the wall"))  # fmt: skip
        before = resident()
        figures += await keys(player, "summary, down", ["down"] * count)
        await player.press("/")
        figures += await keys(player, "summary, filter as one types", [*"parser", *["backspace"] * 6] * 4)
        await player.press("escape")
        await player.press(*["pagedown", "pageup"] * (count // 4))
        after = resident()
        figures.append(at_most("memory after these keys over before", after / before, GROWTH, f"{after:.0f} MB"))
        return figures

    async def at_once(player: Timed, _: float) -> list[Figure]:
        return [note("review summary, as soon as the board is there, s", f"{await player.timed('r'):.2f}")]

    environ = {"LANG": "C.UTF-8", "HOME": str(folder), "PATH": os.environ["PATH"]}
    stories = (story, at_once)
    return [figure for each in stories for figure in opened(open_app(Desk(place, lambda _: ADA), environ), each)]


def large(folder: Path, files: int, lines: int, count: int) -> list[Figure]:
    """The diff of a large change."""
    progress(f"making a change of {files * lines:,} lines in {files} files")
    seat = Seat(build(folder / "template"), folder / "shop")
    text = "".join(f"    value_{number} = compute({number})\n" for number in range(lines - 1))
    seat.deliver("A large change", {f"src/part_{n:03d}.py": f"def part_{n}():\n{text}" for n in range(files)})

    async def story(player: Timed, _: float) -> list[Figure]:
        await player.press("r")
        begun = time.perf_counter()
        taken = await player.timed("d")
        figures = [at_most(f"diff, {files * lines:,} lines in {files} files, first paint, s", taken, DIFF_PAINT,
                           f"{time.perf_counter() - begun:.2f} s on the wall")]  # fmt: skip
        figures += await keys(player, "diff, Space", ["space"] * count)
        figures += await keys(player, "diff, to the last and back", ["end", "home"] * (count // 4))
        return [*figures, note("memory with the diff open", f"{resident():.0f} MB")]

    try:
        return opened(seat.sit(), story)
    finally:
        seat.close()


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; 1 when a budget is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.terminal", description=__doc__)
    parser.add_argument("--tasks", type=int, default=PENDING)
    parser.add_argument("--files", type=int, default=FILES)
    parser.add_argument("--keys", type=int, default=KEYS)
    options = parser.parse_args(arguments or [])
    steady()
    with desk() as folder:
        figures = many(folder / "many", options.tasks, options.keys)
        figures += large(folder / "large", options.files, LINES, options.keys)
    return show("The terminal app", "terminal", figures)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
