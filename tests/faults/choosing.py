"""Before which steps a command is killed: at night before every one; day by day before some of those where somebody
could see a difference.
"""

from __future__ import annotations

import os

from tests.stage.night import spread

NIGHTLY = bool(os.environ.get("FOUREYES_NIGHTLY"))
"""Before every step. Otherwise: before some of those that find something else than the one before did, and of the
others.
"""

STRIDE = 80
READS = frozenset(
    "cat-file check-attr checkout-index config diff-tree for-each-ref list log ls-files ls-tree merge-base "
    "rev-list rev-parse show status "
    "update-index write-tree --version".split()
)
"""Those that write do so in temporary directories, or what nobody can see (the times in an index)."""
ASIDE = (
    "foureyes-git-",
    "foureyes-check-",
    " HEAD",
    " config",
    " alternates",
    " attributes",
    "/proc/",
    "report.xml",
    ".lock",
)
"""What is made in temporary directories, or only to be locked, is nobody's state."""


def changes(step: str) -> bool:
    """Whether somebody who looks after this step may see something else than before it."""
    words = step.split()
    if words[0] in ("sqlite:", "postgres:"):
        return "COMMIT" in step or words[1] == "close"
    if words[0] == "git":
        return words[-1] not in READS
    return words[0] != "flock" and not any(part in step for part in ASIDE)


def chosen(steps: list[str]) -> list[int]:
    """Before which steps to kill: a read leaves what it found, so the step after it finds what it found."""
    every = range(1, len(steps) + 1)
    found = [n for n in every if NIGHTLY or n in (1, len(steps)) or changes(steps[n - 2]) or n % STRIDE == 0]
    return list(spread("steps before which a command is killed", found))


def some(steps: list[str]) -> list[tuple[int, str]]:
    """The chosen steps with their numbers."""
    return [(number, steps[number - 1]) for number in chosen(steps)]
