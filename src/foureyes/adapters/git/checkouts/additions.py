"""What a commit of everything would add: new files, and how much larger those that were there become.

New is what the last commit lacks, whether or not somebody staged it. Of a file that is staged and also lies there, the
larger one counts: which of them is committed is said by bits of the index that anybody can set.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from os.path import join

from foureyes.adapters.git.checkouts.status import LOOK, STORE, status, users_excludes
from foureyes.adapters.git.client.answers import as_text
from foureyes.adapters.git.client.git import Git
from foureyes.adapters.git.client.locate import Located
from foureyes.app.git_ports import Additions

_STATUS = ("status", "--porcelain=v2", "-z", "--untracked-files=no", "--ignore-submodules=dirty", "--no-renames")


def additions(git: Git, places: Sequence[Located]) -> Additions:
    """What commits of everything would add in these checkouts."""
    new: dict[str, int] = {}
    grown: dict[str, int] = {}
    for place in places:
        staged, before = _tracked(git, place)
        sizes = _sizes(git, {*staged.values(), *before.values()})
        for path in sorted({*staged, *_untracked(git, place)}):
            size = max(_on_disk(place, path), sizes.get(staged.get(path, b""), 0))
            if path not in before:
                new[as_text(path)] = size
            elif (more := size - sizes.get(before[path], 0)) > 0:
                grown[as_text(path)] = more
    return Additions(new=new, grown=grown)


def _tracked(git: Git, place: Located) -> tuple[dict[bytes, bytes], dict[bytes, bytes]]:
    """The objects of changed files: as staged, and as last committed."""
    out = git.real(*LOOK, *_STATUS, git_dir=place.git_dir, work_tree=place.worktree).out
    staged, before = {}, {}
    for row in out.split(b"\0"):
        # 1 XY sub mode mode mode head index path; of a conflict (u) there is no commit
        parts = row.split(b" ", 8)
        if parts[0] != b"1" or len(parts) < 9 or parts[1] == b"AD":  # staged, and gone again: it is not committed
            continue
        path = parts[8]
        staged[path] = parts[7]
        if parts[6].strip(b"0"):
            before[path] = parts[6]
    return staged, before


def _untracked(git: Git, place: Located) -> set[bytes]:
    entries = status(git, place, users_excludes(git))
    return {path for code, path in entries if code == b"??" and not path.startswith(STORE)}


def _on_disk(place: Located, path: bytes) -> int:
    try:
        return os.lstat(join(os.fsencode(place.worktree), path)).st_size
    except OSError:  # it went meanwhile
        return 0


def _sizes(git: Git, objects: set[bytes]) -> dict[bytes, int]:
    """How large objects are; those of submodules lie elsewhere, and have none."""
    asked = b"".join(sha + b"\n" for sha in sorted(objects) if sha.strip(b"0"))
    if not asked:
        return {}
    rows = git.real("cat-file", "--batch-check=%(objectname) %(objectsize)", stdin=asked).out.split(b"\n")
    pairs = [row.split(b" ") for row in rows if row]
    return {sha: int(size) for sha, size in pairs if size.isdigit()}
