"""Names without case: labels as people mean them, paths as another file system may read them.

A checkout on macOS or Windows takes `agents.MD` for `AGENTS.md`; so do names that differ in how a letter is composed,
in characters that such a file system leaves out, in dots or blanks at their end, or by a stream behind a colon.
"""

from __future__ import annotations

from foureyes.core.words.ids import Shape

DOTTED_I = (("i\u0307", "i"), ("\u0131", "i"))
"""What a Turkish keyboard makes of an I."""

_ODD = Shape(r"[\\:]|[. ](?:/|\Z)")
SHORT = Shape(r"(?:\A|/)[^/.~]{1,6}~[1-9][0-9]{0,5}(?:\.[^/.]{0,3})?(?:/|\Z)")
"""A name as Windows abbreviates one (`FOUREY~1.TOM`): it may mean any file."""


def folded(text: str) -> str:
    """A name without case, without how its letters are composed, and without what nobody sees."""
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
    """A path as the most careless file system may read it."""
    plain = path.lower() if path.isascii() else folded(path)
    if not _ODD.search(plain):
        return plain
    parts = [part.partition(":")[0].rstrip(". ") or part for part in plain.replace("\\", "/").split("/")]
    return "/".join(parts)


def is_short_name(path: str) -> bool:
    """Whether a part of a folded path may be the abbreviation of another name."""
    return "~" in path and SHORT.search(path) is not None
