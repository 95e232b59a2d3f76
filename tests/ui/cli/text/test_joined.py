"""What a clone joined, as text."""

from __future__ import annotations

from foureyes.app.results.settings import StoreRole
from foureyes.app.results.status import Check
from foureyes.bootstrap.join import Joined
from foureyes.steps import fe
from foureyes.ui.cli.text.store import joined_text


def test_it_says_joined_what_was_found_and_what_is_missing() -> None:
    role = StoreRole(name="dev", kind="writer", schema="foureyes_abc")
    missing = (
        Check("keys", "warn", "people have no keys here", fe("key", "add", "--new")),
        Check("x", "warn", "nothing to do"),
    )
    joined = Joined(
        project="abc",
        name="shop",
        prefix="fe",
        target="main",
        address="postgresql://dev@db/team",
        kept=True,
        store="PostgreSQL 18",
        rows=7,
        role=role,
        missing=missing,
    )
    assert joined_text(joined).splitlines() == [
        "joined shop (abc).",
        "  store      postgresql://dev@db/team: PostgreSQL 18, 7 rows",
        "  role       dev, a writer of schema foureyes_abc",
        "  target     main",
        "  missing    people have no keys here",
        "             next: fe key add --new",
        "  missing    nothing to do",
        "next: fe status",
    ]
