"""Q3, G5: a lock that a killed git left behind stops the merge with a sentence; nothing is lost, and it goes on when
the lock is gone.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.adapters.git.objects import refs
from foureyes.app.results.project import News

from tests.stage.floor import Floor
from tests.stage.looking import check
from tests.stage.people import ALICE
from tests.stage.places import Place


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_a_lock_on_the_target_that_a_killed_git_left_keeps_the_approval_and_names_itself_Q3(
    place: Place, template: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refs, "_WRITE", [word.replace("=1000", "=1") for word in refs._WRITE])  # nobody waits for it
    floor = Floor(place, template)
    task = floor.agreed()
    lock = floor.checkout.path / ".git" / "refs" / "heads" / "main.lock"
    lock.touch()
    (row,) = floor.merge()
    assert (row.task, row.outcome) == (task, "stuck")
    assert "main.lock" in row.message
    assert lock.exists(), "nobody takes away what another git may hold"
    lock.unlink()
    assert [found.outcome for found in floor.merge()] == ["merged"]
    floor.close()
    check(floor)


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_a_lock_in_a_persons_checkout_leaves_that_alone_until_it_is_gone_Q5(place: Place, template: Path) -> None:
    floor = Floor(place, template)
    task = floor.agreed()
    lock = floor.checkout.path / ".git" / "index.lock"
    lock.touch()
    heard: list[News] = []
    rows = floor.app.merges.process(ALICE, heard.append)
    assert [found.outcome for found in rows] == ["merged"]
    assert [news for news in heard if "skipped" in news.text], heard
    assert not (floor.checkout.path / f"{task.replace('-', '_')}.py").exists()
    lock.unlink()
    floor.merge()
    floor.close()
    assert floor.checkout.git("status", "--porcelain") == ""
    check(floor)
