"""`fe logs -f` and `fe attach`: what a program printed is shown to its end."""

from __future__ import annotations

import io
from types import SimpleNamespace
from typing import Any

import pytest

from foureyes.ui.cli.running import _write


def test_what_is_printed_just_before_the_end_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    log = io.BytesIO(b"first\n")

    def of_task(_: str) -> list[Any]:
        """Asked whether it still runs: it has just printed its last line and ended."""
        at = log.tell()
        log.seek(0, io.SEEK_END)
        log.write(b"last\n")
        log.seek(at)
        return [SimpleNamespace(state="ended")]

    session: Any = SimpleNamespace(app=SimpleNamespace(runs=SimpleNamespace(of_task=of_task)))
    _write(log, True, session, "fe-1")
    assert capsys.readouterr().out == "first\nlast\n"
