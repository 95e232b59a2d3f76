"""Where a store lies, in words."""

from __future__ import annotations

from foureyes.core.words.place import FILE, place_words


def test_each_place_has_its_words_P12() -> None:
    assert place_words(FILE) == "in the file .foureyes/store.db"
    assert place_words("postgresql 1/2/3") == "in a database (postgresql 1/2/3)"
    assert place_words("odd") == "in another place (odd)"
