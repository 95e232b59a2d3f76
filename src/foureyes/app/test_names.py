"""Names of a report's tests, packed: a large suite has ten thousand of them, and most runs have the same."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable
from zlib import compress, decompress

from foureyes.core.words.digest import sha256


def pack(names: Iterable[str]) -> tuple[str, str]:
    """The digest that results name a list by, and the list as one short text."""
    text = "\n".join(sorted(set(names))).encode("utf-8", "backslashreplace")
    return sha256(b"foureyes tests\n" + text).hexdigest()[:32], b64encode(compress(text, 9)).decode()


def unpack(packed: str) -> frozenset[str]:
    """The names again."""
    return frozenset(decompress(b64decode(packed)).decode().split("\n")) - {""}
