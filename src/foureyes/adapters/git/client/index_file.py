"""The index of a checkout, as far as its file says by itself which tree it holds."""

from __future__ import annotations

from os.path import join

from foureyes.adapters.folders import MB, read
from foureyes.core.words.ids import Sha

LARGEST = 512 * MB
_EXTENSION = b"TREE"
"""Where git notes the trees that it would write from the index, as long as nothing was staged since."""


def noted_tree(git_dir: str, size: int) -> Sha | None:
    """The tree of everything in the index; None where only git can say. `size` is that of an object id in bytes."""
    try:
        content = read(join(git_dir, "index"), LARGEST)
    except OSError:
        return None
    at = content.rfind(_EXTENSION)
    if not content.startswith(b"DIRC") or at < 0 or not _ends_with_extensions(content, at, len(content) - size):
        return None
    # An entry is a path, which is empty for the whole, how many files it has (below 0: not known), and its tree.
    path, _, rest = content[at + 8 :].partition(b"\0")
    counts, _, after = rest.partition(b"\n")
    is_whole = not path and counts.partition(b" ")[0].isdigit()
    return Sha(after[:size].hex()) if is_whole and len(after) >= size else None


def _ends_with_extensions(content: bytes, at: int, end: int) -> bool:
    """Whether whole extensions, one after the other, lead from here to the checksum."""
    while at + 8 <= end:
        at += 8 + int.from_bytes(content[at + 4 : at + 8], "big")
    return at == end
