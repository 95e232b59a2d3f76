"""What is kept of a check's output, and what is said while it comes (D5)."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from foureyes.adapters.checks import output as module
from foureyes.adapters.checks.output import Output


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The seconds that have passed, as a test says."""
    clock = SimpleNamespace(now=1.0)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock.now))
    return clock


def test_output_that_just_fits_is_whole() -> None:
    output = Output()
    for _ in range(64):
        output.hear(b"0123456789abcde\n" * 64)
    assert output.text() == "0123456789abcde\n" * 4096
    output.hear(b"!")
    assert "[… 1 bytes left out of the middle …]" in output.text()


def test_progress_hears_the_last_line_now_and_then(at: SimpleNamespace) -> None:
    heard: list[str] = []
    output = Output(heard.append)
    for now, part in ((1.0, b"a\nb" + b"x" * 500), (1.1, b"quick\n"), (1.3, b"c\rd\n")):
        at.now = now
        output.hear(part)
    assert heard == ["b" + "x" * 199, "d"]


def test_D5_making_an_environment_is_said_with_the_time_that_it_takes(at: SimpleNamespace) -> None:
    heard: list[str] = []
    output = Output(heard.append)
    beat = output.beating(lambda: False)
    with output.during("preparing the environment", "npm ci"):
        for at.now in (1.5, 2.0, 2.5, 3.0):
            assert beat(0) is False
        output.hear(b"added 3 packages\n")
        for at.now in (4.0, 5.0):
            beat(0)
    at.now = 9.0
    beat(0)
    output.hear(b"1 passed\n")
    assert heard == [
        "preparing the environment, 0 s: npm ci",
        "preparing the environment, 1 s: npm ci",
        "preparing the environment, 2 s: npm ci",
        "preparing the environment, 3 s: added 3 packages",
        "preparing the environment, 4 s: added 3 packages",
        "preparing the environment, 4 s: ended",
        "1 passed",
    ]
    assert output.text() == "added 3 packages\n1 passed\n", "what is said in between is not printed by anybody"


def test_who_asks_to_stop_is_heard_while_time_passes() -> None:
    output = Output()
    assert output.beating(lambda: True)(0)


def test_colours_are_dropped_and_other_sequences_stay_visible_D5(at: SimpleNamespace) -> None:
    heard: list[str] = []
    output = Output(heard.append)
    output.hear(b"\x1b[32m.\x1b[0m\x1b[38;5;196mF\x1b[m\x1b[K \x1b[2J\n")
    assert output.text() == ".F ␛[2J\n"
    assert heard == [".F ␛[2J"]
