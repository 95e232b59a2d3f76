"""What broke between approval and target branch in the systems before us, each tried with real git."""

from __future__ import annotations

import pytest

from tests.stage.checkout import AT_ONCE
from tests.stage.commands import Stage, SubmissionTime
from tests.stage.shop import TESTS, Shop, commit_in, with_pipeline

pytestmark = pytest.mark.scenario


@pytest.fixture
def shop(stage: Stage) -> Shop:
    """A project with one check; an approval settles at once."""
    return with_pipeline(stage, AT_ONCE + TESTS)


def approved(shop: Shop, files: dict[str, str], *options: str, title: str = "Add login") -> SubmissionTime:
    """A task that claude made, a service checked and a person approved."""
    task = shop.create(shop.cast.alice, *options, title=title)
    work = shop.deliver(shop.cast.claude, task, files)
    shop.checked(shop.cast.job, task)
    shop.approve(shop.cast.alice, work)
    return work


def push(shop: Shop, files: dict[str, str], message: str = "meanwhile") -> str:
    """Somebody commits on main, in the checkout that has it."""
    return commit_in(shop, shop.repo, files, message)


# Whose commits are whose


def test_a_task_is_found_by_what_git_holds_and_never_by_words_in_a_message(shop: Shop) -> None:
    work = approved(shop, {"src/login.py": "login\n"})
    before = push(
        shop, {"src/a.py": "a\n"}, f"[{work.task}] Merge {work.task}: Add login\n\nTask: {work.task}\nAttempt: 1"
    )
    assert shop.status(work.task) == "approved"
    assert shop.merge() == {work.task: "merged"}
    tip = shop.tip()
    assert (shop.git("rev-parse", f"{tip}^1"), shop.git("rev-parse", f"{tip}^2")) == (before, work.head)
    assert shop.show(work.task)["task"]["merge"] == tip


def test_a_fresh_start_takes_back_its_own_branch_and_no_commit_that_only_names_it(shop: Shop) -> None:
    cast = shop.cast
    one, two = (shop.create(cast.alice, title=title) for title in ("One", "Two"))
    kept = push(shop, {"src/main.py": "x\n"}, f"prepare [{one}]")
    other = shop.deliver(cast.codex, two, {"src/two.py": "2\n"}, message=f"[{one}] belongs to [{two}]\n\nTask: {one}")
    mine = shop.deliver(cast.claude, one, {"src/one.py": "1\n"})
    shop.done(cast.alice, "redo", one, "--fresh", "-m", "begin again")
    assert (shop.tip(), shop.tip(other.branch), shop.tip(mine.branch)) == (kept, other.head, kept)
    assert (shop.status(two), shop.tip(f"refs/foureyes/attempts/{one}/1")) == ("reviewing", mine.head)


# What was approved is what is merged


# One task does not stop another


def test_each_is_green_alone_and_the_second_is_red_on_top_of_the_first(shop: Shop) -> None:
    one = approved(shop, {"src/price.py": "OLD = 1\n", "tests/test_one.sh": "! grep -rq NEW src\n"})
    two = approved(shop, {"src/new.py": "NEW = 2\n"})
    three = approved(shop, {"src/three.py": "3\n"})
    assert shop.merge() == {one.task: "merged", two.task: "checks", three.task: "merged"}
    assert (shop.status(two.task), shop.on_main("src/new.py"), shop.on_main("src/three.py")) == ("open", "", "3")
    assert "shop::test_one" in shop.context(two.task)
    assert shop.show(two.task)["task"]["merge_failures"] == 1


# Done means merged


def test_merge_merges_nothing_that_is_not_approved_whoever_asks(shop: Shop) -> None:
    cast, before = shop.cast, shop.tip()
    waiting = shop.deliver(cast.claude, shop.create(cast.alice), {"src/a.py": "a\n"})
    shop.checked(cast.job, waiting.task)
    taken_back = approved(shop, {"src/b.py": "b\n"})
    shop.done(cast.alice, "approve", "--withdraw", taken_back.task)
    rejected = shop.deliver(cast.claude, shop.create(cast.alice), {"src/c.py": "c\n"})
    shop.done(cast.alice, "reject", rejected.task, "-m", "no")
    shop.no(cast.claude, "merge", rules=["D5"])
    for who in (cast.job, cast.alice):
        assert shop.merge(who) == {}
    shop.no(cast.alice, "merge", "--retry", waiting.task, rules=["T2"])
    assert shop.tip() == before
