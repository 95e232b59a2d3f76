"""`fe agent signal`, `emit`, `pause`, `stop` and `resume`, as they are typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stage.commands import Cast
from tests.ui.cli.counter import Counter, counter


@pytest.fixture
def shop(template: Path, tmp_path: Path, cast: Cast) -> Counter:
    return counter(template, tmp_path, cast)


def test_an_agent_says_how_far_it_is_and_a_person_halts_what_begins_S1_S3_V9(shop: Counter) -> None:
    alice, claude = shop.cast.alice, shop.cast.claude
    task = shop.create(alice)
    shop.run(claude, "start", task)
    assert shop.run(claude, "emit", "question", "may it go?", "--payload", '{"file": "a.py"}').out.startswith(task)
    said = shop.run(claude, "signal", "done", "-m", "it works")
    assert (said.out.splitlines()[0], said.rc) == (f"{task}: DONE", 0)
    assert f"fe submit {task}" in said.out + said.err
    refused = shop.run(claude, "emit", "gossip", "x")
    assert (refused.rc, "milestone, blocker" in refused.err) == (2, True)
    assert "so no new run starts" in shop.run(alice, "pause", "--project", "-m", "the interface changes").out
    assert shop.run(claude, "pause", task, "-m", "no").rc == 1
    assert "pause is lifted" in shop.run(alice, "resume", "--project", "-m", "settled").out
    assert shop.run(alice, "stop", task).out == f"no agent is working on {task}\n"
    assert shop.run(alice, "pause").rc == 2
