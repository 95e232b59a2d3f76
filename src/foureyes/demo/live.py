"""The demo at a terminal: a runner in a process of its own, the app on the board, and proofs afterwards.

The terminal is restored however a part ends. Ctrl-C, SIGTERM and a closed window stop every process started here.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterator
from pathlib import Path

from foureyes.demo import acts, proofs, shop
from foureyes.demo.stage import PATIENCE, SOURCE, Player
from foureyes.demo.story import FE, Story, StoryBroken

LEAST = (60, 16)
"""Smallest terminal that the app can use."""
READABLE = ("FOUREYES_ASCII", "FOUREYES_PAGER")
"""Variables of Foureyes passed on to the app. They only affect the display."""
AS_IT_WAS = "\033[?1049l\033[?1000;1002;1003;1006;1015l\033[?2004l\033[?25h\033[0m"
"""Escape codes that restore the main screen, mouse, cursor and colors."""


def can_open() -> bool:
    """Return True if the app can open: a person at a large enough terminal that can draw."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM", "dumb") == "dumb":
        return False
    if any(is_there < wanted for is_there, wanted in zip(shutil.get_terminal_size(), LEAST, strict=True)):
        return False
    return _is_person()


def _is_person() -> bool:
    """Return True if Foureyes sees a person here, with no agent above."""
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(["git", "init", "-q", place], env=_environment(), check=False)
        asked = subprocess.run(
            [*FE, "whoami", "--json"],
            cwd=place,
            env=_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    with contextlib.suppress(ValueError, KeyError, TypeError):
        return bool(json.loads(asked.stdout)["kind"] == "human")
    return False


def play(folder: Path) -> None:
    """Set up the demo, start the runner, open the app, and print the proofs afterwards."""
    print(f"A small shop, 7 tasks, 3 agents at once. Nothing outside {folder} is touched.")
    print("Setting up a repository with tests, two scripted agents and a plan …", flush=True)
    s = Story(folder, aloud=False)
    runner = Player(folder, "runner", person=True)
    try:
        acts.set_the_stage(s)
        acts.plan(s, shop.PEERS)
        acts.sprint(s, runner, "--hours 8")
        with the_terminal_as_it_was():
            _open_app(s.repo)
        alone = runner.has_answered
        output = runner.close()
        if alone:
            raise StoryBroken(f"the runner ended while the app was open:\n{_last(output)}")
        s.aloud = True
        proofs.show(s)
        print(f"\n{s.kept}")
    finally:
        runner.close()
        s.close()


def _open_app(repo: Path) -> None:
    """Open the app and wait until the reader leaves it."""
    app = subprocess.Popen([*FE, "tui"], cwd=repo, env=_environment())
    try:
        code = app.wait()
    finally:
        if app.poll() is None:
            app.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                app.wait(PATIENCE)
            app.kill()
            app.wait()
    if code:
        raise StoryBroken(f"the app ended with {code}")


@contextlib.contextmanager
def the_terminal_as_it_was() -> Iterator[None]:
    """Restore the terminal after an app that was killed."""
    before = termios.tcgetattr(0)
    whole = False
    try:
        yield
        whole = True
    finally:
        with contextlib.suppress(OSError, termios.error):
            termios.tcsetattr(0, termios.TCSADRAIN, before)
            if not whole:
                sys.stdout.write(AS_IT_WAS)
                sys.stdout.flush()


@contextlib.contextmanager
def ended_in_order() -> Iterator[None]:
    """Treat SIGTERM and SIGHUP like Ctrl-C."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _environment() -> dict[str, str]:
    ours = {name: text for name, text in os.environ.items() if not name.startswith("FOUREYES_") or name in READABLE}
    return {**ours, "PYTHONPATH": str(SOURCE)}


def _last(output: str) -> str:
    with contextlib.suppress(ValueError, IndexError, TypeError):
        return "\n".join(str(json.loads(output)[1]).splitlines()[-5:])
    return output
