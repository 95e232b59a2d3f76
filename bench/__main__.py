"""`python -m bench`: every figure, or the ones that are named."""

from __future__ import annotations

import sys
from collections.abc import Callable

from bench import (
    audit,
    claims,
    commands,
    counts,
    cycles,
    gate,
    loop,
    others,
    scale,
    sprints,
    startup,
    team,
    terminal,
    writes,
)
from bench import run as running

FIGURES: dict[str, Callable[[], int]] = {
    "startup": startup.main,
    "commands": commands.main,
    "counts": counts.main,
    "writes": writes.main,
    "claims": claims.main,
    "scale": scale.main,
    "audit": audit.main,
    "gate": gate.main,
    "loop": loop.main,
    "cycles": cycles.main,
    "run": running.main,
    "sprints": sprints.main,
    "team": team.main,
    "terminal": terminal.main,
    "others": others.main,
}


def main(names: list[str]) -> int:
    """Run the named figures; 0 when all of them stay within their budgets."""
    if unknown := [name for name in names if name not in FIGURES]:
        print(f"no such figure: {', '.join(unknown)}; there are: {', '.join(FIGURES)}", file=sys.stderr)
        return 2
    return max(FIGURES[name]() for name in names or FIGURES)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
