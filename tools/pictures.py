"""The pictures of the terminal app in docs/pictures: what `make pictures` writes and a test compares.

They are the real app over a real project. Ids are counted, the clock stands and commits have fixed dates, so that the
same code makes the same pictures everywhere.
"""

from __future__ import annotations

import html
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from unittest.mock import patch

from foureyes.app.application import Application
from foureyes.app.results.draft import Position
from foureyes.bootstrap.init import create_project
from foureyes.bootstrap.wiring import open_project
from foureyes.core.nouns.finding import ReportedFinding
from foureyes.core.nouns.session import Actor
from foureyes.ui.tui.app import FoureyesApp, open_app
from foureyes.ui.tui.worker import Desk

from tests.stage.checkout import Checkout
from tests.stage.people import GEMINI
from tests.stage.ports import CountedIds, FixedClock
from tests.ui.tui.stage import (
    ALICE,
    BOB,
    CHECK,
    CLAUDE,
    CODE,
    CODEX,
    LARGE,
    SETTINGS,
    SMALL,
    Player,
    Seat,
    environ,
    play,
)

ROOT = Path(__file__).resolve().parents[1]
FOLDER = "docs/pictures"
WHEN = "2026-03-01T09:00:00+00:00"
DATES = {"GIT_AUTHOR_DATE": WHEN, "GIT_COMMITTER_DATE": WHEN, "TZ": "UTC"}
NAMES = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER")
         for what, value in (("NAME", "Alice"), ("EMAIL", "alice@example.org"))}  # fmt: skip
FONTS = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
TEXTS = re.compile(r"<text[^>]*\by=\"([\d.]+)\"[^>]*clip-path[^>]*>([^<]*)</text>")


class Shop(Seat):
    """A project in which everything that happens has a fixed time and a counted id."""

    def __init__(self, root: Path) -> None:
        self.root, self.checkout, self.environ = root, Checkout(root), environ(root)
        self.clock, self.ids = FixedClock(), CountedIds()
        self._build()
        self.app = self.open()
        self.app.policy.accept(ALICE)
        self._work()

    def _build(self) -> None:
        self.root.mkdir(parents=True)
        self.checkout.git("init", "-q", "-b", "main")
        self.checkout.write("src/steps.py", CODE)
        self.checkout.write("check.sh", CHECK)
        with patch("foureyes.bootstrap.init.RandomIds", lambda: self.ids):
            create_project(str(self.root), self.environ, ALICE, prefix="fe", target="main", commit=False)
        config = self.root / "foureyes.toml"
        config.write_text(config.read_text() + SETTINGS)
        self.checkout.git("add", "src", "check.sh", "foureyes.toml")
        self.checkout.git("commit", "-q", "-m", "begin")

    def open(self) -> Application:
        """The Application, with our clock and our ids."""
        app = open_project(str(self.root), self.environ)
        app.context.clock, app.context.ids = self.clock, self.ids
        return app

    def sit_down(self) -> FoureyesApp:
        """The app for Alice."""
        app = open_app(Desk(self.open, lambda _: ALICE), self.environ)
        app.raises = True
        return app

    def work(
        self, task: str, files: Mapping[str, str], actor: Actor = CLAUDE, signal: str = "DONE", via: Actor | None = None
    ) -> None:
        """Work takes its time."""
        self.app.claims.start(actor, task)
        self.clock.advance(minutes=4)
        super().work(task, files, actor, signal, via)

    def _work(self) -> None:
        """Some days of a shop: planned, begun, waiting for review, found, held."""
        for title in ("Export orders as CSV", "Write the operator's handbook"):
            self.create(title)
        taken = self.create("Split the parser")
        self.app.claims.start(CODEX, taken)
        self.clock.advance(minutes=12)
        self.app.notes.log(CODEX, taken, "reading the old parser")
        self.limited = self.deliver(
            "Rate limit on login", {"src/steps.py": CODE.replace("return 5\n", "return 55\n")}, labels=["security"]
        )
        self.clock.advance(minutes=7)
        self.app.findings.add(CODEX, self.limited, ReportedFinding(
            severity="HIGH", title="The limit is hard-coded", path="src/steps.py", line=22,
            problem="55 is written in the code", why="operators cannot change it without a release",
            fix="read it from settings.limit",
        ))  # fmt: skip
        for title, name in (("Sort the list", "sort"), ("Cache the price table", "prices"), ("Greet by name", "greet")):
            self.clock.advance(minutes=3)
            self.greeting = self.deliver(title, {f"src/{name}.py": f"def {name}():\n    return 1\n",
                                 f"tests/test_{name}.py": f"def test_{name}():\n    pass\n"})  # fmt: skip
        stuck = self.create("Move to the new mailer")
        self.app.claims.start(CLAUDE, stuck)
        self.clock.advance(minutes=5)
        self.app.stops.hold(BOB, stuck, "the mailer's contract is not signed")
        self.clock.advance(minutes=9)


