"""Commits on a branch that nobody has checked out, written as git writes them: objects in files of their own, and the
ref. What a test does with git before its point takes most of its programs; this takes none.
"""

from __future__ import annotations

import hashlib
import os
import re
import zlib
from collections.abc import Mapping
from pathlib import Path

FOLDER = b"40000"
SHA, PLAIN = re.compile(r"[0-9a-f]{40}"), re.compile(r"[\w/-]+")
Pieces = Mapping[str, tuple[str, bytes] | None]
"""What becomes of paths: mode and content; None: it is deleted."""
Entries = dict[bytes, tuple[bytes, str]]
"""What lies in a folder: mode and object by name."""


class NotLoose(Exception):
    """What has to be read lies in a pack, or is named in a way that only git knows."""


class Objects:
    """The objects of a repository, as files."""

    def __init__(self, git_dir: Path) -> None:
        self.git_dir = git_dir
        if not (git_dir / "objects").is_dir() or (git_dir / "reftable").exists():
            raise NotLoose

    def tip(self, branch: str) -> str:
        """Where a branch is; empty where there is none."""
        if SHA.fullmatch(branch):
            return branch
        try:
            return (self.git_dir / "refs" / "heads" / branch).read_text().strip()
        except OSError:
            if (self.git_dir / "packed-refs").exists() or not PLAIN.fullmatch(branch):
                raise NotLoose from None
            return ""

    def commit(self, branch: str, parent: str, pieces: Pieces, message: str, who: str) -> str:
        """A commit that becomes the tip of a branch; its id."""
        tree = self._read(parent).split(b"\n", 1)[0].removeprefix(b"tree ").decode()
        for path, piece in pieces.items():
            entry = (piece[0].encode(), self._write(b"blob", piece[1])) if piece else (b"", "")
            tree = self._with(tree, os.fsencode(path).split(b"/"), entry)
        head = f"tree {tree or self._write(b'tree', b'')}\nparent {parent}\nauthor {who}\ncommitter {who}\n\n"
        made = self._write(b"commit", f"{head}{message.rstrip()}\n".encode())
        ref = self.git_dir / "refs" / "heads" / branch
        ref.parent.mkdir(parents=True, exist_ok=True)
        ref.write_text(made + "\n")
        return made

    def _with(self, tree: str, path: list[bytes], made: tuple[bytes, str]) -> str:
        """A tree with another file in it, or without it; empty where nothing is left."""
        name, *rest = path
        entries = self._entries(tree) if tree else {}
        if rest:
            mode, below = entries.get(name, (FOLDER, ""))
            made = FOLDER, self._with(below if mode == FOLDER else "", rest, made)
        kept = {**entries, name: made}.items()
        ordered = sorted(kept, key=lambda entry: entry[0] + b"/" * (entry[1][0] == FOLDER))
        parts = [b"%s %s\0%s" % (mode, key, bytes.fromhex(at)) for key, (mode, at) in ordered if at]
        return self._write(b"tree", b"".join(parts)) if parts else ""

    def _entries(self, tree: str) -> Entries:
        body, entries = self._read(tree), {}
        while body:
            head, _, body = body.partition(b"\0")
            mode, _, name = head.partition(b" ")
            entries[name], body = (mode, body[:20].hex()), body[20:]
        return entries

    def _read(self, name: str) -> bytes:
        try:
            return zlib.decompress(self._place(name).read_bytes()).partition(b"\0")[2]
        except OSError:
            raise NotLoose from None

    def _write(self, kind: bytes, body: bytes) -> str:
        whole = b"%s %d\0%s" % (kind, len(body), body)
        name = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
        place = self._place(name)
        if not place.exists():
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(zlib.compress(whole, 1))
            place.chmod(0o444)
        return name

    def _place(self, name: str) -> Path:
        return self.git_dir / "objects" / name[:2] / name[2:]


def plain(files: Mapping[str, str]) -> Pieces:
    """Files of text."""
    return {path: ("100644", text.encode()) for path, text in files.items()}


def quoted(path: str) -> str:
    """A path as git says it where it has lines or quotes in it."""
    return f'"{path}"'.replace("\n", "\\n") if "\n" in path else path


def stream(branch: str, start: str, pieces: Pieces, message: str, who: str) -> bytes:
    """The same in the words of `git fast-import`, where only git knows what is there; it says the id."""
    text = message.encode()
    head = f"commit refs/heads/{branch}\nmark :1\ncommitter {who}\ndata {len(text)}\n".encode()
    changes = [
        f"M {piece[0]} inline {quoted(path)}\ndata {len(piece[1])}\n".encode() + piece[1]
        if piece
        else f"D {quoted(path)}".encode()
        for path, piece in pieces.items()
    ]
    return b"\n".join([head + text, f"from {start}^0".encode(), *changes, b"get-mark :1\n"])
