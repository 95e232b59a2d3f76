"""Where a store lies, in words."""

from __future__ import annotations

import pytest

from foureyes.core.words.store_place import (
    FILE,
    NOT_SHOWN,
    holds_password,
    place_words,
    shown_address,
    why_not_kept,
    without_password,
    without_user,
)


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
        ("postgresql://me:s3?cr3t@db/fe", "postgresql://me@db/fe"),
        ("postgresql://me:s3?cr@3t@db/fe?sslmode=require", "postgresql://me@db/fe?sslmode=require"),
        ("postgresql://me:s3#cr3t@db/fe", "postgresql://me@db/fe"),
        ("postgresql://db/fe?passwor%64=s3cr3t&sslmode=require", "postgresql://db/fe?sslmode=require"),
    ],
)
def test_a_password_in_an_address_is_seen_and_not_shown(address: str, shown: str) -> None:
    assert holds_password(address)
    assert without_password(address) == shown


@pytest.mark.parametrize(
    "address",
    ["", "postgresql://u@h/x", "postgresql://u:@h/x", "postgresql:///x?host=/tmp/a:b", "postgresql://[::1]:5432/x"],
)
def test_an_address_without_one_stays_as_it_is(address: str) -> None:
    assert not holds_password(address)
    assert without_password(address) == address


@pytest.mark.parametrize(
    "address",
    ["host=h user=u password=s3cr3t dbname=x", " postgresql://u:s3cr3t@h/x", "u:s3cr3t@h/x", "mysql://u:s3cr3t@h/x"],
)
def test_what_is_no_address_of_a_server_is_neither_kept_nor_shown_P12(address: str) -> None:
    assert "s3cr3t" not in why_not_kept(address)
    assert (bool(why_not_kept(address)), shown_address(address)) == (True, NOT_SHOWN)


@pytest.mark.parametrize("address", ["", "postgresql://u@h/x", "postgres://h/x", "postgresql:///?service=foureyes"])
def test_an_address_without_a_password_is_kept_and_shown_P12(address: str) -> None:
    assert (why_not_kept(address), shown_address(address)) == ("", address)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://alice@db:5432/shop", "postgresql://db:5432/shop"),
        ("postgresql://alice:s3cr3t@db/shop?user=bob&sslmode=require", "postgresql://db/shop?sslmode=require"),
        ("postgresql:///shop?host=/run/pg&user=alice", "postgresql:///shop?host=/run/pg"),
        ("postgresql:///?service=team", "postgresql:///?service=team"),
    ],
)
def test_an_address_for_everybody_names_no_user_P12(address: str, shown: str) -> None:
    assert without_user(address) == shown
