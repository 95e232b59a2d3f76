"""The files of one tree for several checks: git writes them once, each check has them for itself (D5).

What one check does to its files, another never sees. The files that are shared can be written by whoever is the same
user, a check among them; so what the kernel says of each of them (its content cannot change without that) is kept in
memory, and compared whenever they were used.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Mapping
from hashlib import sha256

from foureyes.adapters.checks.scratch import remove
from foureyes.adapters.contents import unlike
from foureyes.adapters.process import run
from foureyes.core.words.text import readable, visible

COPYING = 600.0
TRIES = 3


class Exported:
    """A tree below `place`, a directory that is its own; written with the first use, and again when it was changed."""

    def __init__(self, export: Callable[[str], None], place: str, files: Callable[[], Mapping[str, str]]) -> None:
        self._export = export
        self._files = files
        self._place = place
        self.path = os.path.join(place, "tree")
        self._seal = ""

    def written(self, *, look: bool = True) -> str:
        """The directory with the files as they were committed. `look`: see that they still are, for who does not ask
        afterwards.
        """
        if not self._seal or (look and not self.is_sound()):
            self._write()
        return self.path

    def _write(self) -> None:
        """What is written between git's last file and the seal is found by its content."""
        other = ""
        for _ in range(TRIES):
            remove(self.path)
            os.mkdir(self.path, 0o700)
            self._export(self.path)
            self._seal = seal(self.path)
            if not (other := unlike(self.path, self._files())):
                return
        self._seal = ""
        raise OSError(errno.EIO, "another program writes to the files of its tree", visible(other))

    def is_sound(self) -> bool:
        """Whether nobody wrote there since git did; else it is written again with the next use."""
        is_sound = seal(self.path) == self._seal
        self._seal = self._seal if is_sound else ""
        return is_sound

    def copy_to(self, work: str) -> None:
        """The files of the tree in an empty directory; what was changed meanwhile is copied again."""
        for _ in range(TRIES):
            copy_tree(self.written(), work)
            if self.is_sound():
                return
            remove(work)
            os.mkdir(work, 0o700)
        self._export(work)

    def move_to(self, work: str) -> None:
        """The files themselves in the place of an empty directory: nobody needs them here any more."""
        os.rename(self.written(), work)
        self._seal = ""

    def close(self) -> None:
        remove(self._place)


def copy_tree(source: str, into: str) -> None:
    """Copy a directory into another, links as links, times and rights as they are."""
    done = run(["/bin/cp", "-a", source + "/.", into], timeout=COPYING)
    if done.rc != 0:
        raise OSError(errno.EIO, f"its files could not be copied: {readable(done.err).strip()}", into)


def seal(path: str) -> str:
    """What the kernel says of everything below a directory, as a digest. A write changes it, whatever is done
    afterwards: nobody sets the time of a change.
    """
    digest, ahead = sha256(), [path]
    while ahead:
        folder = ahead.pop()
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError:
            digest.update(b"unreadable\0")
            continue
        for entry in entries:
            digest.update(os.fsencode(entry.name) + b"\0" + _facts(entry))
            if entry.is_dir(follow_symlinks=False):
                ahead.append(entry.path)
        digest.update(b"\0\0")
    return digest.hexdigest()


def _facts(entry: os.DirEntry[str]) -> bytes:
    try:
        about = entry.stat(follow_symlinks=False)
    except OSError:
        return b"gone\0"
    facts = (about.st_ino, about.st_mode, about.st_size, about.st_mtime_ns, about.st_ctime_ns)
    return repr(facts).encode()
