"""`fe demo`, `make demo`: opens the app on the running demo at a terminal, and prints the story elsewhere.

It touches only a temporary directory, asks nothing and uses no network. The exit code is 1 if a step deviates from the
story.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from foureyes.demo import acts, live
from foureyes.demo.story import Story, StoryBroken


def play(folder: Path) -> None:
    """Play and print the whole story."""
    print("A small shop, 7 tasks, 3 agents at once. Nothing outside a temporary directory is touched.")
    print("Nothing reaches main until someone other than its author approves it: the project's checks, or a person.")
    s = Story(folder)
    try:
        acts.set_the_stage(s)
        tasks = acts.plan(s)
        output = acts.night(s, tasks)
        acts.morning(s, tasks, output)
        acts.peers(s, tasks)
        acts.your_turn(s)
    finally:
        s.close()
    command = Path(sys.executable).with_name("fe")
    print(f"\nfe is {command}" if command.exists() else "")
    print("Your turn: two tasks wait for you. R opens the queue, Enter a task, D its diff, A approves, ? shows help.")
    print(s.kept)


def main() -> int:
    """Return 0 if the demo went as told, 1 if not, 130 if it was interrupted."""
    folder = Path(tempfile.mkdtemp(prefix="foureyes-demo-"))
    try:
        with live.ended_in_order():
            live.play(folder) if live.can_open() else play(folder)
    except (StoryBroken, OSError) as problem:
        sys.stdout.flush()
        print(f"\nThe demo failed. {problem}\nThe files are kept in {folder}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        sys.stdout.flush()
        print(f"\nThe demo has ended. Its files are kept in {folder}", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
