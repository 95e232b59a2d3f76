"""Exit codes of a command that is typed again, as after a kill, and of one that came too late."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stage.commands import Cast
from tests.ui.cli.counter import Counter, counter


@pytest.fixture
def shop(template: Path, tmp_path: Path, cast: Cast) -> Counter:
    return counter(template, tmp_path, cast, "")


def test_a_repeated_redo_is_done_already_F1(shop: Counter) -> None:
    alice = shop.cast.alice
    work = shop.in_review(alice, shop.cast.claude)
    first = shop.done(alice, "redo", work.task, "-m", "say why")
    again = shop.done(alice, "redo", work.task, "-m", "say why")
    assert (first["changed"], again["changed"], again["version"]) == (True, False, first["version"])
    assert shop.run(alice, "redo", work.task, "-m", "something else").rc == 1


def test_a_repeated_unstart_is_done_already_T1(shop: Counter) -> None:
    task = shop.create(shop.cast.alice)
    shop.done(shop.cast.claude, "start", task, "--here")
    assert shop.done(shop.cast.claude, "unstart", task)["changed"]
    assert not shop.done(shop.cast.claude, "unstart", task)["changed"]


def test_a_late_decision_ends_with_4_D7(shop: Counter) -> None:
    alice, late = shop.cast.alice, shop.cast.gemini
    work = shop.in_review(alice, shop.cast.claude)
    shop.approve(shop.cast.codex, work)
    assert shop.run(late, "approve", work.task, "--seen", work.seen, "-m", "fine").rc == 4
    shop.done(alice, "redo", work.task, "-m", "say why")
    assert shop.run(late, "approve", work.task, "--seen", work.seen, "-m", "fine").rc == 4
    assert shop.run(late, "redo", work.task, "--seen", work.seen, "-m", "no").rc == 4
