"""What is measured of checks is what it says: the tree is exported once, and the checks really ran."""

from __future__ import annotations

from pathlib import Path

from bench import checks
from tests.stage.namespaces import need


def test_four_checks_are_counted_as_one_export(tmp_path: Path) -> None:
    need("unshare", "-Urm", "true")
    counted, *ratios = checks.exports(tmp_path, 1, files=3)
    assert (counted.value, counted.met) == ("0", True)
    assert [figure.what.rpartition(", ")[2] for figure in ratios] == ["a copy each", "in rooms"]
