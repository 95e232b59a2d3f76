"""Compressed lists of test names. A large suite has ten thousand tests, and most runs have the same ones."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable
from zlib import compress, decompress

from foureyes.core.words.digest import sha256


def pack(names: Iterable[str]) -> tuple[str, str]:
    """Return the digest of a list of names, as used in results, and the list as compressed text."""
    text = "\n".join(sorted(set(names))).encode("utf-8", "backslashreplace")
    return sha256(b"foureyes tests\n" + text).hexdigest()[:32], b64encode(compress(text, 9)).decode()


def unpack(packed: str) -> frozenset[str]:
    """Return the names that pack() compressed."""
    return frozenset(decompress(b64decode(packed)).decode().split("\n")) - {""}
