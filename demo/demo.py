"""`make demo`: the life of a task in a throw-away repository, with two fake agents and a person.

Every line that is printed below a command is what that command really said. A step that does not do what the story
says ends the demo with exit code 1. Nothing outside the temporary directory is touched, nothing asks, no network.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

from stage import Answer, Player

FE = [sys.executable, "-m", "foureyes"]


class StoryBroken(Exception):
    """A step did something else than the story says."""


class Story:
    """The place, the players, and the printing of what they do."""

    def __init__(self, folder: Path) -> None:
        self.repo = folder / "shop"
        self.copy = folder / "copy"
        self.repo.mkdir()
        self.bold = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        self.alice = Player(folder, "alice", person=True)
        self.claude = Player(folder, "claude")
        self.codex = Player(folder, "codex")
        self._place = {self.alice: self.repo, self.claude: folder / "claude", self.codex: folder / "codex"}

    def tell(self, text: str) -> None:
        """A line of the story."""
        print(f"\n\033[1m{text}\033[0m" if self.bold else f"\n{text}")

    def do(self, who: Player, command: str, *, expect: int = 0, says: str = "", at: Path | None = None, quiet: bool = False) -> str:
        """Run a command as a player, print it with what it said, and check that it did what the story says."""
        cwd = at or (self._place[who] if self._place[who].exists() else self.repo)
        answer = who.run(self._argv(command), cwd)
        if not quiet:
            print(f"{who.name}$ {command}" + (f"      (exit {answer.rc})" if answer.rc else ""))
            print("".join(f"    {line}\n" for line in answer.text.splitlines()), end="")
        self._check(who, command, answer, expect, says)
        return answer.text

    @staticmethod
    def _argv(command: str) -> list[str]:
        if " > " in command or " && " in command:
            return ["/bin/sh", "-ec", command]
        first, *rest = shlex.split(command)
        return [*{"fe": FE, "python": [sys.executable]}.get(first, [first]), *rest]

    @staticmethod
    def _check(who: Player, command: str, answer: Answer, expect: int, says: str) -> None:
        if answer.rc != expect:
            raise StoryBroken(f"{who.name}: {command}: exit code {answer.rc}, the story says {expect}\n{answer.text}")
        if says not in answer.text:
            raise StoryBroken(f"{who.name}: {command}: nothing about {says!r} in\n{answer.text}")

    def close(self) -> None:
        """Everybody goes home."""
        for player in (self.alice, self.claude, self.codex):
            player.close()


def found(pattern: str, text: str) -> str:
    """What a command said, picked from its text."""
    match = re.search(pattern, text)
    if match is None:
        raise StoryBroken(f"no {pattern!r} in\n{text}")
    return match.group(1)


def set_the_stage(s: Story) -> None:
    """A small repository."""
    files = "printf 'def greet():\\n    return \"hello\"\\n' > greet.py && printf 'TAX = 0.19\\n' > price.py"
    name = "git config user.name Alice && git config user.email alice@example.org"
    s.do(s.alice, f"git init -q -b main && {name} && {files} && git add . && git commit -q -m 'A small shop'", quiet=True)


def check_the_players(s: Story) -> None:
    """Everybody must be seen as who they play: who is above a detached process is up to the machine."""
    for player, kind in ((s.alice, "human"), (s.claude, "agent"), (s.codex, "agent")):
        s.do(player, "fe whoami", says=f": {kind}, observed", quiet=True)


def plan(s: Story) -> tuple[str, str]:
    """Alice sets up the project; three tasks are planned, one of them by an agent."""
    s.tell("1. Alice makes the repository a project. She plans two tasks, and the agent claude a third.")
    s.do(s.alice, "fe init", says="Foureyes project created.")
    check_the_players(s)
    price = found(r"created (\S+)", s.do(s.alice, 'fe create "Round prices to cents"', quiet=True))
    s.do(s.alice, 'fe create "Log in with a password" -l security', quiet=True)
    greet = found(r"created (\S+)", s.do(s.claude, 'fe create "Greet by name"', quiet=True))
    s.do(s.alice, "fe list", says="Greet by name")
    return price, greet


def nobody_approves_their_own(s: Story, greet: str) -> str:
    """codex works and tries to approve itself."""
    s.tell("2. codex takes a task, works in a worktree of its own, and hands in. It is free at once.")
    s.do(s.codex, f"fe start {greet}")
    s.do(s.codex, f"git worktree add -q ../codex -b fe/{greet}", quiet=True)
    s.do(s.codex, "printf 'def greet(name):\\n    return f\"hello {name}\"\\n' > greet.py && git commit -q -a -m 'Greet by name'")
    seen = found(r"--seen (\w+)", s.do(s.codex, f'fe submit {greet} -m "greet takes a name"', says="attempt 1"))
    s.tell("3. It tries to approve its own work, and is refused; claude planned the task and needs a reason.")
    s.do(s.codex, f"fe approve {greet} --seen {seen} -m 'looks good to me'", expect=1, says="whoever made a change may not approve it")
    s.do(s.claude, f"fe approve {greet} --seen {seen}", expect=1, says="P3")
    s.do(s.claude, f"fe approve {greet} --seen {seen} -m 'read it, ran it with two names'", says="by exception P3")
    return seen


def a_changed_line_counts(s: Story, price: str) -> None:
    """claude hands in, changes a line, and codex may only approve what was handed in again."""
    s.tell("4. claude has handed in another task, and then changes one more line: what was handed in is not what is there.")
    s.do(s.claude, f"fe start {price}", quiet=True)
    s.do(s.claude, f"git worktree add -q ../claude -b fe/{price}", quiet=True)
    s.do(s.claude, "printf 'def price(net):\\n    return round(net * 1.19, 2)\\n' > price.py && git commit -q -a -m 'Round'", quiet=True)
    first = found(r"--seen (\w+)", s.do(s.claude, f"fe submit {price}", quiet=True))
    s.do(s.claude, "printf 'def price(net):\\n    return round(net * 1.07, 2)\\n' > price.py && git commit -q -a -m 'Just a detail'")
    s.do(s.codex, f"fe approve {price} --seen {first}", expect=1, says="D4")
    second = found(r"--seen (\w+)", s.do(s.claude, f"fe submit {price}", says="attempt 2"))
    s.do(s.codex, f"fe approve {price} --seen {first}", expect=4, says="the change moved while you looked", quiet=True)
    s.do(s.codex, f"fe approve {price} --seen {second}", says="(P7)")


def merge(s: Story, price: str, greet: str) -> None:
    """A person merges by hand; fe recognises it."""
    s.tell("5. Alice merges what was approved. Foureyes sees that the approved commits are on main, and closes the tasks.")
    s.do(s.alice, f"git merge -q --no-ff -m 'Greet by name' fe/{greet} && git merge -q --no-ff -m 'Round prices' fe/{price}")
    text = s.do(s.alice, "fe merge", says=f"closed {price}")
    if f"closed {greet}" not in text:
        raise StoryBroken(f"{greet} was not closed:\n{text}")
    s.do(s.alice, "fe security", says="creator_approval")


def audit(s: Story) -> None:
    """The journal is verified; a copy with one edited row is not."""
    s.tell("6. The journal. Somebody edits one row of a copy with a plain SQL client: the row is named.")
    s.do(s.alice, "fe audit verify", says="rows verified")
    row = int(found(r"#(\d+)", s.do(s.alice, "fe security", quiet=True)))
    shutil.copytree(s.repo, s.copy)
    update = f"UPDATE journal SET payload = replace(payload, 'two names', 'every name') WHERE seq = {row}"
    s.do(s.alice, f'python -m apsw .foureyes/store.db "{update}"', at=s.copy)
    s.do(s.alice, "fe audit verify", expect=6, says=f"row {row} ", at=s.copy)


def play(folder: Path) -> None:
    """The whole story."""
    print("Nothing is done until a different pair of eyes has agreed. One repository, two agents, one person.")
    print("Nothing outside of a temporary directory is touched.")
    s = Story(folder)
    try:
        set_the_stage(s)
        price, greet = plan(s)
        nobody_approves_their_own(s, greet)
        a_changed_line_counts(s, price)
        merge(s, price, greet)
        audit(s)
    finally:
        s.close()
    command = Path(sys.executable).with_name("fe")
    print(f"\nfe is {command}" if command.exists() else "")
    print(f"Kept in {s.repo}. Look around: cd {s.repo} && fe status     Yours: fe init")


def main() -> int:
    """0 when everything went as told, 1 when not."""
    folder = Path(tempfile.mkdtemp(prefix="foureyes-demo-"))
    try:
        play(folder)
    except (StoryBroken, OSError) as problem:
        sys.stdout.flush()
        print(f"\nThe demo failed. {problem}\nKept for a look: {folder}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
