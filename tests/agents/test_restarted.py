"""A real agent that is stopped in the middle of its work and started again continues it, and nobody helps (T2)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agents.ground import DONE
from tests.agents.house import House
from tests.stage.commands import Stage


@pytest.mark.parametrize("name", ["claude", "codex"])
def test_a_program_that_was_killed_and_started_again_goes_on_T2(name: str, stage: Stage, tmp_path: Path) -> None:
    house = House(stage, tmp_path, name)
    shop, task = house.shop, house.create()
    tree = shop.folder / "worktrees" / task
    commit = f"cd {tree} && mkdir -p src && echo x > src/%s.py && git add . && git commit -qm %s"
    begins = ("fe next", f"{commit % ('half', 'half')} && touch started && sleep 5")
    house.work(name, task, *begins, DONE, kill_when="started")
    (tree / "started").unlink()
    first = shop.show(task)["task"]["implementer"]
    assert shop.status(task) == "in_progress"
    urgent = shop.create(shop.cast.alice, "--priority", "0", title="Something else")
    ends = ("fe next", f"{commit % ('rest', 'rest')} && fe submit {task} -m done")
    printed = house.work(name, task, *ends, DONE)
    assert task in printed[0], printed
    page = shop.show(task)
    assert (page["task"]["status"], shop.status(urgent)) == ("reviewing", "open"), printed
    assert page["task"]["implementer"] != first
    assert {first, page["task"]["implementer"]} <= set(page["authors"])
    shop.git("show", f"{page['attempts'][-1]['head']}:src/half.py")
