"""The id that git gives a tree, from a list of its files; so that looking at an index starts no program."""

from __future__ import annotations

from typing import Any

from foureyes.adapters.git.client.object_form import TREE, named_by
from foureyes.core.words.ids import Sha


def tree_id(rows: bytes) -> Sha | None:
    """The tree of `ls-files --stage -z`; None while there are conflicts."""
    top: dict[bytes, Any] = {}
    digits = 40
    for row in rows.split(b"\0")[:-1]:
        facts, _, path = row.partition(b"\t")
        mode, name, stage = facts.split(b" ")
        if stage != b"0":
            return None
        digits = len(name)
        if not _put(top, path.split(b"/"), (mode, bytes.fromhex(name.decode("ascii")))):
            return None

    def digest(node: dict[bytes, Any]) -> bytes:
        entries = [
            (name + b"/", TREE, name, digest(entry)) if isinstance(entry, dict) else (name, entry[0], name, entry[1])
            for name, entry in node.items()
        ]
        body = b"".join(mode + b" " + name + b"\0" + raw for _, mode, name, raw in sorted(entries))
        return bytes.fromhex(named_by(b"tree", body, digits))

    return Sha(digest(top).hex())


def _put(top: dict[bytes, Any], parts: list[bytes], entry: tuple[bytes, bytes]) -> bool:
    """Put a file into its folder; False where a file stands in the way."""
    node = top
    for part in parts[:-1]:
        node = node.setdefault(part, {})
        if not isinstance(node, dict):
            return False
    return node.setdefault(parts[-1], entry) is entry
