"""`fe status --attention`, and the same rows first in `fe status` and `fe queue` (E6): word for word, and as JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stage.commands import Cast
from tests.ui.cli.counter import Counter, counter, keys

ROW = "id kind task text since age_seconds details choices next"


@pytest.fixture
def shop(template: Path, tmp_path: Path, cast: Cast) -> Counter:
    return counter(template, tmp_path, cast)


def test_nothing_waits_for_a_person(shop: Counter) -> None:
    said = shop.text(shop.cast.alice, "attention")
    assert said == "nothing needs attention. Tasks waiting for review:\nnext: fe queue\n"
    assert shop.lines(shop.cast.alice, "attention") == []
    assert shop.done(shop.cast.alice, "status")["attention"] == []


def test_a_hold_and_an_unaccepted_configuration_stand_first_everywhere_E6(shop: Counter) -> None:
    cast = shop.cast
    task = shop.create(cast.alice, title="Pay")
    alice = shop.done(cast.alice, "whoami")["name"]
    shop.done(cast.alice, "hold", task, "-m", "ask legal")
    shop.commit("main", {"foureyes.toml": (shop.repo / "foureyes.toml").read_text() + "\n[loop]\niteration_cap = 7\n"})
    first = (
        "waits for a person\n"
        "  CONFIG    foureyes.toml on main has changes that were not accepted, so it is not used      fe config accept\n"
        '  HELD      T1 · ask legal      fe resume T1 -m "why"\n'
    )
    assert shop.text(cast.alice, "status").startswith(first + "shop on main · policy")
    assert shop.text(cast.alice, "status").count("changes that were not accepted") == 1
    assert shop.text(cast.alice, "queue") == first + "no tasks are waiting for review\nnext: fe list --ready\n"
    assert shop.text(cast.alice, "attention") == (
        "CONFIG    foureyes.toml on main has changes that were not accepted, so it is not used\n"
        "  loop.iteration_cap: 5 (default) → 7 (looser)\n"
        f"  on main since fe init: {shop.tip()[:12]} work\n"
        "  1 accept it, so that it is in force from now on: fe config accept\n"
        "HELD      T1 · ask legal      TIME\n"
        "  Pay (open)\n"
        f"  Held by {alice}: ask legal\n"
        "  Only T1 is held, and other work continues. Nothing is lost.\n"
        '  1 resume: let it continue as before: fe resume T1 -m "why"\n'
        "next: fe config accept\n"
    )
    agents = shop.text(cast.claude, "attention", "--limit", "1")
    assert agents.splitlines()[-3:] == [
        "  a person runs: fe config accept",
        "only the first 1 are shown",
        "next: a person runs: fe config accept",
    ]


def test_json_is_a_row_on_each_line_with_its_choices(shop: Counter) -> None:
    shop.done(shop.cast.alice, "hold", "--project", "-m", "release freeze")
    (row,) = shop.lines(shop.cast.alice, "attention")
    assert keys(row, ROW) == set()
    (choice,) = row["choices"]
    assert (choice["noun"], choice["verb"], choice["values"], choice["asks"]) == (
        "stops",
        "resume",
        {"task": None},
        "reason",
    )
    assert choice["step"] == row["next"] == 'fe resume --project -m "why"'
    (first,) = shop.done(shop.cast.claude, "status")["attention"]
    assert (first["text"], first["choices"]) == ("the project: release freeze", [])
    assert shop.lines(shop.cast.alice, "queue") == [], "lines of the queue are tasks, and nothing else"
