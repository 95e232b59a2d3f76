"""What `git status` does not tell of a worktree that is to go (K1): repositories inside of it, files that git was told
not to look at, refs that only this worktree has. git removes them without a word.
"""

from __future__ import annotations

import os
import re
import stat
from os.path import isdir, islink, join, lexists
from typing import NamedTuple

from foureyes.adapters.folders import read, walked
from foureyes.adapters.git.checkouts.checkouts import shown_path, some
from foureyes.adapters.git.client.answers import as_text
from foureyes.adapters.git.client.git import Git
from foureyes.adapters.git.client.index_file import LARGEST
from foureyes.adapters.git.client.locate import Located
from foureyes.adapters.git.client.object_form import FILE, LINK, MODULE, PROGRAM, named_by

_PLAIN = tuple(b"H " + mode + b" " for mode in (FILE, PROGRAM, LINK))
_FOLDER = re.compile(rb" [0-3]\t([^\0]*)/[^\0]*")
"""Of a row of `ls-files --stage -z`, the folder; a row is matched from its stage to its end, or not at all."""
_PATH = re.compile(rb" [0-3]\t([^\0]*)")
_BARE = {b"HEAD", b"objects", b"refs"}


class IndexEntry(NamedTuple):
    """A row of the index. `tag`: how git looks at the file, in a letter."""

    tag: bytes
    mode: bytes
    sha: bytes
    path: bytes

    @property
    def is_hidden(self) -> bool:
        """Whether git was told not to look at the file (`assume-unchanged`, `skip-worktree`)."""
        return self.tag.islower() or self.tag == b"S"


class Listed(NamedTuple):
    """What an index lists: all paths, folders with files, and the rows that are not plainly a file or a link that git
    looks at.
    """

    paths: list[bytes]
    folders: frozenset[bytes]
    odd: list[IndexEntry]


def listed(git: Git, place: Located) -> Listed:
    """The index of a worktree."""
    out = git.real("ls-files", "-v", "--stage", "-z", git_dir=place.git_dir, work_tree=place.worktree).out
    nearest = set(_FOLDER.findall(out))
    above = {b"/".join(parts[:n]) for parts in (path.split(b"/") for path in nearest) for n in range(1, len(parts))}
    return Listed(_PATH.findall(out), frozenset(nearest | above), _odd_rows(b"\0" + out))


def _odd_rows(out: bytes) -> list[IndexEntry]:
    """The rows that are not plain, each behind a NUL. Mostly all are: then counting them is a look at each."""
    if sum(out.count(b"\0" + plain) for plain in _PLAIN) == out.count(b"\0") - 1:
        return []
    return [_entry(row) for row in out.split(b"\0")[1:-1] if not row.startswith(_PLAIN)]


def _entry(row: bytes) -> IndexEntry:
    about, _, path = row.partition(b"\t")
    tag, mode, sha, _ = about.split(b" ")
    return IndexEntry(tag, mode, sha, path)


def overlooked(place: Located, index: Listed) -> str:
    """What would go with a worktree unseen, as a reason for it to stay; empty when nothing."""
    where = shown_path(place.worktree)
    if inside := _repositories(os.fsencode(place.worktree), index):
        return f"{some(inside)} in {where} {'is a repository' if len(inside) == 1 else 'are repositories'} of its own"
    if hidden := [as_text(row.path) for row in index.odd if row.is_hidden and _differs(place, row)]:
        return f"{some(hidden)} in {where} {'is' if len(hidden) == 1 else 'are'} changed, and git is set to ignore that"
    if own := _own_refs(place):
        return f"{some(own)} {'is' if len(own) == 1 else 'are'} known to {where} only"
    return ""


def _repositories(top: bytes, index: Listed) -> list[str]:
    """Folders with tracked files that are repositories, too, and submodules with anything in them; others git lists as
    untracked or ignored.
    """
    paths = {folder for folder in index.folders if lexists(join(top, folder, b".git"))}
    paths |= {row.path for row in index.odd if row.mode == MODULE and _is_filled(join(top, row.path))}
    return sorted(as_text(path) for path in paths)


def _is_filled(path: bytes) -> bool:
    return bool(os.listdir(path)) if isdir(path) and not islink(path) else lexists(path)


def _differs(place: Located, row: IndexEntry) -> bool:
    """Whether a file is there and not as the index has it, byte for byte."""
    path = join(os.fsencode(place.worktree), row.path)
    try:
        mode = os.lstat(path).st_mode
    except OSError:  # a sparse checkout leaves it out
        return False
    if stat.S_ISLNK(mode):
        return row.mode != LINK or _is_otherwise(os.readlink(path), row)
    if not stat.S_ISREG(mode) or row.mode == LINK or bool(mode & stat.S_IXUSR) != (row.mode == PROGRAM):
        return True
    try:
        return _is_otherwise(read(os.fsdecode(path), LARGEST), row)
    except OSError:  # it cannot be read, or not as a whole
        return True


def _is_otherwise(content: bytes, row: IndexEntry) -> bool:
    return named_by(b"blob", content, len(row.sha)) != row.sha.decode()


def _own_refs(place: Located) -> list[str]:
    paths = (join(folder, name) for folder, _, names in walked(join(place.git_dir, "refs")) for name in names)
    return sorted(shown_path(os.path.relpath(path, place.git_dir)) for path in paths)


def repository_below(path: bytes) -> bytes | None:
    """The first repository at or below a folder, bare ones too."""
    for folder, folders, files in walked(path):
        if b".git" in folders or b".git" in files or {*folders, *files} >= _BARE:
            return folder
    return None
