"""The demo's narrator: runs the commands, prints their real output, and checks it against the story."""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path

from foureyes.demo.stage import CommandResult, Player

FE = [sys.executable, "-P", "-m", "foureyes"]


class StoryBroken(Exception):
    """Raised if a step deviated from the story."""


class Story:
    """The folder, the players, and the printed story."""

    def __init__(self, folder: Path, *, aloud: bool = True) -> None:
        self.folder = folder
        self.aloud = aloud
        self.repo = folder / "shop"
        self.repo.mkdir()
        self.bold = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        self.alice = Player(folder, "alice", person=True)

    def tell(self, text: str) -> None:
        """Print a line of the story."""
        if not self.aloud:
            return
        print(f"\n\033[1m{text}\033[0m" if self.bold else f"\n{text}", flush=True)

    def do(
        self, who: Player, command: str, *says: str, expect: int = 0, at: Path | None = None, quiet: bool = False
    ) -> str:
        """Run a command as a player, print it with its output, and check both."""
        answer = who.run(self._argv(command), at or self.repo)
        return self.show(who, command, answer, *says, expect=expect, quiet=quiet)

    def show(
        self, who: Player, command: str, answer: CommandResult, *says: str, expect: int = 0, quiet: bool = False
    ) -> str:
        """Print and check a command that has ended, and return its output."""
        if self.aloud and not quiet:
            print(f"{who.name}$ {command}" + (f"      (exit {answer.rc})" if answer.rc else ""))
            print("".join(f"    {line}".rstrip() + "\n" for line in answer.text.splitlines()), end="", flush=True)
        self._check(who, command, answer, expect, says)
        return answer.text

    @staticmethod
    def _argv(command: str) -> list[str]:
        if " > " in command or " && " in command:
            return ["/bin/sh", "-ec", command]
        first, *rest = shlex.split(command)
        return [*{"fe": FE, "python": [sys.executable]}.get(first, [first]), *rest]

    @staticmethod
    def _check(who: Player, command: str, answer: CommandResult, expect: int, says: tuple[str, ...]) -> None:
        if answer.rc != expect:
            raise StoryBroken(f"{who.name}: {command}: exit code {answer.rc}, the story says {expect}\n{answer.text}")
        missing = [text for text in says if text not in answer.text]
        if missing:
            raise StoryBroken(f"{who.name}: {command}: nothing about {missing[0]!r} in\n{answer.text}")

    @property
    def kept(self) -> str:
        """Return the last line: where everything is and the next steps."""
        return f"Kept in {self.repo}. To look around: cd {self.repo} && fe"

    def close(self) -> None:
        """Close all players."""
        self.alice.close()


def found(pattern: str, text: str) -> str:
    """Return the part of a command's output that matches a pattern."""
    match = re.search(pattern, text)
    if match is None:
        raise StoryBroken(f"no {pattern!r} in\n{text}")
    return match.group(1)
