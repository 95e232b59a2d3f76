"""A project whose agents play a script, below real reapers, under a real runner."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.stage.shop import Shop

PLAYER = """
[agents.dev]
program = "scripted"
args = ["{play}"]

[[checks]]
name = "lint"
run = "! grep -rn MESSY src"
"""
SETTINGS = f"""
[tiers]
developer = "dev"
senior = "dev"
{PLAYER}"""
PATIENCE = 60
LOOK_SECONDS, LONGEST_SECONDS = 0.05, 0.5
REST = 8
"""So many times as long as a look takes it is not looked again."""
DONE: dict[str, object] = {"signal": "DONE", "message": "it is done"}


def write(name: str, text: str) -> list[dict[str, object]]:
    return [{"write": f"src/{name}", "text": text}, {"commit": f"Write {name}"}]


class Theatre:
    """The project, and the script of its agents."""

    def __init__(self, shop: Shop, folder: Path, settings: str = SETTINGS) -> None:
        self.shop, self.path = shop, folder / "play.json"
        self.play({"plays": [{"steps": [*write("{task}.py", "fine\n"), DONE]}]})
        shop.configure(settings.replace("{play}", str(self.path)))

    def play(self, script: object) -> None:
        self.path.write_text(json.dumps(script))

    def run(self, *args: str) -> list[dict[str, str]]:
        """As a person, to its end; what it told."""
        found: list[dict[str, str]] = self.shop.lines(self.shop.cast.alice, "run", *args)
        return found

    def kinds(self) -> list[str]:
        """What the journal has, in order."""
        return [row["kind"] for row in self.shop.lines(self.shop.cast.alice, "audit", "export")]

    def check_nothing_left(self, tasks: Sequence[str]) -> None:
        """No process, run, claim or worktree that nobody needs, nothing merged twice; and somebody can move each
        task.
        """
        shop = self.shop
        found = {task: shop.status(task) for task in tasks}
        assert set(found.values()) <= {"closed", "blocked", "open", "reviewing"}
        status = shop.done(shop.cast.alice, "status")
        assert status["runners"] == []
        assert {task for task, word in found.items() if word == "open"} <= {row["task"] for row in status["stuck"]}
        assert not list((shop.repo / ".foureyes/runs").iterdir())
        there = {path.name for path in (shop.repo / ".foureyes/worktrees").iterdir() if path.is_dir()}
        assert there <= {task for task, word in found.items() if word != "closed"}
        assert processes_of(shop.repo) == []
        merged = shop.git("log", "--merges", "--format=%(trailers:key=Task,valueonly)").split()
        assert sorted(merged) == sorted(task for task, word in found.items() if word == "closed")
        assert shop.verify()


def processes_of(repo: Path) -> list[str]:
    """The processes whose environment names a place of a project."""
    return [path.parent.name for path in Path("/proc").glob("[0-9]*/environ") if str(repo).encode() in _bytes(path)]


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for(what: Callable[[], bool]) -> None:
    """Until something is so. A look that takes a command is not taken again and again: what is waited for needs the
    processor, too.
    """
    end, begun = time.monotonic() + PATIENCE, time.monotonic()
    while not what():
        now = time.monotonic()
        assert now < end, "it never came"
        time.sleep(min(max(LOOK_SECONDS, REST * (now - begun)), LONGEST_SECONDS))
        begun = time.monotonic()
