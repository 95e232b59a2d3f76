"""Folding of text for the search, so that both engines take the same words for equal."""

from __future__ import annotations

APART = str.maketrans(dict.fromkeys(r"""!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~""", " "))
"""What SQLite's index takes for the end of a word; PostgreSQL's parser would keep `src/app.py` as one."""


def fold(text: str) -> str:
    """Without accents and capitals, as SQLite's own index has it."""
    if not text.isascii():
        from unicodedata import combining, normalize

        text = "".join(character for character in normalize("NFKD", text) if not combining(character))
    return text.translate(APART).lower()
