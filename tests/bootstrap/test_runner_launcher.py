"""Who starts runners for a command that has the store open."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest

from foureyes.bootstrap.runner import options_for, refusal_of
from foureyes.bootstrap.runner_launcher import Launcher, prepare, prepared

from tests.stage.people import ALICE

OPTIONS = options_for(1, once=False, until_idle=False, assigned=())


def test_the_copy_answers_more_than_once_and_says_why_nothing_began_G2(tmp_path: Path) -> None:
    with closing(Launcher()) as launcher:
        for _ in range(2):
            answer = launcher.launch(str(tmp_path), os.environ, OPTIONS, ALICE)
            assert refusal_of(answer.said).message


def test_a_copy_belongs_to_the_process_that_made_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foureyes.bootstrap.runner_launcher._prepared", None)
    prepare()
    launcher = prepared()
    prepare()
    assert launcher is not None
    assert prepared() is launcher
    launcher.owner += 1
    assert prepared() is None
    launcher.close()
