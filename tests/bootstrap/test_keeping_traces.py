"""A trace is kept beside the others, and goes nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.bootstrap.files import append_trace

from tests.stage.odd import ODD, put_odd


def test_a_trace_is_added_to_what_is_there(tmp_path: Path) -> None:
    (tmp_path / ".foureyes").mkdir()
    for text in ("one\n", "tw\udcff\n"):
        assert append_trace(str(tmp_path / ".foureyes"), "app.log", text) == ".foureyes/logs/app.log"
    assert (tmp_path / ".foureyes/logs/app.log").read_text() == "one\ntw\\udcff\n"


@pytest.mark.parametrize("kind", ODD)
def test_something_odd_in_its_place_is_neither_waited_for_nor_followed(tmp_path: Path, kind: str) -> None:
    (tmp_path / "logs").mkdir()
    put_odd(tmp_path / "logs" / "app.log", kind)
    with pytest.raises(OSError, match="it is a"):
        append_trace(str(tmp_path), "app.log", "text")
