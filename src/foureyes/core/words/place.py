"""Where a store lies (P12): a word for the file, or what a PostgreSQL server says of itself."""

from __future__ import annotations

FILE = "file"
"""The file in the project's own folder, wherever that is."""


def place_words(place: str) -> str:
    """A place as people read it."""
    if place == FILE:
        return "in the file .foureyes/store.db"
    return f"in another place ({place})" if not place.startswith("postgresql ") else f"in a database ({place})"