Story = Callable[[Player, Shop], Awaitable[object]]


async def nothing(*_: object) -> None:
    """The board as it opens."""


async def review(player: Player, shop: Shop) -> None:
    await player.press("r")
    player.app.opened_at = shop.clock.now().timestamp()
    player.app.pages[-1].draw()
    await player.settle()


async def task(player: Player, shop: Shop) -> None:
    await review(player, shop)
    await player.press("1")


async def diff(player: Player, shop: Shop) -> None:
    await task(player, shop)
    await player.press("d")


async def refusal(player: Player, shop: Shop) -> None:
    await task(player, shop)
    await player.press("a")


async def batch(player: Player, shop: Shop) -> None:
    await review(player, shop)
    await player.press("a")


async def attention(player: Player, _: Shop) -> None:
    await player.press("!")


async def planning(player: Player, _: Shop) -> None:
    await player.press("S")


async def ruled(player: Player, shop: Shop) -> None:
    """Two reviewers have concerns: R2 pauses the task, and its author is asked."""
    attempt = shop.app.lists.show(ALICE, shop.greeting).attempts[-1]
    shop.app.cycles.request(ALICE, shop.greeting, reviewers=("codex", "gemini"))
    for who, says in ((CODEX, "Nobody is greeted by name."), (GEMINI, "A name may have markup in it.")):
        shop.clock.advance(minutes=2)
        payload = {"verdict": "concerns", "summary": says, "attempt": attempt.n, "diff_id": attempt.diff_id,
                   "issues": [{"severity": "MEDIUM", "title": says, "location": "src/greet.py:1"}],
                   "files_reviewed": [file.path for file in attempt.files]}  # fmt: skip
        shop.app.reviews.submit(who, shop.greeting, json.dumps({"type": "review_result", "payload": payload}).encode())
    await player.press("!")


PICTURES: dict[str, tuple[tuple[int, int], Story]] = {
    "board": (LARGE, nothing),
    "board-small": (SMALL, nothing),
    "review": (SMALL, review),
    "task": (SMALL, task),
    "diff": (SMALL, diff),
    "refusal": (SMALL, refusal),
    "batch": (SMALL, batch),
    "attention": (SMALL, attention),
    "sprint": (LARGE, planning),
    "ruled": (LARGE, ruled),
}


def pictures(folder: Path) -> dict[str, str]:
    """Every picture by its name, as SVG, from a project in `folder`."""
    before = dict(os.environ)
    os.environ.update(DATES | NAMES)
    time.tzset()
    try:
        shop = Shop(folder / "shop")
        try:
            return {name: _picture(shop, story, size) for name, (size, story) in PICTURES.items()}
        finally:
            shop.close()
    finally:
        os.environ.clear()
        os.environ.update(before)
        time.tzset()


def _picture(shop: Shop, story: Story, size: tuple[int, int]) -> str:
    shop.app.drafts.save_position(ALICE, Position())  # each begins on the board

    async def play_it(player: Player) -> str:
        await story(player, shop)
        svg = player.app.export_screenshot(title="fe")
        return FONTS.sub("", svg).replace("Fira Code", "ui-monospace") + "\n"

    return play(shop.sit_down(), play_it, size)


def words(svg: str) -> list[str]:
    """What a picture says, line by line, without blanks: all that is compared."""
    lines: dict[float, str] = {}
    for place, text in TEXTS.findall(svg):
        lines[float(place)] = lines.get(float(place), "") + re.sub(r"\s", "", html.unescape(text))
    return [lines[place] for place in sorted(lines)]


def stored(name: str) -> Path:
    """Where a picture lies."""
    return ROOT / FOLDER / f"{name}.svg"


def main() -> int:
    """Write every picture that says something else than the app does."""
    with tempfile.TemporaryDirectory(prefix="foureyes-pictures-") as folder:
        for name, svg in pictures(Path(folder)).items():
            path = stored(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists() or words(path.read_text(encoding="utf-8")) != words(svg):
                path.write_text(svg, encoding="utf-8")
                print(f"wrote {FOLDER}/{name}.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
