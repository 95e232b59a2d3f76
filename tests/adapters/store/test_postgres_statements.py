"""Our statements in the words of PostgreSQL: the same question, looked up in an index."""

from __future__ import annotations

import pytest

from foureyes.adapters.store.postgres import translated


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (
            "SELECT a::text FROM t WHERE a = :a AND b LIKE '5%'",
            "SELECT a::text FROM t WHERE a = %(a)s AND b LIKE '5%%'",
        ),
        (
            "a IN (SELECT value FROM json_each(:ids))",
            "a = ANY (ARRAY(SELECT value FROM json_array_elements_text(CAST(%(ids)s AS json))))",
        ),
        (
            "a NOT IN (SELECT value FROM json_each(:ids))",
            "a <> ALL (ARRAY(SELECT value FROM json_array_elements_text(CAST(%(ids)s AS json))))",
        ),
    ],
)
def test_lists_are_arrays_and_parameters_are_the_drivers(ours: str, theirs: str) -> None:
    assert translated(ours) == theirs
