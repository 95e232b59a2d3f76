"""Bytes put under the name of another object: as a loose file, in a pack, in a store that the repository borrows from.

Git prints them without a word (`git fsck` finds them). Whoever can write the repository can do so at any moment.
"""

from __future__ import annotations

import os
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path

PLACES = ("loose", "pack", "alternate")
BROKEN: dict[str, Callable[[bytes], bytes]] = {
    "more after it": lambda content: zlib.compress(b"blob %d\0" % len(content) + content) + b"xx",
    "the size of less": lambda content: zlib.compress(b"blob %d\0" % (len(content) - 5) + content),
    "the size of more": lambda content: zlib.compress(b"blob %d\0" % (len(content) + 500) + content),
    "no checksum": lambda content: zlib.compress(b"blob %d\0" % len(content) + content)[:-4],
    "a size with a zero": lambda content: zlib.compress(b"blob 0%d\0" % len(content) + content),
}
"""Files of objects with the right bytes in them, in a form that git checks out of none."""


def put(git_dir: Path, sha: str, kind: str, content: bytes, place: str = "loose") -> None:
    """Make git say that the object `sha` holds this content."""
    objects = git_dir / "objects"
    _forget(git_dir, sha)
    if place == "alternate":
        (objects / "info").mkdir(exist_ok=True)
        other = git_dir.parent / "elsewhere" / "objects"
        other.mkdir(parents=True, exist_ok=True)
        (objects / "info" / "alternates").write_text(f"{other}\n")
        objects = other
    if place == "pack":
        _pack(git_dir, sha, kind, content)
        return
    path = objects / sha[:2] / sha[2:]
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(zlib.compress(b"%s %d\0" % (kind.encode(), len(content)) + content))


def break_blob(git_dir: Path, sha: str, content: bytes, form: str, objects: str = "objects") -> None:
    """The file of a blob in another form: what it holds has the right hash."""
    path = git_dir / objects / sha[:2] / sha[2:]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(BROKEN[form](content))


def _forget(git_dir: Path, sha: str) -> None:
    """Every object in a file of its own, and this one nowhere."""
    packs = git_dir / "objects" / "pack"
    for pack in sorted(packs.glob("*.pack")):
        content = pack.read_bytes()
        for file in packs.glob(f"{pack.stem}.*"):
            file.unlink()
        subprocess.run(["git", f"--git-dir={git_dir}", "unpack-objects", "-q"], input=content, check=True)
    (git_dir / "objects" / sha[:2] / sha[2:]).unlink(missing_ok=True)


def _pack(git_dir: Path, sha: str, kind: str, content: bytes) -> None:
    """A pack of one object, whose index gives it another name."""

    def git(*args: str, stdin: bytes) -> bytes:
        done = subprocess.run(["git", f"--git-dir={git_dir}", *args], input=stdin, capture_output=True, check=True)
        return done.stdout.strip()

    really = git("hash-object", "-t", kind, "--literally", "-w", "--stdin", stdin=content)
    name = git("pack-objects", "-q", str(git_dir / "objects/pack/pack"), stdin=really + b"\n").decode()
    index = git_dir / "objects" / "pack" / f"pack-{name}.idx"
    os.chmod(index, 0o644)
    raw = index.read_bytes()
    first = bytes.fromhex(sha)[0]
    table = b"".join(int(byte >= first).to_bytes(4, "big") for byte in range(256))
    start = 8 + 256 * 4
    size = len(sha) // 2
    index.write_bytes(raw[:8] + table + bytes.fromhex(sha) + raw[start + size :])
    (git_dir / "objects" / really.decode()[:2] / really.decode()[2:]).unlink()
