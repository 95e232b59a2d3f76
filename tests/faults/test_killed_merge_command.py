"""Q1, Q4: `fe merge` itself, by real processes: killed at its decisive steps, and twice at once."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.faults.test_killed_commands import killed, rows
from tests.races.test_commands import at_once
from tests.stage.checkout import AT_ONCE
from tests.stage.commands import Cast, SubmissionTime, new_repository
from tests.stage.shop import FILES, TESTS, Shop

DECISIVE = ("git merge-tree", "git update-ref")
"""It has its lease; the target has moved, and the store does not know."""


@pytest.fixture
def shop(tmp_path: Path, cast: Cast) -> Shop:
    """A project with a check."""
    made = Shop(new_repository(tmp_path / "shop"), cast)
    made.done(cast.alice, "init")
    made.configure(AT_ONCE + TESTS, FILES)
    return made


def delivered(shop: Shop, number: int) -> SubmissionTime:
    """A task whose work begins at the target as it is now."""
    return shop.deliver(shop.cast.claude, shop.create(shop.cast.alice), {f"src/part{number}.py": f"{number}\n"})


def agree(shop: Shop, work: SubmissionTime) -> SubmissionTime:
    """A person approves it, over checks that a person ran."""
    shop.checked(shop.cast.alice, work.task)
    shop.approve(shop.cast.alice, work)
    return work


def agreed(shop: Shop, number: int) -> SubmissionTime:
    """A task that a person has approved."""
    return agree(shop, delivered(shop, number))


def line(shop: Shop, since: str) -> list[str]:
    """The tasks that were merged since, in their order, as the target's history tells it."""
    return [
        shop.trailers(commit)["Task"]
        for commit in shop.git("rev-list", "--first-parent", "--reverse", f"{since}..main").split()
    ]


def test_a_killed_fe_merge_is_finished_by_the_next_one_at_once_Q4(shop: Shop, tmp_path: Path) -> None:
    alice, note, since = shop.cast.alice, tmp_path / "steps", shop.tip()
    works = [delivered(shop, number) for number in range(2 + len(DECISIVE))]
    agree(shop, works[0])
    assert shop.merge()[works[0].task] == "merged", "the others began before it: git has something to merge"
    agree(shop, works[1])
    assert killed(shop, alice, 0, str(note), "merge").rc == 0
    steps = note.read_text().splitlines()
    for work, word in zip(works[2:], DECISIVE, strict=True):
        at = next(n for n, step in enumerate(steps, 1) if step == word)
        agree(shop, work)
        assert killed(shop, alice, at + 1, "-", "merge").rc == -signal.SIGKILL
        assert shop.status(work.task) == "approved"
        assert shop.merge()[work.task] in ("merged", "found"), word
    rows(shop)
    assert line(shop, since) == [work.task for work in works]
    assert shop.git("status", "--porcelain") == "", "a person's clean checkout follows"


def test_temporary_folders_of_a_killed_merge_are_removed_by_the_next_D5_Q4(shop: Shop, tmp_path: Path) -> None:
    alice, temporary, note = shop.cast.alice, tmp_path / "temporary", tmp_path / "steps"
    temporary.mkdir()
    env = {"TMPDIR": str(temporary)}
    agreed(shop, 1)
    assert killed(shop, alice, 0, str(note), "merge", env=env).rc == 0
    agreed(shop, 2)
    half = len(note.read_text().splitlines()) // 2
    assert killed(shop, alice, half, "-", "merge", env=env).rc == -signal.SIGKILL
    assert list(temporary.iterdir())
    assert shop.run(alice, "merge", env=env).rc == 0
    assert not list(temporary.iterdir())


def test_of_two_fe_merge_at_once_one_ends_with_4_or_finds_nothing_to_do_Q1(shop: Shop) -> None:
    alice, job, since = shop.cast.alice, shop.cast.job, shop.tip()
    works = [agreed(shop, number) for number in range(2)]
    both = at_once(shop, (alice, ("merge",)), (job, ("merge",)))
    codes = sorted(result.rc for result in both)
    assert codes in ([0, 0], [0, 4]), both
    assert all("another fe merge is running" in result.err for result in both if result.rc == 4), both
    shop.merge()
    assert line(shop, since) == [work.task for work in works]
    assert [shop.status(work.task) for work in works] == ["closed", "closed"]
    rows(shop)
