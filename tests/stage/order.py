"""In which order several workers run the tests: what takes long comes first, so that nobody waits at the end; what
reads the program's own text comes together, so that one worker parses it and the others need not.

Each worker begins with an equal part of the list and later takes tests from the end of another's part (`--dist
worksteal`). So the files with long tests are dealt out to the heads of the parts; everything else stays in its order,
because neighbours share what they have made.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]

FIRST = (
    "tests/scenarios/test_demo.py",
    "tests/scenarios/test_readme.py",
    "tests/races/test_two_runners.py",
    "tests/scenarios/test_terminal_app.py",
    "tests/scenarios/test_terminal_signing.py",
    "tests/faults/test_killed_files.py",
    "tests/faults/test_killed_gate.py",
    "tests/adapters/agents/test_live.py",
    "tests/adapters/git/objects/test_shown_is_merged.py",
    "tests/packaging/test_wheel.py",
    "tests/races/test_writers.py",
    "tests/ui/tui/test_pictures.py",
)
"""Files with tests of several seconds."""
HOUSE = (
    *sorted(f"tests/architecture/{path.name}" for path in (TESTS / "architecture").glob("test_*.py")),
    "tests/core/words/test_exceptions.py",
    "tests/ui/test_steps.py",
)
"""Files whose tests share the syntax trees of all modules (`tree_of` of tests/architecture/house.py)."""


def dealt(items: Sequence[pytest.Item], workers: int) -> list[pytest.Item]:
    """The same tests; the long ones at the head of each worker's part, those of the house at that of the last."""
    early: dict[str, list[pytest.Item]] = defaultdict(list)
    rest: list[pytest.Item] = []
    for item in items:
        name = item.nodeid.partition("::")[0]
        (early[name] if name in FIRST or name in HOUSE else rest).append(item)
    parts: list[list[pytest.Item]] = [[] for _ in range(workers)]
    for turn, name in enumerate(name for name in FIRST if name in early):
        parts[turn % workers] += early[name]
    parts[-1] += [item for name in HOUSE for item in early.get(name, ())]
    for number, part in enumerate(parts):
        size = (len(items) * (number + 1)) // workers - (len(items) * number) // workers
        room = size - len(part) if number < workers - 1 else len(rest)
        part += rest[: max(room, 0)]
        del rest[: max(room, 0)]
    return [item for part in parts for item in part]
