"""A program that has the terminal: which input and environment it gets, and how its end is told."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from foureyes.adapters.foreground import attend


def test_a_program_gets_its_input_and_environment_and_its_end_is_told(tmp_path: Path) -> None:
    script = "import os, sys; open(os.environ['OUT'], 'wb').write(sys.stdin.buffer.read()); sys.exit(3)"
    environ = {"OUT": str(tmp_path / "out")}
    assert attend([sys.executable, "-I", "-c", script], environ, b"a change") == 3
    assert (tmp_path / "out").read_bytes() == b"a change"


def test_a_program_that_is_not_there_is_an_error_of_the_system() -> None:
    with pytest.raises(OSError, match="no-such-pager"):
        attend(["/no-such-pager"], {}, b"")
