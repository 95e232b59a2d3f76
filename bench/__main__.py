"""`python -m bench`: every figure, or the ones that are named; `--paste` puts them into docs/performance.md."""

from __future__ import annotations

import subprocess
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
from bench.install import ROOT

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
PAGE = ROOT / "docs" / "performance.md"
PASTE = "--paste"


def main(words: list[str]) -> int:
    """Run the named figures; 0 when all of them stay within their budgets."""
    names = [word for word in words if word != PASTE]
    if unknown := [name for name in names if name not in FIGURES]:
        print(f"no such figure: {', '.join(unknown)}; there are: {', '.join(FIGURES)}", file=sys.stderr)
        return 2
    return max((paste if PASTE in words else run)(name) for name in names or FIGURES)


def run(name: str) -> int:
    return FIGURES[name]()


def paste(name: str) -> int:
    """Run a figure in a process of its own and put what it prints between its marks on the page."""
    done = subprocess.run([sys.executable, "-m", "bench", name], stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout, flush=True)
    if done.stdout.strip():
        PAGE.write_text(pasted(PAGE.read_text(encoding="utf-8"), name, done.stdout), encoding="utf-8")
    return done.returncode


def pasted(page: str, name: str, section: str) -> str:
    """The page with this section between the marks of a figure; as it is, where it has no marks."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    before, found, rest = page.partition(begin)
    _, ended, after = rest.partition(end)
    return f"{before}{begin}{section.strip()}\n{end}{after}" if found and ended else page


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
