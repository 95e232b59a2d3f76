"""How many programs a merge and a submission start: each is some ten milliseconds of somebody's waiting."""

from __future__ import annotations

from pathlib import Path

from foureyes.adapters import process
from foureyes.adapters.git.client import git
from foureyes.app.results.work import ClaimedWorktree

from tests.stage.checkout import AT_ONCE, Checkout
from tests.stage.counting import counting
from tests.stage.gated import configure, deliver, merge
from tests.stage.people import BOB, CI, CLAUDE
from tests.stage.wires import Wired
from tests.stage.world import GitWorld

MOST = {"start": 2, "submission": 12, "merge": 18}
"""With a remote, of which the asking, the pushing and the noting."""


def forget_git() -> None:
    """Nothing is known of git yet."""
    git._version.cache_clear()


def test_a_merge_starts_at_most_twenty_programs_Q2(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task = deliver(world)
    world.approve(BOB, task)
    forget_git()
    with counting({"programs": process.start}) as started:
        assert [row.outcome for row in world.app.merges.process(CI)] == ["merged"]
    assert started["programs"] <= 20, started
    assert (world.checkout.path / f"{task}.py").exists(), "the checkout followed, too"


def test_a_merge_of_a_task_with_its_worktree_starts_at_most_twenty_programs_Q2_K1(world: GitWorld) -> None:
    """So an agent's claim leaves it: its worktree and its branch go with the merge. The first adds a file, the second
    changes it, after a merge that is on record.
    """
    configure(world, AT_ONCE)
    for text in ("first\n", "second\n"):
        task = world.create()
        claimed = world.app.claims.start(CLAUDE, task, worktree=True)
        assert isinstance(claimed, ClaimedWorktree)
        Checkout(Path(claimed.worktree)).commit("code.py", text)
        world.submit(CLAUDE, task)
        world.approve(BOB, task)
        forget_git()
        with counting({"programs": process.start}) as started:
            assert [row.outcome for row in world.app.merges.process(CI)] == ["merged"]
        assert started["programs"] <= 20, started
        assert not Path(claimed.worktree).exists(), "it went with the task"
        assert (world.checkout.path / "code.py").read_text() == text, "the checkout followed, too"


def test_a_hand_in_starts_at_most_twelve_programs_A1(world: GitWorld) -> None:
    task = world.work(CLAUDE, world.create())
    forget_git()
    with counting({"programs": process.start}) as started:
        world.submit(CLAUDE, task)
    assert started["programs"] <= 12, started


def test_a_team_member_starts_few_programs_where_nothing_is_new_at_the_remote_Q6(clones: Wired) -> None:
    """A start only asks; a submission sends its branch, a merge moves the target there."""
    alpha = clones.alpha
    clones.approved(alpha)
    merge(alpha)
    task = alpha.create()
    counts = {}
    with counting({"programs": process.start}) as started:
        alpha.start(CLAUDE, task)
    counts["start"] = started["programs"]
    alpha.checkout.git("switch", "-q", "-c", f"fe/{task}")
    alpha.checkout.commit(f"{task}.py", "work\n")
    with counting({"programs": process.start}) as started:
        alpha.submit(CLAUDE, task)
    counts["submission"] = started["programs"]
    alpha.checkout.switch("main")
    alpha.approve(BOB, task)
    with counting({"programs": process.start}) as started:
        assert merge(alpha) == {task: "merged"}
    counts["merge"] = started["programs"]
    assert {what: many for what, many in counts.items() if many > MOST[what]} == {}
