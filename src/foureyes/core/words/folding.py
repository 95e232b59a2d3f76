"""Case folding of labels, and of paths as other file systems may read them.

A checkout on macOS or Windows reads `agents.MD` as `AGENTS.md`. Such file systems also ignore composed letters,
invisible characters, trailing dots or blanks, and anything after a colon.
"""

from __future__ import annotations

from foureyes.core.words.ids import Shape

DOTTED_I = (("i\u0307", "i"), ("\u0131", "i"))
"""Forms of I from a Turkish keyboard."""

_ODD = Shape(r"[\\:]|[. ](?:/|\Z)")
SHORT = Shape(r"(?:\A|/)[^/.~]{1,6}~[1-9][0-9]{0,5}(?:\.[^/.]{0,3})?(?:/|\Z)")
"""A Windows short name (`FOUREY~1.TOM`), which may mean any file."""


def folded(text: str) -> str:
    """Return a name without case, letter composition and invisible characters."""
    if text.isascii():
        return text.strip().lower()
    from unicodedata import category, normalize

    from foureyes.core.words.text import is_unseen

    seen = "".join(character for character in text if category(character) == "Zs" or not is_unseen(character))
    plain = normalize("NFKC", normalize("NFKC", seen).casefold())
    for dotted, letter in DOTTED_I:
        plain = plain.replace(dotted, letter)
    return plain.strip()


def folded_path(path: str) -> str:
    """Return a path as the most permissive file system may read it."""
    plain = path.lower() if path.isascii() else folded(path)
    if not _ODD.search(plain):
        return plain
    parts = [part.partition(":")[0].rstrip(". ") or part for part in plain.replace("\\", "/").split("/")]
    return "/".join(parts)


def is_short_name(path: str) -> bool:
    """Return True if a part of a folded path may be a short name for another file."""
    return "~" in path and SHORT.search(path) is not None
