"""Where a store lies, in words."""

from __future__ import annotations

import pytest

from foureyes.core.words.place import FILE, holds_password, place_words, without_password


def test_each_place_has_its_words_P12() -> None:
    assert place_words(FILE) == "in the file .foureyes/store.db"
    assert place_words("postgresql 1/2/3") == "in a database (postgresql 1/2/3)"
    assert place_words("odd") == "in another place (odd)"


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://u:s3cr3t@h:5432/x", "postgresql://u@h:5432/x"),
        ("postgresql://u:p@s3cr3t@h/x", "postgresql://u@h/x"),
        ("postgresql://u:s3/cr3t@h/x", "postgresql://u@h/x"),
        ("postgresql://h/x?user=u&password=s3cr3t", "postgresql://h/x?user=u"),
        ("postgresql://h/x?PassWord=s3cr3t", "postgresql://h/x"),
        ("postgresql://h/x?sslpassword=s3cr3t&a=b", "postgresql://h/x?a=b"),
    ],
)
def test_a_password_in_an_address_is_seen_and_not_shown_lesson_27(address: str, shown: str) -> None:
    assert holds_password(address)
    assert without_password(address) == shown


@pytest.mark.parametrize(
    "address",
    ["", "postgresql://u@h/x", "postgresql://u:@h/x", "postgresql:///x?host=/tmp/a:b", "postgresql://[::1]:5432/x"],
)
def test_an_address_without_one_stays_as_it_is(address: str) -> None:
    assert not holds_password(address)
    assert without_password(address) == address
