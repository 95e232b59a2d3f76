"""What plain git does instead of the gate: the least that leaves the same behind in git, at the same durability.

It keeps no journal, asks nobody, and minds neither attributes, hooks nor what is configured.
"""

from __future__ import annotations

from pathlib import Path

from bench.places import TARGET
from bench.workplace import Workplace

DURABLE = ("-c", "core.fsync=objects,reference")
"""As the gate writes: what the journal says was merged must survive a power cut, and git's default is less."""


def submit_work(at: Workplace, place: Path, number: int) -> None:
    """What `submit` asks and leaves: nothing uncommitted, where both branches are, the change, its commits, a ref that
    keeps it.
    """
    at.git("status", "--porcelain", at=place)
    head, _ = at.git("rev-parse", "HEAD", TARGET, at=place).split()
    base = at.git("merge-base", TARGET, head, at=place)
    at.git("diff", base, head, at=place)
    at.git("log", "--format=%H %T %s%n%(trailers)", f"{base}..{head}", at=place)
    at.git(*DURABLE, "update-ref", f"refs/kept/{number}", head, at=place)


def merge(at: Workplace, place: Path, branch: str) -> None:
    """What `merge` does: the merge without a checkout, its commit, the move of main, the checkout of main, and tidying
    up.
    """
    repo = at.plain
    old, head = at.git("rev-parse", TARGET, branch, at=repo).split()
    tree = at.git(*DURABLE, "merge-tree", "--write-tree", old, head, at=repo)
    new = at.git(*DURABLE, "commit-tree", tree, "-p", old, "-p", head, "-m", f"Merge {branch}", at=repo)
    at.git(*DURABLE, "update-ref", f"refs/heads/{TARGET}", new, old, at=repo)
    at.git("read-tree", "-m", "-u", old, new, at=repo)
    at.git("worktree", "remove", str(place), at=repo)
    at.git("branch", "-q", "-d", branch, at=repo)
