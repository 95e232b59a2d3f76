"""A remote of a repository, and another clone of it."""

from __future__ import annotations

from pathlib import Path

from foureyes.adapters.git.client.locate import locate
from foureyes.adapters.git.remote import GitRemote

from tests.stage.checkout import Repository

MAIN = "refs/heads/main"
WORK = "refs/heads/work"


def remote(project: Repository, name: str = "origin") -> GitRemote:
    """As one command asks it."""
    place = locate(project.path)
    assert place is not None
    return GitRemote(place, name)


def another_clone(project: Repository, bare: Path, tmp_path: Path) -> Repository:
    """Another clone, with a commit that the remote has as `WORK`."""
    other = Repository(tmp_path / "other")
    project.git("clone", "-q", str(bare), str(other.path))
    other.write("deep/work.txt", "work\n")
    other.git("add", "-A")
    other.git("commit", "-q", "-m", "work")
    other.git("push", "-q", "origin", f"HEAD:{WORK}")
    return other
