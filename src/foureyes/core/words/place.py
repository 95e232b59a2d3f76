"""Where a store lies (P12): a word for the file, or what a PostgreSQL server says of itself; and the word by which the
target says whose it is.
"""

from __future__ import annotations

FILE = "file"
"""The file in the project's own folder, wherever that is."""
ANCHOR = "Journal:"
"""How the line of a merge commit begins that names row and hash of the journal (J3)."""


def place_words(place: str) -> str:
    """A place as people read it."""
    if place == FILE:
        return "in the file .foureyes/store.db"
    return f"in another place ({place})" if not place.startswith("postgresql ") else f"in a database ({place})"
