"""Modules of the room are found by their names, whoever was loaded before."""

from __future__ import annotations

import re
from pathlib import Path

from foureyes.adapters.git import reading, repo


def test_every_module_that_the_repository_asks_for_is_loaded_when_it_is_first_used() -> None:
    asked = set(re.findall(r"\breading\.(\w+)\.", Path(repo.__file__).read_text()))
    assert "history" in asked
    assert asked <= reading.MODULES
