"""A runner and faults of its machine, by real processes: what could not be done is done once it can be."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.stage.commands import Stage
from tests.stage.shop import Shop
from tests.stage.theatre import SETTINGS, Theatre, wait_for


@pytest.fixture
def theatre(stage: Stage, tmp_path: Path) -> Theatre:
    return Theatre(Shop(stage.repo, stage.cast), tmp_path)


@pytest.fixture
def lock(stage: Stage) -> Iterator[Path]:
    """Something that keeps git from moving the target, as long as it is there."""
    path = stage.repo / ".git/refs/heads/main.lock"
    path.touch()
    yield path
    path.unlink(missing_ok=True)


def test_a_short_fault_of_the_merges_does_not_end_the_night_Q3(theatre: Theatre, lock: Path) -> None:
    shop = theatre.shop
    tasks = [shop.create(shop.cast.alice, "--label", "review:auto", title=f"Task {n}") for n in range(3)]
    begun = shop.done(shop.cast.alice, "run", "--until-idle", "--agents", "3", "--detach")
    log = Path(begun["log"])
    try:
        wait_for(lambda: "main.lock" in log.read_text())
        lock.unlink()
        wait_for(lambda: "the runner ended" in log.read_text())
    finally:
        with suppress(ProcessLookupError):
            os.kill(begun["pid"], signal.SIGTERM)
    assert {shop.status(task) for task in tasks} == {"closed"}, log.read_text()


CRASHES = '\n[[checks]]\nname = "tests"\nrun = "test ! -e src/crash.py || kill -9 $$"\n'


def test_a_runner_that_ends_says_what_is_left_and_what_waits_for_people_Q3(stage: Stage, tmp_path: Path) -> None:
    theatre = Theatre(Shop(stage.repo, stage.cast), tmp_path, SETTINGS + CRASHES)
    shop, alice = theatre.shop, theatre.shop.cast.alice
    fine, stopped = (shop.deliver(shop.cast.claude, shop.create(alice), {f"src/{n}.py": "\n"}).task for n in range(2))
    shop.done(alice, "hold", stopped, "-m", "legal looks first")
    shop.checked(shop.cast.job, fine)
    shop.checked(shop.cast.job, stopped)
    ended = shop.run(alice, "run", "--until-idle")
    assert (ended.rc, ended.out.splitlines()[0]) == (
        0,
        "Idle. 2 tasks wait for your review (run fe, press R). 1 needs attention (fe status --attention).",
    )
    crashes = shop.deliver(shop.cast.claude, shop.create(alice), {"src/crash.py": "\n"}).task
    for _ in range(5):
        shop.checked(shop.cast.job, crashes, rc=6)
    ended = shop.run(alice, "run", "--until-idle")
    assert (ended.rc, f"{crashes} is not checked: tests crashed: fe check show {crashes}" in ended.out) == (6, True)
    begun = shop.done(alice, "run", "--until-idle", "--detach")
    wait_for(lambda: f"the runner ended: {crashes} is not checked" in Path(begun["log"]).read_text())
