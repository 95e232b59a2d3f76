"""A runner in the background: who breaks says so where somebody can read it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from foureyes.bootstrap.running import Running, options_for
from foureyes.errors import LostRunner, Reason

from tests.stage.checkout import Checkout
from tests.stage.people import ALICE


def test_a_runner_that_breaks_after_it_began_says_so_in_its_log(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(tell: object, show: object, began: Callable[[], None], starter: object) -> str:
        began()
        raise LostRunner("it was taken for dead.", reasons=(Reason("J4", "by another"),))

    running = Running(str(checkout.path), os.environ, options_for(1, once=False, until_idle=False, assigned=()))
    monkeypatch.setattr(running, "run", broken)
    child, log = running.detach(ALICE)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 4
    said = Path(log).read_text()
    assert "! the runner ended: it was taken for dead." in said
    assert "! the runner ended: by another" in said
